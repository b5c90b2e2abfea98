"""The group `llm memory`, as light as may be: it is made whenever `llm` starts."""

from __future__ import annotations

import sys

import click


class MemoryGroup(click.Group):
    """A group whose commands are made when one of them is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, what one does first first."""
        self._fill()
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        self._fill()
        return super().get_command(ctx, cmd_name)

    def _fill(self) -> None:
        from memkit.llm_plugin.commands import add_commands

        if not self.commands:
            add_commands(self)


def memory_group() -> click.Group:
    """The group `memory`."""
    return MemoryGroup("memory", help="Memories of your own, from llm's log and elsewhere: find them, add to them.")


def one_sqlite() -> None:
    """Lets `llm` catch the errors of the SQLite library that sqlite-utils chose for it.

    Beside `pysqlite3`, which memkit depends on where Python's own library cannot load extensions, sqlite-utils does
    not raise the errors that llm's command line is written to catch.
    """
    from sqlite_utils.utils import sqlite3

    cli = sys.modules.get("llm.cli")
    if cli is not None and hasattr(cli, "sqlite3"):
        cli.sqlite3 = sqlite3  # type: ignore[attr-defined]
