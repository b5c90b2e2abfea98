"""Apple Books loader: highlights and notes in the database of Books on a Mac; its other database names the books."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure
from memkit.sources.contents import within
from memkit.sources.epochs import since_2001
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import columns, read_only
from memkit.sources.reading.item import Item, drafts, highlight
from memkit.sources.sample import Sample

MARKS = """
select ZANNOTATIONUUID, ZANNOTATIONASSETID, ZANNOTATIONSELECTEDTEXT, ZANNOTATIONNOTE, ZANNOTATIONCREATIONDATE,
    ZANNOTATIONDELETED
from ZAEANNOTATION
order by ZANNOTATIONASSETID, ZANNOTATIONCREATIONDATE, Z_PK
"""
BOOKS = "select ZASSETID, ZTITLE, ZAUTHOR from ZBKLIBRARYASSET"
_WANTED = {
    *"Z_PK ZANNOTATIONUUID ZANNOTATIONASSETID ZANNOTATIONSELECTEDTEXT ZANNOTATIONNOTE ZANNOTATIONDELETED".split()
}
_LIBRARY = "BKLibrary"  # the folder beside that of the highlights, and how the database in it begins


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each highlight with the note on it. Marks without words, and what was deleted, are left out."""
    yield from drafts(_items(path, options), path, options)


def _items(path: Path, options: ReadOptions) -> Iterator[Item]:
    books = _books(path, options)
    with read_only(path, options) as conn:
        for id, asset, selected, written, at, is_deleted in conn.execute(MARKS):
            text, note = (one.strip() if isinstance(one, str) else "" for one in (selected, written))
            if is_deleted:
                options.skip("highlights that were deleted")
                continue
            if not text and not note:
                options.skip("bookmarks, and marks without words")
                continue
            title, author = books.get(asset, ("", ""))
            words = " ".join(text.split())
            yield Item(
                source=f"apple-books:{asset}", document=title, author=author, id=str(id), at=since_2001(at),
                text=highlight(words, note), ordered=True,
            )  # fmt: skip


def _books(path: Path, options: ReadOptions) -> Mapping[object, tuple[str, str]]:
    """Title and author of each book, as far as the library lies beside the file, or in the folder of its name."""
    for folder in (path.parent, path.parent.parent / _LIBRARY):
        for library in sorted(folder.glob(f"{_LIBRARY}*.sqlite")):
            if options.root is not None and not within(options.root, os.path.realpath(library)):
                continue
            with suppress(BadSource, OSError), read_only(library, options) as conn:
                if {"ZASSETID", "ZTITLE", "ZAUTHOR"} <= {*columns(conn, "ZBKLIBRARYASSET")}:
                    return {id: (str(title or ""), str(author or "")) for id, title, author in conn.execute(BOOKS)}
    return {}


def _matches(sample: Sample) -> bool:
    return sample.is_database and sample.tables.get("ZAEANNOTATION", frozenset()) >= _WANTED


FORMAT = Format("apple-books", "Highlights and notes of Apple Books", read, _matches, ("*.sqlite",))
