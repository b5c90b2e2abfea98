"""Retrieval commands: recall, context, eval, strategy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from memkit.frontends.cli.hosting import command, existing, reading
from memkit.frontends.cli.output import output, say, say_json, show, warn_of
from memkit.frontends.cli.standard_input import standard_input

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

CHANCE = click.FloatRange(0, 1)


@command('{run} recall {db}"who planted the quince?" -k 5', reading)
@click.argument("question")
@click.option("-k", default=10, show_default=True, type=click.IntRange(min=0), metavar="N", help="How many memories.")
@click.option("--strategy", help="How to search: a strategy's name, or JSON.")
@click.option("--project", help="Prefer what belongs to this project.")
@click.option("--only-project", is_flag=True, help="Leave other projects out.")
@click.option("--since", metavar="TIME", help="Only what happened at this time or later.")
@click.option("--until", metavar="TIME", help="Only what happened before this time.")
@click.option("--as-of", metavar="TIME", help="What was true at this time.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind; may be given several times.")
@click.option("--everything", is_flag=True, help="Also find what is archived or no longer true.")
@click.option("--now", metavar="TIME", help="When the question is asked, if not now.")
@click.option("--min-confidence", type=CHANCE, metavar="C", help="Leave out hits with less confidence, from 0 to 1.")
@click.option("--depth", type=click.IntRange(0, 3), metavar="N", help="How many links to follow from each hit.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="N", help="For --format context: how many tokens at most."
)
@output("table", "json", "context", "ids")
def recall(
    memory: MemoryDatabase, question: str, format: str, budget: int | None, kinds: tuple[str, ...], **asked: Any
) -> None:
    """Find memories by words, meaning and connection, each with its reasons."""
    found = memory.recall(question, kinds=kinds or None, **asked)
    for warning in found.warnings:
        say(warning, err=True)
    found = replace(found, warnings=())
    if format == "json":
        say_json(found.to_dicts())
    elif format == "context":
        say(found.context(budget))
    elif found or format == "table":
        say("\n".join(found.ids) if format == "ids" else repr(found))


@command('{run} context {db}"shall I prune the quince today?" --budget 500', reading)
@click.argument("message")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="How many tokens at most.  [default: 2000]")
@click.option("--strategy", help="How to search and what to show: a strategy's name, or JSON.")
@click.option("--layout", help="Another page than the strategy's, by its name, or a template of your own.")
@click.option("--templates", type=click.Path(file_okay=False), help="The folder of your own templates.")
@click.option("--project", help="Prefer what belongs to this project.")
@click.option("--only-project", is_flag=True, help="Leave other projects out.")
@click.option(
    "--min-confidence",
    type=CHANCE,
    metavar="C",
    help="Show nothing if what was found has less confidence, from 0 to 1.  [default: 0.02]",
)
@click.option("--channel", help="Where the message is written: telegram, mail, ...")
@click.option(
    "--timezone", default="UTC", show_default=True, help="The time zone in which times are shown: Europe/Paris."
)
@click.option("--now", metavar="TIME", help="When the message is written, if not now.")
@click.option(
    "--offset",
    default=0,
    type=click.IntRange(min=0),
    metavar="N",
    help="Skip the first N memories, to see the next ones.",
)
@output("text", "json")
def context(memory: MemoryDatabase, message: str, format: str, **asked: Any) -> None:
    """Print what a language model should read before a message.

    With - as MESSAGE it is read from standard input.
    """
    message = standard_input() if message == "-" else message
    found = memory.context(message, **asked)
    for warning in found.warnings:
        say(warning, err=True)
    warn_of(memory, asked["project"], only_project=asked["only_project"])
    show(str(found), found.to_dict(), format)


# ---------------------------------------------------------------------------------------------- evaluation


@command("{run} eval {db}questions.jsonl --strategy memkit --strategy kira", reading)
@click.argument("queries", type=click.Path(dir_okay=False), metavar="QUERIES.jsonl")
@click.option("--strategy", "strategies", multiple=True, help="A strategy to measure; may be given several times.")
@click.option("-k", default=30, show_default=True, type=click.IntRange(min=1), metavar="N", help="How many hits count.")
@click.option("--by-category", is_flag=True, help="Also print a row for each category.")
@click.option(
    "--changed", is_flag=True, help="List the questions in which the strategies differ most from the first one."
)
@click.option(
    "--tune", is_flag=True, help="Fit the weights to 30 questions or more; kept for this database if that wins."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def eval(
    memory: MemoryDatabase,
    queries: str,
    strategies: tuple[str, ...],
    k: int,
    by_category: bool,
    changed: bool,
    tune: bool,
    as_json: bool,
) -> None:
    """Measure how well strategies find what answers your own questions.

    A line of QUERIES.jsonl is {"text": "...", "relevant": ["id", ...]}, with "id", "group" (a project), "category" and
    "timestamp" (when it is asked) where you have them. An empty list says that nothing answers the question.
    """
    report = memory.evaluate(queries, list(strategies) or None, k=k, tune=tune)
    if as_json:
        say_json(report.to_dict())
        return
    say(report.to_text(by_category=by_category))
    for run in report.runs[1:] if changed else ():
        say(f"\n{report.difference(run.name, report.runs[0].name).questions}")


@command("{run} strategy {db}kira", existing)
@click.argument("given", required=False, metavar="[STRATEGY]")
@click.option("--reset", is_flag=True, help="Answer by memkit's own again.")
@output("text", "json")
def strategy(memory: MemoryDatabase, given: str | None, format: str, *, reset: bool) -> None:
    """Show or choose how this database answers a question that names no strategy.

    STRATEGY is the name of one, or JSON of what differs from memkit's: '{"name": "mine", "vector": {"weight": 0.6}}'.
    """
    chosen = memory.set_strategy(given) if given or reset else memory.strategy()
    show(f"{chosen.name}: {chosen.to_json()}", chosen.to_dict(), format)
