"""Atomic folder replacement: the new folder is built beside the old one and replaces it in one step."""

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

from memkit.core.errors import BadSource, MemkitError
from memkit.core.files import make_folder, to_disk
from memkit.core.processes import is_running
from memkit.sharing.publish.files import MARKER
from memkit.storage.driver import sqlite3

_EXCHANGE = 2  # flag of renameat2: the two names are exchanged
_HERE = -100  # AT_FDCWD


class NotOurs(BadSource):
    """The folder is not empty, and was not published by memkit."""


def marker(folder: Path) -> dict[str, Any] | None:
    """The content of a published folder's marker file; None if the folder is empty or missing.

    Raises NotOurs for any other folder or file.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise NotOurs(f"{folder} is not a folder. Give a new name, or the folder of an earlier publication.")
    if not folder.exists() or not any(folder.iterdir()):
        return None
    try:
        found = json.loads((folder / MARKER).read_text("utf-8"))
        if isinstance(found, dict) and isinstance(found.get("files"), list):
            return found
    except (OSError, ValueError):
        pass
    raise NotOurs(f"{folder} is not empty, and was not published by memkit. Give the name of a new folder.")


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder to fill. It replaces `folder` at the end of the block, and is deleted if the block fails.

    It is for others, as the umask says or the old folder was, but until it is checked, it lies in a private one.
    Files in the old folder that are not from memkit are copied. If the process is killed, the old folder is unchanged,
    and the unfinished one is removed the next time. Raises NotOurs for a folder that memkit did not publish, and
    MemkitError if writing fails.
    """
    _clear_away(folder)
    before = marker(folder)
    building = folder.parent / f".{folder.name}.building.{os.getpid()}"
    staging = building / folder.name
    try:
        with _in_words(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            make_folder(building)
            staging.mkdir()
            if folder.exists():
                shutil.copymode(folder, staging)
            _carry_over(folder, staging, before)
            yield staging
            _flush(staging)
            _put_in_place(staging, folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)


@contextmanager
def _in_words(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MemkitError(
            f"{folder} could not be written: {error.strerror or error}. No unfinished files were left."
        ) from error
    except sqlite3.OperationalError as error:
        if not any(word in str(error) for word in ("full", "I/O", "unable to open")):
            raise
        raise MemkitError(f"{folder} could not be written: {error}. No unfinished files were left.") from error


def _clear_away(folder: Path) -> None:
    """Removes what a killed run has left, and restores a folder that it had already renamed."""
    left_behind = re.compile(rf"\.{re.escape(folder.name)}\.(building|before)\.([0-9]{{1,9}})")
    for left in sorted(folder.parent.glob(".*")):
        match = left_behind.fullmatch(left.name)
        if match is None or left.is_symlink() or _in_use(int(match[2])):
            continue
        if match[1] == "before" and not folder.exists():
            left.rename(folder)
        else:
            shutil.rmtree(left, ignore_errors=True)


def _in_use(process: int) -> bool:
    """Whether another process is still building this folder."""
    return process != os.getpid() and is_running(process)


def _carry_over(folder: Path, staging: Path, before: dict[str, Any] | None) -> None:
    """Copies those files of the old folder that are not from memkit."""
    if before is None:
        return
    own = {MARKER, *map(str, before["files"])}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in own:
            (staging / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, staging / name, follow_symlinks=False)


def _flush(folder: Path) -> None:
    """Writes all data to the disk, before the folder gets its name."""
    for path in [*folder.rglob("*"), folder]:
        if not path.is_symlink():
            to_disk(path)


def _put_in_place(staging: Path, folder: Path) -> None:
    """Renames in one step if the system can; otherwise in two, and if the second fails, the first is undone."""
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
    with suppress(OSError):
        to_disk(folder.parent)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchanges the names of two folders in one step; False if the system or file system cannot."""
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
