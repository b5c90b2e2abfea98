"""Likely mistakes on the command line are answered with the line that was meant, and change nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from memkit import MemoryDatabase
from memkit.frontends.cli import mistakes
from memkit.frontends.cli.main import cli


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a memory database, a folder of notes and a text file, in which commands are typed."""
    monkeypatch.chdir(tmp_path)
    with MemoryDatabase("garden.db", embed="none") as db:
        db.remember("Rosa planted the quince.")
    Path("notes").mkdir()
    Path("notes/note.md").write_text("# Quince\n\nRosa planted it.", "utf-8")
    return tmp_path


def said(*typed: str) -> str:
    """What a line that fails says."""
    done = CliRunner().invoke(cli, typed, prog_name="memkit")
    assert done.exit_code == 2, done.output
    return done.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["recall", "who planted it?", "garden.db", "-k", "1"], "recall garden.db 'who planted it?' -k 1"),
        (["remember", "text", "garden.db"], "remember garden.db text"),
        (["about", "Rosa", "garden.db"], "about garden.db Rosa"),
        (["recall", "notes/note.md", "garden.db"], "recall garden.db notes/note.md"),
        (["ingest", "notes", "garden.db"], "ingest garden.db notes"),
        (["ingest", "notes", "new.db", "--sync"], "ingest new.db notes --sync"),
        (["ingest", "notes/"], "ingest memory.db notes/"),
    ],
)
def test_a_database_that_is_not_first_is_put_there(typed: list[str], meant: str, folder: Path) -> None:
    assert f"The database comes first: memkit {meant}\n" in said(*typed)
    assert {one.name for one in folder.rglob("*")} - {"garden.db-shm", "garden.db-wal"} == {
        "garden.db",
        "notes",
        "note.md",
    }


def test_a_question_may_be_the_name_of_a_database() -> None:
    done = CliRunner().invoke(cli, ["recall", "garden.db", "garden.db"])
    assert done.exit_code == 0, done.output
    assert "comes first" not in CliRunner().invoke(cli, ["recall", "new.db", "garden.db"]).output
    assert "comes first" not in said("recall", "notes", "what is new?")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["recall", "garden.db", "who", "planted", "it?"], "recall garden.db 'who planted it?'"),
        (["remember", "garden.db", "-k", "fact", "It", "rains."], ""),
        (["remember", "garden.db", "It", "rains."], "remember garden.db 'It rains.'"),
        (["expand", "garden.db", "c6h2z3v2re", "k7"], ""),
    ],
)
def test_words_without_quotes_are_put_in_quotes(typed: list[str], meant: str) -> None:
    assert (f"Put the words in quotes: memkit {meant}\n" in said(*typed)) == bool(meant)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["recall", "garden.db", "quince", "--limit", "3"], "No such option '--limit'. Here it is -k."),
        (["recall", "garden.db", "quince", "--from", "2024"], "No such option '--from'. Here it is --since."),
        (["recall", "--db", "garden.db", "quince"], "The database comes first, without an option."),
        (["recall", "garden.db", "quince", "--formt", "json"], "Did you mean '--format'?"),
        (["search", "garden.db", "quince"], "No such command 'search'. Here it is: memkit recall"),
        (["help"], "No such command 'help'. Here it is: memkit --help"),
        (["rcall", "garden.db", "quince"], "Did you mean 'recall'?"),
    ],
)
def test_what_other_programs_call_otherwise_is_told(typed: list[str], meant: str) -> None:
    assert meant in said(*typed)


def test_llm_names_its_own_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from llm.cli import cli as llm

    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    for typed, meant in (
        (["search", "quince"], "Here it is: llm memory recall"),
        (["recall", "who", "planted", "it?"], "llm memory recall 'who planted it?'"),
    ):
        done = CliRunner().invoke(llm, ["memory", *typed], prog_name="llm")
        assert (done.exit_code, meant in done.stderr) == (2, True), done.output


def test_json_is_asked_for_in_one_way_everywhere() -> None:
    """`--json` and `--format json` are both understood; where `--format` is that of a file, it stays so."""
    for typed in (["recall", "garden.db", "quince"], ["info", "garden.db"], ["unprune", "garden.db"]):
        done = [CliRunner().invoke(cli, [*typed, *asked]) for asked in (["--json"], ["--format", "json"])]
        assert [one.exit_code for one in done] == [0, 0]
        assert [type(json.loads(one.stdout)) for one in done] == [type(json.loads(done[0].stdout))] * 2
    assert "No such option '--json'" in said("policy", "garden.db", "--json")
    CliRunner().invoke(cli, ["ingest", "new.db", "notes"])
    again = CliRunner().invoke(cli, ["ingest", "new.db", "notes", "--json"])
    assert json.loads(again.stdout)["unchanged"] == 1


def test_the_names_that_are_told_exist() -> None:
    options = {name for command in cli.commands.values() for one in command.params for name in one.opts}
    assert {meant.split()[0] for meant in mistakes.OPTIONS.values()} <= options
    assert {meant for meant in mistakes.COMMANDS.values() if not meant.startswith("-")} <= cli.commands.keys()
    assert not mistakes.COMMANDS.keys() & cli.commands.keys()


def test_an_empty_question_is_told_in_one_sentence() -> None:
    done = CliRunner().invoke(cli, ["recall", "garden.db", " "])
    assert done.output.splitlines()[1:] == ["     (The question is empty.)"]
