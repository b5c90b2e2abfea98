"""What is too dear to read from the database at every question, kept per file and thrown away when the file changes.

All connections of a process to one file share it: Datasette has several, and a million codes are 32 MB.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

FILE = "select file from pragma_database_list where name = 'main'"
# A path is not enough: another file may take its place, and even get the same inode.
WHICH = "select value from settings where name = 'database'"
MOST_FILES = 8

_lock = RLock()
_files: dict[tuple[str, str], dict[str, tuple[Any, Any]]] = {}


def _slots(conn: Any) -> dict[str, tuple[Any, Any]]:
    """The cache of the file behind a connection; a database in memory keeps its own, if it is one of memkit's."""
    path = conn.execute(FILE).fetchone()[0]
    if not path:
        return getattr(conn, "memkit_cache", {})
    file = (path, conn.execute(WHICH).fetchone()[0])
    slots = _files.pop(file, {})
    while len(_files) >= MOST_FILES:  # the one that was not asked for the longest
        del _files[next(iter(_files))]
    _files[file] = slots
    return slots


def cached(conn: Any, name: str, state: Any, build: Callable[[Any], Any]) -> Any:
    """What `build(previous)` made for this state of the file; `previous` is the value of an older state, or None."""
    with _lock:
        slots = _slots(conn)
        if name in slots and slots[name][0] == state:
            return slots[name][1]
        value = build(slots[name][1] if name in slots else None)
        if not conn.in_transaction:  # what an open transaction has written may be undone
            slots[name] = (state, value)
        return value


def forget(conn: Any) -> None:
    """Drops everything kept for the file behind this connection."""
    with _lock:
        _slots(conn).clear()
