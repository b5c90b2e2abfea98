"""Knowledge graph commands: about, path, extract, relate, supersede, merge, unmerge, graph stats and export."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memkit.frontends.cli import hints
from memkit.frontends.cli.hosting import command, existing, reading
from memkit.frontends.cli.ingest import dask_client, on_workers
from memkit.frontends.cli.output import SHOWN_FAILURES, output, say, show, warn_of, written

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase


@command("{run} about {db}Rosa", reading)
@click.argument("name")
@click.option("--as-of", metavar="TIME", help="What was true at this time.")
@click.option("--known-at", metavar="TIME", help="What was known at this time.")
@click.option("--project", help="Only what memories of this project, or of no project, say.")
@output("table", "json")
def about(memory: MemoryDatabase, name: str, format: str, **within: Any) -> None:
    """Say who or what something is: names, relations with their evidence, history, memories."""
    warn_of(memory, within["project"])
    card = memory.about(name, **within)
    show(card, card.to_dict(), format)


@command('{run} me {db}"Sam Reed" Sam', existing)
@click.argument("names", nargs=-1)
def me(memory: MemoryDatabase, names: tuple[str, ...]) -> None:
    """Say who "I" is: NAMES are names of yours, the main one first. Without NAMES, say who it is now."""
    said = memory.me(names[0], aliases=names[1:]) if names else memory.me()
    likely = None if names or said != "user" else memory.likely_me()
    say(said)
    if likely:
        confirming = hints.typed("me", shlex.quote(likely))
        say(f"You may be {likely}, who speaks in every conversation. If so: {confirming}")


@command("{run} fill-slots {db}", existing, name="fill-slots")
def fill_slots(memory: MemoryDatabase) -> None:
    """Fill slots from what you say of yourself: name, how to answer, telephone, mail, allergies, what you decided.

    `memkit maintain` does the same, as the policy says (slots.fill). What is unsure is proposed, `memkit undo` takes
    back what was written.
    """
    filled = memory.fill_slots()
    for one in filled:
        say(f"{one.slot}.{one.slot_key}: {one.text}")
    if not filled:
        say("No slot was filled: nothing new is said for one.")
    if waiting := len(memory.proposals(kind="slot")):
        say(f"To decide: {waiting}. They are listed by: {hints.typed('proposals')}")


@command("{run} path {db}Alice Nightshade", reading)
@click.argument("a")
@click.argument("b")
@click.option(
    "--max-depth", default=4, show_default=True, type=click.IntRange(min=1), metavar="N", help="Steps at most."
)
@click.option("--as-of", metavar="TIME", help="Only over what was true at this time.")
@click.option("--project", help="Only over what memories of this project, or of no project, say.")
@output("table", "json")
def path(memory: MemoryDatabase, a: str, b: str, format: str, **how: Any) -> None:
    """Show how two names are connected, each step with the words that say so."""
    warn_of(memory, how["project"])
    way = memory.path(a, b, **how)
    show(way, way.to_dict(), format)


@command("{run} extract {db}--model gpt-4o-mini --dry-run", existing)
@click.option("--model", metavar="MODEL", help="Ask this llm model. Without a model: names, links and plain sentences.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="How many memories at most.")
@click.option("--dry-run", is_flag=True, help="Only say how many calls and tokens it would take.")
@click.option("--retry", is_flag=True, help="Ask again where an answer failed.")
@click.option("--template", type=click.Path(exists=True, dir_okay=False), help="A prompt of your own (Jinja).")
@on_workers("Ask the model")
@output("table", "json")
def extract(
    memory: MemoryDatabase, format: str, model: str | None, template: str | None, dask: str | None, **options: Any
) -> None:
    """Find entities and relations in memories that have not been read yet.

    Ingesting does this already, without a model. What a model says counts only with a quote from the memory.
    """
    if model is None and (template or dask or any(options.values())):
        raise click.UsageError("--limit, --dry-run, --retry, --template and --dask can only be used with --model.")
    own: dict[str, Any] = {"template": Path(template)} if template else {}
    with dask_client(None if options["dry_run"] else dask) as client:
        own |= {"client": client} if client else {}
        report = memory.extract(model, **({**own, **options} if model else {}))
    _show_extracted(asdict(report), format)


def _show_extracted(report: dict[str, Any], format: str) -> None:
    """Prints counts to stdout and failures to stderr; exit code 1 if there are failures."""
    counts = {name: count for name, count in report.items() if isinstance(count, int) and name != "dry_run"}
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    show(f"Would be: {told}" if report.get("dry_run") else told, report, format)
    for error in report.get("errors", ())[:SHOWN_FAILURES]:
        say(error, err=True)
    if report.get("failed"):
        click.get_current_context().exit(1)


@command('{run} relate {db}Alice "introduced to" Nightshade', existing)
@click.argument("subject")
@click.argument("predicate")
@click.argument("object")
@click.option("--memory", "said_by", metavar="ID", help="The memory that says so.")
@click.option("--quote", default="", help="The words that say so.")
@click.option(
    "--confidence", default=1.0, type=click.FloatRange(0, 1), metavar="N", help="0 to 1; 1 if it is not given."
)
@click.option("--valid-from", metavar="TIME", help="Since when it is so.")
@click.option("--valid-until", metavar="TIME", help="Until when it was so.")
@output("table", "json")
def relate(
    memory: MemoryDatabase, subject: str, predicate: str, object: str, said_by: str | None, format: str, **known: Any
) -> None:
    """Add a relation between two names."""
    relation = memory.relate(subject, predicate, object, memory=said_by, **known)
    if format == "json":
        show(relation, asdict(relation), format)
    else:
        say(str(relation))


@command("{run} supersede {db}c6h2z3v2re w7bvmw6b5b", existing)
@click.argument("old")
@click.argument("new")
@click.option("--why", default="", help="The reason.")
def supersede(memory: MemoryDatabase, old: str, new: str, why: str) -> None:
    """Let a memory (its id) take the place of an older one, which stays as history."""
    memory.supersede(old, new, why=why)


@command('{run} merge {db}"Hana Mori" Hana', existing)
@click.argument("kept")
@click.argument("merged")
@output("table", "json")
def merge(memory: MemoryDatabase, kept: str, merged: str, format: str) -> None:
    """Make two names one: KEPT is also MERGED from now on."""
    card = memory.merge(kept, merged)
    show(card, card.to_dict(), format)


@command('{run} unmerge {db}"Hana Mori"', existing)
@click.argument("name")
@output("table", "json")
def unmerge(memory: MemoryDatabase, name: str, format: str) -> None:
    """Take the last merge of a name back, exactly."""
    for card in memory.unmerge(name):
        show(card, card.to_dict(), format)


@command("{run} graph stats {db}", reading, name="graph stats")
@output("table", "json")
def graph_stats(memory: MemoryDatabase, format: str) -> None:
    """Say how large the graph is, and what it is made of."""
    stats = memory.graph_stats()
    show(stats, stats.to_dict(), format)


@command("{run} graph export {db}graph.graphml", existing, name="graph export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--format", type=click.Choice(["graphml", "json"]), help="The format, if the file's name does not say it."
)
@click.option("--no-memories", is_flag=True, help="Only entities and their relations.")
def graph_export(memory: MemoryDatabase, file: str, format: str | None, no_memories: bool) -> None:
    """Write the graph to a file, as GraphML or JSON; with - to standard output, as GraphML if nothing else is said."""
    with written(file, f".{format or 'graphml'}") as path:
        memory.export_graph(path, format=format, memories=not no_memories)
    if file != "-":
        say(file)
