"""Stored sentences: recall finds with them what it finds by reading the texts, whoever changes these."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from conftest import NOW, LetterEmbedder
from hypothesis import example, given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.embedding import load_embedder
from memkit.embedding.sentence_words import MOST_SENTENCES, SentenceWords, sound
from memkit.embedding.static import MOST_TOKENS, StaticEmbedder
from memkit.retrieval.channels import sentence
from memkit.storage import schema, sentences
from memkit.storage.doctor import doctor
from memkit.storage.driver import sqlite3
from memkit.storage.reindex import reindex_vectors
from memkit.storage.vectors import own_text
from memkit.text import words

QUESTION = "who planted the quince?"
TEXTS = [
    "Rosa came at nine. She planted a quince behind the shed! Then it rained.",
    "Otto said: no. 他种了一棵树。然后下雨了。",
    "- a list\n- of things\n\nAnd a paragraph without an end",
    "…",
    "The pear tree bears fruit.",
]
ANY_TEXT = st.text(st.one_of(st.sampled_from("ab .!?\n。-é"), st.characters()), max_size=200)


def model() -> StaticEmbedder:
    embedder = load_embedder()
    assert isinstance(embedder, StaticEmbedder)
    return embedder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "memory.db"
    with MemoryDatabase(file) as db:
        db.ingest([{"text": text, "speaker": "Ann"} for text in TEXTS], now=NOW)
    return file


def stored(db: MemoryDatabase) -> dict[int, SentenceWords]:
    rows = db.conn.execute("select memory_key, sizes, lengths, words from sentences order by memory_key")
    return {row[0]: SentenceWords(*row[1:]) for row in rows}


def check_sentences(db: MemoryDatabase) -> None:
    """Asserts that each stored row is what the model reads in the memory's text now, and belongs to a vector."""
    texts = dict(map(tuple, db.conn.execute("select key, text from memories")))
    with_vector = {row[0] for row in db.conn.execute("select memory_key from embeddings")}
    for key, one in stored(db).items():
        assert model().read([(texts[key], words.sentences(texts[key]))])[1] == [one]
        assert key in with_vector


# ---------------------------------------------------------------------------------------------- the model


@given(ANY_TEXT, st.sampled_from([None, "Ann", "A title. Of two"]))
@example("word " * 700, None)
@example("A sentence of words. " * 60, "Ann")
@example("x" * 9000 + " quince. pear", None)
@example("One.\x1cTwo", None)
@example("Quince tree. " * 150 + "The sea is cold. " * 99, None)  # the 512th word is in one of the last sentences
def test_a_text_read_by_sentences_has_the_vector_of_the_whole_text(text: str, speaker: str | None) -> None:
    whole = own_text(None, speaker, text)
    shift = len(whole) - len(text)
    vectors, _ = model().read([(whole, [(a + shift, b + shift) for a, b in words.sentences(text)])])
    assert np.allclose(vectors, model().encode([whole]), atol=1e-5)


@given(st.lists(ANY_TEXT, max_size=5), ANY_TEXT)
@example(["A sentence of words. " * 60 + "And one quince."], "quince")
@example(["word " * (MOST_TOKENS + 80) + "quince."], "quince")
@example(["", "…", "Rosa planted a quince."], "the quince")
def test_the_nearest_sentence_is_that_of_the_embedded_sentences(texts: list[str], question: str) -> None:
    (vector,) = model().encode([question])
    read = model().read([(text, words.sentences(text)) for text in texts])[1]
    expected = []
    for text in texts:
        spans = words.sentences(text)[:MOST_SENTENCES]
        cosines = model().encode([text[a:b] for a, b in spans]) @ vector
        expected.append(max(cosines, default=0.0))
    assert np.allclose(model().nearest(read, vector), expected, atol=1e-5)
    assert sound(dict(enumerate(read)), model().vocabulary) == dict(enumerate(read))


