"""Cut-off zips: a zip whose end is missing, as of a download that was not finished, gives the files that are whole.

The list of a zip's files stands at its end. Without it, each file still tells its name and size where it begins: from
that the list is written anew.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from memkit.core.opening import open_regular
from memkit.sources.limits import ReadLimits

BEGINS = b"PK\x03\x04"
_HEAD = struct.Struct("<4s5H3I2H")  # before each file: APPNOTE.TXT of PKWARE, 4.3.7
_LISTED = struct.Struct("<4s6H3I5H2I")  # in the list: 4.3.12
_END = struct.Struct("<4s4H2IH")  # after the list: 4.3.16
_MOST_LISTED, _FARTHEST = 65_000, 0xFFFF_0000  # what a list can have without the extension for large zips
_SIZES_FOLLOW = 8  # a flag: sizes stand behind the file
_DEFLATED = 8
_BLOCK = 1 << 20
_ARCHIVES = {".zip", ".epub", ".textpack", ".bear2bk"}


def is_zip(stream: BinaryIO) -> bool:
    """Whether an open file is a zip, also one that is cut off. It is at its beginning afterwards."""
    stream.seek(0)
    begins = stream.read(len(BEGINS)) == BEGINS
    found = begins or zipfile.is_zipfile(stream)
    stream.seek(0)
    return found


def is_cut(path: Path, opener: Callable[[], BinaryIO] | None = None) -> bool:
    """Whether a file, by its name a zip, is one without its end. `opener` opens one that lies in another file."""
    if path.suffix.lower() not in _ARCHIVES or path.is_dir():
        return False
    with suppress(OSError, ValueError), opener() if opener else open_regular(path) as stream:
        return stream.read(len(BEGINS)) == BEGINS and not zipfile.is_zipfile(stream)
    return False


def mended(stream: BinaryIO, limits: ReadLimits) -> io.RawIOBase | None:
    """The zip up to its last whole file, with a new list of its files; None if no file is whole."""
    found = [*islice(_files(stream, limits), min(_MOST_LISTED, limits.entries))]
    if not found:
        return None
    listed, end = b"".join(one.entry() for one in found), found[-1].end
    tail = listed + _END.pack(b"PK\x05\x06", 0, 0, len(found), len(found), len(listed), end, 0)
    return _Joined(stream, end, tail)


@dataclass(frozen=True)
class _File:
    """A file that is whole: what stands before it, its name, and where it begins and ends."""

    head: tuple[int, ...]  # version, flags, method, time, date
    crc: int
    packed: int
    size: int
    name: bytes
    start: int
    end: int

    def entry(self) -> bytes:
        """Its entry in the list."""
        version, flags, *others = self.head
        sizes = (self.crc, self.packed, self.size, len(self.name), 0, 0, 0, 0, 0, self.start)
        head = (b"PK\x01\x02", 20, version, flags & ~_SIZES_FOLLOW, *others)
        return _LISTED.pack(*head, *sizes) + self.name


def _files(stream: BinaryIO, limits: ReadLimits) -> Iterator[_File]:
    """The files that are whole, in their order. Of those without a size, no more than the limit is unpacked."""
    length, at, room = stream.seek(0, io.SEEK_END), 0, limits.file_size
    while at < _FARTHEST:
        stream.seek(at)
        begins = stream.read(_HEAD.size)
        if len(begins) < _HEAD.size or not begins.startswith(BEGINS):
            return
        _, *head, crc, packed, size, named, more = _HEAD.unpack(begins)
        name = stream.read(named)
        data = end = at + _HEAD.size + named + more
        if head[1] & _SIZES_FOLLOW:
            found = _measured(stream, data, room) if head[2] == _DEFLATED else None
            if found is None:
                return
            crc, packed, size = found
            room -= size
            end = _after_sizes(stream, data + packed)
        else:
            end = data + packed
        if end > min(length, _FARTHEST) or size > _FARTHEST:
            return
        yield _File(tuple(head), crc, packed, size, name, at, end)
        at = end


def _measured(stream: BinaryIO, at: int, room: int) -> tuple[int, int, int] | None:
    """Checksum, packed and unpacked size of what begins here; None if it has no end, or unpacks to more than `room`."""
    stream.seek(at)
    unpacking, crc, packed, size = zlib.decompressobj(-zlib.MAX_WBITS), 0, 0, 0
    while not unpacking.eof and (block := unpacking.unconsumed_tail or stream.read(_BLOCK)):
        before = len(block)
        try:
            text = unpacking.decompress(block, _BLOCK)
        except zlib.error:
            return None
        crc, size = zlib.crc32(text, crc), size + len(text)
        packed += before - len(unpacking.unconsumed_tail) - len(unpacking.unused_data)
        if size > room:
            return None
    return (crc, packed, size) if unpacking.eof else None


def _after_sizes(stream: BinaryIO, at: int) -> int:
    """Where the checksum and the sizes behind a file end: they may have a mark before them, and 4 or 8 bytes each."""
    stream.seek(at)
    told = stream.read(26)
    start = 4 if told.startswith(b"PK\x07\x08") else 0
    return at + next((end for end in (start + 12, start + 20) if told[end : end + 2] == b"PK"), start + 12)


class _Joined(io.RawIOBase):
    """The beginning of an open file, and bytes behind it, as one."""

    def __init__(self, stream: BinaryIO, size: int, tail: bytes):
        self._stream, self._size, self._tail, self._at = stream, size, tail, 0

    def seekable(self) -> bool:
        """It is."""
        return True

    def readable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Where it is read next."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a place."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size + len(self._tail)}[whence]
        self._at = max(0, base + offset)
        return self._at

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        end = self._size + len(self._tail) if size is None or size < 0 else self._at + size
        found = b""
        if self._at < self._size:
            self._stream.seek(self._at)
            found = self._stream.read(min(end, self._size) - self._at)
        found += self._tail[max(0, self._at - self._size) : max(0, end - self._size)]
        self._at += len(found)
        return found
