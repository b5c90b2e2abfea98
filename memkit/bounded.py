"""Recall inside somebody else's query: on their connection, read-only, with a deadline, and never for too many.

A database server cannot stop Python code that one of its queries has called, so the code stops itself: `Bounded` is a
connection that refuses to answer after a deadline, `bounded` a strategy that looks at so many candidates and no more.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from memkit.driver import sqlite3
from memkit.errors import Busy
from memkit.strategies import Strategy

SECONDS = 5.0
MOST_HITS = 200
MOST_CANDIDATES = 2000
MOST_SEEDS = 200
MOST_STEPS = 4  # from where a walk begins

READ_APPLICATION = "select application_id from pragma_application_id"


class TooSlow(Busy):
    """The deadline has passed."""


class Bounded:
    """A connection of another program as memkit needs it: rows by name, and no answer after a deadline.

    Its settings stay as they are. What is computed from a database in memory is kept here (`caches.py`). With
    `whole_statements` all calls in one statement of the connection's owner have `seconds` together: a statement that
    asks a thousand questions does not take a thousand times as long. That takes the connection's trace callback.
    """

    def __init__(
        self,
        conn: Any,
        seconds: float = SECONDS,
        *,
        candidates: int = MOST_CANDIDATES,
        whole_statements: bool = False,
    ):
        if not isinstance(conn, sqlite3.Connection):
            raise TypeError(
                f"This connection is of {type(conn).__module__}, but memkit uses {sqlite3.__name__}: two SQLite "
                "libraries in one process lose each other's locks. Open it with sqlite_utils.Database, or with "
                "memkit.driver.sqlite3."
            )
        self._conn = conn
        self._seconds = seconds
        self._end = float("inf")
        self._whole_statements = whole_statements
        self.candidates = candidates
        self.memkit_cache: dict[str, Any] = {}
        self.finish()

    def begin(self) -> None:
        """Starts the clock, unless it runs already for the statement that asks."""
        if self._whole_statements:
            self._conn.set_trace_callback(None)  # memkit's own statements, within the one that asks
        if not self._whole_statements or self._end == float("inf"):
            self._end = perf_counter() + self._seconds

    def finish(self) -> None:
        """Ends a call; from here on a statement that begins is a new one."""
        if self._whole_statements:
            self._conn.set_trace_callback(self._statement_begins)

    def _statement_begins(self, _statement: str) -> None:
        self._end = float("inf")

    def execute(self, statement: str, parameters: Any = ()) -> Any:
        """A cursor. Raises TooSlow after the deadline."""
        if perf_counter() > self._end:
            raise TooSlow(f"This took more than {self._seconds:g} seconds, and was given up. Ask for less.")
        cursor = self._conn.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor.execute(statement, parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._conn, name)


def is_memory_database(conn: Any) -> bool:
    """Whether the file behind a connection is one of memkit's; False also for a file that is no database."""
    try:
        row = conn.execute(READ_APPLICATION).fetchone()
    except sqlite3.Error:
        return False
    from memkit.schema import APPLICATION_ID

    return bool(row[0] == APPLICATION_ID)


def bounded(strategy: Strategy, candidates: int = MOST_CANDIDATES) -> Strategy:
    """The same strategy, with at most so many candidates in each channel and MOST_STEPS in a walk."""
    return strategy.replace(
        fulltext=_at_most(strategy.fulltext, limit=candidates),
        vector=_at_most(strategy.vector, limit=candidates),
        graph=_at_most(strategy.graph, limit=candidates, seeds=MOST_SEEDS, depth=MOST_STEPS, append=MOST_HITS),
        recent=_at_most(strategy.recent, limit=MOST_HITS),
        expand=_at_most(strategy.expand, depth=MOST_STEPS, children=MOST_HITS),
    )


def _at_most(part: Any, **most: int) -> Any:
    return part and replace(part, **{name: min(getattr(part, name), value) for name, value in most.items()})
