"""What each channel hands to the ranking: which memories, with which scores, and why it did not run."""

from __future__ import annotations

from typing import Any

import pytest
from published_helpers import Angles, database, key

from memkit import STRATEGIES, MemoryDatabase
from memkit.core.instants import parse_iso
from memkit.retrieval import retrievers
from memkit.retrieval.channels import recent
from memkit.retrieval.channels.facts import Connected
from memkit.retrieval.retrievers import Found, Search
from memkit.retrieval.strategies import Strategy
from memkit.retrieval.understanding import understand
from memkit.storage.filters import Scope

NOW = "2026-03-01T12:00:00Z"
SCOPE = Scope(NOW)


def search(db: MemoryDatabase, text: str, strategy: Strategy, k: int = 10) -> Search:
    question = understand(db.conn, text, db.embedder, strategy, parse_iso(NOW))
    return Search(db.conn, question, strategy, SCOPE, k, db.embedder)


def words(db: MemoryDatabase, text: str, k: int = 10, **settings: Any) -> Found:
    """What the channel of words finds; its settings are those of the default, unless given."""
    found = Found()
    retrievers.find_words(search(db, text, STRATEGIES["memkit"].replace(fulltext=settings), k), found)
    return found


def test_words_find_what_has_a_score_and_as_many_as_are_wanted() -> None:
    db = database([f"quince {'tea ' * n}" for n in range(6)], embed="none")
    found = words(db, "quince")
    assert found.states == {"fulltext": "ran"}
    assert found.searched == 6
    assert list(found.rankings) == ["fulltext"]
    assert len(found.rankings["fulltext"]) == 6
    assert min(found.rankings["fulltext"].values()) > 0
    assert len(words(db, "quince", k=2, limit=4).rankings["fulltext"]) == 4
    assert len(words(db, "quince", k=5, limit=4).rankings["fulltext"]) == 5
    assert words(db, "quince", aside=0.0).rankings["fulltext"] == found.rankings["fulltext"]
    assert words(db, "?!").states == {"fulltext": "the question has no word"}


def test_words_beside_the_question_count_as_the_strategy_says() -> None:
    db = database(["the oven broke", "who repairs ovens", "a boat", "the sea"], embed="none")
    text = "My boat broke. Who repairs ovens?"
    whole, half, none = (words(db, text, aside=aside).rankings["fulltext"] for aside in (1.0, 0.5, 0.0))
    boat = key(db, "m3")
    assert half[boat] == pytest.approx(whole[boat] / 2)
    assert boat not in none
    assert half[key(db, "m2")] == pytest.approx(whole[key(db, "m2")])


def meaning(
    db: MemoryDatabase, k: int = 10, before: dict[str, dict[int, float]] | None = None, **settings: Any
) -> Found:
    found = Found(rankings=dict(before or {}))
    retrievers.find_meaning(search(db, "a boat", STRATEGIES["memkit"].replace(vector=settings), k), found)
    return found


def test_meaning_finds_what_is_near_enough_best_first_and_as_many_as_are_wanted() -> None:
    db = database([f".{n}0 of it" for n in range(1, 10)], Angles())
    scores = meaning(db, threshold=0.3, complete=False).rankings["vector"]
    assert list(scores) == [key(db, f"m{n}") for n in range(9, 2, -1)]
    assert list(scores.values()) == pytest.approx([n / 10 for n in range(9, 2, -1)], abs=1e-6)
    exact = scores[key(db, "m3")]
    assert len(meaning(db, threshold=exact, complete=False).rankings["vector"]) == 7, "a threshold that is reached"
    assert len(meaning(db, threshold=exact + 1e-6, complete=False).rankings["vector"]) == 6
    assert len(meaning(db, k=2, limit=4, threshold=-1.0, complete=False).rankings["vector"]) == 4
    assert len(meaning(db, k=5, limit=4, threshold=-1.0, complete=False).rankings["vector"]) == 5
    assert meaning(db, limit=0).rankings == meaning(db, limit=0).states == {}
    far = {"fulltext": {key(db, "m1"): 1.0}}
    assert key(db, "m1") in meaning(db, k=1, limit=1, before=far, complete=True).rankings["vector"]
    assert key(db, "m1") not in meaning(db, k=1, limit=1, before=far, complete=False).rankings["vector"]


