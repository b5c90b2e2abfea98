"""Word scores: what is computed for a word is what bm25() says of an index with a column for each neighbour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NOW
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import IndexDamaged
from memkit.retrieval.channels import fulltext, neighbours, word_scores
from memkit.retrieval.strategies import MEMKIT, OWN_TEXT, Fulltext
from memkit.storage import caches
from memkit.storage.driver import sqlite3
from memkit.storage.filters import Scope
from memkit.storage.schema import _script
from memkit.text.words import bigrams, characters, cjk_terms, has_cjk, quoted

WEIGHTS = MEMKIT.fulltext.columns  # type: ignore[union-attr]
SETTINGS = Fulltext(columns=WEIGHTS, common=10)
WORDS = ["quince", "quinces", "plum", "planting", "planted", "Zürich", "zurich", "the", "x" * 130]
TERMS = [*WORDS, "nowhere", "another", "the plum", "e-mail", "…", ""]
TEXT = st.lists(st.sampled_from([*WORDS, "e-mail", "e mail"]), min_size=1, max_size=12).map(" ".join)
ROW = st.fixed_dictionaries(
    {
        "text": TEXT,
        "session": st.sampled_from(["a", "b"]),
        "speaker": st.sampled_from(["Ann", "plum"]),
        "title": st.sampled_from([None, "the plum"]),
    }
)
SELECT_ROWS = "select key, text, coalesce(title, ''), coalesce(speaker, ''), document_key, position from memories"


def around(row: Sequence[Any], rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """The two memories before and after one in its document."""
    return [
        other for other in rows if other[0] != row[0] and other[4] == row[4] is not None and abs(other[5] - row[5]) <= 2
    ]


def beginning(text: str) -> str:
    """As many of the words as stand in 600 characters, by the spaces between them."""
    words = re.findall(r"\w+", text)
    share = (600 + 50 * text[:600].count(" ")) / (len(text) + 50 * text.count(" ")) if len(text) > 600 else 1
    return " ".join(words[: round(len(words) * share)])


def by_bm25(db: MemoryDatabase, index: str, term: str, weights: tuple[float, ...]) -> list[tuple[int, float]]:
    """What FTS5 itself says of a term, in an index that has each neighbour's words in a column."""
    rows = db.conn.execute(SELECT_ROWS).fetchall()
    tokenizer = word_scores.INDEXES[index].tokenizer
    conn = sqlite3.connect(":memory:")
    conn.execute(f"create virtual table t using fts5(text, title, other, a, b, c, d, tokenize='{tokenizer}')")
    for row in rows:
        key, text, title, speaker = row[:4]
        if index == "fts":
            values = [text, title, speaker, *(beginning(one[1]) for one in around(row, rows))]
        else:  # which has no row for a memory without such characters
            own = [bigrams(text), bigrams(title), characters(text)] if has_cjk(text + title) else [""] * 3
            values = [*own, *(bigrams(one[1]) for one in around(row, rows) if has_cjk(one[1] + one[2]))]
        if not any(value.strip() for value in values):
            continue
        values += [""] * (7 - len(values))
        conn.execute(
            "insert into t (rowid, text, title, other, a, b, c, d) values (?, ?, ?, ?, ?, ?, ?, ?)", [key, *values]
        )
    other = weights[2] if index == "fts" else word_scores.CHARACTERS * weights[0]
    of_columns = ", ".join(map(str, (*weights[:2], other, *[weights[4]] * 4)))
    query = f"select rowid, -bm25(t, {of_columns}) from t where t match ?"
    found = conn.execute(query, (term.replace("characters :", "other :"),)).fetchall()
    return [tuple(row) for row in found]


def check_scores(db: MemoryDatabase, terms: Sequence[str], weights: tuple[float, ...], index: str = "fts") -> None:
    """Asserts that memories and scores of these terms are those of bm25()."""
    near = neighbours.build(db.conn, None)
    for term in terms:
        expected = by_bm25(db, index, term, weights)
        keys, scores = word_scores.postings(db.conn, index, term, weights, near, *near.found_by(index))
        assert keys.tolist() == [key for key, _ in expected]
        assert keys.dtype == np.int32
        assert np.allclose(scores, [score for _, score in expected], rtol=1e-9, atol=0)


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(ROW, min_size=1, max_size=12), st.lists(st.integers(0, 11), max_size=4))
@example(
    [
        {"text": "quince " * 300 + "plum", "session": "a", "speaker": "Ann"},
        {"text": "plum", "session": "a", "speaker": "plum"},
    ],
    [],
)
def test_scores_are_those_of_bm25_also_after_changes(rows: list[dict[str, str]], changed: list[int]) -> None:
    terms = list(map(quoted, TERMS))
    with MemoryDatabase(embed="none") as db:
        db.ingest([{**row, "id": str(n)} for n, row in enumerate(rows)], now=NOW)
        for n in changed:
            db.ingest([{"id": str(n), "text": f"plum {n} in another place", "session": "a"}], now=NOW)
        check_scores(db, terms, WEIGHTS)
        check_scores(db, terms, OWN_TEXT)
        check_scores(db, terms, (1.0, 3.0, 0.5, 1.0, 0.2))
        for id in [hit.memory.id for hit in db.recall("plum", k=2, now=NOW)]:
            db.forget(id, hard=True, now=NOW)
        check_scores(db, terms, WEIGHTS)


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    st.lists(st.sampled_from(["梅の木", "北京のコーヒー", "a plum", "梅", "iPhone13を買った"]), min_size=1, max_size=8)
)
def test_pairs_of_characters_are_scored_likewise(texts: list[str]) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": text, "session": "s", "title": texts[-1]} for text in texts], now=NOW)
        check_scores(db, cjk_terms("梅の木と北京 iPhone"), WEIGHTS, "cjk")


