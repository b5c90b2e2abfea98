"""`memkit publish` at the command line: what it prints, asks and exits with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import published_file

from memkit import MemoryDatabase
from memkit.frontends.cli import publish
from memkit.frontends.cli.main import cli


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a memory of a garden."""
    monkeypatch.chdir(tmp_path)
    with MemoryDatabase("memory.db", embed="none") as db:
        db.remember("Will said he will plant a quince.", project="garden")
        db.remember("The cellar is locked.")
    return tmp_path


def run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["publish", *arguments], input=given)


def test_a_project_is_published_and_proved(folder: Path) -> None:
    done = run("memory.db", "garden/", "--project", "garden", "--title", "A garden", "--no-embed")
    assert done.exit_code == 0, done.output
    assert "1 memory" in done.output
    assert "1 new, 0 changed, 0 gone" in done.output
    checked = run("--check", "garden", "--against", "memory.db")
    assert (checked.exit_code, checked.output.strip()) == (0, f"{folder / 'garden'}: 1 memory, nothing private in it")


def test_a_check_that_finds_something_exits_with_one(folder: Path) -> None:
    run("memory.db", "garden", "--project", "garden")
    (folder / "garden" / "notes.txt").write_text("The cellar!", encoding="utf-8")
    checked = run("--check", "garden", "--against", "memory.db", "--format", "json")
    assert checked.exit_code == 1
    found = json.loads(checked.output)
    assert (found["sound"], [leak["text"] for leak in found["leaks"]]) == (False, ["cellar"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["memory.db"], "Give the database and the folder"),
        (["memory.db", "out"], "Nothing is chosen"),
        (["nothing.db", "out", "--project", "garden"], "There is no database"),
        (["--check", "out"], "--against memory.db"),
        (["--check", "out", "--against", "memory.db"], "There is no publication"),
        (["--check", "out", "--against", "memory.db", "--title", "A"], "leave out --title. To publish anew"),
        (["memory.db", "out", "--project", "garden", "--pattern", "badge"], "--pattern takes a name"),
        (["memory.db", "out", "--project", "garden", "--keep", "all"], "is not a detail to keep"),
        (["memory.db", "out", "--project", "garden", "--redact", "Will"], "a name, but also a common word"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(folder: Path, arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.exit_code != 0
    assert words in done.output
    assert "Traceback" not in done.output
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("answer", "text"), [("y", "Person 1 said he Person 1 plant"), ("n", "Will said he will plant")]
)
def test_on_a_terminal_a_name_that_is_a_word_is_asked_about(
    folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, text: str
) -> None:
    monkeypatch.setattr(publish, "_at_a_terminal", lambda: True)
    done = run("memory.db", "out", "--project", "garden", "--redact", "Will", given=f"{answer}\n")
    assert done.exit_code == 0, done.output
    with MemoryDatabase(published_file(folder / "out"), read_only=True) as public:
        assert public.conn.execute("select text from memories").fetchone()[0].startswith(text)


def test_a_review_asks_and_leaves_what_is_to_stay(folder: Path) -> None:
    with MemoryDatabase("memory.db", embed="none") as db:
        db.remember("Write to yard@example.org.", project="garden")
    done = run("memory.db", "out", "--project", "garden", "--review", given="n\n")
    assert "Redact 'yard@example.org'?" in done.output
    with MemoryDatabase(published_file(folder / "out"), read_only=True) as public:
        assert "Write to yard@example.org." in [row[0] for row in public.conn.execute("select text from memories")]


def test_a_pattern_of_ones_own(folder: Path) -> None:
    run("memory.db", "out", "--project", "garden", "--pattern", "fruit=quinces?")
    with MemoryDatabase(published_file(folder / "out"), read_only=True) as public:
        assert public.conn.execute("select text from memories").fetchone()[0] == "Will said he will plant a [fruit]."
