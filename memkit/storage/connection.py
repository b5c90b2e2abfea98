"""Connection protocol: the methods of a SQLite connection that memkit uses, for any driver.

The classes of different drivers share no base class. This protocol lists the methods
that they have in common and memkit needs. Rows are the driver's `Row`: by position, by name, or as a plain tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol


class Cursor(Protocol):
    """The rows of a statement, read one after the other."""

    row_factory: Any

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:
        """Runs another statement."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        """Runs another statement once for each set of parameters."""

    @property
    def rowcount(self) -> int:
        """How many rows the statement changed."""

    @property
    def lastrowid(self) -> int | None:
        """The key of the last row that was inserted."""

    @property
    def description(self) -> Any:
        """One tuple for each column, whose first item is its name; None for a statement without rows."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchmany(self, size: int = ..., /) -> list[Any]:
        """The next rows."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def close(self) -> None:
        """Ends the statement."""


class Connection(Protocol):
    """An open SQLite database."""

    row_factory: Any
    text_factory: Any

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    @property
    def total_changes(self) -> int:
        """How many rows this connection has changed since it was opened."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:
        """Runs a statement."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        """Runs a statement once for each set of parameters."""

    def executescript(self, sql: str, /) -> Cursor:
        """Runs several statements."""

    def create_function(
        self, name: str, narg: int, func: Callable[..., Any] | None, *, deterministic: bool = ...
    ) -> Any:
        """Registers a Python function for SQL."""

    def set_progress_handler(self, handler: Callable[[], Any] | None, n: int) -> None:
        """Calls `handler` every `n` steps; a true answer interrupts the statement."""

    def set_authorizer(self, authorizer: Callable[..., int] | None) -> None:
        """Calls `authorizer` to ask whether a statement is allowed."""

    def cursor(self) -> Cursor:
        """A cursor of its own, whose `row_factory` may differ from the connection's."""

    def rollback(self) -> None:
        """Undoes the open transaction."""

    def backup(self, target: Any, /) -> None:
        """Copies the whole database into another connection."""

    def interrupt(self) -> None:
        """Ends the statement that runs on another thread."""

    def close(self) -> None:
        """Closes the database."""
