"""Turns between people: whose turn it is, whether it tells or asks, and how much it says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.retrieval.turns import MOST_CHARACTERS, NEUTRAL, asking, length, said_by

NOW = "2026-03-01T12:00:00Z"
PLAIN = NEUTRAL
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


def test_a_turn_that_holds_more_of_the_question_comes_nearer_than_one_that_repeats_a_word_of_it() -> None:
    """BM25 alone prefers the short turn that says `boat` thrice, and lacks the other word of the question."""
    turns = [
        ("Anna", "Boat, boat, boat!"),
        *[("Carl", f"Dish number {n} was soup, at home.") for n in range(12)],
        ("Ben", "On Sunday, after breakfast and a very long walk, we saw that boat in the old harbour."),
        *[("Carl", f"Dish number {n} was rice.") for n in range(12)],
        *[("Carl", f"Lunch number {n} was at the harbour.") for n in range(3)],
    ]
    with chat(*turns) as db:
        question = "Which boat is in the harbour?"
        best = [
            db.recall(question, strategy={"rank": {**PLAIN, "covered": by}, "graph": None}, now=NOW)[0].memory.source_id
            for by in (0.0, 1.5)
        ]
        assert best == ["t1", "t14"]
        found = boosts(db, question, covered=1.5)
        assert 1 < found["t1"]["covered"] < found["t14"]["covered"] <= 2.5


def test_one_text_in_chinese_takes_no_share_from_the_others() -> None:
    """A word is looked for in the index of words and in that of character pairs, which has few of the memories."""
    with chat(*TALK, ("Carl", "我们在奥斯陆吃饭。")) as db:
        assert boosts(db, "the cold town of the harbour", covered=1.5)["t3"]["covered"] == pytest.approx(2.5)


CHAT = [
    ("user", "I bought a cello in Graz."),
    (
        "assistant",
        "A cello! You bought a cello in Graz: a cello in Graz needs rosin. You bought it, so buy rosin, too.",
    ),
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where did I buy a cello? I bought a cello", "t1"),
        ("What did you say when I bought a cello?", "t2"),
        ("Who bought a cello, and needs rosin?", "t2"),
    ],
)
def test_what_one_asks_of_oneself_stands_in_ones_own_words_before_the_assistants(question: str, first: str) -> None:
    with chat(*CHAT) as db:
        plain = db.recall(question, strategy={"rank": {"assistant": 1.0}, "graph": None}, now=NOW)
        assert plain[0].memory.source_id == "t2"
        found = db.recall(question, strategy={"graph": None}, now=NOW)
        assert found[0].memory.source_id == first
        lowered = [hit.memory.source_id for hit in found if hit.boosts.get("assistant") == 0.6]
        assert lowered == (["t2"] if first == "t1" else [])


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
            found = db.recall("What does Anna say about Oslo?", strategy=name, now=NOW)
            assert found, name
            for hit in found:
                assert not NEUTRAL.keys() & hit.boosts.keys(), name


@given(st.text(max_size=200), st.floats(0, 2), st.floats(0, 1))
def test_any_text_has_factors_in_range(text: str, factor: float, power: float) -> None:
    low, high = sorted((1.0, factor))
    assert low - 1e-9 <= asking(text, factor) <= high + 1e-9
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


def test_of_a_text_in_which_several_speak_the_named_one_counts_by_what_is_theirs() -> None:
    """As in a summary: its speaker field names both, and its lines say who says what."""
    mostly, hardly = (
        "Anna: The harbour of Oslo is cold.\nBen: Oh yes.",
        "Anna: Oh yes.\nBen: The harbour of Oslo is cold.",
    )
    rest = [("Carl", "We play cards."), ("Anna", "I cook rice."), ("Ben", "The cat sleeps.")]
    with chat(("Anna, Ben", mostly), ("Ben, Anna", hardly), *rest) as db:
        found = boosts(db, "What does Anna say about the harbour of Oslo?", speaker=2.0)
        assert 1.5 < found["t1"]["speaker"] < 2.0
        assert 1.0 < found["t2"]["speaker"] < 1.5
    assert said_by("Anna, Ben", "Nobody knows who says this.", "Anna".__eq__) == 1.0


def test_a_text_of_a_user_and_an_assistant_is_none_between_people() -> None:
    """And what the user says of himself in it is not counted as the assistant's."""
    both = "user: I keep my bike in the cellar, behind the shelf.\nassistant: Keep a bike dry."
    with chat(("assistant, user", both), ("assistant", "A bike in a cellar rusts."), *TALK) as db:
        found = boosts(db, "Where do I keep my bike?", assistant=0.5, length=0.15, covered=1.5)
        assert "length" not in found["t1"]
        assert "covered" not in found["t1"]
        assert 0.75 < found["t1"]["assistant"] < 1.0
        assert found["t2"]["assistant"] == 0.5
