"""Zips from strangers: the files in them are read one at a time, in memory, and under limits.

Nothing is unpacked to the disk, so a name in a zip (`../../.bashrc`) leads nowhere.
"""

from __future__ import annotations

import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

from memkit.sources.cut_zips import mended
from memkit.sources.encoding import EXAMINED, guessed
from memkit.sources.limits import OverLimit, ReadLimits

# What zipfile raises for a damaged zip.
_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    UnicodeError,
)
_SAYS_UTF8 = 1 << 11  # of the flags of an entry
# Encodings in which Windows writes names, and which differ from DOS's own, the one that Python expects.
_OF_WINDOWS = (
    "gb18030",
    "big5hkscs",
    "cp932",
    "euc_jp",
    "euc_jis_2004",
    "cp949",
    "cp866",
    "cp850",
    "cp852",
    "cp1251",
    "koi8-r",
)
_BYTES_OF_AN_ENTRY = 200  # in the list at the end of a zip; the name is a part of it
BLOCK = 1 << 20  # bytes that are unpacked at once
_SMALL = 10_000_000  # bytes: no bomb


class BrokenZip(ValueError):
    """A zip that cannot be read. The message says why."""


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except _ERRORS as error:
        raise BrokenZip(f"the zip cannot be read: {str(error).rstrip('.')}") from error


@contextmanager
def opened_zip(stream: BinaryIO, limits: ReadLimits) -> Iterator[zipfile.ZipFile]:
    """The zip in an open file; of one that is cut off, what is whole. Raises BrokenZip, OverLimit for many entries."""
    bounded: Any = _Bounded(stream, limits)
    with _translated():
        try:
            archive = zipfile.ZipFile(bounded)
        except zipfile.BadZipFile:
            if (whole := mended(stream, limits)) is None:
                raise
            archive = zipfile.ZipFile(whole)
    with archive:
        if len(archive.filelist) > limits.entries:
            raise OverLimit("entries", limits, "files in the zip")
        _rename(archive)
        yield archive


def _rename(archive: zipfile.ZipFile) -> None:
    """Gives files the names that they had, where a zip does not say how it wrote them, and Python reads those of DOS.

    Macs write UTF-8. Windows writes what it wrote before: in China GBK, in Russia the encoding of its DOS.
    """
    unsaid = [entry for entry in archive.filelist if not (entry.flag_bits & _SAYS_UTF8 or entry.filename.isascii())]
    names = [entry.filename.encode("cp437", "replace") for entry in unsaid]
    codec = _encoding(b"\n".join(names))
    for entry, name in zip(unsaid, names, strict=True):
        with suppress(UnicodeError):
            entry.filename = name.decode(codec)
            archive.NameToInfo[entry.filename] = entry


def _encoding(names: bytes) -> str:
    """The encoding of the names in a zip: DOS's, if they are not surely in another one."""
    with suppress(UnicodeError):
        names.decode()
        return "utf-8"
    found = guessed(names[:EXAMINED])
    return found if found in _OF_WINDOWS else "cp437"


class _Bounded:
    """An open file of which no more than a list of `entries` files is read at once, as zipfile does with that list."""

    def __init__(self, stream: BinaryIO, limits: ReadLimits):
        self._stream, self._limits = stream, limits

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises OverLimit."""
        if size > _BYTES_OF_AN_ENTRY * self._limits.entries + BLOCK:
            raise OverLimit("entries", self._limits, "files in the zip")
        return self._stream.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def entries(archive: zipfile.ZipFile, wanted: str) -> list[zipfile.ZipInfo]:
    """The files in a zip whose own names match a pattern, in the order of their names; of equal names the last."""
    own = re.compile(wanted, re.DOTALL)
    found = {one.filename: one for one in archive.filelist if own.fullmatch(one.filename.rsplit("/", 1)[-1])}
    return [found[name] for name in sorted(found)]


def is_hidden(entry: str) -> bool:
    """Whether a file in a zip is hidden, or in a hidden folder, or is what macOS adds."""
    return any((part.startswith(".") and part not in (".", "..")) or part == "__MACOSX" for part in _parts(entry))


def leads_out(entry: str) -> bool:
    """Whether the name of a file in a zip leads out of the folder that was packed."""
    return entry.startswith(("/", "\\")) or ".." in _parts(entry)


def _parts(entry: str) -> list[str]:
    return re.split(r"[/\\]", entry)


def unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limits: ReadLimits, most: int | None = None) -> bytes:
    """A file of a zip, or its first `most` bytes. Raises BrokenZip, and OverLimit if it unpacks to too much."""
    found, size = [], 0
    for block in _blocks(archive, entry, limits):
        found.append(block)
        size += len(block)
        if most is not None and size >= most:
            break
    return b"".join(found)[:most]


def _blocks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limits: ReadLimits) -> Iterator[bytes]:
    if entry.flag_bits & 1:
        raise BrokenZip(f"{entry.filename!r} in the zip is encrypted; unpack it first")
    # The others unpack without bound: a kilobyte of bzip2 may be 20 megabytes.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BrokenZip(f"{entry.filename!r} in the zip is packed in a way that memkit does not read; unpack it first")
    packed, size = max(1, entry.compress_size), 0
    with _translated(), archive.open(entry) as stream:
        while block := stream.read(BLOCK):
            size += len(block)
            check_unpacked(size, packed, limits)
            yield block


def check_unpacked(size: int, packed: int, limits: ReadLimits) -> None:
    """Raises OverLimit if so many bytes are too many, or too many of a file that is so long while it is packed."""
    if size > limits.file_size:
        raise OverLimit("file_size", limits, "bytes when it is unpacked")
    check_ratio(size, packed, limits)


def check_ratio(size: int, packed: int, limits: ReadLimits) -> None:
    """Raises OverLimit if so many bytes are too many of a file that is so long while it is packed."""
    if size > max(_SMALL, limits.ratio * packed):
        raise OverLimit("ratio", limits, "times its size when it is unpacked")


@dataclass(frozen=True)
class Packed:
    """A file in an open zip; `path` is that of the zip, and in it."""

    path: Path
    archive: zipfile.ZipFile
    entry: zipfile.ZipInfo

    def head(self, limits: ReadLimits, most: int) -> bytes:
        """Its first `most` bytes. Raises as `unpacked`."""
        return unpacked(self.archive, self.entry, limits, most)

    def opened(self, limits: ReadLimits) -> BinaryIO:
        """The file, unpacked to where no name leads. Raises as `unpacked`."""
        return unnamed(_blocks(self.archive, self.entry, limits))


def unnamed(blocks: Iterable[bytes]) -> BinaryIO:
    """A file with these blocks, to which no name leads."""
    stream = cast(BinaryIO, TemporaryFile())  # noqa: SIM115 (who reads it closes it)
    stream.writelines(blocks)
    stream.flush()
    stream.seek(0)
    return stream


def bounded(found: Iterable[tuple[str, bytes]], limits: ReadLimits) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of files of an archive. Raises OverLimit if together they unpack to too much."""
    total = 0
    for name, data in found:
        total += len(data)
        if total > limits.file_size:
            raise OverLimit("file_size", limits, "bytes when it is unpacked")
        yield name, data
