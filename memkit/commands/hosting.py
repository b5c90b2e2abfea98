"""What a command is, and how a host mounts it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from memkit.errors import MemkitError, NotFound


@dataclass(frozen=True)
class Host:
    """A command line that commands are mounted on.

    `program` is what people type before the command. Without `database` the file is every command's first argument;
    with it the file is the option --database, and this function gives its default; that file not being there yet is an
    empty memory to read in.
    """

    program: str = "memkit"
    database: Callable[[], str] | None = None

    def parameter(self, required: bool) -> click.Parameter:
        """How the file is given here."""
        if self.database is None:
            return click.Argument(["database"], type=click.Path(dir_okay=False), required=required)
        return click.Option(
            ["-d", "--database"],
            type=click.Path(dir_okay=False),
            default=self.database,
            help="The memory database, if not the usual one.",
        )

    def line(self, example: str) -> str:
        """An example as it is typed here."""
        return example.format(run=self.program, db="memory.db " if self.database is None else "")


@dataclass(frozen=True)
class Definition:
    """A command without a host: `opens` makes of the file's path what the function gets."""

    command: click.Command
    example: str
    opens: Callable[..., Any]
    required: bool = True

    def on(self, host: Host) -> click.Command:
        """The command as this host has it."""
        mounted = copy.copy(self.command)
        mounted.params = [host.parameter(self.required), *self.command.params]
        text = cleandoc(self.command.help or "")
        mounted.help = f"{text}\n\n\b\nExample:\n  {host.line(self.example)}"
        mounted.short_help = text.splitlines()[0]
        mounted.callback = self._run if host.database is None else self._run_usual
        return mounted

    def _run(self, database: str, embed: str | None = None, **options: Any) -> None:
        self._call(self.opens, database, embed, options)

    def _run_usual(self, database: str, embed: str | None = None, **options: Any) -> None:
        missing = self.opens is reading and not Path(database).exists()
        self._call(empty if missing else self.opens, database, embed, options)

    def _call(self, opens: Callable[..., Any], database: str, embed: str | None, options: dict[str, Any]) -> None:
        assert self.command.callback is not None
        if opens is making and options.get("dry_run") and not Path(database).exists():
            opens = empty  # it would be, and what would happen needs no file
        with plain_failures(database), opens(database, embed) as opened:
            self.command.callback(opened, **options)


@contextmanager
def plain_failures(database: str | None) -> Iterator[None]:
    """What a person can do something about is said in a sentence; a bug keeps its traceback."""
    try:
        yield
    except MemkitError as error:
        raise click.ClickException(str(error)) from error
    except UnicodeEncodeError as error:
        raise click.ClickException(f"This is not valid UTF-8: {error.object[:60]!r}") from error
    except Exception as error:
        from memkit.driver import sqlite3

        if not isinstance(error, sqlite3.Error):
            raise
        hint = f" Run: memkit doctor {database}" if database else ""
        raise click.ClickException(f"SQLite could not do it: {error}.{hint}") from error


# ---------------------------------------------------------------------------------------------- opening


HOLDS_ANYTHING = "select exists (select 1 from memories) or exists (select 1 from entities)"


@contextmanager
def making(path: str, embed: str | None) -> Iterator[Any]:
    """The database in this file, which is made if there is none; after a failure, only if something is in it."""
    from memkit.database import MemoryDatabase

    file, unused = Path(path), False
    if not file.absolute().parent.is_dir():
        raise NotFound(f"There is no folder {str(file.parent)!r} to make {file.name} in.")
    new = not file.exists()
    try:
        with MemoryDatabase(path, embed=embed) as memory:
            try:
                yield memory
            except BaseException:
                unused = new and not memory.conn.execute(HOLDS_ANYTHING).fetchone()[0]
                raise
    finally:
        if unused and not Path(f"{path}-wal").exists():  # a log is left where another process has opened it, too
            file.unlink(missing_ok=True)


@contextmanager
def existing(path: str, embed: str | None) -> Iterator[Any]:
    """The database in this file, for reading only where the file may not be written to."""
    from memkit.usual import open_existing

    with open_existing(path, embed) as memory:
        yield memory


@contextmanager
def reading(path: str, embed: str | None) -> Iterator[Any]:
    """The same, for commands that an empty memory will do for where a host has a usual database and none is there."""
    with existing(path, embed) as memory:
        yield memory


@contextmanager
def empty(_path: str, _embed: str | None) -> Iterator[Any]:
    """A memory in which there is nothing."""
    from memkit.database import MemoryDatabase

    with MemoryDatabase(embed="none") as memory:
        yield memory


@contextmanager
def path_only(path: str | None, _embed: str | None) -> Iterator[str | None]:
    """The path, for commands that open the file in their own way."""
    yield path


# ---------------------------------------------------------------------------------------------- defining

COMMANDS: dict[str, Definition] = {}


GROUPS = {"graph": "Measure the knowledge graph, and write it to a file."}


def command(
    example: str, opens: Callable[..., Any], *, required: bool = True, name: str | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """Makes a command of a function: its docstring is the help, its name the name. `graph stats` is in a group."""

    def define(function: Callable[..., Any]) -> Definition:
        called = name or function.__name__
        made = click.command(called.split()[-1])(function)
        COMMANDS[called] = definition = Definition(made, example, opens, required)
        return definition

    return define


def mount(group: click.Group, host: Host, names: Collection[str] | None = None) -> None:
    """Adds these commands (all, if none are named) to a group."""
    for name in names or COMMANDS:
        *above, _ = name.split()
        _group(group, above).add_command(COMMANDS[name].on(host))


def _group(group: click.Group, path: list[str]) -> click.Group:
    """The group below a group, made when it is first needed."""
    for name in path:
        if name not in group.commands:
            group.add_command(click.Group(name, help=GROUPS[name]))
        below = group.commands[name]
        assert isinstance(below, click.Group)
        group = below
    return group
