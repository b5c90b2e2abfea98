"""Ingestion commands: ingest, remember, forget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.decorators import FC

from memkit.core.types import FORGOTTEN_BEFORE
from memkit.frontends.cli import hints
from memkit.frontends.cli.hosting import command, existing, making
from memkit.frontends.cli.output import SHOWN_FAILURES, output, say, say_json
from memkit.frontends.cli.standard_input import standard_input

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase


def embedding(function: FC) -> FC:
    """The options --embed and --no-embed, which give one value: the embedding model for new vectors."""
    no = click.option("--no-embed", "embed", flag_value="none", help="Make no vectors.")
    return click.option("--embed", metavar="MODEL", help="The embedding model, if not that of the database.")(
        no(function)
    )


def on_workers(work: str) -> Callable[[FC], FC]:
    """The option --dask, which says whose workers do this work."""
    told = f"{work} on Dask workers: local, or the address of a scheduler, such as tcp://10.0.0.7:8786."
    return click.option("--dask", metavar="ADDRESS", help=told)


@contextmanager
def dask_client(address: str | None) -> Iterator[Any]:
    """The client of these workers; None without an address."""
    if address is None:
        yield None
        return
    from memkit.embedding.on_workers import connected

    with connected(address) as client:
        yield client


@command("{run} ingest {db}notes/ conversations.json --project garden", making)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--project", help="The project for what names none itself; it is remembered for this folder or file.")
@click.option(
    "--format", help="The format, if it is not recognised: markdown, chatgpt, claude, jsonl, csv, sqlite, ..."
)
@click.option("--sync", is_flag=True, help="Archive the memories of files that are gone from these folders.")
@click.option("--mtime", is_flag=True, default=None, help="Give what has no date the time of its file's last change.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@click.option(
    "--own-voice/--no-own-voice",
    default=None,
    help="Whether these notes are your own words: then I in them is you. It is remembered for this folder or file.",
)
@embedding
@on_workers("Read folders and embed")
@click.option("--table", help="For a SQLite database: the table to read.")
@click.option("--sql", help="For a SQLite database: the query to read.")
@click.option("--text-column", help="The column that holds the text, if its name is not text.")
@click.option("--id-column", help="The column that holds the id.")
@click.option("--title-column", help="The column that holds the title.")
@click.option("--timestamp-column", help="The column that holds the time.")
@click.option("--session-column", help="The column that says which rows are one conversation.")
@click.option("--speaker-column", help="The column that says who speaks.")
@click.option("--include-tools", is_flag=True, default=None, help="For chats: also tool calls and their results.")
@click.option("--include-system", is_flag=True, default=None, help="For chats: also system prompts.")
@click.option("--include-thinking", is_flag=True, default=None, help="For chats: also the model's reasoning.")
@click.option("--timezone", metavar="ZONE", help="Where times without a zone are from, such as Europe/Paris.")
@click.option("--day-first/--month-first", default=None, help="What 01/12/24 is, where a file leaves it open.")
@click.option(
    "--max-tokens", type=click.IntRange(min=1), metavar="N", help="The length of a passage at most, in tokens."
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=N",
    callback=lambda _context, _option, written: _limits(written),
    help="What one file may have at most: file_size, seconds, ...; may be given several times.",
)
@click.option("--verbose", is_flag=True, help="Also list each file that is left out, with the reason.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def ingest(
    memory: MemoryDatabase, paths: tuple[Path, ...], as_json: bool, verbose: bool, dask: str | None, **options: Any
) -> None:
    """Read notes, chats, logs, notebooks and tables into the memory.

    The format is recognised from the content. The same again changes nothing; what changed is updated.
    """
    given = {name: value for name, value in options.items() if value is not None}
    with dask_client(dask) as client, _saying_what_an_interrupt_leaves():
        report = memory.ingest(list(paths), client=client, **given)
    show_report(report, as_json, verbose)


@contextmanager
def _saying_what_an_interrupt_leaves() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        say("Stopped. What was written until now is stored; the same again does the rest.", err=True)
        raise


def _limits(written: tuple[str, ...]) -> dict[str, float] | None:
    """The limits by name; None if there are none."""
    found = {}
    for one in written:
        name, _, number = one.partition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            raise click.BadParameter(f"{one!r} has no number: write it as NAME=N, such as seconds=60.") from None
    return found or None


def show_report(report: Any, as_json: bool, verbose: bool = False) -> None:
    """Prints counts to stdout, failures and warnings to stderr; exit code 1 if there are failures."""
    if as_json:
        listed = {name: [asdict(one) for one in getattr(report, name)] for name in ("failures", "warnings", "left_out")}
        say_json({**counts(report), **listed, "dry_run": report.dry_run})
    else:
        say(report_text(report))
        if any(FORGOTTEN_BEFORE in one.reason for one in report.left_out):
            say(f"What was forgotten stays so. To bring it back: {hints.typed('unprune', '--source PATH')}")
    for one in (*(report.left_out if verbose else ()), *report.warnings[:SHOWN_FAILURES]):
        say(str(one), err=True)
    for failure in report.failures[:SHOWN_FAILURES]:
        say(str(failure), err=True)
    if report.failed:
        more = report.failed - SHOWN_FAILURES
        say(f"{report.failed:,} failed" + (f", {more:,} more than are shown" if more > 0 else "") + ".", err=True)
        click.get_current_context().exit(1)


def counts(report: Any) -> dict[str, int]:
    """What an ingest did, in numbers."""
    return {name: getattr(report, name) for name in ("added", "updated", "unchanged", "removed", "failed")}


def report_text(report: Any) -> str:
    """An ingest report in one line, and a second for what was left out."""
    told = ", ".join(f"{count:,} {name}" for name, count in counts(report).items())
    told += f"\nLeft out: {report.left_out_text}" if report.left_out else ""
    return f"Would be: {told}" if report.dry_run else told


@command('{run} remember {db}"Rosa planted the quince in 2019." --tag garden', making)
@click.argument("text")
@click.option("--kind", default="fact", show_default=True, help="fact, preference, procedure, episode, observation...")
@click.option("--title", help="What it is about.")
@click.option("--speaker", help="Who said it.")
@click.option("--category", help="Any word of your own.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times.")
@click.option("--project", help="The project that it belongs to.")
@click.option(
    "--slot", type=click.Choice(["user", "project", "agent"]), help="The slot that it belongs to; needs --key."
)
@click.option("--key", help="Its key in the slot: a new value replaces the one before.")
@click.option("--importance", type=click.FloatRange(1, 10), metavar="N", help="1 to 10; 5 if it is not given.")
@click.option("--confidence", type=click.FloatRange(0, 1), metavar="N", help="0 to 1; 1 if it is not given.")
@click.option("--happened-at", metavar="TIME", help="When it happened, as 2025-03-01 or 2025-03-01T12:00:00Z.")
@click.option("--valid-from", metavar="TIME", help="Since when it is true.")
@click.option("--valid-until", metavar="TIME", help="Until when it is true.")
@click.option("--expires-at", metavar="TIME", help="When it may be removed.")
@embedding
@output("table", "json", "ids")
def remember(memory: MemoryDatabase, text: str, format: str, **fields: Any) -> None:
    """Add one memory. With - as TEXT it is read from standard input."""
    if fields["key"] and not fields["slot"]:
        raise click.UsageError("--key is a key in a slot: also give --slot user, project or agent.")
    if fields["slot"] and not fields["key"]:
        raise click.UsageError("--slot needs --key, the name of the value in the slot.")
    text = standard_input() if text == "-" else text
    given = {name: value for name, value in fields.items() if value not in (None, ())}
    show_memory(memory.remember(text, **given), format)


@command("{run} forget {db}--source notes/work/", existing)
@click.argument("id", required=False)
@click.option(
    "--source",
    multiple=True,
    metavar="PATH",
    help="Forget all that was read from this file or folder, or the source or id of a document; may be repeated.",
)
@click.option("--title", help="Forget the notes and chats with this title, of these sources or of all.")
@click.option("--hard", is_flag=True, help="Delete it for good, from every page of the file, and what was made of it.")
@click.option("--dry-run", is_flag=True, help="With a source or a title: only say how much it is.")
@click.option("--yes", is_flag=True, help="With a source or a title: do not ask first.")
@output("table", "json", "ids")
def forget(memory: MemoryDatabase, id: str | None, format: str, dry_run: bool, yes: bool, **what: Any) -> None:
    """Hide a memory from recall, or delete it; or all that a file, a folder or a chat has said.

    What was made from it (summaries, observations, crystals, merges) is taken back, too, and listed; the next
    maintenance makes it again from the other sources. A hidden memory stays hidden when its file is ingested again. A
    deleted one comes back then, if the file still says it.

    A forgotten source is left out by every ingest, which says so, until `unprune --source` brings it back. What another
    file says as well stays.
    """
    by_source = bool(what["source"] or what["title"] is not None)
    if by_source == (id is not None):
        raise click.UsageError("Name either the id of a memory, or what to forget with --source or --title.")
    if by_source:
        _forget_source(partial(memory.forget_source, **what), format, dry_run=dry_run, yes=yes)
        return
    if dry_run:
        raise click.UsageError("--dry-run is for --source and --title.")
    before = {change.id for change in memory.maintenance(memory=id, step="forget")}
    show_memory(memory.forget(str(id), hard=what["hard"]), format)
    told = memory.maintenance(memory=id, step="forget") if format == "table" else []
    changes = [change for change in told if change.id not in before]
    for change in changes:
        say(f"  {change.memory_id} {change.action}: {change.why}")
    for run in dict.fromkeys(change.run for change in changes if change.undoable):
        say(f"  To take it back: {hints.typed('undo', run)}")


def _forget_source(forget: Callable[..., Any], format: str, *, dry_run: bool, yes: bool) -> None:
    """Forgets a source, after it was told how much that is."""
    asked = not (yes or dry_run or format == "json")
    report = forget(dry_run=dry_run or asked)
    if asked:
        say(f"{report.told}.")
        _say_kept(report)
        click.confirm("Delete this for good?" if report.hard else "Forget this?", abort=True)
        report = forget()
    if format == "json":
        say_json(asdict(report))
        return
    say(f"{report.told}.")
    if not asked:
        _say_kept(report)
    for path in report.unfollowed:
        say(f"No longer followed by sync: {path}")
    if not (report.hard or dry_run):
        back = hints.typed("undo", report.run) if report.memories else hints.typed("unprune", "--source PATH")
        say(f"An ingest leaves it out now. To bring it back: {back}")


def _say_kept(report: Any) -> None:
    for file, count in report.kept.items():
        say(f"{count:,} stay, as they are also in {file}.")


def show_memory(found: Any, format: str) -> None:
    """Prints one memory."""
    from memkit.core.formatting import short

    if format == "json":
        say_json(asdict(found))
    else:
        say(found.id if format == "ids" else f"{found.id}  {found.kind}  {short(found.text, 100)}")
