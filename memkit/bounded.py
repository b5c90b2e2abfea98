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

    Its settings stay as they are. What is computed from a database in memory is kept here (`caches.py`).
    """

    def __init__(self, conn: Any, seconds: float = SECONDS):
        if not isinstance(conn, sqlite3.Connection):
            raise TypeError(
                f"This connection is of {type(conn).__module__}, but memkit uses {sqlite3.__name__}: two SQLite "
                "libraries in one process lose each other's locks. Open it with sqlite_utils.Database, or with "
                "memkit.driver.sqlite3."
            )
        self._conn = conn
        self._seconds = seconds
        self._end = float("inf")
        self.memkit_cache: dict[str, tuple[Any, Any]] = {}

    def begin(self) -> None:
        """Starts the clock."""
        self._end = perf_counter() + self._seconds

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


def bounded(strategy: Strategy) -> Strategy:
    """The same strategy, with at most MOST_CANDIDATES in each channel and MOST_STEPS in a walk."""
    return strategy.replace(
        fulltext=_at_most(strategy.fulltext, limit=MOST_CANDIDATES),
        vector=_at_most(strategy.vector, limit=MOST_CANDIDATES),
        graph=_at_most(strategy.graph, limit=MOST_CANDIDATES, seeds=MOST_SEEDS, depth=MOST_STEPS, append=MOST_HITS),
        recent=_at_most(strategy.recent, limit=MOST_HITS),
        expand=_at_most(strategy.expand, depth=MOST_STEPS, children=MOST_HITS),
    )


def _at_most(part: Any, **most: int) -> Any:
    return part and replace(part, **{name: min(getattr(part, name), value) for name, value in most.items()})
