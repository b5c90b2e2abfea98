"""What is too dear to read from the database at every question, kept per file and thrown away when the file changes.

All connections of a process to one file share it: Datasette has several, and a million codes are 32 MB. Who wants what
another one is just building waits for it; nobody else does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, TypeVar

Value = TypeVar("Value")

FILE = "select file from pragma_database_list where name = 'main'"
# A path is not enough: another file may take its place, and even get the same inode.
WHICH = "select value from settings where name = 'database'"
MOST_FILES = 8
# Moves when another connection commits; `total_changes` does when this one writes.
OTHERS = "pragma data_version"


@dataclass
class _Slot:
    """One thing that is kept: the state it was made for and its value; how often it was wanted, and could be used."""

    lock: RLock = field(default_factory=RLock)
    kept: tuple[Any, Any] | None = None
    used: int = 0
    asked: int = 0


_Slots = dict[str, _Slot]
_lock = Lock()  # for which files there are; nothing is built meanwhile
_files: dict[tuple[str, str], _Slots] = {}


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


def _slots(conn: Any) -> _Slots:
    """The cache of the file behind a connection; a database in memory keeps its own, if it is one of memkit's."""
    file = unchanged(conn, "file", lambda: _file(conn))
    if file is None:
        return getattr(conn, "memkit_cache", {}).setdefault("slots", {})
    with _lock:
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

    `settled` says that it is made of rows that were there before the transaction that may be open. `build` asks for
    nothing else that is kept: two that wait for each other would wait for ever.
    """
    slot = _slots(conn).setdefault(name, _Slot())
    with slot.lock:
        slot.asked += 1
        if slot.kept and slot.kept[0] == state:
            slot.used += 1
            return slot.kept[1]
        value = build(slot.kept[1] if slot.kept else None)
        if settled or not conn.in_transaction:  # what an open transaction has written may be undone
            slot.kept = state, value
        return value


def rates(conn: Any) -> dict[str, tuple[int, int]]:
    """How often each thing was kept and could be used, out of how often it was wanted, in this process, by name."""
    return {name: (slot.used, slot.asked) for name, slot in list(_slots(conn).items())}


def forget(conn: Any) -> None:
    """Drops everything kept for the file behind this connection."""
    _slots(conn).clear()
