"""Notes of Anki: exported as plain text, and in collections of two ages."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from chat_files import ingests
from fuzz.samples import ANKI

from memkit.sources import ReadOptions, detect, read
from memkit.sources.reading import anki

NOTES = """
create table notes (id integer primary key, guid text, mid integer, mod integer, tags text, flds text, sfld text);
create table cards (id integer primary key, nid integer, did integer);
create table col (models text, decks text);
insert into notes values
    (1703283309280, 'g1', 7, 0, ' old yard ', 'pear<br>tree' || char(31) || '' || char(31) || 'in May', ''),
    (1703283309281, 'g2', 8, 0, '', 'front' || char(31) || 'back', ''),
    (1703283309282, 'g3', 8, 0, '', 'Please update to the latest Anki version, then import it again.', '');
insert into cards values (1, 1703283309280, 5), (2, 1703283309280, 5), (3, 1703283309281, 5);
"""
NEWER = """
create table fields (ntid integer, ord integer, name text);
create table decks (id integer primary key, name text);
insert into fields values (7, 2, 'Blooms'), (7, 0, 'Plant'), (7, 1, 'Use'), (8, 0, 'Front'), (8, 1, 'Back');
insert into decks values (5, 'Garden' || char(31) || 'Trees');
insert into col values ('', '');
"""


@pytest.fixture(params=["older", "newer"])
def collection(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A collection as Anki kept it until 2.1.28, and as it does now."""
    path = tmp_path / "collection.anki2"
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.executescript(NOTES)
        if request.param == "newer":
            conn.executescript(NEWER)
        else:
            models = {"7": {"flds": [{"name": name} for name in ("Plant", "Use", "Blooms")]}, "8": {"flds": []}}
            decks = {"5": {"name": "Garden::Trees"}}
            conn.execute("insert into col values (?, ?)", (json.dumps(models), json.dumps(decks)))
    return path


def test_a_note_of_a_collection_has_its_fields_deck_tags_and_time(collection: Path) -> None:
    first, second = read(collection)
    assert detect(collection) == "anki"
    assert (first.text, first.tags) == ("Plant: pear\ntree\nBlooms: in May", ("old", "yard", "Garden", "Trees"))
    assert (first.source_id, first.happened_at, first.title) == ("g1", "2023-12-22T22:15:09Z", "pear tree")
    assert second.text == "front\n\nback"


def test_what_only_a_newer_anki_can_read_is_counted(collection: Path) -> None:
    skipped = Counter[str]()
    list(anki.read(collection, replace(ReadOptions(), skipped=skipped), collection.name))
    assert skipped == {"notes that only a newer Anki can read": 1}


def test_a_note_as_plain_text_is_found_by_the_columns_that_its_head_names(tmp_path: Path) -> None:
    path = tmp_path / "Garden.txt"
    path.write_text(ANKI)
    (note,) = read(path)
    assert detect(path) == "anki"
    assert (note.source_id, note.tags) == ("x1", ("old", "yard", "Garden", "Trees"))
    assert note.text == 'When does the pear bloom?\n\nIn\n"May"'


def test_text_with_another_separator_and_a_deck_for_all_is_read(tmp_path: Path) -> None:
    path = tmp_path / "Garden.txt"
    path.write_text("#separator:Semicolon\n#html:false\n#deck:Garden\npear;in May\nquince;in June\n")
    first, second = read(path)
    assert (first.text, first.tags, second.text) == ("pear\n\nin May", ("Garden",), "quince\n\nin June")


def test_a_note_that_was_changed_is_changed_in_place(tmp_path: Path) -> None:
    later = ANKI.replace("May", "June")
    assert ingests(tmp_path / "Garden.txt", ANKI, ANKI, later) == [(1, 0, 0), (0, 0, 0), (0, 1, 0)]
