"""Safe opening of files that others made: what is no regular file (a pipe, a device, a socket) is never read.

Reading a pipe waits for somebody who writes, perhaps for ever; a device may have no end.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

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


def open_regular(path: str | Path) -> BinaryIO:
    """A regular file, opened for reading in binary. Raises OSError for anything else, and what `open` raises.

    It is looked at before it is opened, because opening alone makes some devices act, and after that once more: in
    between, another program may have put something else in its place.
    """
    check_regular(os.stat(path).st_mode, path)
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
