"""What a terminal shows fits into it; what a file or a pipe gets is in one piece for each row."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core import terminal_text
from memkit.core.terminal_text import NARROWEST, columns, hanging, narrowed, table
from memkit.sources import formats

ROWS = [("format", "what it is"), ("jsonl", "An object in each line, of which each is a memory"), ("csv", "A table")]


def test_a_row_that_is_too_long_goes_on_below_its_own_column() -> None:
    assert table(ROWS, width=30).splitlines() == [
        "format  what it is",
        "jsonl   An object in each",
        "        line, of which each is",
        "        a memory",
        "csv     A table",
    ]


def test_a_path_stays_in_one_piece_where_it_fits() -> None:
    rows = [("/srv/rosa/notes/gardens", "one of the things that were left out"), ("/tmp", "none")]
    assert table(rows, width=40).splitlines()[0] == "/srv/rosa/notes/gardens  one of the"
    assert max(map(len, table(rows, width=30).splitlines())) <= 30


def test_the_formats_stay_in_one_piece_in_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns of files were cut in the middle of a name: `.aider.chat.hist`, `ory.md`."""
    known = formats()
    shown = table([(one.name, ", ".join(one.files)) for one in known.values()])
    monkeypatch.setattr(terminal_text, "terminal_width", lambda: 80)
    lines = repr(known).splitlines()
    assert max(map(len, lines)) <= 80
    words = {word for line in lines for word in line.split()}
    assert {word for line in shown.splitlines() for word in line.split()} <= words


def test_signs_that_are_two_columns_wide_are_counted_as_two() -> None:
    assert [columns(text) for text in ("quince", "剪定", "\uff21", "e\u0301", "می\u200cخواهم", "\U0001f330")] == [
        6,
        4,
        2,
        1,
        7,
        2,
    ]
    first, second, _ = table([("剪定の覚え書き", "a"), ("quince", "b"), ("Ünal", "c")]).splitlines()
    assert first == "剪定の覚え書き  a"
    assert second == "quince" + " " * 10 + "b"


@example("a" + "剪" * 20, 13)
@given(st.text("剪定の quince,é\U0001f330", min_size=1, max_size=200), st.integers(13, 60))
def test_no_line_is_wider_than_the_terminal_and_no_sign_is_lost(text: str, width: int) -> None:
    lines = table([(text,)], width=width).splitlines()
    assert all(columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_without_a_terminal_each_row_is_a_line() -> None:
    assert table(ROWS).splitlines()[1] == "jsonl   An object in each line, of which each is a memory"
    assert hanging("a" * 500, "  ") == "a" * 500


def test_a_line_goes_on_below_its_beginning() -> None:
    assert hanging("     words #1, meaning #2", "     ", 16) == "     words #1,\n     meaning #2"


@given(st.lists(st.integers(0, 400), min_size=1, max_size=6), st.integers(-5, 200))
def test_columns_fit_unless_they_would_be_too_narrow(widths: list[int], room: int) -> None:
    fitted = narrowed(widths, room)
    assert all(min(was, NARROWEST) <= now <= was for was, now in zip(widths, fitted, strict=True))
    assert sum(fitted) <= room or all(now <= NARROWEST for now in fitted)
    assert sum(widths) > room or fitted == widths


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of POSIX")
def test_commands_fit_into_a_narrow_terminal(tmp_path: Path) -> None:
    import pty
    import subprocess

    file = tmp_path / "memory.db"
    with MemoryDatabase(file, embed="none") as db:
        db.remember("Rosa planted the quince at the end of the path, where the wind comes in from the river and stays.")
    for command in (["formats"], ["doctor", str(file)], ["recall", str(file), "who planted the quince?"]):
        here, there = pty.openpty()
        environment = {**os.environ, "COLUMNS": "80"}
        done = subprocess.Popen([sys.executable, "-m", "memkit", *command], stdout=there, env=environment)
        os.close(there)
        printed = b""
        try:
            while piece := os.read(here, 65536):
                printed += piece
        except OSError:  # the other side is closed
            pass
        assert done.wait() in (0, 1)
        lines = printed.decode().replace("\r", "").splitlines()
        assert len(lines) > 2
        assert [line for line in lines if len(line) > 80 and " " in line[12:].strip()] == []
