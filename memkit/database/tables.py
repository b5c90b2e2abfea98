"""sqlite-utils tables (`db.tables`) on a MemoryDatabase's connection, for the user's own tables beside the memories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Protocol, cast

from sqlite_utils import Database

from memkit.storage.connection import Connection
from memkit.storage.driver import writing


class TablesOwner(Protocol):
    """The parts of a MemoryDatabase that this module uses."""

    conn: Connection
    _lock: RLock

    def close(self) -> None:
        """Closes the file."""


class Tables(Database):
    """A `sqlite_utils.Database` that takes turns with the calls of its MemoryDatabase.

    The connection stays as it is: no pragma is set, and no plugin of sqlite-utils adds functions to it. All methods of
    a table write inside `atomic()`, which here is a transaction of memkit. It takes the write lock at its start;
    sqlite-utils' own takes it at the first write, and fails there if another process has written meanwhile. A call
    of the MemoryDatabase inside it is a savepoint, which can fail alone. Failures are raised as ReadOnly and Busy.
    `execute()` and `query()` run at once, because memkit's connections are in autocommit.
    """

    def __init__(self, memory: TablesOwner):
        super().__init__(cast("Any", memory.conn), recursive_triggers=False, execute_plugins=False)
        self.of = memory

    @contextmanager
    def atomic(self) -> Iterator[Tables]:
        """A transaction: everything in the block is written, or nothing. Calls in other threads wait for its end."""
        with self.of._lock, writing(self.of.conn):
            yield self

    def close(self) -> None:
        """Closes the MemoryDatabase."""
        self.of.close()
