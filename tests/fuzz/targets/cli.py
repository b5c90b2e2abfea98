"""The command line: any arguments after any command end in an answer or in one sentence, never in a traceback."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import click
from click.testing import CliRunner

from fuzz import databases, samples, soundness, values
from memkit.frontends.cli.main import cli
from memkit.storage.driver import sqlite3

BLOCK = 20
# They serve, wait for a prompt, or end the process.
LEFT_OUT = ("serve", "demo", "mcp", "advise", "watch", "review")
OPTIONS_LEFT_OUT = ("help", "version", "watch")
FILES = {"note.md": samples.NOTE.encode(), "rows.jsonl": samples.lines(samples.ROWS), "empty.txt": b""}


def commands() -> dict[str, click.Command]:
    """The commands that end by themselves, by name."""
    with click.Context(cli) as context:
        found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    return {name: one for name, one in found.items() if one is not None and not name.startswith(LEFT_OUT)}


def make(random: Random) -> Any:
    """A command and its arguments: the database first, where it takes one."""
    name = random.choice(sorted(commands()))
    command = commands()[name]
    words = []
    for one in command.params:
        if isinstance(one, click.Argument):
            words.append("mem.db" if one.name == "database" else word(random))
        elif random.random() < 0.25 and one.opts and one.name not in OPTIONS_LEFT_OUT:
            words.append(one.opts[0])
            if not getattr(one, "is_flag", False) and not getattr(one, "count", False):
                words.append(word(random))
    if random.random() < 0.1:
        words.insert(random.randrange(len(words) + 1), word(random))
    return {"command": name, "words": words}


def word(random: Random) -> str:
    """An argument: a file, a number, a name, a date or any text without NUL, which no process can be given."""
    found = random.choice(
        (*FILES, "mem.db", "new.db", "out", "out.jsonl", "0", "3", "-1", "Rosa", "the quince", *values.TIMES[:3])
        if random.random() < 0.6
        else (values.valid_text(random, 3),)
    )
    return str(found).replace("\0", "")


class World:
    """A folder with a database and a few files."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name, data in FILES.items():
            (folder / name).write_bytes(data)
        databases.copy(folder / "mem.db").close()

    def run(self, case: Any) -> None:
        """Runs it in this process, in the folder."""
        runner = CliRunner(env={"LLM_USER_PATH": str(self.folder), "HOME": str(self.folder)})
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            done = runner.invoke(cli, [case["command"], *case["words"]])
        finally:
            os.chdir(before)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        soundness.must("Traceback" not in done.output, done.output[-1000:])

    def check(self) -> None:
        """The database is whole; it may have been written to."""
        try:
            with databases.opened(self.folder / "mem.db") as db:
                soundness.check(db.conn)
        except sqlite3.DatabaseError as error:
            raise soundness.Harmed(str(error)) from error

    def close(self) -> None:
        """Nothing is open."""
