"""Any table or query of a SQLite database, opened for reading only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from memkit.driver import sqlite3
from memkit.errors import BadSource, one_of
from memkit.sources.options import ReadOptions
from memkit.sources.rows import Rows
from memkit.types import Draft, Failure

TABLES = """
select name from sqlite_master
where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'
order by name
"""
COLUMNS = "select name from pragma_table_info(:table_name)"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """A draft for each row of the table or the query; the line in a failure is the row's number."""
    with read_only(path) as conn:
        label, sql = _what(conn, path, options)
        rows = Rows(f"{path.as_posix()}#{label}", label, options)
        try:
            cursor = conn.execute(sql)
            columns = [column[0] for column in cursor.description or ()]
            if options.text_column not in columns:
                raise BadSource(
                    f"{label!r} in {path} has no column to take the text from: {_missing(options, columns)}"
                )
            for number, cells in enumerate(cursor, 1):
                yield from rows.drafts(dict(zip(columns, cells, strict=True)), number)
        except sqlite3.Error as error:
            raise BadSource(f"{path} could not be read with {sql!r}: {error}") from error


@contextmanager
def read_only(path: Path) -> Iterator[Any]:
    """A connection that cannot write; text that is no UTF-8 comes out marked, and its row fails alone."""
    with closing(_opened(path)) as conn:
        conn.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        yield conn


def _opened(path: Path) -> Any:
    """The file opened with mode=ro. One left in WAL mode in a folder that cannot be written needs immutable=1."""
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        conn = sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True)
        try:
            conn.execute(TABLES).fetchone()
            return conn
        except sqlite3.Error as error:
            conn.close()
            if not isinstance(error, sqlite3.OperationalError) or Path(f"{path}-wal").exists() or "immutable" in mode:
                raise BadSource(f"{path} is no SQLite database that can be read: {error}") from error
    raise AssertionError("unreachable")


def tables(conn: Any) -> list[str]:
    """The names of the tables and views."""
    return [name for (name,) in conn.execute(TABLES)]


def _what(conn: Any, path: Path, options: ReadOptions) -> tuple[str, str]:
    """A label for what is read, and the query that reads it."""
    if options.sql:
        return " ".join(options.sql.split()), options.sql
    known = tables(conn)
    table = options.table or _only_table(conn, known, path, options.text_column)
    if table not in known:
        raise BadSource(f"{path}: {one_of('table', table, known)}")
    # An identifier cannot be a parameter; this one was found in the database's own list.
    return table, 'select * from "{}"'.format(table.replace('"', '""'))


def _only_table(conn: Any, known: list[str], path: Path, text_column: str) -> str:
    fitting = [
        name for name in known if text_column in {column for (column,) in conn.execute(COLUMNS, {"table_name": name})}
    ]
    if {"memories", "memories_fts", "entities"} <= set(known):
        raise BadSource(
            f"{path} is a memory database. Take it in as what this writes: memkit export {path} all.jsonl "
            "(or say a part of it with --sql)."
        )
    if len(fitting) != 1:
        found = (
            f"several tables with a column {text_column!r}" if fitting else f"no table with a column {text_column!r}"
        )
        listed = ", ".join(fitting or known) or "none"
        raise BadSource(
            f"{path} has {found}. Say which with --table (and --text-column), or give --sql. Tables: {listed}"
        )
    return fitting[0]


def _missing(options: ReadOptions, columns: list[str]) -> str:
    return f"{one_of('column', options.text_column, columns)} Say which with --text-column."
