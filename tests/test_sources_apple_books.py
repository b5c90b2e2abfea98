"""Highlights of Apple Books: the books are named in another database."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import ReadOptions, detect, read
from memkit.sources.reading import apple_books

MARKS = """
create table ZAEANNOTATION (
    Z_PK integer primary key, ZANNOTATIONUUID text, ZANNOTATIONASSETID text, ZANNOTATIONSELECTEDTEXT text,
    ZANNOTATIONNOTE text, ZANNOTATIONCREATIONDATE real, ZANNOTATIONDELETED integer
);
insert into ZAEANNOTATION values
    (1, 'a', 'q', 'It is
 rough.', 'So is mine.', 640400624.4, 0),
    (2, 'b', 'q', 'It blooms late.', null, 640400625.1, 0),
    (3, 'c', 'q', null, null, 640400626, 0), (4, 'd', 'q', 'No more.', null, 640400627, 1);
"""
BOOKS = """
create table ZBKLIBRARYASSET (ZASSETID text, ZTITLE text, ZAUTHOR text);
insert into ZBKLIBRARYASSET values ('q', 'Quinces', 'Ida Moss');
"""


def database(path: Path, sql: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.executescript(sql)
    return path


@pytest.mark.parametrize("library", ["AEAnnotation/BKLibrary-1.sqlite", "BKLibrary/BKLibrary-1.sqlite"])
def test_a_highlight_has_its_note_book_and_time(tmp_path: Path, library: str) -> None:
    path = database(tmp_path / "AEAnnotation" / "AEAnnotation_v1.sqlite", MARKS)
    database(tmp_path / library, BOOKS)
    first, second = read(path)
    assert detect(path) == "apple-books"
    assert (first.text, first.happened_at) == ("> It is rough.\n\nSo is mine.", "2021-04-18T01:03:44Z")
    assert (first.title, first.document.source, first.source_id) == ("Quinces (Ida Moss)", "apple-books:q", "a")
    assert (second.text, second.document.title) == ("It blooms late.", "Quinces")


def test_a_library_outside_of_the_folder_that_is_read_is_not_opened(tmp_path: Path) -> None:
    path = database(tmp_path / "AEAnnotation" / "AEAnnotation_v1.sqlite", MARKS)
    database(tmp_path / "BKLibrary" / "BKLibrary-1.sqlite", BOOKS)
    assert {one.title for one in read(path.parent) if isinstance(one, Draft)} == {None}
    assert {one.title for one in read(tmp_path) if isinstance(one, Draft)} == {"Quinces (Ida Moss)"}


def test_what_says_nothing_and_what_was_deleted_is_counted(tmp_path: Path) -> None:
    path, skipped = database(tmp_path / "AEAnnotation_v1.sqlite", MARKS), Counter[str]()
    list(apple_books.read(path, replace(ReadOptions(), skipped=skipped), path.name))
    assert skipped == {"bookmarks, and marks without words": 1, "highlights that were deleted": 1}


def test_titles_that_come_later_are_added_to_what_is_there(tmp_path: Path) -> None:
    path = database(tmp_path / "AEAnnotation_v1.sqlite", MARKS)
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 2
        database(tmp_path / "BKLibrary-1.sqlite", BOOKS)
        report = db.ingest(path)
        assert (report.added, report.removed) == (0, 0)
        assert {hit.memory.title for hit in db.recall("blooms").hits} == {"Quinces (Ida Moss)"}
