"""What is too dear to read from the database at every question, kept per file and thrown away when the file changes.

All connections of a process to one file share it: Datasette has several, and a million codes are 32 MB.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar

Value = TypeVar("Value")

FILE = "select file from pragma_database_list where name = 'main'"
# A path is not enough: another file may take its place, and even get the same inode.
WHICH = "select value from settings where name = 'database'"
MOST_FILES = 8
RATES = "rates"  # the slot of how often each slot was of use
# Moves when another connection commits; `total_changes` does when this one writes.
OTHERS = "pragma data_version"

_lock = RLock()
_files: dict[tuple[str, str], dict[str, tuple[Any, Any]]] = {}


def unchanged(conn: Any, name: str, read: Callable[[], Value]) -> Value:
    """What `read()` gives, read again only if the database may have changed since: to know that takes microseconds.

    Inside a transaction, and by a connection that cannot carry what it has read (not one of memkit's), it is read
    every time.
    """
    memo = getattr(conn, "memkit_cache", None)
    if memo is None or conn.in_transaction:
        return read()
    state = conn.execute(OTHERS).fetchone()[0], conn.total_changes
    slot = f"unchanged {name}"
    if slot not in memo or memo[slot][0] != state:
        memo[slot] = state, read()
    return memo[slot][1]


def _slots(conn: Any) -> dict[str, tuple[Any, Any]]:
    """The cache of the file behind a connection; a database in memory keeps its own, if it is one of memkit's."""
    file = unchanged(conn, "file", lambda: _file(conn))
    if file is None:
        return getattr(conn, "memkit_cache", {})
    slots = _files.pop(file, {})
    while len(_files) >= MOST_FILES:  # the one that was not asked for the longest
        del _files[next(iter(_files))]
    _files[file] = slots
    return slots


def _file(conn: Any) -> tuple[str, str] | None:
    path = conn.execute(FILE).fetchone()[0]
    return (path, conn.execute(WHICH).fetchone()[0]) if path else None


def cached(conn: Any, name: str, state: Any, build: Callable[[Any], Any], *, settled: bool = False) -> Any:
    """What `build(previous)` made for this state of the file; `previous` is the value of an older state, or None.

    `settled` says that it is made of rows that were there before the transaction that may be open.
    """
    with _lock:
        slots = _slots(conn)
        asked = slots.setdefault(RATES, (None, {}))[1].setdefault(name, [0, 0])
        asked[1] += 1
        if name in slots and slots[name][0] == state:
            asked[0] += 1
            return slots[name][1]
        value = build(slots[name][1] if name in slots else None)
        if settled or not conn.in_transaction:  # what an open transaction has written may be undone
            slots[name] = (state, value)
        return value


def rates(conn: Any) -> dict[str, tuple[int, int]]:
    """How often each thing was kept and could be used, out of how often it was wanted, in this process, by name."""
    with _lock:
        return {name: (hits, asked) for name, (hits, asked) in _slots(conn).get(RATES, (None, {}))[1].items()}


def forget(conn: Any) -> None:
    """Drops everything kept for the file behind this connection."""
    with _lock:
        _slots(conn).clear()
