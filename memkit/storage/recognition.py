"""Recognition of memories in any SQLite file: by the mark in its header, or, where that was lost, by its tables.

A copy that another program made (a dump, `create table ... as`, a renamed table) has no mark and still holds memories.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import cache

from memkit.storage.connection import Connection
from memkit.storage.driver import connect, sqlite3
from memkit.storage.schema import APPLICATION_ID, SELECT_TABLES, ensure

FULL_TEXT = ("memories_fts", "memories_cjk")  # the tables in which they keep their words have longer names
FEWEST = 5  # columns of a table that can be recognised; others, such as (name, value), are everybody's
SHARE = 0.75  # of its columns: another version of memkit, or its owner, may have dropped some

READ_MARK = "select application_id from pragma_application_id"
SELECT_COLUMNS = "select name from pragma_table_info(:table)"


def is_marked(conn: Connection) -> bool:
    """Whether a file has memkit's mark in its header. Raises sqlite3.Error if it cannot be read."""
    cursor = conn.cursor()
    cursor.row_factory = None  # a row of its owner's may be a dict, or anything
    return bool(cursor.execute(READ_MARK).fetchone() == (APPLICATION_ID,))


def holds_memories(conn: Connection) -> bool:
    """Whether a file holds memories or a part of them. Raises sqlite3.Error if it cannot be read."""
    return is_marked(conn) or any(name.startswith(FULL_TEXT) or _is_ours(columns) for name, columns in _tables(conn))


def _is_ours(columns: frozenset[str]) -> bool:
    return any(len(columns & ours) >= SHARE * len(ours) for ours in _our_columns())


@cache
def our_tables() -> dict[str, frozenset[str]]:
    """Each table that memkit makes, with its columns."""
    with closing(connect()) as conn:
        ensure(conn, ":memory:")
        return dict(_tables(conn))


@cache
def _our_columns() -> frozenset[frozenset[str]]:
    tables = [columns for name, columns in our_tables().items() if not name.startswith(FULL_TEXT)]
    return frozenset(columns for columns in tables if len(columns) >= FEWEST)


def _tables(conn: Connection) -> Iterator[tuple[str, frozenset[str]]]:
    """The tables with their columns, in lower case; those whose module is not loaded are left out: memkit's are."""
    for (name,) in conn.execute(SELECT_TABLES).fetchall():
        try:
            columns = frozenset(row[0].lower() for row in conn.execute(SELECT_COLUMNS, {"table": name}))
        except sqlite3.OperationalError as error:
            if "no such module" not in str(error):
                raise
            continue
        yield name.lower(), columns
