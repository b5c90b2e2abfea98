"""How commands print: text for people, JSON for pipes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

SHOWN_FAILURES = 20


def say(text: str, *, err: bool = False) -> None:
    """Prints text for a person. Control characters out of memories never reach the terminal."""
    click.echo("".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text), err=err)


def say_json(value: Any) -> None:
    """Prints a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def show(found: Any, values: Any, format: str) -> None:
    """Prints a value as it looks in Python, or its parts as JSON."""
    if format == "json":
        say_json(values)
    else:
        say(found if isinstance(found, str) else repr(found))


def warn_of(memory: Any, project: str | None) -> None:
    """Says on stderr that no memory belongs to a project: it may be a typo."""
    from memkit.unmet import unmet

    for sentence in unmet(memory.conn, project=project):
        say(sentence, err=True)


def output(*formats: str) -> Callable[[Any], Any]:
    """The option --format with these choices; the first is the default."""
    chosen = click.Choice(formats)
    return click.option("--format", type=chosen, default=formats[0], show_default=True, help="How to print it.")
