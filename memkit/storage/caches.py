"""Caches, one for each database file: values that are too slow to read for every question. A change drops them.

All connections of a process to one file share its cache: Datasette has several, and a million codes are 32 MB. While
one thread builds a value, the threads that need this value wait; the others do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from threading import Lock, RLock
from typing import Any, TypeVar

from memkit.core.classes import dataclass
from memkit.storage.connection import Connection
from memkit.storage.driver import file_of

Value = TypeVar("Value")

# A path is not enough to identify a file: another file may take its place, and even get the same inode.
WHICH = "select value from settings where name = 'database'"
MOST_FILES = 8
OTHERS = "pragma data_version"  # changes when another connection commits; `total_changes` when this one writes


@dataclass
class _Slot:
    """A cached value with the state that it was made for; how often it was asked for, and how often it was used."""

    lock: RLock = field(default_factory=RLock)
    kept: tuple[Any, Any] | None = None
    used: int = 0
    asked: int = 0


_Slots = dict[str, _Slot]
_lock = Lock()  # protects `_files`; no value is built while it is held
_files: dict[tuple[str, str], _Slots] = {}


def state_of(conn: Connection) -> tuple[int, int]:
    """Something that differs after the rows of a file were changed, by whomever."""
    return conn.execute(OTHERS).fetchone()[0], conn.total_changes


def unchanged(conn: Connection, name: str, read: Callable[[], Value]) -> Value:
    """The value of `read()`, read again only if the database may have changed. This check takes microseconds.

    It is read every time inside a transaction, and on a connection without a cache (one that is not memkit's).
    """
    memo = getattr(conn, "memkit_cache", None)
    if memo is None or conn.in_transaction:
        return read()
    state = state_of(conn)
    slot = f"unchanged {name}"
    if slot not in memo or memo[slot][0] != state:
        memo[slot] = state, read()
    value: Value = memo[slot][1]
    return value


def is_kept(conn: Connection) -> bool:
    """Whether `unchanged` keeps a value on this connection, as it is now."""
    return hasattr(conn, "memkit_cache") and not conn.in_transaction


def _slots(conn: Connection) -> _Slots:
    """The cache of the connection's file. A database in memory has its own, on the connection, if that is memkit's."""
    file = unchanged(conn, "file", lambda: _file(conn))
    if file is None:
        own: _Slots = getattr(conn, "memkit_cache", {}).setdefault("slots", {})
        return own
    with _lock:
        slots = _files.pop(file, {})
        while len(_files) >= MOST_FILES:  # the first one is the least recently used
            del _files[next(iter(_files))]
        _files[file] = slots
        return slots


def _file(conn: Connection) -> tuple[str, str] | None:
    path = file_of(conn)
    said = conn.execute(WHICH).fetchone() if path else None
    return (path, said[0] if said else "") if path else None


def cached(
    conn: Connection, name: str, state: Any, build: Callable[[Value | None], Value], *, settled: bool = False
) -> Value:
    """The value that `build(previous)` made for this state of the file; `previous` is that of an older state, or None.

    `settled` means that the value follows only from rows written before any open transaction. `build` must not ask
    for another cached value: two builds that wait for each other would wait for ever.
    """
    slot = _slots(conn).setdefault(name, _Slot())
    with slot.lock:
        slot.asked += 1
        if slot.kept and slot.kept[0] == state:
            slot.used += 1
            kept: Value = slot.kept[1]
            return kept
        value = build(slot.kept[1] if slot.kept else None)
        if settled or not conn.in_transaction:  # an open transaction may be rolled back
            slot.kept = state, value
        return value


def rates(conn: Connection) -> dict[str, tuple[int, int]]:
    """For each cached value, by name: how often it was used, and how often it was asked for, in this process."""
    return {name: (slot.used, slot.asked) for name, slot in list(_slots(conn).items())}


def forget(conn: Connection) -> None:
    """Drops all cached values of the connection's file."""
    _slots(conn).clear()
