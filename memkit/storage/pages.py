"""Pages of a SQLite file, read without SQLite: rows come back from a file that SQLite itself refuses.

The format is https://sqlite.org/fileformat2.html. Nothing in the file is believed: whatever does not fit the format, or
points outside the file, raises Damaged for its page or leaves out its row.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from struct import Struct, unpack_from
from typing import Any

from memkit.storage.driver import MAGIC

TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER = 13, 5, 10, 2
_INNER = (TABLE_INNER, INDEX_INNER)
_SIZES = [1 << power for power in range(9, 17)]
_USUAL = 4096
_FRAME = 24  # bytes before a page in the log
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_DOUBLE = Struct(">d")

Row = tuple[int, tuple[Any, ...]]  # the rowid (0 in an index), and the values


class Damaged(Exception):
    """A page or a row is not what the format says."""


class Pages:
    """The pages of a database file with the committed part of its write-ahead log, by number from 1."""

    def __init__(self, path: Path):
        self.data = _content(path)
        header = bytes(self.data[:100])
        told = int.from_bytes(header[16:18], "big")
        told = 65536 if told == 1 else told
        # A page begins with its kind: the size that the header tells is checked by the pages after the first.
        known = header.startswith(MAGIC) and told in _SIZES
        self.size = told if known else self._likely_size()
        self.usable = self.size - (header[20] if known and header[20] <= 32 else 0)
        self.log = dict(_committed(_content(Path(f"{path}-wal")), self.size))
        self.count = max([len(self.data) // self.size, *self.log])

    def _likely_size(self) -> int:
        """The size at whose multiples pages of trees begin: the smallest, because its multiples look as good."""
        shares = {size: self._kinds(size) for size in _SIZES}
        likely = [size for size, share in shares.items() if share >= 0.7 * max(shares.values())]
        return _USUAL if _USUAL in likely else min(likely)

    def _kinds(self, size: int) -> float:
        kinds = [self.data[at] for at in range(size, len(self.data), size)]
        return sum(kind in (TABLE_LEAF, INDEX_LEAF, *_INNER) for kind in kinds) / max(len(kinds), 1)

    def page(self, number: int) -> bytes:
        """The bytes of a page. Raises Damaged for one that is not in the file."""
        if number in self.log:
            return self.log[number]
        page = bytes(self.data[(number - 1) * self.size : number * self.size]) if 0 < number <= self.count else b""
        if len(page) < self.size:
            raise Damaged(f"page {number} is not in the file")
        return page

    def kind(self, number: int) -> int:
        """The kind of a page of a tree; 0 for any other."""
        with suppress(Damaged):
            kind = self.page(number)[100 if number == 1 else 0]
            return kind if kind in (TABLE_LEAF, INDEX_LEAF, *_INNER) else 0
        return 0

    def free(self) -> tuple[set[int], bool]:
        """The pages that hold nothing any more, as far as they are known, and whether all of them are."""
        free: set[int] = set()
        try:
            trunk, count = unpack_from(">II", self.page(1), 32)
            if not self.page(1).startswith(MAGIC):
                raise Damaged("the header is gone")
            while trunk and trunk not in free:
                free.add(trunk)
                page = self.page(trunk)
                following, leaves = unpack_from(">II", page)
                if leaves > self.size // 4 - 2:
                    raise Damaged(f"page {trunk} lists too many free pages")
                free.update(unpack_from(f">{leaves}I", page, 8))
                trunk = following
        except Damaged:
            return free, False
        return free, len(free) == count

    # -------------------------------------------------------------------------------------- trees

    def walk(self, root: int, kinds: tuple[int, int]) -> Iterator[tuple[int, bool]]:
        """The pages of a tree whose leaves and inner pages are of these kinds, each with whether it could be read."""
        waiting, seen = [root], {root}
        while waiting:
            number = waiting.pop()
            kind = self.kind(number)
            yield number, kind in kinds
            if kind == kinds[1]:
                children = self._children(number)
                waiting += [child for child in children if child not in seen]
                seen.update(children)

    def _children(self, number: int) -> list[int]:
        page, start = self.page(number), 100 if number == 1 else 0
        cells = self._cells(page, start)
        return [int.from_bytes(page[at : at + 4], "big") for at in (*cells, start + 8)]

    def _cells(self, page: bytes, start: int) -> Sequence[int]:
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        begin = start + (12 if page[start] in _INNER else 8)
        count = min(count, (self.size - begin) // 2)
        return [at for at in unpack_from(f">{count}H", page, begin) if begin + 2 * count <= at <= self.usable - 4]

    def rows(self, number: int) -> Iterator[Row | None]:
        """The rows of a page; None for one that cannot be read."""
        page, start = self.page(number), 100 if number == 1 else 0
        kind = page[start]
        if kind == TABLE_INNER:
            return
        for at in self._cells(page, start):
            try:
                yield self._row(page, at + (4 if kind == INDEX_INNER else 0), kind == TABLE_LEAF)
            except (Damaged, IndexError, UnicodeDecodeError, ValueError):
                yield None

    def _row(self, page: bytes, at: int, table: bool) -> Row:
        length, at = _varint(page, at)
        rowid, at = _varint(page, at) if table else (0, at)
        if length > self.count * self.size:
            raise Damaged("a row is longer than the file")
        usable = self.usable
        most = usable - 35 if table else (usable - 12) * 64 // 255 - 23
        least = (usable - 12) * 32 // 255 - 23
        here = length
        if length > most:
            here = least + (length - least) % (usable - 4)
            here = here if here <= most else least
        payload = page[at : at + here]
        if here < length:
            payload += self._rest(int.from_bytes(page[at + here : at + here + 4], "big"), length - here)
        if len(payload) != length:
            raise Damaged("a row is cut off")
        return rowid - (1 << 64) if rowid >> 63 else rowid, _values(payload)

    def _rest(self, number: int, length: int) -> bytes:
        parts: list[bytes] = []
        while length > 0:
            page = self.page(number)
            parts.append(page[4 : 4 + min(length, self.usable - 4)])
            length -= len(parts[-1])
            number = int.from_bytes(page[:4], "big")
        if number:
            raise Damaged("a row goes on after its end")
        return b"".join(parts)


def _content(path: Path) -> mmap.mmap | bytes:
    """The bytes of a file, read when they are used; none for one that is empty or missing."""
    if not path.is_file() or not path.stat().st_size:
        return b""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for count in range(8):
        byte = data[at + count]
        value = value << 7 | byte & 127
        if byte < 128:
            return value, at + count + 1
    return value << 8 | data[at + 8], at + 9


def _values(payload: bytes) -> tuple[Any, ...]:
    end, at = _varint(payload, 0)
    if end > len(payload):
        raise Damaged("the header of a row is longer than the row")
    values, place = [], end
    while at < end:
        kind, at = _varint(payload, at)
        size = _INTEGERS.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        value = payload[place : place + size]
        place += size
        if kind in (10, 11) or place > len(payload):
            raise Damaged("a value of an unknown kind, or outside its row")
        values.append(_value(kind, value))
    if place != len(payload) or at != end:
        raise Damaged("a row has another length than its values")
    return tuple(values)


def _value(kind: int, value: bytes) -> Any:
    if kind == 0:
        return None
    if kind in _INTEGERS:
        return int.from_bytes(value, "big", signed=True)
    if kind == 7:
        return _DOUBLE.unpack(value)[0]
    if kind < 10:
        return kind - 8
    return value.decode("utf-8") if kind % 2 else value


# ---------------------------------------------------------------------------------------------- the log


def _committed(log: mmap.mmap | bytes, size: int) -> Iterator[tuple[int, bytes]]:
    """The pages of a write-ahead log up to its last commit, in order; nothing of what was not committed."""
    if len(log) < 32:
        return
    magic, _, page_size = unpack_from(">III", log)
    if magic not in (0x377F0682, 0x377F0683) or page_size not in (size, size & 0xFFFF):
        return
    order = ">" if magic & 1 else "<"
    sums = _checksum(bytes(log[:24]), (0, 0), order)
    if sums != unpack_from(">II", log, 24):
        return
    waiting: list[tuple[int, bytes]] = []
    for at in range(32, len(log) - size - _FRAME + 1, size + _FRAME):
        number, pages = unpack_from(">II", log, at)
        page = bytes(log[at + _FRAME : at + _FRAME + size])
        sums = _checksum(bytes(log[at : at + 8]) + page, sums, order)
        if log[at + 8 : at + 16] != log[16:24] or sums != unpack_from(">II", log, at + 16):
            return
        waiting.append((number, page))
        if pages:
            yield from waiting
            waiting.clear()


def _checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    one, two = sums
    words = iter(unpack_from(f"{order}{len(data) // 4}I", data))
    for first, second in zip(words, words, strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
