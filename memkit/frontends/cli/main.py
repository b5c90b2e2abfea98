"""The command line `memkit COMMAND DATABASE ...`."""

from __future__ import annotations

import atexit
import gc
import sys

import click

from memkit.core.version import __version__
from memkit.frontends.cli import Host, mount
from memkit.frontends.cli.mistakes import Group


class InOrder(Group):
    """A group that lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in order."""
        return list(self.commands)


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="memkit")
def cli() -> None:
    """Personal memory that you can query: one SQLite file, recalled by words, meaning and connection.

    \b
    memkit ingest memory.db notes/        take in what you have
    memkit recall memory.db "a question"  find it again
    memkit demo                           try it with an invented person's year
    """


mount(cli, Host())


OBJECTS = 100_000  # that are made until the garbage collector looks at them; Python's own number is 700


def main() -> None:
    """Runs the command line. A character that the terminal cannot show becomes a question mark instead of an error."""
    # A command loads many modules and makes few circles. Looking for these took a sixth of a recall, half of that at
    # the end, when Python looks at everything once more.
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    cli(prog_name="memkit")
