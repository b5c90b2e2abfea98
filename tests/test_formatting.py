"""One thing is not several."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.formatting import counted, html_table, printable
from memkit.sharing.export.tables import TABLES

ONE_AND_MANY = {
    "1 memory": "memories",
    "1 list": "lists",
    "1 alias": "aliases",
    "1 access": "access",
    "1 evidence": "evidence",
    "1 full-text row": "full-text rows",
    "1 word_case": "word_cases",
}


@pytest.mark.parametrize(("one", "many"), ONE_AND_MANY.items())
def test_one_is_counted_in_the_singular(one: str, many: str) -> None:
    assert counted(1, many) == one
    assert counted(2000, many) == f"2,000 {many}"
    assert counted(0, many) == f"0 {many}"


def test_no_table_has_an_odd_singular() -> None:
    odd = {counted(1, table.name)[2:] for table in TABLES} & {"acces", "aliase", "statu"}
    assert odd == set()


def test_reports_of_one_thing_say_so(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db") as db:
        db.remember("Otto Berg works at Kira.")
        questions = [{"text": "Rosa", "relevant": ["nowhere"]}]
        said = [
            repr(db),
            repr(db.info()),
            repr(db.about("Otto Berg")),
            repr(db.publish(tmp_path / "out", project="global", title="Rosa")),
            repr(db.check_published(tmp_path / "out")),
            repr(db.export(tmp_path / "all.jsonl")),
            repr(db.export(tmp_path / "vault")),
            db.evaluate(questions).to_text(),
            repr(db.reindex()),
        ]
    assert "1 memory, 0 documents, 2 entities, 1 relation," in said[0]
    for text in said:
        assert not [
            f"1 {word}" for word in ("memories", "relations", "lists", "questions", "ids") if f" 1 {word}" in text
        ]


@pytest.mark.parametrize(
    "text",
    [
        "Qui vient\u00a0? À 9:41\u202fAM, «\u00a0chez nous\u00a0»",
        "全角\u3000の空白",
        "میخواهم بدانم: می\u200cخواهم",
        "\u200fשלום, 12\u200e",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "an emoji newer than any Python: \U0001faff",
        "tab\tand\nline",
    ],
)
def test_a_terminal_gets_what_people_write(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("char", "\x1b\r\x9b\x7f\u2028\u202e\u2067\U000e0041\ud800\ufdd0")
def test_what_moves_the_cursor_or_hides_words_reaches_no_terminal(char: str) -> None:
    assert printable(f"a{char}b") == "a\ufffdb"


@pytest.mark.parametrize(("text", "from_right"), [("חבוש 12", True), ("السفرجل", True), ("quince 12", False)])
def test_a_cell_in_hebrew_or_arabic_begins_on_the_right(text: str, from_right: bool) -> None:
    assert ("unicode-bidi:plaintext;text-align:start" in html_table("Trees", ["name"], [[text]])) == from_right


def test_the_caption_of_a_hebrew_question_keeps_its_number_on_the_right() -> None:
    """`חבוש — 1 memory` was shown with the 1 before the question."""
    with MemoryDatabase(embed="none") as db:
        db.remember("עץ חבוש")
        assert "\u2068חבוש\u2069 — 1 memory" in db.recall("חבוש")._repr_html_()
        assert "\u2068" not in db.recall("quince")._repr_html_()
