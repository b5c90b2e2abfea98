"""Safe opening of files that others made: what is no regular file (a pipe, a device, a socket) is never read.

Reading a pipe waits for somebody who writes, perhaps for ever; a device may have no end. And closing a file that SQLite
has open in this process ends SQLite's locks on it (on Unix, closing any handle does). Then another process deletes the
write-ahead log under it, and what this process writes is lost. So such files are never closed.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections import defaultdict
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO
from weakref import WeakSet

# Opening a pipe waits for its other end unless told otherwise; Windows has none of these flags, but needs its own.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode), "a device"),
)


_File = tuple[int, int]  # device and inode
_connections: defaultdict[_File, WeakSet[Any]] = defaultdict(WeakSet)  # of memkit, to the files that they have open
_lent: set[_File] = set()  # files of connections that others opened, and may close at any time
_handles: dict[_File, int] = {}  # for reading such files
_opening = Lock()


def keep_locks(path: str | Path, connection: object) -> None:
    """Says that this connection of SQLite's has a file open, so that `open_regular` leaves its locks alone."""
    found = os.stat(path)
    if hasattr(connection, "is_open"):
        _connections[found.st_dev, found.st_ino].add(connection)
    else:  # nobody tells when it is closed
        _lent.add((found.st_dev, found.st_ino))


def _has_locks(found: os.stat_result) -> bool:
    """Whether SQLite has a file open in this process, and would lose its locks if a handle on it were closed."""
    file = found.st_dev, found.st_ino
    ours = any(one.is_open for one in _connections.get(file, ()))
    return hasattr(os, "pread") and (ours or file in _lent)  # Windows, where locks are of handles, has no pread


def _handle(path: str | Path, found: os.stat_result) -> int:
    """A handle on such a file, which is opened once and never closed."""
    with _opening:
        file = found.st_dev, found.st_ino
        if file not in _handles:
            _handles[file] = os.open(path, _FLAGS)
        return _handles[file]


class _Kept(io.RawIOBase):
    """A file to read, through a handle that others use, too, and that stays open."""

    def __init__(self, handle: int):
        self._handle, self._at = handle, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._handle

    def readinto(self, buffer: Any) -> int:
        found = os.pread(self._handle, memoryview(buffer).nbytes, self._at)
        memoryview(buffer)[: len(found)] = found
        self._at += len(found)
        return len(found)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: os.fstat(self._handle).st_size}[whence]
        self._at = start + offset
        return self._at


def open_regular(path: str | Path) -> BinaryIO:
    """A regular file, opened for reading in binary. Raises OSError for anything else, and what `open` raises.

    It is looked at before it is opened, because opening alone makes some devices act, and after that once more: in
    between, another program may have put something else in its place.
    """
    found = os.stat(path)
    check_regular(found.st_mode, path)
    if _has_locks(found):
        return io.BufferedReader(_Kept(_handle(path, found)))
    handle = os.open(path, _FLAGS)
    try:
        check_regular(os.fstat(handle).st_mode, path)
        return open(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def check_regular(mode: int, path: str | Path) -> None:
    """Raises OSError if a mode (`st_mode`) is not that of a regular file; its `strerror` says what it is."""
    if not stat.S_ISREG(mode):
        kind = next((name for fits, name in _KINDS if fits(mode)), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a file", str(path))
