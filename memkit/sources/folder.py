"""Directory walk: the files of a folder that may hold memories."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memkit.core.opening import check_regular, open_regular
from memkit.core.types import Failure
from memkit.sources.contents import LEADS_OUT, within
from memkit.sources.limits import OverLimit
from memkit.sources.options import ReadOptions

# The endings of files that can hold memories. Their contents decide which reader is used.
SUFFIXES = frozenset(
    (
        ".md .markdown .mdown .mdx .txt .text .org .rst .ipynb .json .jsonl .ndjson .csv .tsv .zip .db .sqlite .sqlite3"
    ).split()
)
_LONGEST_SETTINGS = 1_000_000  # bytes
# Where Obsidian keeps the name of the templates folder: the core plugin, and Templater.
_TEMPLATE_SETTINGS = (
    ("templates.json", "folder"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)


def files(root: Path, options: ReadOptions) -> Iterator[Path | Failure]:
    """The files under a folder that may hold memories, ordered by name; a Failure for what cannot be read.

    Left out are hidden files and folders (`.obsidian`, `.trash`), folders of templates (named in the settings of an
    Obsidian vault, or called Templates), and files with other endings. Links to folders are not followed. Links to
    files are, but not out of the folder, and what is no regular file (a pipe, a device) is not opened.
    """
    failures: list[Failure] = []
    templates: set[Path] = set()
    unreadable = lambda error: failures.append(Failure(str(error.filename), error.strerror))  # noqa: E731
    for folder, inner, found in os.walk(root, onerror=unreadable):
        yield from failures
        failures.clear()
        here = Path(folder)
        templates |= template_folders(here)
        inner[:] = sorted(name for name in inner if _kept(here / name, templates))
        if inner and len(here.parts) - len(root.parts) >= options.limits.depth:
            inner.clear()
            yield Failure(here.as_posix(), f"its folders are left out: {OverLimit('depth', options.limits, 'levels')}")
        for name in sorted(found):
            if not name.startswith(".") and os.path.splitext(name)[1].lower() in SUFFIXES:
                yield _looked_at(here / name, root)
    yield from failures


def _looked_at(path: Path, root: Path) -> Path | Failure:
    """The path of a file that may be opened; a Failure if it leads out of the folder, or is no file."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            if not within(root, os.path.realpath(path)):
                return Failure(path.as_posix(), LEADS_OUT)
            mode = os.stat(path).st_mode
        check_regular(mode, path)
    except OSError as error:
        return Failure(path.as_posix(), error.strerror or str(error))
    return path


def template_folders(vault: Path) -> set[Path]:
    """The template folders in the settings of an Obsidian vault; an empty set if the folder is not a vault."""
    found = set()
    for file, key in _TEMPLATE_SETTINGS:
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            with open_regular(vault / ".obsidian" / file) as stream:
                name = json.loads(stream.read(_LONGEST_SETTINGS))[key].strip("/")
            if name:
                found.add(vault / name)
    return found


def _kept(folder: Path, templates: set[Path]) -> bool:
    return not folder.name.startswith(".") and folder.name.lower() != "templates" and folder not in templates
