"""Damaged rows: when a call fails, whether rows are to blame that memkit never writes (`row_check` finds them)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memkit.core.errors import DamagedRows, MemkitError
from memkit.storage.connection import Connection
from memkit.storage.driver import file_of, sqlite3

# What a value of another type may lead to in code that reads it.
STUMBLES = (
    *(TypeError, ValueError, ArithmeticError, LookupError, AttributeError, AssertionError, RecursionError),
    *(sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError),
)


@contextmanager
def explained(conn: Connection) -> Iterator[None]:
    """Raises DamagedRows for what fails within this block if the file holds rows that memkit never writes."""
    try:
        yield
    except MemkitError:
        raise
    except (*STUMBLES, sqlite3.OperationalError) as error:
        if isinstance(error, sqlite3.OperationalError) and "UTF-8" not in str(error):
            raise
        from memkit.storage.row_check import findings  # with the rules of all columns

        found: list[str] = []
        with suppress(MemkitError, sqlite3.Error):
            found = findings(conn)
        if not found:
            raise
        name = Path(file_of(conn) or "DATABASE").name  # no path: strangers may read the message
        said = f"Another program has written rows that memkit cannot work with: {found[0]}"
        more = f", and {len(found) - 1:,} more such columns" if len(found) > 1 else ""
        raise DamagedRows(f"{said}{more}. Run: memkit doctor {name} --fix") from error
