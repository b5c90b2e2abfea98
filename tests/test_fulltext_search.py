"""The search by words against SQLite: what BM25 says of all words at once, and the best of what a scope allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.channels import fulltext
from memkit.retrieval.channels.word_forms import as_asked
from memkit.retrieval.strategies import Fulltext
from memkit.storage.filters import Scope
from memkit.text.words import quoted

NOW = "2026-03-01T12:00:00Z"
WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.3)
WORDS = ("quince", "plum", "medlar", "tea", "boat", "harbour")
ORACLE = "select rowid, -bm25(memories_fts) from memories_fts where memories_fts match ?"
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=12)
SOME = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True)


def found(db: MemoryDatabase, words: Sequence[str], limit: int = 50, **others: object) -> dict[int, float]:
    given = {name: others.pop(name) for name in ("common", "aside", "forms") if name in others}
    settings = Fulltext(columns=WEIGHTS, **{"common": 1000, **given})  # type: ignore[arg-type]
    cjk = others.pop("cjk", ())
    return fulltext.search(db.conn, words, cjk, Scope(NOW), settings, limit=limit, **others)  # type: ignore[arg-type]


def by_sqlite(db: MemoryDatabase, words: Sequence[str]) -> list[tuple[int, float]]:
    """Key and BM25 score of each memory with any of the words, best first; of equals the lower key."""
    query = " OR ".join(f'"{word}"' for word in words)
    return sorted(map(tuple, db.conn.execute(ORACLE, (query,))), key=lambda row: (-round(row[1], 9), row[0]))


@settings(max_examples=10)  # each makes a database
@given(TEXTS, SOME, st.integers(1, 12))
def test_the_score_of_several_words_is_sqlites_and_the_best_come_first(
    texts: list[str], words: list[str], limit: int
) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": text} for text in texts])
        expected = by_sqlite(db, words)
        ours = found(db, words, limit)
        assert ours == pytest.approx(dict(expected[:limit]))
        assert list(ours.values()) == sorted(ours.values(), reverse=True)
        among = [key for key, _ in expected if key % 2]
        assert found(db, words, limit, among=among) == pytest.approx(
            dict([row for row in expected if row[0] % 2][:limit])
        )


def test_a_word_said_aside_counts_less_and_one_that_all_have_not_at_all() -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": text} for text in ("quince tea", "plum tea", "tea", "boat", "a harbour", "the sea")])
        alone = {word: found(db, [word])[1] for word in ("quince", "tea")}
        assert found(db, ["quince", "tea"])[1] == pytest.approx(alone["quince"] + alone["tea"])
        aside = found(db, ["quince", "tea"], asides=frozenset({"tea"}), aside=0.25)
        assert aside[1] == pytest.approx(alone["quince"] + alone["tea"] / 4)
        assert list(found(db, ["quince", "tea"], common=2)) == [1], "what three have is left out beside a rarer word"
        assert list(found(db, ["tea"], common=2)) == [3, 1, 2], "but not where there is no other"


def test_what_both_indexes_have_counts_by_the_better_one() -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(
            [{"text": text} for text in ("Tokyo 東京 and tea", "京都 and a temple", "a boat", "the sea", "a harbour")]
        )
        tokyo, kyoto = quoted("東京"), quoted("京都")
        words, signs = found(db, ["tokyo"]), found(db, [], cjk=[tokyo])
        assert set(words) == set(signs) == {1}
        assert found(db, ["tokyo"], cjk=[tokyo]) == {1: pytest.approx(max(words[1], signs[1]))}
        assert found(db, ["boat"], cjk=[kyoto]).keys() == {2, 3}
        assert len(found(db, ["boat"], limit=1, cjk=[kyoto])) == 1
        assert found(db, [], cjk=[]) == {}


def postings(*pairs: tuple[int, float]) -> fulltext.Postings:
    return np.array([key for key, _ in pairs], np.int32), np.array([score for _, score in pairs], np.float64)


def test_the_scores_of_a_memory_are_added_in_the_order_of_the_terms() -> None:
    one, two, three = postings((2, 1.0), (5, 2.0)), postings((1, 4.0), (5, 8.0)), postings((5, 16.0), (9, 32.0))
    keys, scores = fulltext._sums([one, two, three])
    assert dict(zip(keys.tolist(), scores.tolist(), strict=True)) == {1: 4.0, 2: 1.0, 5: 26.0, 9: 32.0}
    assert keys.tolist() == [1, 2, 5, 9]
    assert fulltext._sums([two]) is two
    keys, scores = fulltext._sums([postings((-3, 1.0), (-1, 2.0)), postings((-1, 4.0))])
    assert (keys.tolist(), scores.tolist()) == ([-3, -1], [1.0, 6.0])


def test_a_term_says_which_memories_have_it_also_of_keys_that_are_too_large_for_its_own() -> None:
    term = fulltext.TermPostings(*postings((2, 1.0), (5, 2.0)), rarity=1.0)
    asked = [1, 2, 2**32 + 5, 5, 9]
    assert term.has(asked).tolist() == [False, True, False, True, False]
    assert np.nan_to_num(term.of(asked)).tolist() == [0.0, 1.0, 0.0, 2.0, 0.0]
    none = fulltext.TermPostings(*postings(), rarity=1.0)
    assert (none.has(asked).tolist(), np.isnan(none.of(asked)).all()) == ([False] * 5, True)


@pytest.fixture(scope="module")
def many() -> Iterator[MemoryDatabase]:
    """A hundred memories of which every third is archived."""
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": f"note {n}"} for n in range(100)])
        db.conn.execute("update memories set archived_at = ? where key % 3 = 0", (NOW,))
        yield db


@given(st.lists(st.integers(0, 6), min_size=1, max_size=100), st.integers(1, 40), st.integers(0, 90))
def test_the_best_that_a_scope_allows_whatever_stands_before_them(
    many: MemoryDatabase, scores: list[int], limit: int, hidden: int
) -> None:
    """The first `hidden` have the best scores and every third of them is hidden: the search has to look again."""
    ranked = [float(score + (10 if n < hidden else 0)) for n, score in enumerate(scores, 1)]
    expected = sorted(
        ((key, score) for key, score in enumerate(ranked, 1) if key % 3), key=lambda one: (-one[1], one[0])
    )
    keys = np.arange(1, len(ranked) + 1, dtype=np.int32)
    assert fulltext._best(many.conn, keys, np.array(ranked), Scope(NOW), limit) == expected[:limit]


def test_the_first_look_takes_twice_as_many_as_are_wanted_and_the_next_four_times_more(
    many: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []

    def none_allowed(conn: object, keys: list[int], scope: Scope) -> set[int]:
        looked.append(len(keys))
        return set()

    monkeypatch.setattr(fulltext, "eligible_among", none_allowed)
    keys = np.arange(100, dtype=np.int32)
    assert fulltext._best(many.conn, keys, np.linspace(1, 2, 100), Scope(NOW), 3) == []
    assert looked == [6, 24, 70]


FORMS = ("table", "tables", "quince", "quinces")


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.lists(st.sampled_from(FORMS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=8),
    asked=st.lists(st.sampled_from(FORMS), min_size=1, max_size=3, unique=True),
    share=st.sampled_from((0.0, 0.5, 1.0)),
)
def test_a_word_counts_its_share_where_only_another_form_of_it_stands(texts, asked, share) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": f"m{n}", "text": text} for n, text in enumerate(texts)], now=NOW)
        held = {memory.key: memory.text.split() for memory in db}
        expected = dict.fromkeys(held, 0.0)
        for word in asked:
            for key, score in by_sqlite(db, [word]):
                expected[key] += score * (1 if word in held[key] else share)
        got = found(db, asked, forms=share)
        assert {key: got.get(key, 0.0) for key in held} == pytest.approx(expected)
        assert list(got.values()) == sorted(got.values(), reverse=True)


@pytest.mark.parametrize(
    ("word", "text", "there"),
    [
        ("cafe", "The Café of old", True),
        ("TABLE", "a table.", True),
        ("table", "two tables", False),
        ("table", "a user_table", True),
        ("able", "a table", False),
        ("e-mail", "an e mail", True),
        ("e-mail", "mail, e", False),
    ],
)
def test_a_word_is_there_as_it_is_asked_whatever_its_case_and_accents(word, text, there) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": text}], now=NOW)
        (memory,) = db
        assert as_asked(db.conn, [word], [memory.key]).tolist() == [[there]]


def test_forms_of_words_are_looked_for_in_title_speaker_and_tags_too() -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": "a", "title": "Tables", "speaker": "Mina", "tags": ["quinces"]}], now=NOW)
        (memory,) = db
        words = ["tables", "mina", "quinces", "quince"]
        assert as_asked(db.conn, words, [memory.key])[:, 0].tolist() == [True, True, True, False]


def test_of_sixteen_times_as_many_as_are_wanted_the_forms_are_compared() -> None:
    with MemoryDatabase(embed="none") as db:
        rows = [{"text": "tables"} for _ in range(15)] + [{"text": "a table with a long cloth on it and more"}]
        db.ingest([{"id": f"m{n}", **row} for n, row in enumerate(rows)], now=NOW)
        keys = {memory.source_id: memory.key for memory in db}
        assert list(found(db, ["table"], limit=1, forms=0.1)) == [keys["m15"]]
        db.ingest([{"id": "m16", "text": "tables"}], now=NOW)
        assert list(found(db, ["table"], limit=1, forms=0.1)) != [keys["m15"]], "it is the seventeenth"
