"""Borrowed connections: a connection of another program, used by memkit without changing its settings.

memkit's own connections get their settings when they are opened (`driver.prepare`). A borrowed one works without them:

- Rows by name come from separate cursors, so `row_factory` stays. Values computed from a database in memory are cached
  here (`caches.py`).
- Python's driver begins a transaction before a write, unless `isolation_level` is None. memkit writes only inside
  `driver.writing`, which has already begun a transaction or made a savepoint. So the driver never begins one.
- `foreign_keys` is off by default, and cannot be turned on inside a transaction. What refers to a deleted row is
  deleted by the file's own triggers (`schema_edits.sql`), and restoring an export checks the references itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memkit.core.errors import BadArgument
from memkit.storage.connection import Connection, Cursor
from memkit.storage.driver import identifier, sqlite3

TEMPORARY = "temporary tables"  # in a connection's cache: the names of those that memkit made for itself


class Borrowed:
    """A borrowed connection with rows by name. Raises TypeError for a connection of another SQLite library."""

    def __init__(self, conn: Connection):
        if not isinstance(conn, sqlite3.Connection):
            raise TypeError(
                f"This connection is from {type(conn).__module__}, but memkit uses {sqlite3.__name__}. Two SQLite "
                "libraries in one process lose each other's locks. Open the file with sqlite_utils.Database, or with "
                "memkit.storage.driver.sqlite3."
            )
        self._conn = conn
        self.memkit_cache: dict[str, Any] = {}

    def cursor(self) -> Cursor:
        """A cursor with rows by name."""
        cursor: Cursor = self._conn.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor

    def execute(self, statement: str, parameters: Any = ()) -> Cursor:
        """A cursor with the rows of a statement."""
        return self.cursor().execute(statement, parameters)

    def executemany(self, statement: str, parameters: Iterable[Any]) -> Cursor:
        """A cursor, after the statement ran for each set of parameters."""
        return self.cursor().executemany(statement, parameters)

    def give_back(self) -> None:
        """Drops the temporary tables that memkit has made for itself."""
        for name in self.memkit_cache.get(TEMPORARY, ()):
            self.execute(f"drop table if exists temp.{identifier(name)}")
        self.memkit_cache.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._conn, name)


def borrowed(conn: Connection) -> Borrowed:
    """A connection of the caller as one of memkit's. Raises BadArgument if its texts are not read as text."""
    made = Borrowed(conn)
    if conn.text_factory is not str and conn.text_factory(b"text") != "text":
        raise BadArgument(
            f"This connection reads text as {conn.text_factory!r}, and memkit needs str. "
            "Set `conn.text_factory = str`, or open the file by its path."
        )
    return made
