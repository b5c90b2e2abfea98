"""Files: where memkit's own ones lie, and how those are made that hold memories.

Whatever memkit makes on a disk is made here: readable and writable by its owner alone, from the first moment on and
whatever the umask is. A file or folder that exists already keeps its mode. Only published folders are for others.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING

from memkit.core.processes import is_running

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_PACKAGE = Path(__file__).resolve().parent.parent
_FILE, _FOLDER = 0o600, 0o700  # modes: nobody but the owner
_OTHERS = 0o077
_making = Lock()


# ---------------------------------------------------------------------------------------------- memkit's own

PUBLISHED = "memkit-publish.json"  # the marker in a folder that memkit published for others to read


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path with the home folder instead of a `~` at its beginning; `~name` stays if there is no such user."""
    return Path(os.path.expanduser(path))


def whole_path(path: str | os.PathLike[str]) -> Path:
    """The absolute path, without `..` in it, so that a file has one name however one came to it.

    Where a link leads elsewhere, so that the path without `..` is not the same file, it stays.
    """
    whole = expanded(path).absolute()
    plain = Path(os.path.normpath(whole))
    with suppress(OSError, ValueError):
        if plain == whole or not os.path.lexists(whole) or os.path.samefile(plain, whole):
            return plain
    return whole


def user_templates() -> Path | None:
    """The folder of the user's own templates: the environment variable MEMKIT_TEMPLATES, or None.

    A database cannot name one: it may come from somebody else, and templates put words into every prompt.
    """
    return expanded(folder) if (folder := os.environ.get("MEMKIT_TEMPLATES")) else None


def data_dir(name: str) -> Path:
    """The folder `name`: inside the package in an installed wheel, at the top level in a checkout."""
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        f"memkit's folder {name!r} is missing: neither {_PACKAGE / name} nor {_PACKAGE.parent / name} exists. "
        "Install memkit again."
    )


def data_file(name: str) -> Path:
    """The file `name`: inside the package in an installed wheel, at the top level in a checkout."""
    for folder in (_PACKAGE, _PACKAGE.parent):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(
        f"memkit's file {name!r} is missing: it is neither in {_PACKAGE} nor in {_PACKAGE.parent}. "
        "Install memkit again."
    )


def template_dir() -> Path:
    """The folder of memkit's templates."""
    return data_dir("templates")


def text_templates(*folders: str) -> ImmutableSandboxedEnvironment:
    """A sandboxed Jinja environment for prompts and pages of plain text (nothing is escaped as HTML).

    A template is looked for in each folder in turn. The text of memories reaches a template only as a value, which
    Jinja never runs as code.
    """
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


# ---------------------------------------------------------------------------------------------- private files


def make_file(path: Path) -> None:
    """Makes an empty private file, if there is none yet. Raises OSError.

    Closing a file ends all locks that this process holds on it. So one thread at a time makes files, and a file that
    exists, which SQLite may have open, is not opened.
    """
    with _making, suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _FILE))


def make_folder(path: Path) -> None:
    """Makes a private folder, and private folders above it as far as they are missing. Raises OSError."""
    if not path.is_dir():
        make_folder(path.parent)
        with suppress(FileExistsError):
            path.mkdir(_FOLDER)


def open_to_write(path: Path) -> IO[str]:
    """A private file, open for writing text (UTF-8); an existing one is emptied. Raises OSError."""
    return open(path, "w", encoding="utf-8", newline="\n", opener=_private)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _FILE)


@contextmanager
def workshop(path: Path) -> Iterator[Path]:
    """A private folder beside `path`, in which something is made that will get this name. Raises OSError.

    The folder is deleted at the end of the block. If the process is killed, the next workshop for `path` deletes it.
    """
    import shutil
    from glob import escape

    for left in path.parent.glob(f".{escape(path.name)}.making.*"):
        match = re.fullmatch(r"([0-9]{1,9})\.[0-9a-f]{8}", left.name.removeprefix(f".{path.name}.making."))
        if match and not left.is_symlink() and not is_running(int(match[1])):
            shutil.rmtree(left, ignore_errors=True)
    folder = path.parent / f".{path.name}.making.{os.getpid()}.{os.urandom(4).hex()}"
    make_folder(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The path of a file to make, which takes the place of `path` when the block ends. Raises OSError.

    If the block fails, `path` is what it was before.
    """
    with workshop(path) as folder:
        made = folder / path.name
        yield made
        to_disk(made)
        os.replace(made, path)
        to_disk(path.parent)


def to_disk(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk, where the system can say so."""
    if path.is_dir() and sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def readable_by_others(path: Path) -> bool:
    """Whether its mode lets anybody but the owner read or write a file; False where modes mean nothing."""
    return os.name == "posix" and bool(path.stat().st_mode & _OTHERS)