def test_long_texts_have_lengths_of_several_bytes() -> None:
    with MemoryDatabase(embed="none") as db:
        texts = ["quince " * 40, "quince " + "plum " * 1_500, "quince " + "pear " * 20_000]
        for n, text in enumerate(texts):
            db.conn.execute(
                "insert into memories (id, text, created_at, updated_at, hash) values (?, ?, '', '', '')",
                (str(n), text),
            )
        assert neighbours.build(db.conn, None).lengths_by_key("fts") == {
            n: len(text.split()) for n, text in enumerate(texts, 1)
        }


def test_the_tokenizers_are_those_of_the_indexes() -> None:
    for index in word_scores.INDEXES.values():
        assert f"tokenize = '{index.tokenizer}'" in _script("schema.sql")


@pytest.fixture
def told(tmp_path: Path) -> Path:
    with MemoryDatabase(tmp_path / "memory.db") as db:
        db.ingest(
            [{"text": f"{WORDS[n % 7]} and {WORDS[n % 5]} at {n}", "session": f"s{n // 9}"} for n in range(80)], now=NOW
        )
    return tmp_path / "memory.db"


def test_a_connection_that_may_write_nothing_asks_for_places_all_the_same(told: Path) -> None:
    with MemoryDatabase(told, read_only=True) as db:
        expected = [(hit.memory.id, hit.score) for hit in db.recall("plum in Zürich", now=NOW)]
    with MemoryDatabase(told, read_only=True) as db:
        db.conn.execute("pragma query_only = on")
        caches.forget(db.conn)
        assert [(hit.memory.id, hit.score) for hit in db.recall("plum in Zürich", now=NOW)] == expected
        assert db.conn.execute("pragma query_only").fetchone()[0] == 1


def test_without_places_each_memory_has_a_word_once(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_scores, "make_places", lambda conn: False)
    with MemoryDatabase(told, read_only=True) as db:
        caches.forget(db.conn)
        found = fulltext.search(db.conn, ["30"], [], Scope(NOW), SETTINGS, limit=9)
        texts = {row[0]: row[1] for row in db.conn.execute("select key, text from memories")}
        assert [texts[key].split()[-1] for key in found] == ["30", "28", "29", "31", "32"]


def test_within_a_transaction_the_words_of_its_rows_are_found(told: Path) -> None:
    with MemoryDatabase(told) as db:
        db.recall("medlar", now=NOW)
        db.conn.execute("begin")
        db.conn.execute("update memories set text = 'a medlar' where key = 7")
        found = fulltext.search(db.conn, ["medlar"], [], Scope(NOW), SETTINGS, limit=9)
        assert next(iter(found)) == 7
        db.conn.execute("rollback")
        assert not fulltext.search(db.conn, ["medlar"], [], Scope(NOW), SETTINGS, limit=9)


@pytest.mark.parametrize(
    "change",
    [
        "delete from memories_fts_docsize",
        "delete from memories_fts_docsize where id > 3",
        "update memories_fts_docsize set sz = x''",
        "insert into memories_fts_docsize (id, sz) values (-4, x'01')",
        f"insert into memories_fts_docsize (id, sz) values ({2**53}, x'01')",
        "update memories_fts_data set block = x'' where id = 1",
        "delete from memories_fts_data where id = 1",
    ],
)
def test_an_index_that_another_program_changed_is_called_damaged_or_finds(told: Path, change: str) -> None:
    with MemoryDatabase(told) as db:
        db.conn.execute(change)
        db.conn.execute("delete from text_blocks")
        with suppress(IndexDamaged):
            found = fulltext.search(db.conn, ["plum"], [], Scope(NOW), SETTINGS, limit=5)
            assert len(found) == 5
