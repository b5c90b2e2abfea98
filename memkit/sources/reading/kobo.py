"""Kobo loader: the highlights and notes in `KoboReader.sqlite` of an e-reader of Kobo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import read_only
from memkit.sources.reading.item import Item, drafts, highlight
from memkit.sources.sample import Sample

MARKS = """
select Bookmark.BookmarkID, Bookmark.VolumeID, Bookmark.Text, Bookmark.Annotation, Bookmark.DateCreated,
    book.Title, book.Attribution, chapter.Title, Bookmark.Hidden in ('true', 1)
from Bookmark
left join content as book on book.ContentID = Bookmark.VolumeID
left join content as chapter on chapter.ContentID = Bookmark.ContentID and chapter.ContentID <> Bookmark.VolumeID
order by Bookmark.VolumeID, Bookmark.ContentID, Bookmark.ChapterProgress, Bookmark.DateCreated, Bookmark.BookmarkID
"""
_TABLES = {
    "Bookmark": {*"BookmarkID VolumeID ContentID Text Annotation DateCreated ChapterProgress Hidden".split()},
    "content": {"ContentID", "Title", "Attribution"},
}
_PAGES = (".html", ".htm", ".xhtml", ".xml")  # a chapter without a title is called after its file


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each highlight with the note on it, by books and in their order. Marks without words are left out."""
    yield from drafts(_items(path, options), path, options)


def _items(path: Path, options: ReadOptions) -> Iterator[Item]:
    with read_only(path, options) as conn:
        for *row, is_hidden in conn.execute(MARKS):
            told = (one.strip() if isinstance(one, str) else "" for one in row)
            id, volume, text, note, at, title, author, chapter = told
            if is_hidden:
                options.skip("highlights that were deleted")
                continue
            if not text and not note:
                options.skip("bookmarks, and marks without words")
                continue
            words = " ".join(text.split())
            in_chapter = "" if chapter.lower().endswith(_PAGES) else chapter
            yield Item(
                source=f"kobo:{volume}", document=title or Path(volume).stem, id=id, author=author, at=at,
                text=highlight(words, note), ordered=True, meta={"chapter": in_chapter},
            )  # fmt: skip


def _matches(sample: Sample) -> bool:
    return sample.is_database and all(columns <= sample.tables.get(name, set()) for name, columns in _TABLES.items())


FORMAT = Format("kobo", "Highlights and notes of a Kobo (`KoboReader.sqlite`)", read, _matches, ("*.sqlite",))
