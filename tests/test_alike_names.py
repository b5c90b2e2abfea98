"""Names that are offered for merging: likely the same, and never two that a number or a family name tells apart."""

from __future__ import annotations

import pytest

from memkit import MemoryDatabase


def offered(*relations: tuple[str, str], kinds: dict[str, str] | None = None) -> set[frozenset[str]]:
    """The pairs that are offered where these names are known."""
    with MemoryDatabase(":memory:", embed="none") as memory:
        for subject, object in relations:
            memory.relate(subject, "knows", object, now="2026-01-01T12:00:00Z")
        for name, kind in (kinds or {}).items():
            memory.conn.execute("update entities set kind = ? where name = ?", [kind, name])
        memory.conn.commit()
        return {frozenset((one.name, other.name)) for one, other in memory.alike_names()}


def test_a_first_name_is_offered_beside_the_only_full_name_with_it() -> None:
    kinds = {"Rosa Tamsin": "person", "Otto Berg": "person", "Otto Lind": "person"}
    found = offered(("Rosa", "Otto Berg"), ("Rosa Tamsin", "Otto Lind"), ("Otto", "Rosa"), kinds=kinds)
    assert found == {frozenset(("Rosa", "Rosa Tamsin"))}  # which Otto is meant nobody can say


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Kingsferry", "Kingsfery", True),
        ("Harbour Museum", "Harbor Museum", True),
        ("Apollo 11", "Apollo 12", False),
        ("Sprint 2025", "Sprint 2026", False),
        ("Nightshade", "Nightingale", False),
        ("Anna Berg", "Anna Lind", False),
    ],
)
def test_names_that_differ_in_few_letters(one: str, other: str, alike: bool) -> None:
    found = offered((one, "the yard"), (other, "the shed"), kinds={one: "place"})
    assert (frozenset((one, other)) in found) is alike


def test_what_was_merged_is_not_offered_again_and_the_first_is_the_one_that_more_memories_name() -> None:
    with MemoryDatabase(":memory:", embed="none") as memory:
        memory.relate("Kingsfery", "knows", "Otto", now="2026-01-01T12:00:00Z")
        memory.relate("Kingsferry", "knows", "Rosa", now="2026-01-01T12:00:00Z")
        memory.conn.execute("update entities set kind = 'place' where name = 'Kingsferry'")
        memory.conn.commit()
        memory.remember("The bakery of [[Kingsferry]] is open again.", now="2026-01-01T12:00:00Z")
        [(one, other)] = memory.alike_names()
        assert (one.name, other.name) == ("Kingsferry", "Kingsfery")
        assert memory.alike_names(0) == []
        memory.merge(one.id, other.id)
        assert memory.alike_names() == []


def test_two_names_that_one_text_names_or_that_speak_in_one_conversation_are_two() -> None:
    with MemoryDatabase(":memory:", embed="none") as memory:
        for text in (
            "Delorme lives in Porto.",
            "Delorge lives in Graz.",
            "Kathrin Becker sings.",
            "Kathrin Becher sings.",
        ):
            memory.remember(text, now="2026-01-01T12:00:00Z")
        names = {(one.name, other.name) for one, other in memory.alike_names()}
        assert names == {("Delorme", "Delorge")}  # nothing was merged, and whether they are one a person says
        memory.remember("Delorme met Delorge in Porto.", now="2026-01-02T12:00:00Z")
        assert memory.alike_names() == []


def test_two_who_speak_in_one_conversation_are_not_offered() -> None:
    chat = [
        {"id": f"{n}", "session": "s", "speaker": name, "text": text, "timestamp": "2026-01-01T12:00:00Z"}
        for n, (name, text) in enumerate([("Anna Hoffmann", "I moved to Porto."), ("Anna Hofmann", "I live in Graz.")])
    ]
    with MemoryDatabase(":memory:", embed="none") as memory:
        memory.ingest(chat, now="2026-01-02T12:00:00Z")
        assert {"Anna Hoffmann", "Anna Hofmann"} <= memory.entity_ids(["Anna Hoffmann", "Anna Hofmann"]).keys()
        assert memory.alike_names() == []
