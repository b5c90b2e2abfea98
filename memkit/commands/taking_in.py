"""ingest, remember, forget."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memkit.commands.hosting import command, existing, making
from memkit.commands.printing import SHOWN_FAILURES, output, say, say_json


def embedding(function: Any) -> Any:
    """The options that choose the model for new vectors: one value, given in one of two ways."""
    no = click.option("--no-embed", "embed", flag_value="none", help="Make no vectors.")
    return click.option("--embed", metavar="MODEL", help="Embedding model, if not the file's own.")(no(function))


@command("{run} ingest {db}notes/ conversations.json --project garden", making)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--project", help="The project that it belongs to, where the source names none; later on, too.")
@click.option("--format", help="What it is, where that is not seen: markdown, chatgpt, claude, jsonl, csv, sqlite, ...")
@click.option("--sync", is_flag=True, help="Archive what has vanished from the folders given.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@embedding
@click.option("--table", help="Of a SQLite database: the table to read.")
@click.option("--sql", help="Of a SQLite database: the query to read.")
@click.option("--text-column", help="The column that holds the text, if it is not called that.")
@click.option("--id-column", help="The column that holds the id.")
@click.option("--title-column", help="The column that holds the title.")
@click.option("--timestamp-column", help="The column that holds the time.")
@click.option("--session-column", help="The column that says which rows are one conversation.")
@click.option("--speaker-column", help="The column that says who speaks.")
@click.option("--include-tools", is_flag=True, default=None, help="Of chats: what tools were asked and said, too.")
@click.option("--include-system", is_flag=True, default=None, help="Of chats: system prompts, too.")
@click.option("--include-thinking", is_flag=True, default=None, help="Of chats: what the model thought, too.")
@click.option(
    "--max-tokens", type=click.IntRange(min=1), metavar="N", help="The longest passage that a note is cut into."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def ingest(memory: Any, paths: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Take in notes, chats, logs, notebooks and tables.

    What they are is seen from their content. The same again changes nothing; what changed is updated.
    """
    from memkit.progress import bar, expected

    given = {name: value for name, value in options.items() if value is not None}
    with bar(expected(paths)) as progress:
        report = memory.ingest(list(paths), progress=progress, **given)
    show_report(report, as_json)


def show_report(report: Any, as_json: bool) -> None:
    """Counts on stdout, failures on stderr; exit code 1 if there are any."""
    if as_json:
        failures = [asdict(failure) for failure in report.failures]
        say_json({**_counts(report), "failures": failures, "dry_run": report.dry_run})
    else:
        say(report_text(report))
    for failure in report.failures[:SHOWN_FAILURES]:
        say(str(failure), err=True)
    if report.failed:
        more = report.failed - SHOWN_FAILURES
        say(f"{report.failed:,} failed" + (f", {more:,} more than are shown" if more > 0 else "") + ".", err=True)
        click.get_current_context().exit(1)


def _counts(report: Any) -> dict[str, int]:
    return {name: getattr(report, name) for name in ("added", "updated", "unchanged", "removed", "failed")}


def report_text(report: Any) -> str:
    """An ingest report in one line."""
    told = ", ".join(f"{count:,} {name}" for name, count in _counts(report).items())
    return f"Would be: {told}" if report.dry_run else told


@command('{run} remember {db}"Rosa planted the quince in 2019." --tag garden', making)
@click.argument("text")
@click.option("--kind", default="fact", show_default=True, help="fact, preference, procedure, episode, observation...")
@click.option("--title", help="What it is about.")
@click.option("--speaker", help="Who said it.")
@click.option("--category", help="Any word of your own.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times.")
@click.option("--project", help="The project that it belongs to.")
@click.option("--slot", type=click.Choice(["user", "project", "agent"]), help="Whose setting it is; needs --key.")
@click.option("--key", help="The setting's name: a new value takes the place of the one before.")
@click.option("--importance", type=click.FloatRange(1, 10), metavar="N", help="1 to 10; 5 if it is not given.")
@click.option("--confidence", type=click.FloatRange(0, 1), metavar="N", help="0 to 1; 1 if it is not given.")
@click.option("--happened-at", metavar="TIME", help="When it happened, as 2025-03-01 or 2025-03-01T12:00:00Z.")
@click.option("--valid-from", metavar="TIME", help="Since when it is true.")
@click.option("--valid-until", metavar="TIME", help="Until when it is true.")
@click.option("--expires-at", metavar="TIME", help="When it may be forgotten.")
@embedding
@output("table", "json", "ids")
def remember(memory: Any, text: str, format: str, **fields: Any) -> None:
    """Add one memory. TEXT may be - for what comes on standard input."""
    if fields["key"] and not fields["slot"]:
        raise click.UsageError("--key names a setting of a slot: give --slot user, project or agent, too.")
    if fields["slot"] and not fields["key"]:
        raise click.UsageError("--slot needs --key, the setting's name.")
    text = sys.stdin.read() if text == "-" else text
    given = {name: value for name, value in fields.items() if value not in (None, ())}
    show_memory(memory.remember(text, **given), format)


@command("{run} forget {db}c6h2z3v2re", existing)
@click.argument("id")
@click.option("--hard", is_flag=True, help="Delete it for good, from every page of the file, and what was made of it.")
@output("table", "json", "ids")
def forget(memory: Any, id: str, hard: bool, format: str) -> None:
    """Hide a memory from recall, or delete it.

    What was made of it (summaries, observations, crystals, merges) goes along; the next upkeep makes it anew of its
    other sources. Each of these is listed. What is hidden stays so when its file is ingested again; what is deleted is
    read anew from there, if the file still says it.
    """
    show_memory(memory.forget(id, hard=hard), format)
    for change in memory.maintenance(memory=id, step="forget") if format == "table" else ():
        say(f"  {change.memory_id} {change.action}: {change.why}")


def show_memory(found: Any, format: str) -> None:
    """Prints one memory."""
    from memkit.render import short

    if format == "json":
        say_json(asdict(found))
    else:
        say(found.id if format == "ids" else f"{found.id}  {found.kind}  {short(found.text, 100)}")
