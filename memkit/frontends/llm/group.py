"""Command group `llm memory`. It is built at every start of `llm`, so it imports little."""

from __future__ import annotations

import click


class MemoryGroup(click.Group):
    """A group that builds its commands at their first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which they are usually needed."""
        self._fill()
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        self._fill()
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command and its arguments. Raises UsageError, with the command that was meant if it is known."""
        self._fill()
        from memkit.frontends.cli.mistakes import resolved

        return resolved(super().resolve_command, ctx, args, self.list_commands(ctx))

    def _fill(self) -> None:
        from memkit.frontends.llm.commands import add_commands

        if not self.commands:
            add_commands(self)


def memory_group() -> click.Group:
    """The group `memory`."""
    return MemoryGroup("memory", help="Memories of your own, from llm's log and elsewhere: find them, add to them.")
