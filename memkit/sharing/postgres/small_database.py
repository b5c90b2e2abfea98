"""Units as a small database in memory: what one question, or one batch of writing, needs of a store.

It is filled at once, because it is new and nobody else has it. Its rows are held to the rules of their tables, as those
of a restored export are: anybody may have written them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from itertools import groupby

from memkit.core.errors import BadSource
from memkit.sharing.export.tables import BY_NAME
from memkit.sharing.postgres.units import Name, Unit, rows_of
from memkit.storage import schema, store
from memkit.storage.circles import circles
from memkit.storage.connection import Connection
from memkit.storage.driver import connect, sqlite3, writing
from memkit.storage.row_rules import problem

SELECT_KEYS = "select key from memories"
COLUMN_NAMES = {name: frozenset(table.columns) for name, table in BY_NAME.items()}


@contextmanager
def part_of(given: Mapping[Name, Unit], leave: Collection[str] = ()) -> Iterator[Connection]:
    """A database in memory with these units. Closed at the end of the block."""
    with closing(empty()) as conn:
        fill(conn, given, leave)
        yield conn


def empty() -> Connection:
    """A memory database in memory without rows."""
    conn = connect()
    _template().backup(conn)
    return conn


@cache
def _template() -> Connection:
    """An empty memory database, which is copied: running the schema's script takes longer."""
    conn = connect()
    schema.ensure(conn, "part")
    return conn


def fill(conn: Connection, given: Mapping[Name, Unit], leave: Collection[str] = ()) -> None:
    """Writes units into an empty database, without the tables to `leave`, and indexes their words.

    Raises BadSource for units that memkit did not write.
    """
    try:
        with writing(conn), store.index_paused(conn):
            conn.execute("pragma defer_foreign_keys = on")
            for (table, columns), rows in groupby(rows_of(given, leave), lambda one: (one[0], frozenset(one[1]))):
                checked = [_checked(table, row) for _, row in rows]
                conn.executemany(BY_NAME[table].insert(columns), checked)
            store.reindex_text(conn, [row[0] for row in conn.execute(SELECT_KEYS)], fresh=True)
    except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError) as error:
        raise BadSource(f"The store holds what memkit did not write there: {error}") from error
    for column, ids in circles(conn).items():
        raise BadSource(f"The store cannot be read: {column} goes in a circle ({', '.join(ids[:5])}).")


def _checked(table: str, row: dict[str, object]) -> dict[str, object]:
    wrong = problem(table, row) if row.keys() <= COLUMN_NAMES[table] else "it has other columns"
    if wrong:
        raise BadSource(f"The store has a row of {table} that memkit did not write there: {wrong}.")
    return row
