"""Origins: which memories a file has said, where the document is not called by its path, such as a chat in an export.

Several exports may have said the same memory. What is stored for each file are ranges of keys: those that were read
together stand together.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from memkit.storage import store
from memkit.storage.connection import Connection

PREFIX = "read from "  # a setting for each file: the ranges of the keys of the memories that it said

SELECT_FILES = "select substr(name, length(:prefix) + 1), value from settings where name >= :prefix and name < :end"
DELETE_FILES = "delete from settings where name in (select value from json_each(:names))"

Range = tuple[int, int]  # the first and the last key


class Origins:
    """The files of an ingest, and what they say: noted while it is read, and written once with each batch."""

    def __init__(self, conn: Connection):
        self._conn = conn
        self._known: dict[str, list[Range]] = {}  # what is stored of the files of this run
        self._said: dict[str, set[int]] = defaultdict(set)  # what is to be added to that
        self._rewritten: set[int] = set()

    def note(self, file: str, keys: Iterable[int]) -> None:
        """Notes that a file says these memories."""
        self._said[file].update(keys)

    def rewritten(self, keys: Collection[int]) -> None:
        """Notes that no file says these memories any more: they have other words now."""
        self._rewritten.update(keys)
        for said in self._said.values():
            said.difference_update(keys)

    def renamed(self, file: str) -> None:
        """Takes back what a file said that is called otherwise now, and says it there."""
        self._known.pop(file, None)
        forget_files(self._conn, [file])

    def write(self) -> None:
        """Stores what was noted. Call it in the transaction in which the memories are written."""
        if self._rewritten:
            self._known = files(self._conn)
        for file in sorted({*self._said, *(self._known if self._rewritten else ())}):
            before = self._before(file)
            kept = _without(before, self._rewritten)
            now = joined([*kept, *((key, key) for key in self._said.get(file, ()))])
            if now != before:
                self._known[file] = now
                store.set_setting(self._conn, PREFIX + file, [list(one) for one in now])
        self._said.clear()
        self._rewritten = set()

    def _before(self, file: str) -> list[Range]:
        if file not in self._known:
            self._known[file] = _ranges(store.setting(self._conn, PREFIX + file, []))
        return self._known[file]


def files(conn: Connection) -> dict[str, list[Range]]:
    """What each file says."""
    rows = conn.execute(SELECT_FILES, {"prefix": PREFIX, "end": f"{PREFIX[:-1]}!"})
    return {file: _ranges(_value(value)) for file, value in rows}


def forget_files(conn: Connection, paths: Iterable[str]) -> None:
    """Deletes what is stored of these files."""
    conn.execute(DELETE_FILES, {"names": json.dumps([PREFIX + path for path in paths])})


def keys_in(said: Iterable[Range]) -> set[int]:
    """The keys in these ranges."""
    return {key for first, last in said for key in range(first, last + 1)}


def _without(said: list[Range], keys: Collection[int]) -> list[Range]:
    """These ranges without some keys."""
    return joined((key, key) for key in keys_in(said).difference(keys)) if keys else said


def joined(said: Iterable[Range]) -> list[Range]:
    """The same keys in as few ranges as possible, which ascend."""
    found: list[Range] = []
    for first, last in sorted(said):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # a file from elsewhere may hold anything
        return []


MOST = 10_000_000  # keys in a range; a file from elsewhere may hold any


def _ranges(stored: object) -> list[Range]:
    pairs: Sequence[object] = stored if isinstance(stored, list) else ()
    return [
        (one[0], one[1])
        for one in pairs
        if isinstance(one, list)
        and len(one) == 2
        and all(type(key) is int for key in one)
        and 0 <= one[1] - one[0] < MOST
    ]
