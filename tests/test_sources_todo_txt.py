"""Lists in todo.txt: a task a line, with its days and tags."""

from pathlib import Path

import pytest
from chat_files import ingests
from fuzz.samples import TODO_TXT

from memkit.sources import detect, read


def test_a_line_is_a_task_with_its_days_and_tags(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    path.write_text(TODO_TXT)
    first, second, third = read(path)
    assert detect(path) == "todo.txt"
    assert (first.text, first.happened_at) == ("Prune it +garden @yard\nDue: 2026-03-10\nPriority: A", "2026-03-10")
    assert first.tags == ("garden", "yard")
    assert (second.text, second.happened_at, second.meta["done"]) == (
        "Dig +garden\nDone: 2026-03-03",
        "2026-03-03",
        True,
    )
    assert (third.text, third.happened_at) == ("See https://a.org", None)


@pytest.mark.parametrize(
    ("name", "text"),
    [("todo.txt", "Prune the pear.\nBuy milk.\n"), ("todo.txt", "# Ideas\n\nA garden @ home.\n"), ("a.txt", TODO_TXT)],
)
def test_another_text_is_a_note(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert detect(tmp_path / name) == "markdown"


def test_a_task_that_is_done_is_the_same_and_one_that_is_gone_is_archived(tmp_path: Path) -> None:
    later = TODO_TXT.replace("(A) 2026-03-01", "x 2026-03-05 2026-03-01").replace("See https://a.org\n", "")
    assert ingests(tmp_path / "todo.txt", TODO_TXT, TODO_TXT, later) == [(3, 0, 0), (0, 0, 0), (0, 1, 1)]
