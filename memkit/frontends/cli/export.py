"""Export command: a database, or a part of it, as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memkit.frontends.cli.hosting import command, existing
from memkit.frontends.cli.output import output, say, say_json
from memkit.frontends.cli.publish import choosing

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase


@command("{run} export {db}garden.jsonl --project garden", existing)
@click.argument("out", type=click.Path())
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

    `memkit ingest` takes the JSON lines back: the same memories, ids, graph and history. Without an ending OUT is a
    folder of notes, as Obsidian has them.
    """
    chosen = {name: value for name, value in selection.items() if value}
    report = memory.export(out, format=as_format, **chosen)
    if format == "json":
        say_json(report.to_dict())
    else:
        say(report.sentence)
