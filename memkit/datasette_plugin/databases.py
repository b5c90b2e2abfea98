"""Which of Datasette's databases hold memories."""

from __future__ import annotations

import os
from typing import Any
from weakref import WeakKeyDictionary

from memkit.driver import sqlite3
from memkit.schema import APPLICATION_ID

READ_APPLICATION = "select application_id from pragma_application_id"

# Of a Datasette database: how its file looked when it was asked, and the answer.
_known: WeakKeyDictionary[Any, tuple[Any, bool]] = WeakKeyDictionary()


async def holds_memories(database: Any) -> bool | None:
    """Whether a database holds memories; None where that cannot be found out now.

    What was a memory database once is taken for one as long as it is served: it must not become public because its file
    is locked or gone.
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
        answer = (await database.execute(READ_APPLICATION)).single_value() == APPLICATION_ID
    except (sqlite3.Error, OSError):
        return None
    _known[database] = (now, answer)
    return answer


def looks(path: str | None) -> Any:
    """Changes when something is written to the file, or to the log beside it."""
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
    """Whether a database has been found to hold memories; asks nobody."""
    database = datasette.databases.get(name)
    return database in _known and _known[database][1]
