"""Highlights of a Kobo: by books, with the notes on them."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.sources import ReadOptions, detect
from memkit.sources.reading import kobo

TABLES = """
create table Bookmark (
    BookmarkID text not null primary key, VolumeID text, ContentID text, Text text, Annotation text, DateCreated text,
    ChapterProgress real, Hidden bool, Type text
);
create table content (ContentID text primary key, Title text, Attribution text);
insert into content values
    ('file:///q.epub', 'Quinces', 'Ida Moss'), ('q#1', 'Of the bark', null), ('q#2', 'OEBPS/two.xhtml', null);
insert into Bookmark values
    ('b', 'file:///q.epub', 'q#2', 'It blooms
  late.', '', '2025-02-04T17:17:09.828', 0.1, 'false', 'highlight'),
    ('a', 'file:///q.epub', 'q#1', 'It is rough.', 'So is mine.', '2025-02-04T17:16:33.795', 0.5, 'false', 'note'),
    ('c', 'file:///q.epub', 'q#1', null, null, '2025-02-04T17:16:33.000', 0.2, 'false', 'dogear'),
    ('d', 'file:///q.epub', 'q#1', 'No more.', null, '2025-02-04T17:16:33.000', 0.2, 'true', 'highlight');
"""


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """The database of an e-reader."""
    path = tmp_path / "KoboReader.sqlite"
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.executescript(TABLES)
    return path


def test_a_highlight_has_its_note_book_chapter_and_time(reader: Path) -> None:
    first, second = kobo.read(reader, ReadOptions(), reader.name)
    assert detect(reader) == "kobo"
    assert (first.text, first.happened_at) == ("> It is rough.\n\nSo is mine.", "2025-02-04T17:16:33Z")
    assert (first.title, first.document.source, first.source_id) == ("Quinces (Ida Moss)", "kobo:file:///q.epub", "a")
    assert (first.meta["chapter"], "chapter" in second.meta) == ("Of the bark", False)
    assert second.text == "It blooms late."


def test_what_says_nothing_and_what_was_deleted_is_counted(reader: Path) -> None:
    skipped = Counter[str]()
    list(kobo.read(reader, replace(ReadOptions(), skipped=skipped), reader.name))
    assert skipped == {"bookmarks, and marks without words": 1, "highlights that were deleted": 1}


def test_a_reader_is_read_from_its_folder_and_again_only_for_what_is_new(reader: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert [db.ingest(reader.parent).added, db.ingest(reader.parent).added] == [2, 0]
        with closing(sqlite3.connect(reader)) as conn, conn:
            conn.execute("update Bookmark set Annotation = 'Late indeed.' where BookmarkID = 'b'")
        report = db.ingest(reader.parent)
        assert (report.added, report.updated, report.removed) == (0, 1, 0)
