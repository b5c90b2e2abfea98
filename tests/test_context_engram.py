"""Engram's advise block, line by line (docs/behaviours.md)."""

from __future__ import annotations

import pytest
from published_helpers import database, key, link

from memkit import MemoryDatabase

NOW = "2026-03-01T12:00:00Z"


def ask(db: MemoryDatabase, message: str, **how):
    return db.context(message, strategy="engram", now=NOW, **how)


def test_E11_the_message_is_looked_up_and_the_best_five_memories_are_shown() -> None:
    db = database([f"The ferry was late on day {n}" for n in range(9)])
    found = ask(db, "the ferry")
    assert str(found).startswith("Relevant memories from past sessions:\n- [")
    assert len(found.sections["memories"]) == 5


@pytest.mark.parametrize("message", ["ok thanks!", "hi", "", "好的"])
def test_E11_small_talk_is_not_looked_up(message) -> None:
    db = database(["thanks to the ferry", "好的茶"])
    assert str(ask(db, message)) == ""


def test_E11_what_is_linked_to_a_hit_comes_along() -> None:
    db = database(
        [
            {"id": "hub", "text": "The sync architecture of the notebook"},
            {"id": "part", "text": "Clocks count changes, not seconds"},
        ]
    )
    link(db, "part", "part_of", "hub")
    assert "- (part of) [" in str(ask(db, "sync architecture"))


def test_a_long_connected_memory_is_a_preview_with_its_size() -> None:
    long = "Clocks count changes, not seconds. " * 20
    db = database([{"id": "hub", "text": "The sync architecture of the notebook"}, {"id": "part", "text": long}])
    link(db, "part", "part_of", "hub")
    line = str(ask(db, "sync architecture")).splitlines()[-1]
    assert f"{len(long):,} characters]" in line
    assert len(line) < 120 + 80


def test_a_long_hit_itself_is_shown_whole_where_it_fits() -> None:
    long = "The ferry was late. " * 40
    assert long.strip() in str(ask(database([long]), "ferry"))


def test_E14_the_best_memories_are_those_that_fit() -> None:
    db = database([{"id": f"m{n}", "text": f"The ferry {'waited and ' * 30} {n}"} for n in range(4)])
    db.remember("The ferry sails at nine", importance=10)
    found = ask(db, "when does the ferry sail?", budget=60)
    assert "The ferry sails at nine" in str(found)
    assert found.used <= 60
    assert {item.reason for item in found.left_out} == {"no room left"}


def test_E14_on_the_samples_the_latest_decision_is_in_the_block(year) -> None:
    text = str(ask(year, "how does Engram store its notes?"))
    assert "plain SQLite tables" in text
    assert key(year, "Engram/Storage in plain tables.md#")
