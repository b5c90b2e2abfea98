"""Detection of memory databases among those that Datasette serves."""

from __future__ import annotations

import os
from typing import Any
from weakref import WeakKeyDictionary

from memkit.retrieval.limits import READ_APPLICATION
from memkit.storage.driver import sqlite3
from memkit.storage.schema import APPLICATION_ID

# Datasette database: the state of its file at the last check, and the answer.
_known: WeakKeyDictionary[Any, tuple[Any, bool]] = WeakKeyDictionary()


async def holds_memories(database: Any) -> bool | None:
    """Whether a database holds memories; None if that is unknown at the moment.

    A database that was once a memory database counts as one as long as it is served: it must not become public because
    its file is locked or deleted.
    """
    if database.name.startswith("_"):
        return False
    before, answer = _known.get(database, (None, False))
    if answer:
        return True
    now = looks(database.path)
    if database in _known and before == now:
        return False
    try:
        answer = bool((await database.execute(READ_APPLICATION)).single_value() == APPLICATION_ID)
    except (sqlite3.Error, OSError):
        return None
    _known[database] = (now, answer)
    return answer


def looks(path: str | None) -> Any:
    """The state of a file and its write-ahead log (times and sizes), which changes with every write."""
    if path is None:
        return object()
    found = []
    for name in (path, f"{path}-wal"):
        try:
            stat = os.stat(name)
        except OSError:
            continue
        found.append((stat.st_mtime_ns, stat.st_size))
    return found


async def memory_databases(datasette: Any) -> list[str]:
    """The names of the databases that hold memories, in Datasette's order."""
    return [name for name, database in datasette.databases.items() if await holds_memories(database)]


def known_as_memories(datasette: Any, name: str) -> bool:
    """Whether a database is already known to hold memories, without a query."""
    database = datasette.databases.get(name)
    return database in _known and _known[database][1]
