"""Resource limits for recall inside another program's query: a deadline, and a limit on candidates.

A database server cannot stop Python code that one of its queries called, so the code stops itself: `Bounded` is a
connection that raises TooSlow after a deadline, and `bounded` gives a strategy with a limited number of candidates.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from memkit.core.errors import Busy
from memkit.storage.borrowed import Borrowed
from memkit.storage.connection import Connection, Cursor
from memkit.storage.driver import sqlite3

if TYPE_CHECKING:
    from memkit.retrieval.strategies import Strategy

SECONDS = 5.0
MOST_HITS = 200
MOST_CANDIDATES = 2000
MOST_SEEDS = 200
MOST_STEPS = 4  # of a walk from its seeds, and of an expansion from its hits


class TooSlow(Busy):
    """The deadline has passed."""


class Bounded(Borrowed):
    """A borrowed connection that raises TooSlow after a deadline.

    With `whole_statements`, all calls in one statement of the connection's owner share the `seconds`: a statement that
    asks a thousand questions does not take a thousand times as long. This uses the connection's trace callback.
    """

    def __init__(
        self,
        conn: Connection,
        seconds: float = SECONDS,
        *,
        candidates: int = MOST_CANDIDATES,
        whole_statements: bool = False,
    ):
        super().__init__(conn)
        self._seconds = seconds
        self._end = float("inf")
        self._whole_statements = whole_statements
        self.candidates = candidates
        self.finish()

    def begin(self) -> None:
        """Starts the clock, unless it already runs for the owner's statement."""
        if self._whole_statements:
            self._conn.set_trace_callback(None)  # memkit's own statements belong to the owner's statement
        if not self._whole_statements or self._end == float("inf"):
            self._end = perf_counter() + self._seconds

    def finish(self) -> None:
        """Ends a call. The next statement that begins has a new deadline."""
        if self._whole_statements:
            self._conn.set_trace_callback(self._statement_begins)

    def _statement_begins(self, _statement: str) -> None:
        self._end = float("inf")

    def execute(self, statement: str, parameters: Any = ()) -> Cursor:
        """A cursor. Raises TooSlow after the deadline."""
        if perf_counter() > self._end:
            raise TooSlow(f"This took more than {self._seconds:g} seconds and was stopped. Ask for less.")
        return super().execute(statement, parameters)


def is_memory_database(conn: Connection) -> bool:
    """Whether the file behind a connection is a memkit database; False also for a file that is not a database."""
    from memkit.storage.recognition import is_marked

    try:
        return is_marked(conn)
    except sqlite3.Error:
        return False


def bounded(strategy: Strategy, candidates: int = MOST_CANDIDATES) -> Strategy:
    """The strategy, with at most so many candidates in each channel and at most MOST_STEPS steps in a walk.

    Without a cross-encoder: strangers may name it, and a model in a query of another program cannot be stopped.
    """
    return strategy.replace(
        fulltext=_at_most(strategy.fulltext, limit=candidates),
        vector=_at_most(strategy.vector, limit=candidates),
        graph=_at_most(strategy.graph, limit=candidates, seeds=MOST_SEEDS, depth=MOST_STEPS, append=MOST_HITS),
        recent=_at_most(strategy.recent, limit=MOST_HITS),
        rerank=None,
        expand=_at_most(strategy.expand, depth=MOST_STEPS, children=MOST_HITS),
    )


def limited(strategy: Strategy, conn: Connection) -> Strategy:
    """The strategy, bounded if the connection belongs to another program."""
    return bounded(strategy, conn.candidates) if isinstance(conn, Bounded) else strategy


def _at_most(part: Any, **most: int) -> Any:
    return part and replace(part, **{name: min(getattr(part, name), value) for name, value in most.items()})
