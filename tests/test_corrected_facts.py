"""What a memory stated is no fact any more once it is corrected."""

from __future__ import annotations

import pytest

from memkit import MemoryDatabase
from memkit.ingestion import entity_linking

SAID, THEN, NOW = "2026-01-01T10:00:00Z", "2026-03-01T10:00:00Z", "2026-05-01T10:00:00Z"


@pytest.fixture
def db() -> MemoryDatabase:
    return MemoryDatabase(embed="none")


def stated(db: MemoryDatabase, known_at: str | None = None) -> list[tuple[str, str]]:
    relations = db.about("Ben Ek", known_at=known_at, now=NOW).to_dict()["relations"]
    return sorted((one["predicate"], one["object"]) for one in relations)


@pytest.mark.parametrize("then", [THEN, SAID], ids=["later", "within the same second"])
def test_what_was_corrected_is_no_fact_any_more(db: MemoryDatabase, then: str) -> None:
    """`Ben likes tea`, corrected to coffee, was a fact for ever, and so was where he works within the same second."""
    wrong = db.remember("Ben Ek likes tea. Ben Ek works at Vela.", now=SAID)
    db.correct(wrong.id, "Ben Ek likes coffee. Ben Ek works at Holm.", now=then)
    assert stated(db) == [("likes", "coffee"), ("works_at", "Holm")]


def test_what_was_known_before_is_known_as_such(db: MemoryDatabase) -> None:
    wrong = db.remember("Ben Ek likes tea.", now=SAID)
    db.correct(wrong.id, "Ben Ek likes coffee.", now=THEN)
    assert stated(db, known_at="2026-02-01T10:00:00Z") == [("likes", "tea")]


def test_what_another_memory_states_too_still_holds(db: MemoryDatabase) -> None:
    wrong = db.remember("Ben Ek likes tea. Ben Ek likes plums.", now=SAID)
    db.remember("We met at the lake. Ben Ek likes tea.", now=SAID)
    db.correct(wrong.id, "Ben Ek likes plums.", now=THEN)
    assert stated(db) == [("likes", "plums"), ("likes", "tea")]


def test_what_a_person_related_by_hand_stays(db: MemoryDatabase) -> None:
    wrong = db.remember("Ben Ek likes tea.", now=SAID)
    db.relate("Ben Ek", "knows", "Rosa Lind", memory=wrong.id, quote="Ben Ek", now=SAID)
    db.correct(wrong.id, "Ben Ek likes coffee.", now=THEN)
    assert stated(db) == [("knows", "Rosa Lind"), ("likes", "coffee")]


def read_all_again(db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads every memory as newer rules do."""
    monkeypatch.setattr(entity_linking, "EXTRACTOR", f"{entity_linking.EXTRACTOR} of another day")
    db.ingest([{"text": "It rained."}], now=NOW)


def test_newer_rules_do_not_restate_what_was_corrected(db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = db.remember("Ben Ek likes tea. Ben Ek works at Vela.", now=SAID)
    db.correct(wrong.id, "Ben Ek likes coffee. Ben Ek works at Holm.", now=THEN)
    read_all_again(db, monkeypatch)
    assert stated(db) == [("likes", "coffee"), ("works_at", "Holm")]
    assert not db.about("Ben Ek", now=NOW).to_dict()["history"]


@pytest.mark.parametrize("then", [THEN, SAID], ids=["later", "within the same second"])
def test_what_was_superseded_is_history(db: MemoryDatabase, then: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Ben liked was a fact for ever, though the memory that says so had ended."""
    old = db.remember("Ben Ek likes tea. Ben Ek works at Vela.", now=SAID)
    new = db.remember("Ben Ek likes coffee. Ben Ek works at Holm.", now=then)
    db.supersede(old.id, new.id, now=NOW)
    for _ in range(2):
        assert stated(db) == [("likes", "coffee"), ("works_at", "Holm")]
        read_all_again(db, monkeypatch)
    assert ("likes", "tea") in stated(db, known_at="2026-04-01T10:00:00Z")


def test_what_another_memory_states_as_well_outlives_what_was_superseded(db: MemoryDatabase) -> None:
    old = db.remember("Ben Ek likes tea.", now=SAID)
    db.remember("We met at the lake. Ben Ek likes tea.", now=SAID)
    db.supersede(old.id, db.remember("Ben Ek likes coffee.", now=THEN).id, now=NOW)
    assert stated(db) == [("likes", "coffee"), ("likes", "tea")]


def test_no_model_is_asked_about_what_was_corrected(db: MemoryDatabase) -> None:
    wrong = db.remember("Ben Ek likes tea.", now=SAID)
    db.correct(wrong.id, "Ben Ek likes coffee.", now=THEN)
    assert db.extract("a model", dry_run=True).memories == 1
