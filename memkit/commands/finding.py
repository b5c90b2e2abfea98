"""recall, context, eval."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import click

from memkit.commands.hosting import command, reading
from memkit.commands.printing import output, say, say_json, show, warn_of


@command('{run} recall {db}"who planted the quince?" -k 5', reading)
@click.argument("question")
@click.option("-k", default=10, show_default=True, type=click.IntRange(min=0), metavar="N", help="How many memories.")
@click.option("--strategy", help="How to look: a strategy's name, or JSON.")
@click.option("--project", help="Prefer what belongs to this project.")
@click.option("--only-project", is_flag=True, help="Leave other projects out.")
@click.option("--since", metavar="TIME", help="Only what happened at this time or later.")
@click.option("--until", metavar="TIME", help="Only what happened before this time.")
@click.option("--as-of", metavar="TIME", help="What held then.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind; may be given several times.")
@click.option("--everything", is_flag=True, help="Also what is archived or no longer true.")
@click.option("--now", metavar="TIME", help="When the question is asked, if not now.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="N", help="Of the format context: how many tokens at most."
)
@output("table", "json", "context", "ids")
def recall(memory: Any, question: str, format: str, budget: int | None, kinds: tuple[str, ...], **asked: Any) -> None:
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
@click.option("--strategy", help="How to look and what to show: a strategy's name, or JSON.")
@click.option("--layout", help="Another page than the strategy's: membox_grouped, or a template of your own.")
@click.option("--templates", type=click.Path(file_okay=False), help="The folder of your own templates.")
@click.option("--project", help="Prefer what belongs to this project.")
@click.option("--only-project", is_flag=True, help="Leave other projects out.")
@click.option("--channel", help="Where the message is written: telegram, mail, ...")
@click.option("--timezone", default="UTC", show_default=True, help="The clocks that times are shown on: Europe/Paris.")
@click.option("--now", metavar="TIME", help="When the message is written, if not now.")
@click.option("--offset", default=0, type=click.IntRange(min=0), metavar="N", help="Leave out the first N: what else?")
@output("text", "json")
def context(memory: Any, message: str, format: str, **asked: Any) -> None:
    """Print what a language model should read before a message.

    MESSAGE may be - for what comes on standard input.
    """
    message = sys.stdin.read() if message == "-" else message
    found = memory.context(message, **asked)
    warn_of(memory, asked["project"])
    show(str(found), found.to_dict(), format)


# ---------------------------------------------------------------------------------------------- measuring it


@command("{run} eval {db}questions.jsonl --strategy memkit --strategy kira", reading)
@click.argument("queries", type=click.Path(dir_okay=False), metavar="QUERIES.jsonl")
@click.option("--strategy", "strategies", multiple=True, help="A strategy to measure; may be given several times.")
@click.option("-k", default=30, show_default=True, type=click.IntRange(min=1), metavar="N", help="How many hits count.")
@click.option("--by-category", is_flag=True, help="A row for each category, too.")
@click.option("--changed", is_flag=True, help="The questions in which the strategies differ most from the first one.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def eval(
    memory: Any, queries: str, strategies: tuple[str, ...], k: int, by_category: bool, changed: bool, as_json: bool
) -> None:
    """Measure how well strategies find what answers your own questions.

    A line of QUERIES.jsonl is {"text": "...", "relevant": ["id", ...]}, with "id", "group" (a project), "category" and
    "timestamp" (when it is asked) where you have them. An empty list says that nothing answers the question.
    """
    from memkit.progress import bar

    with bar(unit="answers") as progress:
        report = memory.evaluate(queries, list(strategies) or None, k=k, progress=progress)
    if as_json:
        say_json(report.to_dict())
        return
    say(report.to_text(by_category=by_category))
    for run in report.runs[1:] if changed else ():
        say(f"\n{report.difference(run.name, report.runs[0].name).questions}")
