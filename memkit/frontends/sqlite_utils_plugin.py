"""memkit in sqlite-utils: the SQL functions and three commands.

    sqlite-utils query memory.db "select ... recall('quince') ..."
    sqlite-utils memkit-ingest shop.db notes/
    sqlite-utils memkit-recall shop.db "who planted the quince?"
    sqlite-utils memkit-restore shop.db memories.jsonl

sqlite-utils imports this module at every start, and calls `prepare_connection` for every database that any program
opens with it. So only a memory database gets the functions that keep their connection, and a command is built only when
it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from sqlite_utils import hookimpl

if TYPE_CHECKING:
    from memkit.storage.connection import Connection

COMMANDS = {
    "ingest": "Read notes, chats, logs, notebooks and tables into the memory.",
    "recall": "Find memories by words, meaning and connection, each with its reasons.",
    "restore": "Restore an export in JSON lines: the same memories, ids, graph and history. "
    "Or bring a memory (its id) back.",
}


@hookimpl
def prepare_connection(conn: Connection) -> None:
    """Adds all functions to a memory database, and only the functions of texts to any other database.

    The checkpoints of a memory database are memkit's (`checkpoints.py`).
    """
    from memkit.frontends.sql_functions import register_sql_functions, register_text_functions
    from memkit.retrieval.limits import is_memory_database
    from memkit.storage.checkpoints import take_over

    if is_memory_database(conn):
        register_sql_functions(conn)
        take_over(conn)
    else:
        register_text_functions(conn)


@hookimpl
def register_commands(cli: click.Group) -> None:
    """Adds the commands with a name and a line of help, which is all that sqlite-utils needs to list them."""
    for name, line in COMMANDS.items():
        cli.add_command(Later(name, line))


class Later(click.Command):
    """A command of memkit that is built only when it is called, or when its help is shown."""

    def __init__(self, called: str, line: str):
        super().__init__(f"memkit-{called}", short_help=line)
        self.called = called

    def made(self) -> click.Command:
        """The command of `memkit`, changed so that it adds its tables beside those in the file."""

        from memkit.frontends import cli
        from memkit.frontends.cli.hosting import making

        definition = cli.COMMANDS[self.called]
        if definition.opens is making:
            definition = definition._replace(opens=in_own_file)
        return definition.on(cli.Host("sqlite-utils", prefix="memkit-", commands=frozenset(COMMANDS)))

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the real command."""
        return self.made().make_context(info_name, args, parent, **extra)


@contextmanager
def in_own_file(path: str, embed: str | None) -> Iterator[Any]:
    """The memory database in this file, beside its other tables; a new file is made as by `memkit`."""
    from memkit.database.locations import open_beside
    from memkit.frontends.cli.hosting import empty, making
    from memkit.frontends.cli.output import warn

    dry_run = click.get_current_context().params["dry_run"]
    if Path(path).exists():
        opened = open_beside(path, embed=embed, dry_run=dry_run)
    else:
        opened = (empty if dry_run else making)(path, embed)
    with opened as memory:
        memory.warn = warn
        yield memory
