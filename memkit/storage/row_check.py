"""Row check: the rows of a file that break the rules of their table (`row_rules`), and how they are mended.

memkit writes no such row. A file from elsewhere may hold one, and so may one that another program has changed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from memkit.core.clock import utc_now
from memkit.core.files import open_to_write
from memkit.storage.circles import OPEN_CIRCLE, circles
from memkit.storage.connection import Connection
from memkit.storage.driver import file_of, sqlite3, writing
from memkit.storage.references import references
from memkit.storage.row_rules import COLUMNS, LARGEST_KEY, RULES, Rule
from memkit.storage.store import index_paused

SELECT_ROWS = {table: f"select {', '.join(columns)} from {table}" for table, columns in COLUMNS.items()}
UPDATE, AS_BYTES, IS_LEFT, DELETE = (
    {(table, column): sql.format(table, column) for table, columns in COLUMNS.items() for column in columns}
    for sql in (
        "update or ignore {0} set {1} = :new where {1} is :old",
        "update {0} set {1} = :old where cast({1} as blob) is :old",
        "select 1 from {0} where {1} is :old limit 1",
        "delete from {0} where {1} is :old",
    )
)
# A key that nothing may have is given anew, and what refers to it follows.
SELECT_HIGH_KEYS = {
    table: f"select key from {table} where key not between 1 and :largest"
    for table, columns in COLUMNS.items()
    if "key" in columns
}
# Not a key that was given before: a pruned memory may come back to it.
SELECT_NEXT_KEY = {
    table: f"""
    select 1 + max(
        coalesce((select max(key) from {table} where key < :largest), 0),
        coalesce((select seq from sqlite_sequence where name = '{table}' and seq < :largest), 0)
    )
    """
    for table in SELECT_HIGH_KEYS
}
SET_KEY = {table: f"update {table} set key = :new where key = :old" for table in SELECT_HIGH_KEYS}
DELETE_HIGH_VECTORS = "delete from embeddings where key not between 1 and :largest"
# The next key is the one after the largest that was ever given; here that was the largest there is.
SET_SEQUENCE = {
    table: f"""
    update sqlite_sequence
    set seq = max(iif(seq > :largest, 0, seq), (select coalesce(max(key), 0) from {table}))
    where name = '{table}'
    """
    for table in ("memories", "maintenance", "embeddings")
}
COUNT_HIGH_SEQUENCES = "select count(*) from sqlite_sequence where seq > :largest"


class Broken(NamedTuple):
    """A value that breaks the rule of its column, and the row that it stands in."""

    table: str
    column: str
    rule: Rule
    value: Any
    row: dict[str, Any]


def broken(conn: Connection) -> Iterator[Broken]:
    """Every value of a file that breaks the rule of its column. All rows are read."""
    with _whatever_is_text(conn):
        for table, query in SELECT_ROWS.items():
            for row in conn.execute(query):
                for column, rule in COLUMNS[table].items():
                    if not rule.holds(row[column]):
                        yield Broken(table, column, rule, row[column], dict(row))


@contextmanager
def _whatever_is_text(conn: Connection) -> Iterator[None]:
    """Within this block, text that is not UTF-8 is read as bytes: SQLite's driver would raise."""
    before, conn.text_factory = conn.text_factory, _text_or_bytes
    try:
        yield
    finally:
        conn.text_factory = before


