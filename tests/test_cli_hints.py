"""Hints name the command that the person typed, with the database that was typed, on every command line of memkit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest
import sqlite_utils.cli
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit import MemoryDatabase
from memkit.frontends import cli as commands
from memkit.frontends.cli import Host, hints
from memkit.frontends.cli.main import cli
from memkit.frontends.llm.commands import HOST

PACKAGE = Path(memkit.__file__).parent


@contextmanager
def typed(host: Host, database: str) -> Iterator[None]:
    """As in a command of this command line on this database."""
    with click.Context(click.Command("any")):
        hints.begin(host, database)
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user folder of `llm`, with a memory of a sentence, and beside it another database."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("memory.db", "the other.db"):
        with MemoryDatabase(name, embed="none") as db:
            db.remember("Rosa planted the quince.")
    return tmp_path


# ---------------------------------------------------------------------------------------------- on each command line


def test_memkit_names_the_database_that_was_typed(home: Path) -> None:
    done = CliRunner().invoke(cli, ["undo", "./the other.db", "nothing"])
    assert "`memkit maintain './the other.db' --log` lists them." in done.stderr


@pytest.mark.parametrize(("given", "file"), [([], ""), (["-d", "the other.db"], " --database 'the other.db'")])
def test_llm_names_its_own_command_and_the_database_only_if_it_was_typed(
    home: Path, given: list[str], file: str
) -> None:
    from llm.cli import cli as llm

    for line, said in (
        (["undo", "nothing"], f"`llm memory maintain{file} --log` lists them."),
        (["forget", "nothing"], f'To see ids: llm memory recall{file} "a question" --format ids'),
        (["proposals"], f"run: llm memory maintain{file} --only propose"),
        (["doctor"], f"Run: llm memory reindex{file}"),
    ):
        done = CliRunner().invoke(llm, ["memory", line[0], *given, *line[1:]])
        assert said in " ".join(done.output.split()), done.output


def test_sqlite_utils_names_its_own_commands_and_those_of_memkit_that_it_does_not_have(home: Path) -> None:
    run = CliRunner().invoke
    done = run(sqlite_utils.cli.cli, ["memkit-recall", "no.db", "quince"])
    assert "To make it: sqlite-utils memkit-ingest no.db NOTES" in done.stderr
    made = Host("sqlite-utils", prefix="memkit-", commands=["ingest"])
    with typed(made, "the other.db"):
        assert hints.here("Run: memkit reindex the other.db") == "Run: memkit reindex 'the other.db'"


def test_the_hook_names_the_command_that_shows_lessons_on_its_database() -> None:
    with typed(HOST, "x.db"):
        assert hints.typed("proposals", database="a b.db") == "llm memory proposals --database 'a b.db'"
    with typed(Host(), ""):
        assert hints.typed("proposals", database="a b.db") == "memkit proposals 'a b.db'"


# ---------------------------------------------------------------------------------------------- in a message


@pytest.mark.parametrize(
    ("said", "memkit", "llm"),
    [
        ("Run: memkit reindex garden.db --fts", "memkit reindex ../garden.db --fts", "llm memory reindex -d --fts"),
        ("`memkit info` lists them.", "`memkit info ../garden.db` lists", "`llm memory info -d` lists"),
        ("memkit doctor FILE says more.", "memkit doctor ../garden.db says", "llm memory doctor -d says"),
        ("Run: memkit recover garden.db NEW.db", "recover ../garden.db NEW.db", "llm memory recover -d NEW.db"),
        ("memkit export other.db all.jsonl", "memkit export other.db all", "memory export --database other.db all"),
        ("Of 'memkit info' and memkit's", "Of 'memkit info' and memkit's", "Of 'memkit info' and memkit's"),
        ("a file that memkit recalls", "a file that memkit recalls", "a file that memkit recalls"),
        ("See: memkit formats", "See: memkit formats", "See: llm memory formats"),
    ],
)
def test_a_command_in_a_message_becomes_the_one_to_paste(said: str, memkit: str, llm: str) -> None:
    with typed(Host(), "../garden.db"):
        assert memkit in hints.here(said)
    with typed(HOST, "../garden.db"):
        assert llm.replace(" -d", " --database ../garden.db") in hints.here(said)


@given(st.text(), st.text(max_size=20))
def test_what_is_no_hint_stays_as_it_is(text: str, database: str) -> None:
    with typed(HOST, database):
        assert hints.here(text) == text
        assert hints.here(f"There is no memory '{text.replace(chr(39), '')} memkit info'.").endswith(" memkit info'.")


def messages() -> Iterator[tuple[str, str]]:
    """Every text in memkit's code that names a command and is no docstring, with where it stands."""
    for file in sorted(PACKAGE.rglob("*.py")):
        if file.is_relative_to(PACKAGE / "frontends"):
            continue
        tree = ast.parse(file.read_text("utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in docs | inner:
                parts = node.values if isinstance(node, ast.JoinedStr) else [node]
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "garden.db" for part in parts)
                if re.search(r"memkit [a-z-]+", text):
                    yield f"{file.relative_to(PACKAGE)}:{node.lineno}", text


def test_every_message_of_the_library_is_told_as_it_was_typed() -> None:
    command = f"memkit (?:{'|'.join(commands.COMMANDS)})"
    unlike, elsewhere = (
        re.compile(rf"{command}(?![\w'-])"),
        re.compile(rf"{command} (?:garden\.db|DATABASE|FILE|\.\.\.)"),
    )
    found = list(messages())
    assert len(found) > 40
    for where, text in found:
        with typed(HOST, "garden.db"):
            assert not unlike.search(hints.here(text)), where
        with typed(Host(), "../garden.db"):
            assert not elsewhere.search(hints.here(text)), where
