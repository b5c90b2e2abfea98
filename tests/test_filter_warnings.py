"""What a question is limited to and no memory has is said, with what there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import NOW
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.frontends.cli.main import cli
from memkit.storage.filter_warnings import LISTED, unmatched_filters

KIND = "No memory is of kind 'epsiode'; there are: 'fact', 'episode'. Did you mean 'episode'?"
PROJECT = "No memory belongs to the project 'gardn'; there are: 'garden', 'global'. Did you mean 'garden'?"


@pytest.fixture
def path(tmp_path: Path) -> str:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.remember("Rosa planted the quince.", project="garden", now=NOW)
        db.remember("Rosa pruned the quince.", project="garden", now=NOW)
        db.remember("A day with Rosa.", kind="episode", now=NOW)
    return str(tmp_path / "memory.db")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_a_kind_or_a_project_that_no_memory_has_is_told_among_the_warnings(path: str) -> None:
    with MemoryDatabase(path) as db:
        found = db.recall("quince", kinds=["epsiode", "fact"], project="gardn")
        assert found.warnings == (KIND, PROJECT)
        assert len(found) == 2
        assert f"({KIND})" in repr(found)
        assert "epsiode" in found._repr_html_()


def test_what_there_is_is_not_spoken_of(path: str) -> None:
    with MemoryDatabase(path) as db:
        assert db.recall("quince", kinds="episode", project="garden").warnings == ()
        assert db.recall("quince", project="global").warnings == ()


def test_an_empty_database_has_no_list_of_kinds() -> None:
    with MemoryDatabase() as db:
        assert db.recall("x", kinds="fact", project="global").warnings == (
            "No memory is of kind 'fact': there are no memories yet.",
        )


@pytest.mark.parametrize("format", ["table", "json", "ids", "context"])
def test_the_command_line_says_it_on_stderr_and_only_there(path: str, format: str) -> None:
    found = run("recall", path, "quince", "--kind", "epsiode", "--project", "gardn", "--format", format)
    assert (found.exit_code, found.stderr) == (0, f"{KIND}\n{PROJECT}\n")
    assert "epsiode" not in found.stdout


NARROWED = [("recall", "quince", "--only-project"), ("context", "quince", "--only-project")]
NARROWED += [("about", "Rosa"), ("path", "Rosa", "Rosa")]


@pytest.mark.parametrize("command", [("context", "the quince"), *NARROWED])
def test_other_commands_say_it_of_a_project(path: str, command: tuple[str, ...]) -> None:
    name, *arguments = command
    said = run(name, path, *arguments, "--project", "gardn").stderr
    assert said.startswith("No memory belongs to the project 'gardn'")
    assert ("'garden'" in said) == (command not in NARROWED)  # where others are left out, their names are, too
    assert run(name, path, *arguments, "--project", "garden").stderr == ""


def test_where_other_projects_are_left_out_a_kind_is_that_of_the_project(path: str) -> None:
    options = ("--project", "garden", "--only-project", "--kind", "epsiode")
    assert run("recall", path, "quince", *options).stderr == "No memory of the project 'garden' is of kind 'epsiode'.\n"


@given(projects=st.lists(st.text(st.characters(codec="utf-8"), min_size=1), unique=True, max_size=30), asked=st.text())
def test_a_sentence_names_a_few_projects_and_counts_the_others(projects: list[str], asked: str) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": project, "project": project} for project in projects])
        known = {row[0] for row in db.conn.execute("select project from memories")}
        said = unmatched_filters(db.conn, project=asked)
    assert bool(said) == (asked not in known | {"global"})
    assert (f"and {len(known) - LISTED} more" in "".join(said)) == (bool(said) and len(known) > LISTED)


def test_an_empty_database_says_so_once(tmp_path: Path) -> None:
    """It named the channels that had found nothing to begin at, as if something were wrong with them."""
    with MemoryDatabase(tmp_path / "memory.db") as db:
        assert db.recall("who planted the quince?").notes == ["There are no memories yet."]
        db.remember("Rosa planted the quince in 2019.")
        assert db.recall("who planted the quince?", kinds=["episode"]).notes[-1].startswith("No memory is of kind")
        assert db.recall("zebra xylophone", since="2031").notes == []


def test_where_nothing_was_found_it_is_not_said_that_what_was_found_is_far(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db") as db:
        db.remember("Rosa planted the quince in 2019.")
        (said,) = db.recall("who planted the quince?", kinds=["epsiode"]).warnings
        assert said.startswith("No memory is of kind 'epsiode'")