@given(st.lists(st.tuples(st.binary(max_size=8), st.binary(max_size=16), st.binary(max_size=8)), max_size=4))
@example([(b"\x01\x00", b"\0\0\x80\x7f", b"\x01\x00")])  # an infinite length
@example([(b"\x01\x00", b"\0\0\x80\x3f", b"\xff\xff")])  # no word of the model
@example([(b"\x02\x00", b"\0\0\x80\x3f", b"\x01\x00"), (b"", b"", b"\x01\x00")])  # the sums are right, the rows are not
def test_bytes_that_are_no_sentences_are_left_out(rows: list[tuple[bytes, bytes, bytes]]) -> None:
    given_rows = {n: SentenceWords(*row) for n, row in enumerate(rows)}
    found = sound(given_rows, model().vocabulary)
    for key, (sizes, lengths, numbers) in given_rows.items():
        n = len(sizes) // 2
        fits = (len(sizes), len(lengths), len(numbers)) == (
            2 * n,
            4 * n,
            2 * int(np.frombuffer(sizes[: 2 * n], "<u2").sum()),
        )
        fine = (
            fits
            and bool((np.frombuffer(numbers, "<u2") < model().vocabulary).all())
            and all(np.isfinite(x) and x >= 0 for x in np.frombuffer(lengths, "<f4"))
        )
        assert (key in found) == fine
    assert all(np.isfinite(model().nearest(list(found.values()), model().encode(["quince"])[0])))


# ---------------------------------------------------------------------------------------------- recall


def asked(db: MemoryDatabase) -> list[tuple[str, float, float]]:
    """The hits, with their score and that of their nearest sentence, to five places."""
    found = db.recall(QUESTION, now=NOW)
    return [
        (hit.memory.id, round(hit.score, 5), round(hit.why["sentence"].score, 5))
        for hit in found
        if "sentence" in hit.why
    ]


