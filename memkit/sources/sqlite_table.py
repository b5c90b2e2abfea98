"""SQLite loader: any table or query of a database, which is opened read-only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from memkit.core.errors import BadSource, one_of
from memkit.core.types import Draft, Failure
from memkit.sources.contents import check_database
from memkit.sources.options import ReadOptions
from memkit.sources.rows import RowReader
from memkit.sources.values import clean
from memkit.storage.connection import Connection
from memkit.storage.driver import identifier, sqlite3

TABLES = """
select name from sqlite_master
where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'
order by name
"""
_STEPS = 10_000  # of SQLite's machine, between two looks at the time
_LONGEST_VALUE = 0  # SQLITE_LIMIT_LENGTH
COLUMNS = "select name from pragma_table_info(:table_name)"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The drafts of each row of the table or query; the line in a failure is the number of the row."""
    with read_only(path, options) as conn:
        label, sql = _what(conn, path, options)
        label = clean(label)
        rows = RowReader(f"{path.as_posix()}#{label}", label, options)
        try:
            cursor = conn.execute(sql)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if options.timer.seconds > options.limits.seconds:
                raise
            raise BadSource(f"{path} could not be read with {sql!r}: {error}") from error
        columns = [column[0] for column in cursor.description or ()]
        if options.text_column not in columns:
            raise BadSource(f"{label!r} in {path} has no column for the text: {_missing(options, columns)}")
        for number, cells in enumerate(cursor, 1):
            yield from rows.drafts(dict(zip(columns, cells, strict=True)), number)


@contextmanager
def read_only(path: Path, options: ReadOptions | None = None) -> Iterator[Any]:
    """A connection that cannot write. Invalid UTF-8 is kept as surrogates, so that only its own row fails.

    A query is interrupted when the file's time is over: a view may never end, and never give a row.
    """
    options = options or ReadOptions()
    check_database(path, options)
    with closing(_opened(path)) as conn:
        conn.set_progress_handler(lambda: options.timer.seconds > options.limits.seconds, _STEPS)
        if hasattr(conn, "setlimit"):  # since Python 3.11
            conn.setlimit(_LONGEST_VALUE, options.limits.file_size)
        yield conn


def _opened(path: Path) -> Any:
    """The file, opened with mode=ro. A file in WAL mode in a folder without write permission needs immutable=1."""
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        conn = sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True)
        conn.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        try:
            conn.execute(TABLES).fetchone()
            return conn
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged file's names are in SQLite's messages
            conn.close()
            if not isinstance(error, sqlite3.OperationalError) or Path(f"{path}-wal").exists() or "immutable" in mode:
                raise BadSource(f"{path} cannot be read as a SQLite database: {error}") from error
    raise AssertionError("unreachable")


def tables(conn: Connection) -> list[str]:
    """The names of the tables and views."""
    return [name for (name,) in conn.execute(TABLES)]


def _what(conn: Connection, path: Path, options: ReadOptions) -> tuple[str, str]:
    """A label for the table or query, and the SQL that reads it."""
    if options.sql:
        return " ".join(options.sql.split()), options.sql
    known = tables(conn)
    table = options.table or _only_table(conn, known, path, options.text_column)
    if table not in known:
        raise BadSource(f"{path}: {one_of('table', table, known)}")
    # A table name cannot be an SQL parameter. This one is safe: it is in the database's own list.
    return table, f"select * from {identifier(table)}"


def _only_table(conn: Connection, known: list[str], path: Path, text_column: str) -> str:
    fitting = [
        name for name in known if text_column in {column for (column,) in conn.execute(COLUMNS, {"table_name": name})}
    ]
    if {"memories", "memories_fts", "entities"} <= set(known):
        raise BadSource(
            f"{path} is a memory database. Export it and ingest the export: memkit export {path} all.jsonl "
            "(or select a part with --sql)."
        )
    if len(fitting) != 1:
        found = (
            f"several tables with a column {text_column!r}" if fitting else f"no table with a column {text_column!r}"
        )
        listed = ", ".join(fitting or known) or "none"
        raise BadSource(
            f"{path} has {found}. Choose one with --table (and --text-column), or give --sql. Tables: {listed}"
        )
    return fitting[0]


def _missing(options: ReadOptions, columns: list[str]) -> str:
    return f"{one_of('column', options.text_column, columns)} Choose one with --text-column."
