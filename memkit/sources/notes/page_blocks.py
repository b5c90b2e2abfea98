"""Blocks of a folder of notes: the text of a block by its id, for the references to it in other notes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from memkit.core.opening import open_regular
from memkit.sources.notes.machinery import blocks_of

_ENDINGS = (".md", ".markdown")
_LONGEST = 10_000_000  # bytes of a page that is searched for blocks
_MOST = 200_000  # blocks


class PageBlocks:
    """The blocks with an id in the notes of a folder. It is searched once, when the first reference asks."""

    def __init__(self) -> None:
        self._known: dict[Path, dict[str, str]] = {}

    def text(self, id: str, path: Path, root: Path | None) -> str | None:
        """The text of a block in the folder that is being read, or else in the same file; None if it is not there."""
        place = root or path
        if place not in self._known:
            self._known[place] = _blocks_below(place)
        return self._known[place].get(id)


def _blocks_below(place: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in _notes(place):
        try:
            with open_regular(file) as stream:
                data = stream.read(_LONGEST)
        except OSError:
            continue
        if b"id::" in data:
            found.update(blocks_of(data.decode("utf-8", "replace")))
        if len(found) > _MOST:
            break
    return found


def _notes(place: Path) -> Iterator[Path]:
    """The notes below a folder, without hidden ones and links; or the one file."""
    if not place.is_dir():
        yield place
        return
    for folder, inner, files in os.walk(place):
        inner[:] = [name for name in inner if not name.startswith(".")]
        here = Path(folder)
        notes = (here / name for name in files if name.lower().endswith(_ENDINGS))
        yield from (note for note in notes if not note.is_symlink())
