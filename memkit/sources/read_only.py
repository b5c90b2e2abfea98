"""Other programs' databases: opened so that nothing can be written, and so that no query lasts for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from memkit.core.errors import BadSource
from memkit.sources.contents import check_database
from memkit.sources.options import ReadOptions
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3

TABLES = """
select name from sqlite_master
where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'
order by name
"""
COLUMNS = "select name from pragma_table_info(:table_name)"
_STEPS = 10_000  # of SQLite's machine, between two looks at the time
_WAIT = 1  # seconds, for a program that writes; some browsers lock their files as long as they run
_LONGEST_VALUE = 0  # SQLITE_LIMIT_LENGTH


@contextmanager
def read_only(path: Path, options: ReadOptions | None = None) -> Iterator[Any]:
    """A connection that cannot write. Invalid UTF-8 is kept as surrogates, so that only its own row fails.

    A query is interrupted when the file's time is over: a view may never end, and never give a row.
    """
    options = options or ReadOptions()
    check_database(path, options)
    with closing(_opened(path)) as conn:
        conn.set_progress_handler(lambda: options.timer.is_over(options.limits), _STEPS)
        if hasattr(conn, "setlimit"):  # since Python 3.11
            conn.setlimit(_LONGEST_VALUE, options.limits.file_size)
        yield conn


def _opened(path: Path) -> Any:
    """The file, opened with mode=ro. A file in WAL mode in a folder without write permission needs immutable=1."""
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        conn = sqlite3.connect(f"{path.as_uri()}?{mode}", timeout=_WAIT, uri=True)
        conn.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        try:
            conn.execute(TABLES).fetchone()
            return conn
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged file's names are in SQLite's messages
            conn.close()
            if not isinstance(error, sqlite3.OperationalError) or Path(f"{path}-wal").exists() or "immutable" in mode:
                advice = ". End the program that uses it, or copy it with its -wal" if "locked" in str(error) else ""
                raise BadSource(f"{path} cannot be read as a SQLite database: {error}{advice}") from error
    raise AssertionError("unreachable")


def tables(conn: Connection) -> list[str]:
    """The names of the tables and views."""
    return [name for (name,) in conn.execute(TABLES)]


def columns(conn: Connection, table: str) -> list[str]:
    """The names of a table's columns."""
    return [name for (name,) in conn.execute(COLUMNS, {"table_name": table})]
