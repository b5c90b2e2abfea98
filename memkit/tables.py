"""SQL with tables for data people: DataFrames go in as tables for one query, and its rows come out as a DataFrame."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memkit.driver import sqlite3
from memkit.errors import BadQuestion
from memkit.frames import pandas

if TYPE_CHECKING:
    import pandas as pd

# memkit's own columns of times: they come out as timestamps.
TIMES = frozenset("happened_at created_at updated_at valid_from valid_until expires_at archived_at expired_at".split())

# What begins so changes nothing: SQLite sees to the rest (`query_only`), but not to pragmas, ATTACH and VACUUM INTO.
_READING = re.compile(
    r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*(?:explain\s+(?:query\s+plan\s+)?)?(?:select|with|values)\b",
    re.IGNORECASE,
)
_FAILURES = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError)

SELECT_NAMED = "select type from sqlite_schema where lower(name) = lower(:name)"


def select(conn: Any, query: str, parameters: Any, frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The rows of a query, which can read the frames as tables of their names; nothing is written.

    Raises BadQuestion, with SQLite's own words, for a query that does not run or has no rows to give.
    """
    pd = pandas()
    if not _READING.match(query):
        raise BadQuestion("The SQL gives no rows, or does more than read: begin it with `select` or `with`.")
    with _as_tables(conn, frames), _only_reading(conn):
        try:
            cursor = conn.execute(query, parameters or {})
            names = [column[0] for column in cursor.description]
            rows = [tuple(row) for row in cursor]
        except _FAILURES as error:
            raise BadQuestion(f"The SQL does not run: {error}.") from error
    found = pd.DataFrame(rows, columns=names)
    for place, name in enumerate(names):
        if name in TIMES and names.count(name) == 1:
            times = pd.to_datetime(found.iloc[:, place], utc=True, errors="coerce", format="ISO8601")
            found[name] = times
    return found


@contextmanager
def _only_reading(conn: Any) -> Iterator[None]:
    """A while in which SQLite refuses to write, and after which no transaction is left open."""
    before = conn.execute("pragma query_only").fetchone()[0]
    inside = conn.in_transaction
    conn.execute("pragma query_only = on")
    try:
        yield
    finally:
        if conn.in_transaction and not inside:
            conn.rollback()
        conn.execute(f"pragma query_only = {int(before)}")


@contextmanager
def _as_tables(conn: Any, frames: Mapping[str, pd.DataFrame]) -> Iterator[None]:
    """The frames as temporary tables, for as long as this lasts. Raises BadQuestion for a name that is taken."""
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
    """The names of its columns, which SQL tells apart. Raises BadQuestion."""
    columns = [str(column) for column in frame.columns]
    if not columns:
        raise BadQuestion(f"The DataFrame {name!r} has no columns.")
    if len({column.lower() for column in columns}) < len(columns):
        raise BadQuestion(f"Two columns of {name!r} have one name; SQL does not tell A from a: {', '.join(columns)}.")
    return columns


def _fill(conn: Any, name: str, frame: pd.DataFrame) -> None:
    cells = frame.astype(object).where(frame.notna(), None)
    marks = ", ".join("?" * len(frame.columns))
    rows = (tuple(map(_cell, row)) for row in cells.itertuples(index=False, name=None))
    conn.executemany(f"insert into temp.{_quoted(name)} values ({marks})", rows)


def _quoted(name: str) -> str:
    return '"' + name.replace("\0", "").replace('"', '""') + '"'


def _cell(value: Any) -> Any:
    """A value as SQLite has it: times as memkit writes them, lists and dicts as JSON."""
    if hasattr(value, "tz_convert"):  # a pandas Timestamp
        utc = value.tz_localize("UTC") if value.tzinfo is None else value.tz_convert("UTC")
        return utc.strftime("%Y-%m-%dT%H:%M:%SZ")
    if hasattr(value, "item") and not isinstance(value, bytes):  # a numpy number
        return value.item()
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value if value is None or isinstance(value, int | float | str | bytes) else str(value)