def _text_or_bytes(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def findings(conn: Connection) -> list[str]:
    """What is wrong with the rows of a file, in sentences: by column, with the number of values; and circles."""
    counts = Counter((one.table, one.column, one.rule.words) for one in broken(conn))
    found = [f"{table}.{column} must be {words} ({n:,})" for (table, column, words), n in counts.items()]
    return [*found, *_beyond_one_row(conn)]


def _beyond_one_row(conn: Connection) -> Iterator[str]:
    """What is wrong although each row by itself holds to its rules."""
    if conn.execute(COUNT_HIGH_SEQUENCES, {"largest": LARGEST_KEY}).fetchone()[0]:
        yield "no key is left for new rows"
    for column, ids in circles(conn).items():
        yield f"{column} goes in a circle ({', '.join(ids[:3])})"


def mend(conn: Connection, *, keep: bool = True) -> Iterator[str]:
    """Gives each broken value the nearest allowed one, and says what it changed; a row without one is deleted.

    The rows as they were are written into a private file beside the database first, unless `keep` is False.
    """
    rows = [one.row | {"": one.table} for one in broken(conn)]
    if not rows and not any(_beyond_one_row(conn)):
        return
    kept = _keep(conn, rows) if rows and keep else ""
    with writing(conn), index_paused(conn):  # `mend_indexes` makes the index anew
        conn.execute("pragma defer_foreign_keys = on")
        keys = _mend_keys(conn)
        done = Counter(_mend_value(conn, one) for one in list(broken(conn)))
        opened = _open_circles(conn)
    yield from (f"{count:,} {what}{kept}" for what, count in {**done, "keys given anew": keys}.items() if count)
    if opened:
        yield f"{opened:,} circles opened"


def _keep(conn: Connection, rows: list[dict[str, Any]]) -> str:
    """Writes rows into a new file beside the database, as lines of JSON; returns where they are, in words."""
    file = file_of(conn)
    if not file:
        return ""
    path = Path(f"{file}.before-{utc_now().replace(':', '')}.jsonl")
    with open_to_write(path) as stream:
        for row in rows:
            stream.write(json.dumps({row.pop(""): row}, default=repr) + "\n")
    return f" (as they were: {path.name})"


def _mend_keys(conn: Connection) -> int:
    """Gives rows whose key nothing may have a new one; returns how many."""
    largest, count = {"largest": LARGEST_KEY}, 0
    conn.execute(DELETE_HIGH_VECTORS, largest)
    places = [one for one in references(conn) if one.to == "key"]
    for table, query in SELECT_HIGH_KEYS.items():
        for (old,) in conn.execute(query, largest).fetchall():
            change = {"new": conn.execute(SELECT_NEXT_KEY[table], largest).fetchone()[0], "old": old}
            conn.execute(SET_KEY[table], change)
            for place in (one for one in places if one.referred == table):
                conn.execute(place.follow, change)
            count += 1
    for statement in SET_SEQUENCE.values():
        conn.execute(statement, largest)
    return count


def _mend_value(conn: Connection, one: Broken) -> str:
    """Mends all equal values of a column; returns what was done, in words."""
    place, near = (one.table, one.column), [one.rule.mended(one.value)]
    if one.rule.words == RULES["time"].words:
        near.append(utc_now())  # if there must be a time, or if another row has no end already
    for new in near:
        if (new is not None or one.rule.nullable) and _is_mended(conn, place, new, one.value):
            return f"values of {one.table}.{one.column} mended"
    conn.execute(DELETE[place], {"old": one.value})
    return f"rows of {one.table} deleted, because {one.column} could not be mended"


def _is_mended(conn: Connection, place: tuple[str, str], new: Any, old: Any) -> bool:
    """Gives all equal values of a column another one; whether every row could take it."""
    if isinstance(old, bytes) and _text_or_bytes(old) == old:  # perhaps it was stored as text
        conn.execute(AS_BYTES[place], {"old": old})
    with suppress(sqlite3.IntegrityError):
        conn.execute(UPDATE[place], {"new": new, "old": old})
        return conn.execute(IS_LEFT[place], {"old": old}).fetchone() is None
    return False


def _open_circles(conn: Connection) -> int:
    """Opens every circle; returns how many there were."""
    count = 0
    while found := circles(conn):
        for column, ids in found.items():
            conn.execute(OPEN_CIRCLE[column], {"ids": json.dumps(ids)})
            count += 1
    return count
