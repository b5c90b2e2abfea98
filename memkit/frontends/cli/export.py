"""Export, restore, push and pull: a database, or a part of it, as files or on a server, and back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memkit.frontends.cli.hosting import command, existing, making
from memkit.frontends.cli.ingest import embedding
from memkit.frontends.cli.output import SHOWN_FAILURES, output, say, say_json, written
from memkit.frontends.cli.publish import choosing
from memkit.text.words import SHORT_ID

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase
    from memkit.sharing.export import RestoreReport
    from memkit.sharing.postgres import ExchangeReport


@command("{run} export {db}garden.jsonl --project garden", existing)
@click.argument("out", type=click.Path(allow_dash=True))
@choosing
@click.option(
    "--as",
    "as_format",
    type=click.Choice(["jsonl", "markdown", "graphml"]),
    help="The format, if the ending of OUT does not say it.",
)
@output("table", "json")
def export(memory: MemoryDatabase, out: str, as_format: str | None, format: str, **selection: Any) -> None:
    """Export everything, or a part of it: JSON lines, notes in Markdown, or a graph.

    `memkit restore` takes the JSON lines back: the same memories, ids, graph and history. Without an ending OUT is a
    folder of notes, as Obsidian has them; with - the lines go to standard output.
    """
    chosen = {name: value for name, value in selection.items() if value}
    if out == "-":
        as_format = as_format or "jsonl"
        if as_format == "markdown":
            raise click.UsageError("Notes are many files: give the path of a new folder instead of -.")
    with written(out, f".{as_format}") as path:
        report = memory.export(path, format=as_format, **chosen)
    if out == "-":
        return
    if format == "json":
        say_json(report.to_dict())
    else:
        say(report.sentence)


class FileOrId(click.Path):
    """A file, or as a text the id of a memory, which is no file here."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path of the file, or the id. Fails for what is neither."""
        if isinstance(value, str) and SHORT_ID.fullmatch(value) and not Path(value).exists():
            return value
        return super().convert(value, param, ctx)


@command("{run} restore {db}garden.jsonl", making)
@click.argument("file", metavar="FILE|ID", type=FileOrId(exists=True, dir_okay=False, path_type=Path))
@click.option("--with", "take", multiple=True, metavar="SETTING", help="Also take this setting, such as policy.")
@click.option("--yes", "overwrite", is_flag=True, help="Overwrite what is there already, without a question.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@embedding
@output("table", "json")
def restore(
    memory: MemoryDatabase, file: Path | str, take: tuple[str, ...], overwrite: bool, dry_run: bool, format: str
) -> None:
    """Restore an export in JSON lines: the same memories, ids, graph and history. Or bring a memory (its id) back.

    Each row is checked, since anybody may have written the file, and all is restored or nothing. What it would
    overwrite is shown first. Settings are left out, except those that you name. With the id of a memory that was
    forgotten, or that upkeep removed, it does what `memkit unprune` does.
    """
    from memkit.frontends.cli.maintenance import show_back
    from memkit.sharing.export import WouldOverwrite

    if isinstance(file, str):
        if take or overwrite or dry_run:
            raise click.UsageError("Of a single memory there is nothing to overwrite or to preview: give only its id.")
        show_back(memory, file, json=format == "json")
        return
    try:
        report = memory.restore(file, take=take, overwrite=overwrite, dry_run=dry_run)
    except WouldOverwrite as error:
        _show_restored(error.report, "table", err=True)
        if not sys.stdin.isatty():
            raise
        click.confirm(f"Overwrite {error.report.overwrites}?", abort=True, err=True)
        report = memory.restore(file, take=take, overwrite=True)
    _show_restored(report, format)


@command("{run} push {db}postgresql://db.example/team --project garden", existing)
@click.argument("url")
@click.option("--project", help="Only memories of this project.")
@click.option("--yes", "overwrite", is_flag=True, help="Overwrite what was changed here and there.")
@output("table", "json")
def push(memory: MemoryDatabase, url: str, project: str | None, overwrite: bool, format: str) -> None:
    """Bring what changed into a store on a PostgreSQL server, which several people can share.

    The user's slots stay in the file. An entity that a memory names comes with all its aliases and its description,
    also those that other projects gave it. Give the password in PGPASSWORD or ~/.pgpass: other users of this
    machine can read what is typed in a command.
    """
    _show_exchanged(memory.push(url, project=project, overwrite=overwrite), format)


@command("{run} pull {db}postgresql://db.example/team", making)
@click.argument("url")
@click.option("--yes", "overwrite", is_flag=True, help="Change and forget what is here, as the store says.")
@embedding
@output("table", "json")
def pull(memory: MemoryDatabase, url: str, overwrite: bool, format: str) -> None:
    """Bring what changed in a store on a PostgreSQL server into the file.

    Each row is checked, as those of a file that is restored. What it would overwrite is shown first.
    """
    from memkit.sharing.export import WouldOverwrite

    try:
        report = memory.pull(url, overwrite=overwrite)
    except WouldOverwrite as error:
        _show_restored(error.report, "table", err=True)
        if not sys.stdin.isatty():
            raise
        click.confirm(f"Overwrite {error.report.overwrites}?", abort=True, err=True)
        report = memory.pull(url, overwrite=True)
    _show_exchanged(report, format)


def _show_exchanged(report: ExchangeReport, format: str) -> None:
    if format == "json":
        say_json(report.to_dict())
    else:
        say(report.sentence)


def _show_restored(report: RestoreReport, format: str, *, err: bool = False) -> None:
    """Prints a report: the counts, what is overwritten, and what is left out."""
    if format == "json":
        say_json(report.to_dict())
        return
    more = len(report.overwritten) - SHOWN_FAILURES
    shown = [f"Overwrites {one}" for one in report.overwritten[:SHOWN_FAILURES]]
    more_shown = [f"and {more:,} more: the same command with --dry-run --format json"] if more > 0 else []
    say("\n".join([report.sentence, *shown, *more_shown, *(f"Left out: {one}" for one in report.left_out)]), err=err)
