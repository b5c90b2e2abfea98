"""Word scores: what is computed for a word is what FTS5's bm25() says, and recall finds the same."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from conftest import NOW
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import IndexDamaged
from memkit.retrieval.channels import fulltext, word_scores
from memkit.retrieval.strategies import MEMKIT, OWN_TEXT
from memkit.storage import caches
from memkit.storage.filters import Scope
from memkit.storage.schema import _script
from memkit.text.words import quoted

WEIGHTS = MEMKIT.fulltext.columns  # type: ignore[union-attr]
WORDS = ["quince", "quinces", "plum", "planting", "planted", "Zürich", "zurich", "the", "x" * 130]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
ROW = st.fixed_dictionaries(
    {"text": TEXT, "session": st.sampled_from(["a", "b"]), "speaker": st.sampled_from(["Ann", "plum"])}
)


def check_scores(db: MemoryDatabase, words: list[str], weights: tuple[float, ...] = WEIGHTS) -> None:
    """Asserts that rows and scores of these words are those of bm25()."""
    computed = word_scores.WordScores()
    for word in words:
        rows, scores = fulltext._look_up(db.conn, fulltext.SEARCH, quoted(word), weights)
        found = computed.postings(db.conn, quoted(word), weights)
        assert found is not None
        assert np.array_equal(found[0], rows)
        assert found[0].dtype == rows.dtype
        assert np.allclose(found[1], scores, rtol=1e-12, atol=0)


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(ROW, min_size=1, max_size=12), st.lists(st.integers(0, 11), max_size=4))
@example(
    [{"text": "quince " * 300, "session": "a", "speaker": "Ann"}, {"text": "plum", "session": "a", "speaker": "plum"}],
    [],
)
def test_scores_are_those_of_bm25_also_after_changes(rows: list[dict[str, str]], changed: list[int]) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{**row, "id": str(n)} for n, row in enumerate(rows)], now=NOW)
        for n in changed:
            db.ingest([{"id": str(n), "text": f"plum {n} in another place", "session": "a"}], now=NOW)
        check_scores(db, [*WORDS, "nowhere", "another"])
        check_scores(db, WORDS, OWN_TEXT)
        for id in [hit.memory.id for hit in db.recall("plum", k=2, now=NOW)]:
            db.forget(id, hard=True, now=NOW)
        if db.conn.execute("select count(*) from memories_fts").fetchone()[0]:
            check_scores(db, WORDS)


def test_long_texts_have_lengths_of_several_bytes() -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(["quince " * 40, "quince " + "plum " * 1_500, "quince " + "pear " * 20_000], now=NOW)
        check_scores(db, ["quince", "plum", "pear"])
        rows = db.conn.execute("select key, text from memories order by key").fetchall()
        _, of = word_scores._lengths(db.conn, np.array([row[0] for row in rows]))
        assert of.tolist() == [len(row[1].split()) for row in rows]


def test_the_tokenizer_is_that_of_the_index() -> None:
    assert f"tokenize = '{word_scores.TOKENIZER}'" in _script("schema.sql")


@pytest.mark.parametrize("term", ["e-mail", "don't", "", "…", "two words", 'say "no"'])
def test_a_term_of_several_words_or_none_is_left_to_bm25(term: str) -> None:
    assert word_scores.token_of(quoted(term)) is None


@pytest.fixture
def told(tmp_path: Path) -> Path:
    with MemoryDatabase(tmp_path / "memory.db") as db:
        db.ingest(
            [{"text": f"{WORDS[n % 7]} and {WORDS[n % 5]} at {n}", "session": f"s{n // 9}"} for n in range(80)], now=NOW
        )
    return tmp_path / "memory.db"


def test_recall_finds_the_same_with_computed_scores(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = ["who planted the quince in Zürich?", "plum at 7", "when was planting?"]
    found = []
    monkeypatch.setattr(fulltext, "FEW", 0)
    for computed in (True, False):
        if not computed:
            monkeypatch.setattr(word_scores, "_is_own", lambda conn: False)
        with MemoryDatabase(told, read_only=True) as db:
            caches.forget(db.conn)
            asked = [db.recall(one, now=NOW) for one in (*questions, *questions[::-1])]
            found.append(
                [[(hit.memory.id, round(hit.score, 9), round(hit.confidence, 9)) for hit in one] for one in asked]
            )
            terms, _ = fulltext._terms(db.conn)
            assert (terms.words._lengths is not None) == computed
    assert found[0] == found[1]


def test_a_rare_word_is_scored_by_bm25(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(word_scores.WordScores, "postings", lambda self, conn, term, weights: asked.append(term))
    monkeypatch.setattr(fulltext, "FEW", 20)
    with MemoryDatabase(told, read_only=True) as db:
        caches.forget(db.conn)
        db.recall("quince or 17", now=NOW)
        assert asked == ['"quince"']


def test_within_a_transaction_bm25_scores(told: Path) -> None:
    with MemoryDatabase(told) as db:
        computed = word_scores.WordScores()
        db.conn.execute("begin")
        assert computed.postings(db.conn, '"plum"', WEIGHTS) is None
        db.conn.execute("rollback")
        assert computed.postings(db.conn, '"plum"', (1.0, 2.0, 1.0, 1.0, 0.3)) is None


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
def test_an_index_that_another_program_changed_is_left_to_bm25(told: Path, change: str) -> None:
    with MemoryDatabase(told) as db:
        db.conn.execute(change)
        assert word_scores.WordScores().postings(db.conn, '"plum"', WEIGHTS) is None
        with suppress(IndexDamaged):
            fulltext.search(db.conn, ["plum"], [], Scope(NOW), limit=5, weights=WEIGHTS, common=10)


@pytest.mark.parametrize("at_once", [7, 1 << 15])
def test_after_many_look_ups_all_lengths_are_read_and_none_again(
    told: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(word_scores, "AT_ONCE", at_once)
    with MemoryDatabase(told) as db:
        db.conn.execute("delete from memories where key in (2, 40)")
        computed, asked = word_scores.WordScores(), []
        db.conn.set_trace_callback(lambda sql: asked.append("memories_fts_docsize as d" in sql))
        for word in ("7", "30", "plum", "quince", "the"):  # few have the first two, many the others
            computed.postings(db.conn, quoted(word), WEIGHTS)
        db.conn.set_trace_callback(None)
        assert sum(asked) == 2
        assert computed._lengths is not None
        assert np.flatnonzero(computed._lengths).tolist() == [n for n in range(1, 81) if n not in (2, 40)]
        check_scores(db, WORDS)
