"""Disturbances of a process: no room on the disk, a folder that cannot be written to, a clock that jumps.

Each is put upon a forked process alone, so that the tests and other processes know nothing of it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from random import Random

from memkit.core import clock

NEW_MOUNTS, PRIVATE = 0x20000, 0x44000  # CLONE_NEWNS; MS_REC | MS_PRIVATE
MAY_WRITE_ANYWHERE = 0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
CAPABILITIES = 0x20080522  # the version of the structure


class Forked:
    """A forked process that does something: `trouble()` waits for it, and is the traceback, or empty."""

    def __init__(self, work: Callable[[], None]):
        self.reads, writes = os.pipe()
        self.process = os.fork()
        if not self.process:
            said = ""
            try:
                work()
            except BaseException:  # noqa: BLE001 (the parent is told)
                said = traceback.format_exc()
            os.write(writes, said.encode("utf-8", "replace")[-60_000:])
            os._exit(0)
        os.close(writes)

    def trouble(self) -> str:
        """The traceback of what went wrong."""
        with os.fdopen(self.reads, "rb") as stream:
            said = stream.read().decode()
        _, status = os.waitpid(self.process, 0)
        return said or ("" if status == 0 else f"ended with {status}")


def forked(work: Callable[[], None]) -> str:
    """The traceback of what went wrong in a forked process that does this; empty if nothing did."""
    return Forked(work).trouble()


# ---------------------------------------------------------------------------------------------- the disk


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Within this block, this process can make no file longer than that: SQLite sees a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # a module would stay cut off (until Python 3.11)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = compiles


def small_disk(folder: Path, size: int) -> None:
    """From here on, this process sees an empty disk of so many bytes in a folder. Raises OSError where it may not."""
    libc = ctypes.CDLL(None, use_errno=True)
    made = (
        libc.unshare(NEW_MOUNTS) == 0
        and libc.mount(b"none", b"/", None, PRIVATE, None) == 0
        and libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"size=%d" % size) == 0
    )
    if not made:
        raise OSError(ctypes.get_errno(), "this process may not mount")


@contextmanager
def full_disk(folder: Path, left: int) -> Iterator[None]:
    """Within this block, the disk of a folder has no more than so many bytes left."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as stream:
        block = b"\0" * 4096
        try:
            while True:
                stream.write(block)
        except OSError:
            stream.truncate(max(0, stream.tell() - left))
    try:
        yield
    finally:
        ballast.unlink()


def only_my_rights() -> None:
    """From here on, also root may only write where the owner of a file may."""
    if os.geteuid():
        return
    sets = (ctypes.c_uint32 * 6)()
    header = (ctypes.c_uint32 * 2)(CAPABILITIES, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "this process cannot ask for its rights")
    for place in (0, 1):  # those in force, and those that may be taken up again
        sets[place] &= ~MAY_WRITE_ANYWHERE
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "this process cannot give up its rights")


@contextmanager
def read_only_folder(folder: Path) -> Iterator[None]:
    """Within this block, nothing in a folder can be written; for root, after `only_my_rights`."""
    paths = [folder, *folder.rglob("*")]
    modes = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


# ---------------------------------------------------------------------------------------------- the clock


@contextmanager
def jumping_clock(seed: int) -> Iterator[None]:
    """Within this block, memkit's clock is at another time whenever it is asked: in 1970, 2100, or between."""
    random = Random(seed)

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime(1970, 1, 1, tzinfo=tz) + timedelta(seconds=random.randrange(130 * 365 * 86_400))

    before, clock.datetime = clock.datetime, Jumping  # type: ignore[misc]
    try:
        yield
    finally:
        clock.datetime = before  # type: ignore[misc]
