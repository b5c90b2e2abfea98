"""Turns between people: whose turn it is, whether it tells or asks, and how much it says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.turns import MOST_CHARACTERS, asking, length

NOW = "2026-03-01T12:00:00Z"
PLAIN = {"speaker": 1.0, "asking": 1.0, "length": 0.0}
TALK = [
    ("Anna", "Good to hear you! I have been to the harbour."),
    ("Ben", "The harbour of Oslo, Anna! What is Oslo like, Anna?"),
    ("Anna", "The harbour of Oslo is cold, the town is warm, and I love it."),
    ("Ben", "I stayed at home, and painted my kitchen green."),
    *[("Ben", "I cook rice."), ("Carl", "We play cards."), ("Ben", "The cat sleeps.")] * 3,
]


def chat(*turns: tuple[str, str]) -> MemoryDatabase:
    """One conversation, without vectors."""
    db = MemoryDatabase(embed="none")
    rows = [
        {"id": f"t{n}", "text": text, "speaker": who, "session": "s", "kind": "turn"}
        for n, (who, text) in enumerate(turns, 1)
    ]
    db.ingest(rows, now=NOW)
    return db


def boosts(db: MemoryDatabase, question: str, **rank: Any) -> dict[str, dict[str, float]]:
    """The boosts of each hit, by source id."""
    found = db.recall(question, 10, strategy={"rank": {**PLAIN, **rank}}, now=NOW)
    return {str(hit.memory.source_id): dict(hit.boosts) for hit in found}


def test_the_turns_of_the_one_speaker_whom_the_question_names_are_before_those_that_address_them() -> None:
    with chat(*TALK) as db:
        question = "What does Anna say about the harbour of Oslo?"
        best = [db.recall(question, strategy={"rank": rank, "graph": None}, now=NOW)[0] for rank in (PLAIN, {})]
        assert [hit.memory.source_id for hit in best] == ["t2", "t1"]
        found = boosts(db, question, speaker=1.25)
        assert {name for name, factors in found.items() if factors.get("speaker") == 1.25} == {"t1", "t3"}
        assert all("speaker" not in factors for factors in boosts(db, "Is it cold in Oslo?", speaker=1.25).values())
        both = boosts(db, "What do Anna and Ben say about Oslo?", speaker=1.25)
        assert all("speaker" not in factors for factors in both.values())


def test_i_in_a_question_is_the_user_whose_turns_these_are() -> None:
    with chat(*TALK) as db:
        db.me("Anna")
        found = boosts(db, "What did I say about the harbour?", speaker=1.25)
        assert {name for name, factors in found.items() if "speaker" in factors} == {"t1", "t3"}


def test_a_turn_that_asks_counts_less_and_a_longer_one_more() -> None:
    with chat(("Anna", "Oslo?"), ("Ben", "Oslo " + "and the sea, the boats and the light " * 10 + ".")) as db:
        found = boosts(db, "Oslo", asking=0.7, length=0.15)
        assert found["t1"]["asking"] == 0.7
        assert found["t1"]["length"] < 1 < found["t2"]["length"]
        assert "asking" not in found["t2"]


@pytest.mark.parametrize("speaker", ["user", "assistant", "Human", None])
def test_notes_and_turns_with_an_assistant_are_left_alone(speaker: str | None) -> None:
    """Who asks an assistant for advice tells of himself; and a note has no turns."""
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": "a", "text": "Where in Oslo should I live?", "speaker": speaker}], now=NOW)
        (hit,) = db.recall("Oslo", now=NOW)
        assert hit.boosts == {}


def test_the_published_designs_know_no_turns() -> None:
    with chat(*TALK) as db:
        for name in ("construct", "kira", "slots", "membox", "engram"):
            for hit in db.recall("What does Anna say about Oslo?", strategy=name, now=NOW):
                assert not {"speaker", "asking", "length"} & set(hit.boosts), name


@given(st.text(max_size=200), st.floats(0, 2), st.floats(0, 1))
def test_any_text_has_factors_in_range(text: str, factor: float, power: float) -> None:
    low, high = sorted((1.0, factor))
    assert low <= asking(text, factor) <= high
    assert 0.3 <= length(text, power) <= 2
    assert length(text, 0.0) == asking(text, 1.0) == 1


def test_shares_of_questions_and_lengths() -> None:
    assert asking("I moved to Oslo. And you?", 0.7) == pytest.approx(0.85)
    assert asking("去哪儿？我不知道。", 0.7) == pytest.approx(0.85)
    assert asking("", 0.7) == 1
    assert length("x" * 150, 0.5) == 1
    assert length("x" * 600, 1) == length("x" * 300, 1) == 2
    assert length("x", 1) == pytest.approx(0.3)


def test_a_pasted_page_costs_no_more_than_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr("memkit.retrieval.turns.asking", lambda text, factor: seen.append(len(text)) or 1.0)
    with chat(("Anna", "Oslo. " * 5000)) as db:
        db.recall("Oslo", now=NOW)
    assert set(seen) == {MOST_CHARACTERS}
