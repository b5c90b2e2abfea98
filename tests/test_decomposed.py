"""Decomposed text, as macOS writes it: read like composed text, and stored as it was written."""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.instants import parse_iso
from memkit.text.composed import as_written, composed
from memkit.text.times import find_intervals
from memkit.text.words import sentences, word_set, words

NOW = "2026-03-10T12:00:00Z"
TEXTS = {
    "German": [
        "Ich traf Jörg Müller in Köln. Jörg Müller wohnt in Zürich.",
        "AN-Artikel, März_2016",
        "[[Käfer|der Käfer]]",
    ],
    "French": ["Rosa met Zoë Lefèvre in Besançon. Zoë Lefèvre lives in Besançon.", "Hélène Dupré habite à Orléans."],
    "Spanish": ["José Pérez vive en Málaga. José Pérez trabaja en Café Ñandú.", "Íñigo conoció a José Pérez en 2019."],
    "Vietnamese": ["Rosa knows Nguyễn Thị Hằng. Nguyễn Thị Hằng lives in Huế.", "Nguyễn Thị Hằng sống ở Đà Nẵng."],
    "Korean": ["김민수는 서울에 산다. 김민수는 [[한국대학교]]에서 일한다.", "[[김민수]]"],
    "Japanese": ["[[ガラス]]はデザインの話です。", "山田はガラスを買った。"],
    "Hindi": ["राम शर्मा दिल्ली में रहता है। [[क़िला]]", "राम शर्मा ने क़लम खरीदी।"],
}
QUESTIONS = {
    "German": "Jörg Müller Zürich",
    "French": "Zoë Lefèvre",
    "Spanish": "Málaga",
    "Vietnamese": "Huế",
    "Korean": "서울",
    "Japanese": "ガラス",
    "Hindi": "क़लम",
}


def database(form: str, language: str) -> MemoryDatabase:
    """These texts in one form, the first as a note with a title."""
    db = MemoryDatabase(embed="none")
    for n, text in enumerate(TEXTS[language]):
        title = None if n else normalize(form, text.split()[0])
        db.remember(normalize(form, text), title=title, happened_at=f"2025-03-0{n + 1}", now=NOW)
    return db


GRAPH = {
    "entities": "select id, name, normal, kind from entities order by id",
    "aliases": "select alias, normal, source from aliases order by normal, source, alias",
    "relations": "select s.normal, r.predicate, o.normal, r.valid_from, r.confidence from relations as r"
    " join entities as s on s.key = r.subject_key join entities as o on o.key = r.object_key order by 1, 2, 3",
    "words": "select word, lower, upper from word_cases order by word",
    "pairs": "select term, doc from temp.cjk_terms order by term",
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_graph_of_decomposed_text_is_that_of_composed_text(language: str) -> None:
    with database("NFC", language) as composed_, database("NFD", language) as decomposed:
        for db in (composed_, decomposed):
            db.conn.execute("create virtual table temp.cjk_terms using fts5vocab(main, memories_cjk, 'row')")
        for query in GRAPH.values():
            rows = [[tuple(row) for row in db.conn.execute(query)] for db in (composed_, decomposed)]
            assert rows[0] == rows[1]
        query = "select x.memory_key, x.role, x.surface, x.count, e.id from mentions as x"
        query += " join entities as e on e.key = x.entity_key order by x.memory_key, e.id"
        found = [
            [(key, role, composed(surface), *rest) for key, role, surface, *rest in db.conn.execute(query)]
            for db in (composed_, decomposed)
        ]
        assert found[0] == found[1]
        assert found[0]


@pytest.mark.parametrize("language", TEXTS)
def test_decomposed_text_is_stored_as_written_with_true_places_and_quotes(language: str) -> None:
    with database("NFD", language) as db:
        texts = [row["text"] for row in db.tables["memories"].rows]
        assert texts == [normalize("NFD", text) for text in TEXTS[language]]
        mentions = db.conn.execute(
            "select m.text, x.surface, x.start from mentions as x join memories as m on m.key = x.memory_key"
            " where x.role = 'text'"
        ).fetchall()
        assert all(text[start:].startswith(surface) for text, surface, start in mentions)
        quotes = db.conn.execute(
            "select m.text, v.quote from evidence as v join memories as m on m.key = v.memory_key"
        ).fetchall()
        assert all(quote and quote in text for text, quote in quotes)


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(("asked", "stored"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_questions_in_one_form_find_texts_in_the_other(language: str, asked: str, stored: str) -> None:
    with database("NFC", language) as plain, database(stored, language) as db:
        question = QUESTIONS[language]
        ids = [hit.memory.key for hit in plain.recall(question, now=NOW)]
        assert ids
        assert [hit.memory.key for hit in db.recall(normalize(asked, question), now=NOW)] == ids


def test_a_decomposed_database_is_published(tmp_path: Path) -> None:
    with database("NFD", "German") as db:
        db.remember(normalize("NFD", "März_2016 und Jörg Müller"), project="garden", now=NOW)
        assert db.publish(tmp_path / "out", project="garden", embed="none", now=NOW).memories == 1


def test_times_and_sentences_are_those_of_composed_text() -> None:
    text = (
        "Am 3. März 2019 kam Jörg. Él nació el 5 de septiembre de 2020, à Besançon le 8 août 2021. 2024년 3월 5일 한국."
    )
    apart = normalize("NFD", text)
    now = parse_iso(NOW)
    one, other = find_intervals(text, now), find_intervals(apart, now)
    assert [found.interval for found in one] == [found.interval for found in other]
    assert [composed(found.phrase) for found in other] == [found.phrase for found in one]
    assert all(apart[slice(*found.span)] == found.phrase for found in other)
    assert [composed(apart[slice(*span)]) for span in sentences(apart)] == [
        text[slice(*span)] for span in sentences(text)
    ]


@given(st.text(alphabet="aeoNäéế한글각がパक़िनॉ\u0308\u0301\u0323 .", max_size=12), st.sampled_from(["NFC", "NFD"]))
def test_places_in_a_composed_copy_are_those_in_the_text(text: str, form: str) -> None:
    text = normalize(form, text) if form == "NFD" else text
    read = composed(text)
    assert as_written(text, (0, len(read))) == (0, len(text))
    for place in range(len(read) + 1):
        start, end = as_written(text, (0, place))[1], as_written(text, (place, len(read)))[0]
        assert start == end
        if place < len(read) and text[start : start + 1] == read[place] == " ":
            assert normalize("NFC", text[:start]) == read[:place]


def test_words_and_pairs_are_those_of_composed_text() -> None:
    for texts in TEXTS.values():
        for text in texts:
            assert words(normalize("NFD", text)) == words(normalize("NFC", text))
            assert word_set(normalize("NFD", text)) == word_set(normalize("NFC", text))
