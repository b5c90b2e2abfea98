"""Conversation commands: observe, reflect, compact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memkit.core.errors import BadSource
from memkit.frontends.cli.hosting import command, existing, making
from memkit.frontends.cli.maintenance import as_json, show_report
from memkit.frontends.cli.output import say, say_json
from memkit.frontends.cli.standard_input import standard_input

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

asking = click.option("--model", metavar="MODEL", help="Ask this llm model. Without a model: sentences, word for word.")


@command("{run} observe {db}--messages conversation.json", making)
@click.option(
    "--messages", "file", type=click.Path(allow_dash=True), help="A conversation as JSON; - is standard input."
)
@click.option("--session", help="With --messages: the conversation's name, if its first message is not enough.")
@click.option("--project", help="With --messages: the project that they belong to.")
@click.option("--document", metavar="SOURCE", help="Only this conversation (its id or source).")
@click.option(
    "--threshold", type=click.IntRange(min=0), metavar="TOKENS", help="How many new tokens there must be; 3000."
)
@asking
@as_json
def observe(memory: MemoryDatabase, file: str | None, as_json: bool, **how: Any) -> None:
    """Note what is worth remembering in conversations, once they have enough new text.

    Without --messages: in all chats and logs that were ingested.
    """
    if file is None and (how["session"] or how["project"]):
        raise click.UsageError("--session and --project can only be used with --messages.")
    if file is not None and how["document"]:
        raise click.UsageError("Give either --messages or --document, not both.")
    messages = None if file is None else read_messages(file)
    report = memory.observe(messages, **how)
    if report.notes and not any(isinstance(one, dict) and one.get("content") for one in messages or ()):
        raise BadSource(f"{file} has no message that could be read. {report.notes[0]}")
    if as_json:
        say_json(report.to_dict())
        return
    say(repr(report))
    for change in report.changes:
        say(f"  {change.memory_id}  {memory.memory(change.memory_id).text}")


@command("{run} reflect {db}--project garden", existing)
@click.option("--project", help="Only this project's observations.")
@click.option("--threshold", type=click.IntRange(min=1), metavar="TOKENS", help="How many tokens there must be; 4000.")
@asking
@as_json
def reflect(memory: MemoryDatabase, as_json: bool, **how: Any) -> None:
    """Condense observations, if there are too many of them."""
    show_report(memory.reflect(**how), as_json)


@command("{run} compact {db}conversation.json --budget 8000", making)
@click.argument("file", type=click.Path(allow_dash=True))
@click.option(
    "--budget",
    required=True,
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help="How many tokens the conversation may take.",
)
@click.option("--project", default="global", show_default=True, help="The project that the episode belongs to.")
@asking
def compact(memory: MemoryDatabase, file: str, budget: int, **how: Any) -> None:
    """Print a conversation with its oldest turns summarised, once it takes 75 % of its budget.

    FILE is a JSON list of messages with role and content, or an object with `messages`; - is standard input. The
    summary is kept as an episode.
    """
    done = memory.compact(read_messages(file), budget, **how)
    say_json(done.messages)
    say(repr(done), err=True)


def read_messages(file: str) -> list[Any]:
    """The messages in a JSON file (`-` is standard input). Raises BadSource."""
    try:
        text = standard_input() if file == "-" else Path(file).read_text("utf-8-sig")
        found = json.loads(text)
    except OSError as error:
        raise BadSource(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise BadSource(f"{file} is not JSON: {error}.") from error
    messages = found.get("messages") if isinstance(found, dict) else found
    if not isinstance(messages, list):
        raise BadSource(f'{file} has no list of messages. Write [{{"role": "user", "content": "..."}}, ...].')
    return messages
