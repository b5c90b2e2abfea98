"""Administration commands: info, doctor, reindex, serve, demo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.decorators import FC

from memkit.frontends.cli import hints
from memkit.frontends.cli.hosting import command, existing, making, path_only, reading
from memkit.frontends.cli.ingest import dask_client, on_workers, report_text
from memkit.frontends.cli.output import output, say, show, warn, written

IN_MEMORY = ":memory:"

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase


@command("{run} info {db}--format json", reading)
@click.option("--size", is_flag=True, help="Say how much room each table takes instead.")
@output("table", "json")
def info(memory: MemoryDatabase, size: bool, format: str) -> None:
    """Say what is in a database: counts, times, its model, its size."""
    if size:
        sizes = memory.table_sizes()
        show(sizes, sizes.to_dicts(), format)
        return
    found = memory.info()
    if found.path == IN_MEMORY:  # there is no file yet: this is what will be in it, and where it will be
        found = replace(found, path=hints.database(), bytes=0)
    show(hints.here(repr(found)), found.to_dict(), format)


@command("{run} doctor {db}", path_only, required=False)
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing a memory, and say what it was.")
@output("table", "json")
def doctor(path: str | None, fix: bool, format: str) -> None:
    """Check this machine and, if one is given, a database. Exit code 1 if something is broken."""
    from memkit.storage.doctor import doctor as examine

    found = examine(path, fix=fix)
    show(hints.here(repr(found)), found.to_dicts(), format)
    click.get_current_context().exit(1 if found.broken else 0)


@command("{run} backup {db}copy.db --keep 7", existing)
@click.argument("copy", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--keep", type=click.IntRange(1), default=1, metavar="N", help="How many copies stay; older ones have dates."
)
@output("table", "json")
def backup(memory: MemoryDatabase, copy: str, keep: int, format: str) -> None:
    """Copy a database to a file, while others may use it, and verify the copy before it gets its name.

    With - as COPY the verified copy goes to standard output, and the database does not know where it is.
    """
    with written(copy, ".db") as path:
        report = memory.backup(path, keep=keep, recorded=copy != "-")
    if copy != "-":
        show(report.sentence, report.to_dict(), format)


@command("{run} recover {db}new.db", path_only)
@click.argument("new", type=click.Path(allow_dash=True))
@output("table", "json")
def recover(path: str, new: str, format: str) -> None:
    """Write what can be read of a damaged database into a new one, and say what was lost.

    With - as NEW the new database goes to standard output.
    """
    from memkit.core.clock import utc_now
    from memkit.storage.recover import recover as read_what_is_left

    with written(new, ".db") as file:
        found = read_what_is_left(Path(path), file, utc_now())
    if new == "-":
        warn(repr(replace(found, path=Path(new))))
    else:
        show(hints.here(repr(found)), found.to_dict(), format)


@command("{run} reindex {db}--model memkit", existing)
@click.option("--model", help="The embedding model to switch to. Without it, missing vectors are made.")
@click.option("--fts", is_flag=True, help="Rebuild the full-text index instead.")
@on_workers("Embed")
def reindex(memory: MemoryDatabase, model: str | None, fts: bool, dask: str | None) -> None:
    """Make vectors with another model and change to it, or rebuild an index.

    The old vectors are used until all new ones are there. If it is interrupted, the same command goes on.
    """
    with dask_client(dask) as client:
        report = memory.reindex(model, fts=fts, client=client)
    say(report.sentence)


def serving(function: FC) -> FC:
    """The options of a server: where to listen, and whether to open a browser."""
    function = click.option("--public", is_flag=True, help="Everybody who reaches the address sees it.")(function)
    function = click.option("--open", "browser", is_flag=True, help="Open a browser.")(function)
    function = click.option(
        "--port", type=click.IntRange(1, 65535), metavar="N", help="If not given, a free one from 8001 on."
    )(function)
    return click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")(function)


@command("{run} serve {db}--port 8001", path_only)
@click.argument("extra", nargs=-1, type=click.UNPROCESSED, metavar="[-- DATASETTE-OPTION...]")
@serving
def serve(path: str, **where: Any) -> None:
    """Show a database in the browser, with Datasette.

    Only you can see it, by the link that is printed; the link works once.
    """
    from memkit.frontends.serve import serve as start

    start(path, say=say, **where)


@command("{run} demo demo.db --no-serve", path_only, required=False)
@click.option("--no-serve", is_flag=True, help="Stop after the recalls.")
@serving
def demo(path: str | None, no_serve: bool, **where: Any) -> None:
    """Build a database of an invented person's year, ask it three questions, and serve it."""
    from memkit.frontends.demo import ask, build
    from memkit.frontends.serve import serve as start

    path = path or "demo.db"
    with making(path, None) as memory:
        say(f"{path}: {report_text(build(memory))}")
        for found in ask(memory):
            say(f"\n{found!r}")
    if not no_serve:
        start(path, say=lambda text: say(f"\n(Stop with Ctrl-C.) {text}"), **where)
