"""SQL over DataFrames: they are tables for one query, and its rows come back as a DataFrame."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadQuestion
from memkit.core.frames import frame_of, pandas, timed
from memkit.core.instants import to_iso
from memkit.core.types import Memory
from memkit.storage import vec_functions
from memkit.storage.connection import Connection
from memkit.storage.driver import identifier, sqlite3

if TYPE_CHECKING:
    import pandas as pd

OWN = frozenset({"key", "document_key", "position"})  # columns of a memory that only memkit itself uses

# A query has to begin like this. SQLite's `query_only` refuses writes, but not pragmas, ATTACH and VACUUM INTO.
_READING = re.compile(
    r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*(?:explain\s+(?:query\s+plan\s+)?)?(?:select|with|values)\b",
    re.IGNORECASE,
)
_FAILURES = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError)

SELECT_NAMED = "select type from sqlite_schema where lower(name) = lower(:name)"


def select(conn: Connection, query: str, parameters: Any, frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The rows of a query as a DataFrame. The query reads the frames as tables, by their names; nothing is written.

    Raises BadQuestion for a query that may write, or does not run (with SQLite's own message), and for a frame that
    cannot be a table. Raises NeedsPackage if pandas is not installed.
    """
    pd = pandas()
    if not _READING.match(query):
        raise BadQuestion("The SQL returns no rows, or does more than read: begin it with `select` or `with`.")
    with _as_tables(conn, frames), _only_reading(conn):
        try:
            cursor = conn.execute(query, parameters or {})
            names = [column[0] for column in cursor.description]
            rows = [tuple(row) for row in cursor]
        except _FAILURES as error:
            own = "user-defined function" in str(error) and vec_functions.refusal()
            raise BadQuestion(f"The SQL does not run: {own or f'{error}.'}") from error
    return timed(pd.DataFrame(rows, columns=names))


def memories_frame(memories: Iterable[Memory]) -> pd.DataFrame:
    """Memories as a DataFrame, indexed by id, without memkit's internal columns."""
    return frame_of(Memory, memories, without=OWN).set_index("id")


@contextmanager
def _only_reading(conn: Connection) -> Iterator[None]:
    """A block in which SQLite refuses to write, and views call no functions of this process.

    A transaction that began in it is rolled back at its end.
    """
    query_only, trusted = (conn.execute(f"pragma {name}").fetchone()[0] for name in ("query_only", "trusted_schema"))
    inside = conn.in_transaction
    conn.execute("pragma query_only = on")
    conn.execute("pragma trusted_schema = off")
    try:
        yield
    finally:
        if conn.in_transaction and not inside:
            conn.rollback()
        conn.execute(f"pragma query_only = {int(query_only)}")
        conn.execute(f"pragma trusted_schema = {int(trusted)}")


@contextmanager
def _as_tables(conn: Connection, frames: Mapping[str, pd.DataFrame]) -> Iterator[None]:
    """A block in which the frames are temporary tables.

    Raises BadQuestion for a name that a table of the database has, and for a frame that cannot be a table.
    """
    made: list[str] = []
    try:
        for name, frame in frames.items():
            if not hasattr(frame, "itertuples"):
                raise BadQuestion(f"{name} is not a DataFrame but a {type(frame).__name__}.")
            if conn.execute(SELECT_NAMED, {"name": name}).fetchone():
                raise BadQuestion(f"The database has a table {name!r} of its own: give the DataFrame another name.")
            columns = _columns(name, frame)
            try:
                conn.execute(f"create table temp.{_quoted(name)} ({', '.join(map(_quoted, columns))})")
                made.append(name)
                _fill(conn, name, frame)
            except _FAILURES as error:
                raise BadQuestion(f"The DataFrame {name!r} cannot be a table: {error}.") from error
        yield
    finally:
        for name in made:
            conn.execute(f"drop table temp.{_quoted(name)}")


def _columns(name: str, frame: pd.DataFrame) -> list[str]:
    """The names of a frame's columns. Raises BadQuestion for none, and for two that differ only in case."""
    columns = [str(column) for column in frame.columns]
    if not columns:
        raise BadQuestion(f"The DataFrame {name!r} has no columns.")
    if len({column.lower() for column in columns}) < len(columns):
        raise BadQuestion(f"Two columns of {name!r} have the same name (SQL ignores case): {', '.join(columns)}.")
    return columns


def _fill(conn: Connection, name: str, frame: pd.DataFrame) -> None:
    cells = frame.astype(object).where(frame.notna(), None)
    marks = ", ".join("?" * len(frame.columns))
    rows = (tuple(map(_cell, row)) for row in cells.itertuples(index=False, name=None))
    conn.executemany(f"insert into temp.{_quoted(name)} values ({marks})", rows)


def _quoted(name: str) -> str:
    return identifier(name.replace("\0", ""))


def _cell(value: Any) -> Any:
    """A value as SQLite stores it: times as memkit writes them, lists and dicts as JSON."""
    if hasattr(value, "tz_convert"):  # a pandas Timestamp
        return to_iso(value)
    if hasattr(value, "item") and not isinstance(value, bytes):  # a numpy number
        return value.item()
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value if value is None or isinstance(value, int | float | str | bytes) else str(value)
