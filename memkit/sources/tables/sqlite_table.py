"""SQLite loader: any table or query of a database, which is opened read-only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.errors import BadSource, one_of
from memkit.core.types import Draft, Failure
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import columns, read_only, tables
from memkit.sources.tables.rows import RowReader
from memkit.sources.values import clean
from memkit.storage.connection import Connection
from memkit.storage.driver import identifier, sqlite3


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The drafts of each row of the table or query; the line in a failure is the number of the row."""
    with read_only(path, options) as conn:
        label, sql = _what(conn, path, options)
        label = clean(label)
        rows = RowReader(f"{path.as_posix()}#{label}", label, options)
        try:
            cursor = conn.execute(sql)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if options.timer.is_over(options.limits):
                raise
            raise BadSource(f"{path} could not be read with {sql!r}: {error}") from error
        columns = [column[0] for column in cursor.description or ()]
        if options.text_column not in columns:
            raise BadSource(f"{label!r} in {path} has no column for the text: {_missing(options, columns)}")
        for number, cells in enumerate(cursor, 1):
            yield from rows.drafts(dict(zip(columns, cells, strict=True)), number)


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
    fitting = [name for name in known if text_column in columns(conn, name)]
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


FORMAT = Format(
    "sqlite",
    "A table or a query of a SQLite database. Not read from folders: it may be some program's own.",
    read,
    lambda sample: sample.is_database,
    ("*.db", "*.sqlite", "*.sqlite3"),
)
