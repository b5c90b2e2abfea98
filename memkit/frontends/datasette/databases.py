"""Detection of memory databases among those that Datasette serves."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from typing import Any
from weakref import WeakKeyDictionary

from memkit.core.errors import MemkitError
from memkit.frontends.datasette.compat import is_datasettes_own
from memkit.storage import recognition
from memkit.storage.driver import connect, sqlite3

# Datasette database: the state of its file at the last check, and the answer.
_known: WeakKeyDictionary[Any, tuple[Any, bool]] = WeakKeyDictionary()


async def holds_memories(database: Any) -> bool | None:
    """Whether a database holds memories; None if that is unknown at the moment.

    A database that once held memories counts as one as long as it is served: it must not become public because its file
    is locked or deleted, or because its mark or a table is gone.
    """
    if is_datasettes_own(database):
        return False
    before, answer = _known.get(database, (None, False))
    if answer:
        return True
    now = looks(database.path)
    if database in _known and before == now:
        return False
    try:
        answer = await _examined(database)
    except (sqlite3.Error, MemkitError, OSError):
        return None
    _known[database] = (now, answer)
    return answer


async def _examined(database: Any) -> bool:
    if database.path is None:  # in memory, under a name
        return bool(await database.execute_fn(recognition.holds_memories))
    return await asyncio.to_thread(_file_holds_memories, database)


def _file_holds_memories(database: Any) -> bool:
    """What the file at this path is now. Datasette's open connections may still read another that it replaced."""
    with closing(connect(database.path, read_only=True, immutable=not database.is_mutable)) as conn:
        return recognition.holds_memories(conn)


def looks(path: str | None) -> Any:
    """The state of a file and its write-ahead log (which files, times, sizes), which changes with every write."""
    if path is None:
        return object()
    found = []
    for name in (path, f"{path}-wal"):
        try:
            stat = os.stat(name)
        except OSError:
            continue
        found.append((stat.st_ino, stat.st_mtime_ns, stat.st_size))
    return found


async def memory_databases(datasette: Any) -> list[str]:
    """The names of the databases that hold memories, in Datasette's order."""
    return [name for name, database in datasette.databases.items() if await holds_memories(database)]


def known_as_memories(datasette: Any, name: str) -> bool:
    """Whether a database is already known to hold memories, without a query."""
    database = datasette.databases.get(name)
    return database in _known and _known[database][1]
