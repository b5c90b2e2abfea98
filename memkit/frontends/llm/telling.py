"""Failures and warnings where `llm` itself runs, as in a template: sentences whose commands are of `llm memory`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memkit.core.errors import MemkitError
from memkit.database.locations import absent, open_to_read, usual_database

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase
    from memkit.retrieval.results import Recall


@contextmanager
def in_sentences() -> Iterator[None]:
    """Shows a MemkitError as the sentence that it is, instead of a traceback."""
    try:
        yield
    except MemkitError as error:
        from memkit.frontends.cli.hosting import plain_failures

        _begin()
        with plain_failures(None):
            raise error


@contextmanager
def memories() -> Iterator[MemoryDatabase]:
    """The usual database, to read. It is empty if there is none yet, which standard error says."""
    from memkit.frontends.cli import hints

    file = usual_database()
    with in_sentences(), open_to_read(file) as memory:
        if missing := absent(file):
            _begin()
            warn(f"{missing} To make it: {hints.typed('ingest')}")
        yield memory


def warn(sentence: str) -> None:
    """Prints a warning to standard error."""
    from memkit.frontends.cli import output

    _begin()
    output.warn(sentence)


def warn_degraded(found: Recall | None) -> None:
    """Prints a warning to standard error if the embedding model failed in this recall."""
    if found is not None and found.degraded:  # one without hits is false
        warn(found.degraded)


def _begin() -> None:
    """What was typed is `llm`, on the usual database."""
    from memkit.frontends.cli import hints
    from memkit.frontends.llm.commands import HOST

    hints.begin(HOST, usual_database())