def test_a_procedure_is_as_near_as_its_text_or_its_trigger() -> None:
    rows = [{"text": f".{n}0 steps", "kind": "procedure", "trigger": f".{9 - n}0 when"} for n in (2, 8)]
    db = database(rows, Angles())
    scores = meaning(db, threshold=0.0).rankings["vector"]
    assert {key: round(score, 4) for key, score in scores.items()} == {key(db, "m1"): 0.7, key(db, "m2"): 0.8}


def test_a_walk_that_appends_adds_what_no_other_channel_found_and_so_many_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walked = Connected({1: 0.5, 2: 0.4, 3: 0.3, 4: 0.2, 5: 0.1}, {}, {7: None})  # type: ignore[dict-item]
    monkeypatch.setitem(retrievers.RELATION_WALKS, "construct", lambda *given: walked)
    db, strategy = database(embed="none"), STRATEGIES["construct"]
    for append, expected in ((0, walked.ranking), (2, {1: 0.5, 3: 0.3}), (9, {1: 0.5, 3: 0.3, 5: 0.1})):
        found = Found(rankings={"fulltext": {2: 9.0, 0.3: 1.0}, "vector": {4: 0.9}})
        changed = strategy.replace(graph={"append": append})
        retrievers.find_connections(search(db, "a boat", changed), found)
        assert found.rankings["graph"] == expected
        assert (found.states["graph"], found.connected) == ("ran", walked)
    found = Found(rankings={"fulltext": dict.fromkeys(range(1, 6), 1.0)})
    retrievers.find_connections(search(db, "a boat", strategy), found)
    assert "graph" not in found.rankings, "nothing that others did not find"
    monkeypatch.setitem(retrievers.RELATION_WALKS, "construct", lambda *given: Connected({}, {}, {}))
    retrievers.find_connections(search(db, "a boat", strategy), nothing := Found())
    assert nothing.states == {"graph": "nothing in the question leads into the graph"}


@pytest.mark.parametrize(("weight", "among"), [(0.1, True), (0.0, False)])
def test_C06_the_newest_are_a_ranking_by_their_place_or_stand_beside_the_hits(weight: float, among: bool) -> None:
    db = database([{"text": f"note {n}", "timestamp": f"2026-01-0{n}"} for n in range(1, 5)], embed="none")
    newest = [key(db, f"m{n}") for n in (4, 3, 2)]
    strategy = STRATEGIES["memkit"].replace(recent={"weight": weight, "limit": 3})
    retrievers.find_recent(search(db, "a note", strategy), found := Found())
    assert found.states == {"recent": "ran"}
    assert found.recent == (() if among else tuple(newest))
    assert found.rankings == ({"recent": dict(zip(newest, (1.0, 1 / 2, 1 / 3), strict=True))} if among else {})
    retrievers.find_recent(search(db, "a note", STRATEGIES["memkit"]), off := Found())
    assert off.states == {}


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 5, 6, 9])
def test_C03_the_newest_with_a_time_come_first_and_then_those_without(limit: int) -> None:
    db = database([{"text": f"note {n}", "timestamp": f"2026-01-0{n}"} for n in range(1, 4)], embed="none")
    undated = [{"id": f"u{n}", "text": f"undated {n}", "document": "notes"} for n in range(1, 4)]
    db.ingest(undated, now="2026-02-01T00:00:00Z")
    order = [key(db, name) for name in ("m3", "m2", "m1", "u3", "u2", "u1")]
    assert recent.search(db.conn, SCOPE, limit=limit) == order[:limit]


def test_a_memory_is_as_similar_as_its_nearest_part_and_words_are_of_all_lists() -> None:
    found = Found(
        rankings={
            "fulltext facts": {1: 3.0, 2: 2.0},
            "fulltext": {2: 5.0, 3: 1.0},
            "vector": {1: 0.2, 4: -0.5},
            "sentence": {1: 0.6, 5: 0.1},
        }
    )
    assert [found.similarity(one) for one in (1, 4, 5, 9)] == [0.6, 0.0, 0.1, 0.0]
    assert found.words() == {1: 3.0, 2: 2.0, 3: 1.0}
    assert [retrievers.channel_of(name) for name in found.rankings] == ["fulltext", "fulltext", "vector", "sentence"]
