"""A folder that appears whole or not at all: made beside its place, looked at there, and put in place in one step."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memkit.driver import sqlite3
from memkit.errors import BadSource, MemkitError
from memkit.publish.files import MARKER

_EXCHANGE = 2  # of renameat2: both names change places
_HERE = -100  # AT_FDCWD


class NotOurs(BadSource):
    """The folder holds something else than a publication."""


def marker(folder: Path) -> dict[str, Any] | None:
    """What a published folder says of itself; None for one that is empty or not there. Raises NotOurs."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise NotOurs(f"{folder} is no folder. Give a new name, or that of a folder that memkit has published.")
    if not folder.exists() or not any(folder.iterdir()):
        return None
    try:
        found = json.loads((folder / MARKER).read_text("utf-8"))
        if isinstance(found, dict) and isinstance(found.get("files"), list):
            return found
    except (OSError, ValueError):
        pass
    raise NotOurs(f"{folder} is not empty, and nothing that memkit published. Give the name of a new folder.")


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """An empty folder to fill; it takes the folder's place at the end of the block, and is gone if the block fails.

    Files that somebody else put into the old folder are carried over. Killed at any moment, the old folder is there
    as it was; what was half-built is cleared away the next time. Raises MemkitError where there is no room to write.
    """
    _clear_away(folder)
    before = marker(folder)
    staging = folder.parent / f".{folder.name}.building.{os.getpid()}"
    try:
        with _in_words(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            staging.mkdir()
            _carry_over(folder, staging, before)
            yield staging
            _flush(staging)
            _put_in_place(staging, folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


@contextmanager
def _in_words(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MemkitError(
            f"{folder} could not be written: {error.strerror or error}. Nothing of it was left."
        ) from error
    except sqlite3.OperationalError as error:
        if not any(word in str(error) for word in ("full", "I/O", "unable to open")):
            raise
        raise MemkitError(f"{folder} could not be written: {error}. Nothing of it was left.") from error


def _clear_away(folder: Path) -> None:
    """Removes what a run that was killed has left, and brings a folder back that it had just put aside."""
    left_behind = re.compile(rf"\.{re.escape(folder.name)}\.(building|before)\.([0-9]{{1,9}})")
    for left in sorted(folder.parent.glob(".*")):
        match = left_behind.fullmatch(left.name)
        if match is None or left.is_symlink() or _runs(int(match[2])):
            continue
        if match[1] == "before" and not folder.exists():
            left.rename(folder)
        else:
            shutil.rmtree(left, ignore_errors=True)


def _runs(pid: int) -> bool:
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _carry_over(folder: Path, staging: Path, before: dict[str, Any] | None) -> None:
    """Copies what is in the old folder and not from memkit."""
    if before is None:
        return
    own = {MARKER, *map(str, before["files"])}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in own:
            (staging / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, staging / name, follow_symlinks=False)


def _flush(folder: Path) -> None:
    """Makes sure that every byte is on the disk before the name is."""
    for path in [*folder.rglob("*"), folder]:
        if path.is_symlink() or (path.is_dir() and sys.platform == "win32"):
            continue
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _put_in_place(staging: Path, folder: Path) -> None:
    """One step where the system has one; elsewhere two, of which a failed second undoes the first."""
    if not folder.exists():
        staging.rename(folder)
    elif not _exchanged(staging, folder):
        aside = folder.parent / f".{folder.name}.before.{os.getpid()}"
        folder.rename(aside)
        try:
            staging.rename(folder)
        except BaseException:
            aside.rename(folder)
            raise
        shutil.rmtree(aside, ignore_errors=True)
    if sys.platform != "win32":
        handle = os.open(folder.parent, os.O_RDONLY)
        with suppress(OSError):
            os.fsync(handle)
        os.close(handle)


def _exchanged(one: Path, other: Path) -> bool:
    """Whether two folders have changed names in one step; not every system and file system can."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    if ctypes.get_errno() in (errno.EINVAL, errno.ENOSYS, errno.EPERM, errno.ENOTSUP):
        return False
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(one))
