"""Commands of `llm memory`: memkit's own commands on the database beside llm's log, and `watch`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from memkit.database.locations import llm_folder, open_to_write, usual_database
from memkit.frontends.cli import COMMANDS, Host, hints, mount
from memkit.frontends.cli.hosting import plain_failures
from memkit.frontends.cli.output import warn

ELSEWHERE = {"demo"}  # the demo's memories do not belong into the user's own database


def add_commands(group: click.Group) -> None:
    """Adds the commands to a group."""
    mount(group, HOST)
    group.add_command(_with_the_log(group.commands["ingest"]))
    group.add_command(watch)


def _with_the_log(ingest: click.Command) -> click.Command:
    """The command `ingest`, which reads the log of llm if no path is given, or a collection of llm."""
    take_in = ingest.callback
    assert take_in is not None

    def callback(database: str, paths: tuple[Path, ...], collection: str | None, **options: Any) -> None:
        hints.begin(HOST, database)
        if collection is not None:
            _collection(database, collection, **options)
        else:
            take_in(database, paths=paths or (log(),), **options)

    ingest.params = [_optional(one) if one.name == "paths" else one for one in ingest.params]
    ingest.params.append(click.Option(["--collection"], metavar="NAME", help="Take in this collection of llm's."))
    ingest.help = f"Take in what is new in the log of llm; with a PATH, what is there.\n\n{ingest.help}"
    ingest.short_help = "Take in llm's log, or notes, chats, notebooks and tables."
    ingest.callback = callback
    return ingest


def _optional(paths: click.Parameter) -> click.Parameter:
    return click.Argument(["paths"], nargs=-1, type=paths.type, metavar="[PATH...]")


def _collection(
    database: str,
    name: str,
    *,
    embed: str | None,
    project: str | None,
    dry_run: bool,
    as_json: bool,
    **_about_files: Any,
) -> None:
    from memkit.frontends.cli.ingest import show_report
    from memkit.frontends.llm.collections import take_in

    with plain_failures(database):
        path = llm_folder() / "embeddings.db"
        report = take_in(database, path, name, embed, warn, project=project, dry_run=dry_run)
        show_report(report, as_json)


def usual() -> str:
    """The path of the usual database. Makes the folder of llm if there is none, as llm itself does."""
    import llm

    llm.user_dir()
    return usual_database()


HOST = Host("llm memory", usual, commands=frozenset(COMMANDS) - ELSEWHERE)


def log() -> Path:
    """The path of llm's log. Raises ClickException if there is none."""
    path = llm_folder() / "logs.db"
    if not path.exists():
        raise click.ClickException(f"llm has logged nothing yet: there is no {path}. See: llm logs status")
    return path


@click.command()
@click.option("-d", "--database", type=click.Path(dir_okay=False), default=usual, help="The memory database.")
@click.option("--every", default=5.0, show_default=True, type=click.FloatRange(min=0.1), metavar="SECONDS")
@click.option("--project", help="The project that conversations belong to.")
def watch(database: str, every: float, project: str | None) -> None:
    """Take in what llm logs, as it comes, until Ctrl-C.

    \b
    Example:
      llm memory watch --every 10
    """
    from memkit.frontends.llm.file_watch import changes

    hints.begin(HOST, database)
    with plain_failures(database), suppress(KeyboardInterrupt):
        for _ in changes(llm_folder() / "logs.db", every):
            with open_to_write(database) as memory:
                memory.warn = warn
                report = memory.ingest(log(), project=project)
            if report.added or report.updated:
                click.echo(f"{report.added:,} added, {report.updated:,} updated")
