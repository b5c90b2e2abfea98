"""Tables of tasks, films and books of services that differ in the names of their columns."""

from pathlib import Path

import pytest
from fuzz.samples import ASANA, IMDB, JIRA, LINEAR, STORYGRAPH, TOODLEDO

from memkit import MemoryDatabase
from memkit.sources import ReadOptions, detect, read

UTC = ReadOptions(timezone="UTC")


def written(folder: Path, text: str, name: str = "export.csv") -> Path:
    """A file with this text."""
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    ("text", "format", "told", "at", "tags"),
    [
        (ASANA, "asana", "Prune the pear\nDue: 2026-03-10\nAssigned to: Rosa\n\nNot deep.", "2026-03-10",
         ("trees", "old", "Yard", "Garden")),
        (JIRA, "jira", "Prune it\nIssue: YARD-1\nType: Task\nStatus: Done\nAssigned to: Rosa\n\nNot deep.",
         "2026-03-05T09:05:00Z", ("a", "b", "Yard")),
        (LINEAR, "linear", "Prune it\nDue: 2026-03-10\nIssue: Y-1\nStatus: Done\nAssigned to: Ben\nCreated by: Rosa"
         "\n\nNot deep.", "2026-03-10", ("a", "b", "Yard", "Pear")),
        (TOODLEDO, "toodledo", "Prune it\nDue: 2026-03-10\nDone: 2026-03-11\nStatus: Delegated\nRepeats: Every week"
         "\n\nNot deep.", "2026-03-11", ("old", "Yard", "work")),
        (IMDB, "imdb", "The Pear (1999). rated 9 of 10.", "2026-03-01", ()),
        (STORYGRAPH, "storygraph", "Pears by Ida Moss. Read 2026-03-01. rated 4.5 of 5.\n\nMoods: calm\n\nFine.",
         "2026-03-01", ("trees", "old", "read")),
    ],
)  # fmt: skip
def test_a_row_is_a_memory_with_its_time_and_tags(tmp_path, text: str, format: str, told: str, at: str, tags) -> None:
    path = written(tmp_path, text)
    first = next(read(path, options=UTC))
    assert detect(path) == format
    assert (first.text, first.happened_at, first.tags) == (told, at, tags)


def test_a_comment_of_jira_is_by_who_wrote_it_unless_that_is_an_id(tmp_path: Path) -> None:
    more = JIRA.replace("so?,", "so?,07/Mar/26 1:05 PM;5b10ac8d;It grew.")
    _, first, second = read(written(tmp_path, more), options=UTC)
    assert (first.text, first.speaker, first.happened_at) == ("Why; so?", "Ben", "2026-03-06T09:05:00Z")
    assert (second.text, second.speaker, second.happened_at) == ("It grew.", None, "2026-03-07T13:05:00Z")
    assert first.title == second.title == "Prune it"


def test_a_later_export_changes_a_task_in_place(tmp_path: Path) -> None:
    path = written(tmp_path, ASANA)
    with MemoryDatabase(embed="none") as db:
        assert [db.ingest(path).added, db.ingest(path).added] == [1, 0]
        report = db.ingest(written(tmp_path, ASANA.replace("2026-03-01,,", "2026-03-01,2026-03-09,")))
        assert (report.added, report.updated, report.removed) == (0, 1, 0)


def test_a_list_of_imdb_is_called_as_its_file_and_keeps_what_was_noted(tmp_path: Path) -> None:
    text = (
        "Position,Const,Created,Modified,Description,Title,URL,Title Type,Year,Your Rating\n"
        "1,tt1,2026-03-01,2026-03-01,Ben likes it.,The Pear,https://a.org/tt1,Movie,1999,\n"
    )
    (first,) = read(written(tmp_path, text, "WATCHLIST.csv"))
    assert first.text == "The Pear (1999). On the list WATCHLIST.\n\nBen likes it."
    assert (first.document.title, first.happened_at) == ("WATCHLIST", "2026-03-01")


def test_a_time_of_jira_is_on_the_clocks_of_the_account(tmp_path: Path) -> None:
    first = next(read(written(tmp_path, JIRA), options=ReadOptions(timezone="Europe/Paris")))
    assert first.happened_at == "2026-03-05T08:05:00Z"
