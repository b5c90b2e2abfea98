"""Output of commands: text for people, JSON for pipes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memkit.core.formatting import printable
from memkit.frontends.cli import hints

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase
    from memkit.retrieval.results import Recall

SHOWN_FAILURES = 20


def say(text: str, *, err: bool = False) -> None:
    """Prints text for people. Control characters from memories are replaced, so that none reaches the terminal."""
    click.echo(printable(text), err=err)


def warn(text: str) -> None:
    """Prints a warning to standard error, its hints as they are typed here."""
    say(hints.here(text), err=True)


def say_json(value: Any) -> None:
    """Prints a value as JSON, with escapes where standard output cannot write every character: JSON loses none."""
    told = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    try:
        told.encode(sys.stdout.encoding or "ascii")
    except UnicodeError:
        told = json.dumps(value, indent=2, default=str)
    click.echo(told)


def show(found: Any, values: Any, format: str) -> None:
    """Prints a value as its Python repr, or `values` as JSON."""
    if format == "json":
        say_json(values)
    else:
        say(found if isinstance(found, str) else repr(found))


@contextmanager
def written(path: str, suffix: str) -> Iterator[Path]:
    """The path to write to. For `-` it is a file of nobody else's, whose bytes go to standard output at the end."""
    if path != "-":
        yield Path(path)
        return
    from shutil import copyfileobj
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="memkit-") as folder:
        made = Path(folder) / f"out{suffix}"
        yield made
        with made.open("rb") as stream:
            copyfileobj(stream, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def warn_of(memory: MemoryDatabase, project: str | None, *, only_project: bool = True) -> None:
    """Prints a warning to stderr if no memory belongs to a project: the name may have a typing error.

    It lists the others only if they are not left out.
    """
    for sentence in memory.filter_warnings(project=project, only_project=only_project):
        warn(sentence)


def warn_degraded(found: Recall | None) -> None:
    """Prints a warning to stderr if the embedding model failed in this recall."""
    if found is not None and found.degraded:  # one without hits is false
        warn(found.degraded)


def output(*formats: str) -> Callable[[Any], Any]:
    """The option --format with these choices; the first is the default. `--json` is short for one of them."""
    chosen, told = (
        click.Choice(formats),
        "How to print it; --json for short." if "json" in formats else "How to print it.",
    )
    return click.option("--format", type=chosen, default=formats[0], show_default=True, help=told)
