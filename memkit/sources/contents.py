"""File contents under limits: how every reader opens a file of its source."""

from __future__ import annotations

import errno
import os
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from memkit.core.opening import check_regular, open_regular
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.options import ReadOptions
from memkit.sources.zips import Packed, unpacked
from memkit.storage.driver import BESIDE

LEADS_OUT = "it is a link that leads out of the folder; to read what it leads to, name that itself"


def opened(path: Path, options: ReadOptions) -> BinaryIO:
    """The file, opened in binary. Raises OSError for a pipe, a device, or a link out of the folder that is read."""
    if options.packed is not None and options.packed.path == path:
        return options.packed.opened(options.limits)
    stream = open_regular(path)
    if options.root is not None and path.is_symlink():
        # What is open now, and not what the link says a moment later, must be the file within the folder.
        real = os.path.realpath(path)
        found = os.stat(real, follow_symlinks=False) if within(options.root, real) else None
        if found is None or not os.path.samestat(found, os.fstat(stream.fileno())):
            stream.close()
            raise OSError(errno.ELOOP, LEADS_OUT, str(path))
    return stream


def whole(path: Path, options: ReadOptions, limit: str = "file_size") -> bytes:
    """All bytes of the file. Raises OverLimit, a ValueError, if it has more than this limit; OSError as `opened`."""
    with opened(path, options) as stream:
        return read_whole(stream, options.limits, limit)


def beside(path: Path, name: str, options: ReadOptions) -> bytes:
    """All bytes of the file of this name beside one that is read, in its folder or its zip. Raises as `whole`.

    Raises FileNotFoundError if there is none, and BrokenZip if a zip cannot be read.
    """
    packed = options.packed
    if not isinstance(packed, Packed):
        return whole(path.with_name(name), options)
    inner = packed.archive.NameToInfo.get(PurePosixPath(packed.entry.filename).with_name(name).as_posix())
    if inner is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such file in the zip", name)
    return unpacked(packed.archive, inner, options.limits)


def read_whole(stream: BinaryIO, limits: ReadLimits, limit: str = "file_size") -> bytes:
    """All bytes of an open file. Raises OverLimit if there are more than this limit."""
    most, size = getattr(limits, limit), os.fstat(stream.fileno()).st_size
    stream.seek(0)
    # Not `most + 1`: as many bytes as may be read are reserved before the first one is.
    data = stream.read(size + 1) if size <= most else b""
    if len(data) > size:  # it has grown, or does not tell its size
        data += stream.read(most - size)
    if max(size, len(data)) > most:
        raise OverLimit(limit, limits, "bytes")
    return data


def within(root: Path, real: str) -> bool:
    """Whether a path without links lies in a folder."""
    return Path(real).is_relative_to(os.path.realpath(root))


def check_database(path: Path, options: ReadOptions) -> None:
    """Raises OSError if SQLite should not open the file: it, or a file that SQLite opens beside it, is no file.

    SQLite opens by name, so a program that exchanges files in this very moment could still make it wait.
    """
    opened(path, options).close()
    for ending in BESIDE:
        beside = f"{path}{ending}"
        if os.path.lexists(beside):
            check_regular(os.stat(beside).st_mode, beside)