def test_recall_reads_no_text_whose_sentences_are_stored(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with MemoryDatabase(path, read_only=True) as db:
        assert len(stored(db)) == len(TEXTS)
        check_sentences(db)
        monkeypatch.setattr(sentence, "SELECT_TEXTS", "select no_such_column from memories")
        with_them = asked(db)
    monkeypatch.undo()
    with MemoryDatabase(path) as db:
        db.conn.execute("delete from sentences")
        assert asked(db) == with_them
        assert len(with_them) >= 3


def test_a_memory_without_stored_sentences_is_read_and_the_others_are_not(path: Path) -> None:
    with MemoryDatabase(path) as db:
        expected = asked(db)
        db.conn.execute("delete from sentences where memory_key % 2")
        db.conn.execute("update sentences set words = x'00' where memory_key = 2")
        assert asked(db) == expected


# ---------------------------------------------------------------------------------------------- changes

BY_SQL = {
    "update memories set text = 'A pear. And a plum.' where key = 1": {1},
    "update memories set title = 'Shed' where key = 2": {2},
    "delete from memories where key = 3": {3},
    "delete from embeddings where memory_key = 4": {4},
    "insert or replace into memories (key, id, kind, text, created_at, updated_at, hash) "
    "values (5, 'other', 'note', 'Other words.', '2026-01-01', '2026-01-01', '')": {5},
    "update embeddings set memory_key = 9 where memory_key = 5": {5},
    "delete from models": {1, 2, 3, 4, 5},
}


@pytest.mark.parametrize("statement", BY_SQL)
def test_what_another_program_changes_loses_its_sentences(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(statement)
    with MemoryDatabase(path) as db:
        check_sentences(db)
        assert {1, 2, 3, 4, 5} - set(stored(db)) == BY_SQL[statement]
        asked(db)


def test_text_that_changes_while_the_triggers_of_the_index_are_off_loses_its_sentences(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("insert into index_paused values ('test')")
        conn.execute("update memories set text = 'secret' where key = 1")
        assert conn.execute("select count(*) from sentences where memory_key = 1").fetchone()[0] == 0


CALLS = {
    "ingest": lambda db, id: db.ingest([{"text": "A new one. Of two.", "session": "s"}], now=NOW),
    "remember": lambda db, id: db.remember("Rosa has a pear. It is green.", now=NOW),
    "correct": lambda db, id: db.correct(id, "Rosa planted a plum. In May.", now=NOW),
    "forget": lambda db, id: db.forget(id, hard=True, now=NOW),
    "maintain": lambda db, id: db.maintain(now=NOW),
    "reindex": lambda db, id: db.reindex(),
}


@pytest.mark.parametrize("call", CALLS)
def test_every_call_leaves_the_sentences_of_the_texts(path: Path, call: str) -> None:
    with MemoryDatabase(path) as db:
        CALLS[call](db, db.conn.execute("select id from memories where key = 1").fetchone()[0])
        check_sentences(db)
        with_text = {row[0] for row in db.conn.execute("select key from memories where text <> ''")}
        assert with_text <= set(stored(db))


@pytest.mark.parametrize("upkeep", ["reindex", "maintain"])
def test_a_file_of_before_gets_them_by_reindex_or_upkeep(path: Path, upkeep: str) -> None:
    with MemoryDatabase(path) as db:
        before = stored(db)
        db.conn.execute("delete from sentences")
        CALLS[upkeep](db, "")
        assert stored(db) == before


def test_the_policy_switches_them_off_and_on(path: Path) -> None:
    with MemoryDatabase(path) as db:
        expected = asked(db)
        db.set_policy(settings={"file.sentences": "false"})
        db.remember("A pear. Another.", now=NOW)
        assert len(stored(db)) == len(TEXTS)
        db.maintain(now=NOW)
        assert stored(db) == {}
        assert [one[0] for one in asked(db) if one in expected]
        db.set_policy(settings={"file.sentences": "true"})
        db.maintain(now=NOW)
        assert len(stored(db)) == len(TEXTS) + 1


def test_another_model_has_none(path: Path) -> None:
    with MemoryDatabase(path) as db:
        reindex_vectors(db.conn, LetterEmbedder(), NOW)
        assert stored(db) == {}
    with MemoryDatabase(path, embed=LetterEmbedder()) as db:
        db.remember("A pear. Another.", now=NOW)
        assert stored(db) == {}


def test_a_copy_for_others_has_the_sentences_of_its_own_texts(path: Path, tmp_path: Path) -> None:
    with MemoryDatabase(path) as db:
        db.export(tmp_path / "all.jsonl")
    with MemoryDatabase(tmp_path / "other.db") as db:
        db.restore(tmp_path / "all.jsonl")
        assert len(stored(db)) == len(TEXTS)
        check_sentences(db)


def test_published_sentences_are_those_of_the_redacted_texts(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db") as db:
        db.ingest([{"text": "Zebediah planted a quince. He lives at sea.", "project": "garden"}], now=NOW)
        (own,) = stored(db).values()
        db.publish(tmp_path / "out", project="garden", redact=["Zebediah"], now=NOW)
    (file,) = (tmp_path / "out").rglob("*.db")
    with MemoryDatabase(file, read_only=True) as db:
        assert "Zebediah" not in db.conn.execute("select text from memories").fetchone()[0]
        (published,) = stored(db).values()
        check_sentences(db)
    assert own.words != published.words


def test_the_doctor_finds_damaged_ones_and_mends_them(path: Path) -> None:
    with MemoryDatabase(path) as db:
        before = stored(db)
        db.conn.execute("update sentences set lengths = x'00' where memory_key = 1")
    assert ("sentences", "broken") in [(check.name, check.state) for check in doctor(path).checks]
    doctor(path, fix=True)
    assert "sentences" not in [check.name for check in doctor(path).checks]
    with MemoryDatabase(path) as db:
        assert stored(db) == before


def test_an_older_file_is_migrated_or_read_as_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        for kind, name in conn.execute("select type, name from sqlite_master where name like 'sentences%'").fetchall():
            if kind == "trigger":
                conn.execute(f"drop trigger {name}")
        conn.execute("drop table sentences")
        conn.execute("delete from _sqlite_migrations where name = 'm006_sentences'")
        conn.execute("pragma user_version = 5")
    with MemoryDatabase(path, read_only=True) as db:
        read = asked(db)
    assert len(read) >= 3
    with MemoryDatabase(path) as db:
        assert db.conn.execute("pragma user_version").fetchone()[0] == schema.VERSION
        assert asked(db) == read
        db.maintain(now=NOW)
        assert len(stored(db)) == len(TEXTS)
        assert asked(db) == read


def test_no_more_than_the_stored_sentences_are_asked_for(path: Path) -> None:
    with MemoryDatabase(path) as db:
        assert sentences.stored(db.conn, 1, [1, 99]).keys() == {1}
        assert sentences.stored(db.conn, 2, [1]) == {}
