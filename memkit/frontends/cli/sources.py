"""Source commands: formats, sources, sync."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memkit.core.errors import NeedsPackage
from memkit.frontends.cli import hints
from memkit.frontends.cli.hosting import command, making, without_database
from memkit.frontends.cli.ingest import counts, embedding, report_text
from memkit.frontends.cli.output import SHOWN_FAILURES, say, say_json, show

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

_SETTLE = 1_600  # milliseconds in which changes are gathered before a sync


@command("{run} formats --json", without_database)
@click.option("--json", "as_json", is_flag=True, help="Print the formats as JSON.")
def formats(_none: None, as_json: bool) -> None:
    """List the formats that can be read: memkit's own and those of plugins, and what has to be installed for each."""
    from memkit.sources import formats

    known = formats()
    show(known, known.described, "json" if as_json else "table")


@command("{run} sources {db}add notes/ --project garden", making)
@click.argument("action", type=click.Choice(["add", "remove"]), required=False)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--project", help="The project for what names none itself.")
@click.option("--format", help="The format, if it is not recognised.")
@click.option("--json", "as_json", is_flag=True, help="Print the sources as JSON.")
def sources(
    memory: MemoryDatabase, action: str | None, paths: tuple[Path, ...], as_json: bool, **options: str | None
) -> None:
    """Show the files and folders that belong to a database, or add and remove some.

    `sync` takes in what changes in them. Removing one leaves its memories as they are.
    """
    if action and not paths:
        raise click.UsageError(f"Say what to {action}: {hints.typed('sources', action, 'PATH...')}")
    for path in paths:
        if action == "add":
            memory.add_source(path, **options)
        else:
            memory.remove_source(path)
    found = memory.sources()
    show(found, [asdict(one) for one in found], "json" if as_json else "table")


@command("{run} sync {db}--watch", making)
@click.option("--again", is_flag=True, help="Read all files again, also those that have not changed.")
@click.option("--watch", is_flag=True, help="Go on, and take in each change as it comes; end it with Ctrl-C.")
@embedding
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON.")
def sync(memory: MemoryDatabase, again: bool, watch: bool, as_json: bool) -> None:
    """Take in what has changed in the sources of a database, and archive what has vanished from them."""
    failed = _sync_once(memory, again, as_json)
    if watch:
        for _ in _changes(memory):
            _sync_once(memory, False, as_json, quiet=True)
    click.get_current_context().exit(1 if failed else 0)


def _sync_once(memory: MemoryDatabase, again: bool, as_json: bool, quiet: bool = False) -> int:
    """Syncs, and prints a line for each source (only for those that changed if `quiet`); returns how much failed."""
    report = memory.sync(again=again)
    if not report.reports:
        say(f"No sources yet. Add one: {hints.typed('sources', 'add', 'PATH')}", err=True)
    if as_json:
        say_json({path: _counts(one) for path, one in report.reports.items()})
    for path, one in report.reports.items():
        if not as_json and not (quiet and not one.added + one.updated + one.removed):
            say(f"{path}: {report_text(one)}")
        for failure in one.failures[:SHOWN_FAILURES]:
            say(str(failure), err=True)
    return sum(one.failed for one in report.reports.values())


def _counts(report: Any) -> dict[str, Any]:
    return {**counts(report), "passed_over": report.passed_over, "left_out": report.left_out_text}


def _changes(memory: MemoryDatabase) -> Any:
    """What watchfiles sees change in the sources, again and again; what is not there now is not watched."""
    try:
        from watchfiles import DefaultFilter, watch
    except ImportError as error:
        raise NeedsPackage("watchfiles", "sync --watch", "'datasette-memkit[watch]'") from error
    own, usual = str(Path(memory.file).resolve()), DefaultFilter()
    # A database may lie in the folder that is watched: what a sync writes must not begin the next one.
    told = lambda change, path: usual(change, path) and not path.startswith(own)  # noqa: E731
    there = [str(Path(one.path).resolve()) for one in memory.sources() if Path(one.path).exists()]
    return watch(*there, debounce=_SETTLE, watch_filter=told) if there else ()
