"""Directory walk: the files of a folder that may hold memories."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memkit.core.types import Failure

# The endings of files that can hold memories. Their contents decide which reader is used.
SUFFIXES = frozenset(
    (
        ".md .markdown .mdown .mdx .txt .text .org .rst .ipynb .json .jsonl .ndjson .csv .tsv .zip .db .sqlite .sqlite3"
    ).split()
)
# Where Obsidian keeps the name of the templates folder: the core plugin, and Templater.
_TEMPLATE_SETTINGS = (
    ("templates.json", "folder"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)


def files(root: Path) -> Iterator[Path | Failure]:
    """The files under a folder that may hold memories, ordered by name; a Failure for a folder that cannot be read.

    Left out are hidden files and folders (`.obsidian`, `.trash`), folders of templates (named in the settings of an
    Obsidian vault, or called Templates), and files with other endings. Links to folders are not followed.
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
        for name in sorted(found):
            if not name.startswith(".") and os.path.splitext(name)[1].lower() in SUFFIXES:
                yield here / name
    yield from failures


def template_folders(vault: Path) -> set[Path]:
    """The template folders in the settings of an Obsidian vault; an empty set if the folder is not a vault."""
    found = set()
    for file, key in _TEMPLATE_SETTINGS:
        with suppress(OSError, ValueError, TypeError, KeyError):
            if name := json.loads((vault / ".obsidian" / file).read_text(encoding="utf-8"))[key].strip("/"):
                found.add(vault / name)
    return found


def _kept(folder: Path, templates: set[Path]) -> bool:
    return not folder.name.startswith(".") and folder.name.lower() != "templates" and folder not in templates
