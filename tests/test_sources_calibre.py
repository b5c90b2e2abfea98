"""The library of Calibre: its books, and what was marked in them."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from fuzz.samples import calibre as made

from memkit import MemoryDatabase
from memkit.sources import ReadOptions, detect, read
from memkit.sources.reading import calibre


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library with two books, of which one has a highlight."""
    path = tmp_path / "metadata.db"
    path.write_bytes(made())
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.create_function("sortconcat", 2, lambda one, other: one)
        conn.execute("create view meta as select sortconcat(id, title) as books from books")
    return path


def test_a_book_has_its_people_series_tags_rating_and_day(library: Path) -> None:
    first, second, _ = read(library)
    assert detect(library) == "calibre"
    assert first.text == "Quinces by Moss, Ida, Ben Root. Trees 2. rated 4.5 of 5."
    assert (first.tags, first.happened_at, first.source_id) == (("fruit",), "2024-07-29T21:04:45Z", "u1")
    assert second.text == "Pears."


def test_a_highlight_has_its_note_book_and_chapter(library: Path) -> None:
    *_, mark = read(library)
    assert (mark.text, mark.happened_at) == ("> It is rough.\n\nSo is mine.", "2025-02-04T17:16:33Z")
    assert (mark.document.source, mark.document.title, mark.meta["chapter"]) == ("calibre:u1", "Quinces", "One > Bark")


def test_what_was_deleted_is_counted_and_what_is_broken_is_named(library: Path) -> None:
    with closing(sqlite3.connect(library)) as conn, conn:
        data = json.dumps({"type": "highlight", "uuid": "h2", "removed": True})
        conn.executemany(
            "insert into annotations values (?, 1, 1, 'highlight', ?)", [(2, data), (3, "{")],
        )  # fmt: skip
    skipped = Counter[str]()
    found = list(calibre.read(library, replace(ReadOptions(), skipped=skipped), library.name))
    assert skipped == {"highlights that were deleted": 1}
    assert "a highlight in 'Quinces'" in found[-1].reason


def test_a_library_is_found_in_its_folder_and_a_second_ingest_changes_nothing(library: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        assert [db.ingest(library.parent).added, db.ingest(library.parent).added] == [3, 0]
