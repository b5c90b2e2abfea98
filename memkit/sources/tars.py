"""Tars (`notes.tar`, `takeout.tgz`): the files in one are read as those of the zip that it could have been.

Nothing is unpacked under a name. A tar has no list of its files, so it is read once from its beginning to its end:
what some format may have a name for goes into a zip of its own, which nobody else sees.
"""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import Any, BinaryIO, cast

from memkit.sources.gzips import BrokenGzip, is_gzip, unpacked_head
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.zips import check_ratio

_MARK = slice(257, 262)  # where a tar says that it is one
_BEGINNING = 4096
_LONGEST_NAME = 65_535  # bytes of a name in a zip
_LONGEST_SHOWN = 200  # characters of a name that is reported
_LONGEST_HEAD = 1_000_000  # bytes of what tells a name or other things about a file

# What tarfile and zipfile raise for a damaged tar; a ValueError for a number that is none.
_ERRORS = (tarfile.TarError, zlib.error, struct.error, EOFError, OSError, ValueError, OverflowError)
NOWHERE = "links that lead nowhere"


class BrokenTar(ValueError):
    """A tar that cannot be read. The message says why."""


def begins_as_tar(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a tar that is not packed."""
    return head[_MARK] == b"ustar"


def is_tar(stream: BinaryIO) -> bool:
    """Whether an open file is a tar, also one that is packed with gzip."""
    head = stream.read(_BEGINNING)
    if is_gzip(head):
        with suppress(BrokenGzip):
            head = unpacked_head(head, _BEGINNING)
    return begins_as_tar(head)


@dataclass(frozen=True)
class Tarred:
    """A tar, which `opener` opens; `path` is its own. Of the files in it those are unpacked whose name is `wanted`.

    `left_out` says afterwards why what has these names is not in the zip.
    """

    path: Path
    opener: Callable[[], BinaryIO]
    wanted: Callable[[str], object]
    left_out: dict[str, str] = field(default_factory=dict, compare=False)

    def opened(self, limits: ReadLimits) -> BinaryIO:
        """A zip of the files in it, those that are not wanted empty. Raises BrokenTar and OverLimit."""
        with ExitStack() as failed:
            stream = failed.enter_context(cast(BinaryIO, TemporaryFile()))  # noqa: SIM115 (an ExitStack)
            try:
                with self.opener() as packed, zipfile.ZipFile(stream, "w") as archive:
                    self._unpack(packed, archive, limits)
            except OverLimit:
                raise
            except _ERRORS as error:
                raise BrokenTar(f"the archive cannot be read: {error}") from error
            stream.seek(0)
            failed.pop_all()  # who reads it closes it
            return stream

    def _unpack(self, packed: BinaryIO, archive: zipfile.ZipFile, limits: ReadLimits) -> None:
        total, read = 0, set[str]()
        with tarfile.open(fileobj=_unpacking(packed, limits), mode="r|", tarinfo=_Head) as tar:
            for number, entry in enumerate(tar):
                if number == limits.entries:
                    raise OverLimit("entries", limits, "files in the archive")
                if entry.isdir():
                    continue
                name, target = _in_utf_8(entry.name), _in_utf_8(entry.linkname)
                wanted = bool(self.wanted(name))
                why = _no_file(entry, name) or (NOWHERE if entry.islnk() and wanted and target not in read else "")
                data = b""
                if wanted and not why:
                    total += max(0, archive.getinfo(target).file_size if entry.islnk() else entry.size)
                    if total > limits.file_size:
                        raise OverLimit("file_size", limits, "bytes when it is unpacked")
                    data = archive.read(target) if entry.islnk() else tar.extractfile(entry).read()  # type: ignore[union-attr]
                if known := archive.NameToInfo.pop(name, None):
                    archive.filelist.remove(known)  # of equal names the last counts
                self.left_out.pop(name, None)
                read.discard(name)
                if why:
                    self.left_out[name[:_LONGEST_SHOWN]] = why
                    continue
                archive.writestr(zipfile.ZipInfo(name), data)
                if wanted:
                    read.add(name)


def _in_utf_8(name: str) -> str:
    """A name of which bytes that are not UTF-8 are each written out: two such names stay two."""
    return name.encode("utf-8", "backslashreplace").decode()


def _no_file(entry: tarfile.TarInfo, name: str) -> str:
    """Why something in a tar cannot be a file in a zip; empty for a file and a hard link, which is one."""
    if entry.issym():
        return "links; to read what they lead to, unpack the archive"
    if not (entry.isreg() or entry.islnk()):
        return "no files"
    if getattr(entry, "damaged", False):
        return "sparse files with a damaged map"
    return f"names of more than {_LONGEST_NAME:,} bytes" if len(name.encode()) > _LONGEST_NAME else ""


class _Head(tarfile.TarInfo):
    """What a tar tells about a file; tarfile reads what belongs to it, such as a long name, at once.

    A sparse file is stored without its empty parts, and a map says where the others go. A map that cannot be one would
    end the whole tar, or give the file the bytes of the files after it: the three ways to write one are looked through.
    """

    damaged = False

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Head:
        """Raises ReadError for a damaged one, at which tarfile would end as if there were no more files."""
        if not buf.strip(b"\0"):
            return super().frombuf(buf, encoding, errors)  # raises what says that this is the end
        try:
            found = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from error
        if not found.isreg() and found.size > _LONGEST_HEAD:
            raise tarfile.ReadError("what it tells about a file is too long")
        return found

    def _proc_gnusparse_00(self, next: _Head, *written: Any) -> None:
        next._mapped(super()._proc_gnusparse_00, *written)  # type: ignore[misc]

    def _proc_gnusparse_01(self, next: _Head, written: Any) -> None:
        next._mapped(super()._proc_gnusparse_01, written)  # type: ignore[misc]

    def _proc_gnusparse_10(self, next: _Head, written: Any, tar: tarfile.TarFile) -> None:
        own = SimpleNamespace(fileobj=_Own(tar.fileobj, next.size))
        next._mapped(super()._proc_gnusparse_10, written, own)  # type: ignore[misc]

    def _mapped(self, read_map: Callable[..., None], *written: Any) -> None:
        stored = self.size
        try:
            read_map(self, *written)
        except ValueError:
            self.damaged = True
            return
        places = cast("list[tuple[int, int]]", self.sparse)
        ends = [0, *(start + size for start, size in places)]
        self.damaged = (
            sum(size for _, size in places) > stored
            or any(size < 0 for _, size in places)
            or any(start < end for (start, _), end in zip(places, ends, strict=False))
        )

    def _apply_pax_info(self, *told: Any) -> None:
        try:
            super()._apply_pax_info(*told)  # type: ignore[misc]
        except ValueError:  # a size that is no number
            self.damaged = True


class _Own:
    """What a file has of a tar: its map is read from nothing else."""

    def __init__(self, stream: Any, size: int):
        self._stream, self._left = stream, size

    def read(self, size: int) -> bytes:
        """The next bytes; none after the last one."""
        block: bytes = self._stream.read(min(size, self._left))
        self._left -= len(block)
        return block

    def tell(self) -> int:
        """Where the stream is."""
        return int(self._stream.tell())


def _unpacking(packed: BinaryIO, limits: ReadLimits) -> BinaryIO:
    """The tar, unpacked while it is read."""
    size = max(1, packed.seek(0, io.SEEK_END))
    packed.seek(0)
    is_packed = is_gzip(packed.read(3))
    packed.seek(0)
    return cast(BinaryIO, _Bounded(gzip.GzipFile(fileobj=packed), size, limits)) if is_packed else packed


class _Bounded:
    """A gzip of which no more is unpacked than its size allows."""

    def __init__(self, stream: gzip.GzipFile, packed: int, limits: ReadLimits):
        self._stream, self._packed, self._limits, self._read = stream, packed, limits, 0

    def read(self, size: int) -> bytes:
        """The next bytes. Raises OverLimit."""
        block = self._stream.read(size)
        self._read += len(block)
        check_ratio(self._read, self._packed, self._limits)
        return block
