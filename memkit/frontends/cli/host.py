"""Command lines that have memkit's commands, and how a command is typed on each of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from typing import NamedTuple

import click


class Host(NamedTuple):
    """A command line to which commands are added.

    `program` is typed before the command; `prefix` is added to the names of commands. Without `database`, the file is
    the first argument of every command. With it, the file is the option --database, and the function `database` gives
    its default; for commands that only read, a missing file counts as an empty memory. `commands` are the names of
    those that were added; None means all.
    """

    program: str = "memkit"
    database: Callable[[], str] | None = None
    prefix: str = ""
    commands: Collection[str] | None = None

    def parameter(self, required: bool) -> click.Parameter:
        """The parameter for the database file."""
        if self.database is None:
            return click.Argument(["database"], type=click.Path(dir_okay=False), required=required)
        return click.Option(
            ["-d", "--database"],
            type=click.Path(dir_okay=False),
            default=self.database,
            help="The memory database, if not the usual one.",
        )

    def line(self, example: str) -> str:
        """An example as typed on this command line."""
        typed = example.replace("{run} ", f"{self.program} {self.prefix}")
        return typed.format(db="memory.db " if self.database is None else "").rstrip()

    def typed(self, command: str, database: str) -> str:
        """A command on this file (empty: on none) as typed here, or with `memkit` if this command line has none."""
        if self.commands is not None and command not in self.commands:
            return Host().typed(command, database)
        needless = self.database is not None and database == self.database()
        option = ["--database"] if self.database is not None else []
        file = [*option, shlex.quote(database)] if database and not needless else []
        return " ".join([self.program, f"{self.prefix}{command}", *file])
