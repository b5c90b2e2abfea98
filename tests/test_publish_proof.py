"""The proof that a folder holds nothing private: it finds what is there, in every form, and nothing that is not."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.sharing.publish import Leaked
from memkit.sharing.publish.byte_search import LONGEST, SHORTEST, Needles
from memkit.sharing.publish.private_texts import is_telling, stems
from memkit.sharing.publish.proof import leaks
from memkit.storage.driver import sqlite3

NOW = "2026-03-10T12:00:00Z"


def plainly(needles: set[bytes], data: bytes) -> set[tuple[int, bytes]]:
    """What Needles ought to find, one after the other."""
    return {
        (at, needle)
        for needle in {each[:LONGEST] for each in needles if len(each) >= SHORTEST}
        for at in range(len(data))
        if data.startswith(needle, at)
    }


@given(st.data())
def test_needles_are_found_where_a_plain_search_finds_them(data: st.DataObject) -> None:
    letters = st.sampled_from(b"ab\0")
    needles = data.draw(st.sets(st.lists(letters, max_size=30).map(bytes), max_size=8))
    hay = bytes(data.draw(st.lists(letters, max_size=200)))
    for needle in data.draw(st.lists(st.sampled_from(sorted(needles)), max_size=5)) if needles else ():
        at = data.draw(st.integers(0, len(hay)))
        hay = hay[:at] + needle + hay[at:]
    assert set(Needles(needles).found_in(hay)) == plainly(needles, hay)


def test_a_needle_is_found_across_the_seams_of_what_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkit.sharing.publish.byte_search._CHUNK", 64)
    hay = b"." * 60 + b"zebediah of the quince" + b"." * 100
    assert list(Needles([b"zebediah of the quince"]).found_in(hay)) == [(60, b"zebediah of the quince")]


def test_stems_are_those_of_the_index() -> None:
    assert set(stems(["gardens", "gardening", "Café"])) == {"garden", "cafe"}


@pytest.mark.parametrize(
    ("word", "tells"),
    [("ab", False), ("rosa", True), ("2019", False), ("0701234567", True), ("梅", False), ("梅木", True)],
)
def test_short_words_and_small_numbers_tell_nothing(word: str, tells: bool) -> None:
    assert is_telling(word) is tells


@pytest.fixture(params=["whole", "in parts"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Private and public texts as they are compared: all at once, or a few at a time, as in a large database."""
    if request.param == "in parts":
        parts = {"text_tables.AT_ONCE": 2, "public_texts.PIECE": 8, "private_texts.TOGETHER": 8, "proof.CELLS": 1}
        for name, few in {**parts, "byte_search.AT_ONCE": 2}.items():
            monkeypatch.setattr(f"memkit.sharing.publish.{name}", few)


@pytest.fixture
def private(size: None) -> MemoryDatabase:
    """Something to publish and something to hide."""
    db = MemoryDatabase(embed="none")
    db.remember("Rosa planted the quince.", project="garden", now=NOW)
    db.remember("Zebediah hides the walnuts under the third flagstone. Call 0701234567.", title="Cellar", now=NOW)
    return db


def found(db: MemoryDatabase, folder: Path, **gone: str) -> set[str]:
    """The texts that leak from a folder in which Rosa's sentence is public."""
    return {leak.text for leak in leaks(db.conn, folder, ["Rosa planted the quince."], [], gone)}


def in_database(folder: Path, *statements: str, value: str | bytes | None = None) -> None:
    """Runs statements in a database of a folder, with a value for those that have a place for one."""
    with closing(sqlite3.connect(folder / "public.db")) as conn, conn:
        for statement in statements:
            conn.execute(statement, (value,) if "?" in statement else ())


