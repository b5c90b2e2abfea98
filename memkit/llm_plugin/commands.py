"""`llm memory`: memkit's own commands on the database beside the log of `llm`, and what only makes sense here."""

from __future__ import annotations

from pathlib import Path

import click

from memkit.commands import Host, mount
from memkit.commands.hosting import plain_failures
from memkit.usual import llm_folder, open_to_write, usual_database

NAMES = ("ingest", "remember", "recall", "context", "about", "path", "extract", "forget", "info")
HOST = Host("llm memory", usual_database)


def add_commands(group: click.Group) -> None:
    """Adds the commands to a group."""
    mount(group, HOST, NAMES)
    group.add_command(_with_the_log(group.commands["ingest"]))
    group.add_command(watch)


def _with_the_log(ingest: click.Command) -> click.Command:
    """The command `ingest`, for which the log of llm will do where no path is given."""
    ingest.params = [_optional(one) if one.name == "paths" else one for one in ingest.params]
    ingest.help = f"Without a PATH: the log of llm, what is new of it.\n\n{ingest.help}"
    return ingest


def _optional(paths: click.Parameter) -> click.Parameter:
    return click.Argument(
        ["paths"],
        nargs=-1,
        type=paths.type,
        metavar="[PATH...]",
        callback=lambda _ctx, _param, given: given or (log(),),
    )


def log() -> Path:
    """The log of llm. Raises ClickException where there is none."""
    path = llm_folder() / "logs.db"
    if not path.exists():
        raise click.ClickException(f"llm has logged nothing yet: there is no {path}. See: llm logs status")
    return path


@click.command()
@click.option("-d", "--database", type=click.Path(dir_okay=False), default=usual_database, help="The memory database.")
@click.option("--every", default=5.0, show_default=True, type=click.FloatRange(min=0.1), metavar="SECONDS")
@click.option("--project", help="The project that conversations belong to.")
def watch(database: str, every: float, project: str | None) -> None:
    """Take in what llm logs, as it comes, until Ctrl-C.

    \b
    Example:
      llm memory watch --every 10
    """
    from memkit.llm_plugin.watching import changes

    with plain_failures(database):
        for _ in changes(llm_folder() / "logs.db", every):
            with open_to_write(database) as memory:
                report = memory.ingest(log(), project=project)
            if report.added or report.updated:
                click.echo(f"{report.added:,} added, {report.updated:,} updated")
