"""Command definitions that do not depend on a command line: how they are added to one, and open the database."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from memkit.core.arguments import shown
from memkit.core.errors import MemkitError, NotFound
from memkit.core.formatting import printable
from memkit.core.progress import for_a_person
from memkit.database.locations import absent
from memkit.frontends.cli import hints, mistakes
from memkit.frontends.cli.host import Host
from memkit.frontends.cli.output import say, warn

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase


class Definition(NamedTuple):
    """A command without a host; `opens` turns the path of the file into the first argument of the function."""

    command: click.Command
    example: str
    opens: Callable[..., Any]
    required: bool = True

    def on(self, host: Host) -> click.Command:
        """The command for this host."""
        mounted = copy.copy(self.command)
        mounted.name = f"{host.prefix}{self.command.name}"
        given = [] if self.opens is without_database else [host.parameter(self.required)]
        mounted.params = [*given, *self.command.params]
        text = cleandoc(self.command.help or "")
        mounted.help = f"{text}\n\n\b\nExample:\n  {host.line(self.example)}"
        mounted.short_help = text.splitlines()[0]
        usual = host.database is not None and self.opens is not without_database
        mounted.callback = partial(self._run_usual if usual else self._run, host)
        return mounted

    def _run(self, host: Host, /, database: str = "", embed: str | None = None, **options: Any) -> None:
        hints.begin(host, database or "")
        self._call(self.opens, database, embed, options)

    def _run_usual(self, host: Host, /, database: str, embed: str | None = None, **options: Any) -> None:
        hints.begin(host, database)
        opens = self.opens
        if opens in (reading, existing) and (missing := absent(database)):
            told = f"{missing} To make it: {hints.typed('ingest')}"
            if opens is existing:
                raise click.ClickException(printable(told))
            say(told, err=True)
            opens = empty
        self._call(opens, database, embed, options)

    def _call(self, opens: Callable[..., Any], database: str, embed: str | None, options: dict[str, Any]) -> None:
        assert self.command.callback is not None
        with plain_failures(database), for_a_person():
            if opens is making and options.get("dry_run") and not Path(database).exists():
                opens = empty  # a dry run must not make the file
            with opens(database, embed) as opened:
                self.command.callback(opened, **options)


@contextmanager
def plain_failures(database: str | None) -> Iterator[None]:
    """Shows a MemkitError, or an error of a file or of SQLite, as a sentence; a bug keeps its traceback."""
    try:
        yield
    except MemkitError as error:
        raise click.ClickException(printable(hints.here(str(error)))) from error
    except OSError as error:
        named = f": {shown(str(error.filename))}" if error.filename else ""
        raise click.ClickException(f"{error.strerror or error}{named}") from error
    except UnicodeEncodeError as error:
        raise click.ClickException(f"This is not valid UTF-8: {error.object[:60]!r}") from error
    except Exception as error:
        from memkit.storage.driver import sqlite3

        if not isinstance(error, sqlite3.Error):
            raise
        hint = f" Run: {hints.typed('doctor')}" if database else ""
        raise click.ClickException(f"SQLite failed: {error}.{hint}") from error


# ---------------------------------------------------------------------------------------------- opening


@contextmanager
def making(path: str, embed: str | None) -> Iterator[MemoryDatabase]:
    """The database in this file, which is made if there is none. A new file that stays empty is deleted on failure."""
    from memkit.core.addresses import is_server
    from memkit.database.memory_database import MemoryDatabase

    if is_server(path):
        with MemoryDatabase(path, embed=embed) as memory:
            memory.warn = warn
            yield memory
        return
    file, unused = Path(path), False
    if not file.absolute().parent.is_dir():
        raise NotFound(f"There is no folder {str(file.parent)!r} for {file.name}. Make the folder first.")
    new = not file.exists()
    try:
        with MemoryDatabase(path, embed=embed) as memory:
            memory.warn = warn
            try:
                yield memory
            except BaseException:
                if new:
                    there = memory.info()
                    unused = not (there.memories or there.entities)
                raise
    finally:
        if unused and not Path(f"{path}-wal").exists():  # with a log, another process has also opened it
            file.unlink(missing_ok=True)


@contextmanager
def existing(path: str, embed: str | None) -> Iterator[MemoryDatabase]:
    """The database in this existing file, read-only if the file is not writable."""
    from memkit.database.locations import open_existing

    with open_existing(path, embed) as memory:
        memory.warn = warn
        yield memory


def in_one_thread() -> None:
    """Lets numpy work in one thread, if it is not loaded yet: a question has nothing to share, and threads spin."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@contextmanager
def reading(path: str, embed: str | None) -> Iterator[MemoryDatabase]:
    """The same, for commands that only read: with a host's usual database, a missing file is an empty memory."""
    in_one_thread()
    with existing(path, embed) as memory:
        yield memory


@contextmanager
def empty(_path: str, _embed: str | None) -> Iterator[MemoryDatabase]:
    """An empty memory database that is not in a file."""
    from memkit.database.memory_database import MemoryDatabase

    with MemoryDatabase(embed="none") as memory:
        yield memory


@contextmanager
def path_only(path: str | None, _embed: str | None) -> Iterator[str | None]:
    """The path, for commands that open the file themselves."""
    yield path


@contextmanager
def without_database(_path: str, _embed: str | None) -> Iterator[None]:
    """Nothing, for commands that are not about a database, and have no parameter for it."""
    yield


# ---------------------------------------------------------------------------------------------- defining

COMMANDS: dict[str, Definition] = {}


GROUPS = {
    "graph": "Measure the knowledge graph, and write it to a file.",
    "agents": "Set up coding agents.",
}


def command(
    example: str, opens: Callable[..., Any], *, required: bool = True, name: str | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that makes a command: the docstring is the help; `name` may name a group, as in `graph stats`."""

    def define(function: Callable[..., Any]) -> Definition:
        called = name or function.__name__
        made = click.command(called.split()[-1], cls=mistakes.Command)(function)
        hints.NAMES[called] = opens is not without_database
        COMMANDS[called] = definition = Definition(made, example, opens, required)
        return definition

    return define


def mount(group: click.Group, host: Host) -> None:
    """Adds the commands of this command line to a group, in their order."""
    for name in COMMANDS:
        if host.commands is not None and name not in host.commands:
            continue
        *above, _ = name.split()
        _group(group, above).add_command(COMMANDS[name].on(host))


def _group(group: click.Group, path: list[str]) -> click.Group:
    """The group at a path below a group, made at its first use."""
    for name in path:
        if name not in group.commands:
            group.add_command(click.Group(name, help=GROUPS[name]))
        below = group.commands[name]
        assert isinstance(below, click.Group)
        group = below
    return group