FORMS = {
    "as it is": b"Zebediah hides the walnuts under the third flagstone.",
    "in capitals": b"ZEBEDIAH HIDES THE WALNUTS UNDER THE THIRD FLAGSTONE.",
    "UTF-16, little end first": "the walnuts, says Zebediah".encode("utf-16-le"),
    "UTF-16, big end first": b"\0" + "Zebediah".encode("utf-16-be"),
    "a short word": b"cellar",
    "a short word of UTF-16": "cellar".encode("utf-16-le"),
    "a telephone number": b"tel:0701234567",
    "between bytes": b"\x01\x02Zebediah\x01\x00",
}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)
def test_something_private_is_found_in_every_form(private: MemoryDatabase, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "notes.txt").write_bytes(b"Rosa planted the quince.\n" + data)
    assert found(private, tmp_path)


def test_what_is_public_is_no_leak_though_it_is_private_too(private: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("The quince: ROSA planted the quince. It is 2019, in 42 pots, ab.", "utf-8")
    assert found(private, tmp_path) == set()


def test_a_word_is_found_in_the_index_that_only_holds_its_stem(private: MemoryDatabase, tmp_path: Path) -> None:
    in_database(
        tmp_path,
        "create virtual table pages using fts5(text, content='', tokenize='porter unicode61')",
        "insert into pages (rowid, text) values (1, 'walnuts walnutting'), (2, 'quince')",
    )
    assert "walnut" in found(private, tmp_path)


def test_an_array_of_numbers_is_no_word(private: MemoryDatabase, tmp_path: Path) -> None:
    private.remember("Gogh painted.", now=NOW)
    in_database(tmp_path, "create table arrays (said blob)")
    for array in (pack("<4H", *b"gogh"), pack(">4H", *b"gogh"), b"g", b"o", b"g", b"h"):
        in_database(tmp_path, "insert into arrays values (?)", value=array)
    assert found(private, tmp_path) == set()
    in_database(tmp_path, "insert into arrays values (?)", value="says Zebediah".encode("utf-16-le"))
    assert found(private, tmp_path) == {"zebediah"}


def test_a_word_with_another_apostrophe_is_no_leak(private: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("jusqu'à", "utf-8")
    private.remember("jusqu'à", now=NOW)
    leaked = leaks(private.conn, tmp_path, ["Elle marche jusqu’à la mer."], [], {})
    assert leaked == ()
    assert {leak.text for leak in leaks(private.conn, tmp_path, ["Elle marche à la mer."], [], {})} >= {"jusqu"}


def test_signs_with_a_number_are_not_in_every_text_with_that_number(private: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("🌲🌳 0", "utf-8")
    private.remember("🌲🌳 0", now=NOW)
    assert {leak.text for leak in leaks(private.conn, tmp_path, ["There were 0 of them."], [], {})} == {"🌲🌳 0"}


@pytest.mark.parametrize(("column", "value"), [("text", "a walnut, walnuts"), ("blob", b"\x01walnuts\x02Zebediah\x03")])
def test_a_word_is_found_in_every_value_of_a_database(
    private: MemoryDatabase, tmp_path: Path, column: str, value: str | bytes
) -> None:
    in_database(tmp_path, f"create table pages (name text, says {column})")
    in_database(tmp_path, "insert into pages values ('Rosa', ?)", value=value)
    assert found(private, tmp_path) & {"walnuts", "zebediah"}


def test_the_end_of_one_value_and_the_beginning_of_the_next_are_no_word(
    private: MemoryDatabase, tmp_path: Path
) -> None:
    in_database(tmp_path, "create table pages (one text, other text)", "insert into pages values ('Zebe', 'diah')")
    assert b"Zebediah" in (tmp_path / "public.db").read_bytes()
    assert found(private, tmp_path) == set()
    in_database(tmp_path, "create table gone (text)", "drop table gone")
    assert found(private, tmp_path) == {"free pages"}


def test_public_words_that_meet_in_a_page_are_no_private_phrase(private: MemoryDatabase, tmp_path: Path) -> None:
    private.remember("Quince Rosa", now=NOW)
    in_database(
        tmp_path,
        "create table pages (one text, other text)",
        "insert into pages values ('the quince', ' rosa planted')",
    )
    assert b"quince rosa" in (tmp_path / "public.db").read_bytes()
    assert found(private, tmp_path) == set()
    in_database(tmp_path, "insert into pages values ('a Quince Rosa', '')")
    assert found(private, tmp_path) == {"quince rosa"}


def test_what_was_taken_out_must_be_gone_though_another_text_says_it(private: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Rosa planted the quince.", encoding="utf-8")
    assert found(private, tmp_path, Rosa="name") == {"Rosa"}


def test_a_leak_says_that_it_was_taken_out(private: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"\x01Zebediah\x01")
    leaked = leaks(private.conn, tmp_path, ["Rosa planted the quince."], [], {"Zebediah": "name"})
    assert {leak.origin for leak in leaked} == {"redacted: name"}


def test_a_leak_stops_the_publication_and_leaves_nothing(
    private: MemoryDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were a line of the code to write a private path, nothing would be published."""
    monkeypatch.setattr("memkit.sharing.publish.publishing._write_files", leaking)
    with pytest.raises(Leaked, match=r"'zebediah' \(aliases.alias\) is in README.md"):
        private.publish(tmp_path / "garden", project="garden", now=NOW)
    assert list(tmp_path.iterdir()) == []


def leaking(file: Path, *_: object) -> list[str]:
    """Writes something that is nobody's business."""
    (file.parent / "README.md").write_text("Zebediah was here.", encoding="utf-8")
    return []


# ---------------------------------------------------------------------------------------------- once more, later


def test_the_counted_words_of_links_and_labels_are_no_leak(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("**Gardeners**: Rosa\n\nThe [[Quince Tree|quinces]] are old.", project="garden", now=NOW)
        counted = {row["word"] for row in db.tables["word_cases"].rows}
        assert {"gardeners:", "[quinces]"} <= counted
        assert db.publish(tmp_path / "out", project="garden", embed="none", now=NOW).memories == 1
        assert db.check_published(tmp_path / "out").sound


def test_a_check_finds_nothing_in_what_was_just_published(private: MemoryDatabase, tmp_path: Path) -> None:
    private.publish(tmp_path / "garden", project="garden", now=NOW)
    report = private.check_published(tmp_path / "garden")
    assert report.sound
    assert repr(report).endswith("1 memory, nothing private in it")


def test_a_check_finds_a_file_that_was_put_there(private: MemoryDatabase, tmp_path: Path) -> None:
    private.publish(tmp_path / "garden", project="garden", now=NOW)
    (tmp_path / "garden" / "todo.txt").write_text("Ask Zebediah.", encoding="utf-8")
    report = private.check_published(tmp_path / "garden")
    assert not report.sound
    assert {(leak.text, leak.file) for leak in report.leaks} == {("zebediah", "todo.txt")}


def test_a_check_finds_what_was_deleted_since(private: MemoryDatabase, tmp_path: Path) -> None:
    extra = private.remember("The medlar was felled.", project="garden", now=NOW)
    private.publish(tmp_path / "garden", project="garden", now=NOW)
    private.forget(extra.id, hard=True, now=NOW)
    assert len(private.check_published(tmp_path / "garden").gone) == 1
    report = private.publish(tmp_path / "garden", project="garden", now=NOW)
    assert (len(report.new), len(report.changed), len(report.gone)) == (0, 0, 1)
    for path in (tmp_path / "garden").rglob("*.*"):
        assert b"medlar" not in path.read_bytes().lower()


def test_what_is_taken_out_may_be_a_number_that_the_files_count_with(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        for number in range(1, 38):
            db.remember(f"Rosa showed Otto the quince in row {2 * number}.", now=NOW)
        db.publish(tmp_path / "site", redact=["74"], kind="fact", embed="none", now=NOW)
        assert '"count": 74' in (tmp_path / "site" / "inspect-data.json").read_text()
        assert db.check_published(tmp_path / "site").sound
