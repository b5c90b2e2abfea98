"""Ways from one entity to another: the shortest there are, of those the surest, as things were at the time."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemkitError, MemoryDatabase
from memkit.graph import edges, entities

NOW = "2025-06-01T12:00:00Z"
PEOPLE = ["Rosa", "Otto", "Mina", "Kofi", "Theo", "Alice", "Priya", "Nadia"]
PAIRS = st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=2, unique=True).map(tuple)


def steps(edges: set[tuple[str, str]], start: str, goal: str) -> int | None:
    """How many edges lie between two, counted by going everywhere."""
    far, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for edge in edges:
            for one, other in (edge, edge[::-1]):
                if one == here and other not in far:
                    far[other] = far[here] + 1
                    queue.append(other)
    return far.get(goal)


@settings(max_examples=60, deadline=None)
@given(related=st.sets(PAIRS, max_size=9), met=st.sets(PAIRS, max_size=5), ends=PAIRS, most=st.integers(0, 6))
def test_no_way_is_shorter_and_none_is_missed(
    related: set[tuple[str, str]], met: set[tuple[str, str]], ends: tuple[str, str], most: int
) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"text": f"We saw {name} in the yard."} for name in PEOPLE], now=NOW)
        db.ingest([{"text": f"We saw {one} and {other} by the pond."} for one, other in sorted(met)], now=NOW)
        for one, other in sorted(related):
            db.relate(one, "knows", other, now=NOW)
        way, far = db.path(*ends, max_depth=most), steps(related | met, *ends)
        assert (len(way) if way else None) == (far if far is not None and far <= most else None)
        assert len(db.path(*ends[::-1], max_depth=most)) == len(way)
        names = [ends[0], *(step.target for step in way)]
        assert all(step.source == names[i] for i, step in enumerate(way))
        assert not way or names[-1] == ends[1]
        assert db.path(*ends, max_depth=most) == way


def test_of_ways_of_one_length_relations_come_first_and_then_the_surest(db: MemoryDatabase) -> None:
    db.ingest([{"text": "We saw Rosa and Otto."}, {"text": "We saw Otto and Mina."}], now=NOW)
    assert str(db.path("Rosa", "Mina")) == "Rosa -named with-> Otto -named with-> Mina"
    db.relate("Rosa", "knows", "Kofi", confidence=0.5, now=NOW)
    db.relate("Kofi", "knows", "Mina", confidence=0.5, now=NOW)
    assert str(db.path("Rosa", "Mina")) == "Rosa -knows-> Kofi -knows-> Mina"
    db.relate("Theo", "knows", "Rosa", confidence=0.9, now=NOW)
    db.relate("Theo", "knows", "Mina", confidence=0.9, now=NOW)
    assert str(db.path("Rosa", "Mina")) == "Rosa <-knows- Theo -knows-> Mina"


def test_what_is_not_sure_is_no_way(db: MemoryDatabase) -> None:
    db.relate("Rosa", "knows", "Mina", confidence=0.3, now=NOW)
    assert not db.path("Rosa", "Mina")


def test_a_way_as_of_a_time_goes_over_what_held_then(db: MemoryDatabase) -> None:
    db.relate("Rosa", "works at", "Nordlys", valid_from="2015", valid_until="2019", now=NOW)
    db.remember("Rosa and Mina share a boat.", happened_at="2021-05-01", valid_until="2023-01-01", now=NOW)
    assert str(db.path("Rosa", "Nordlys", as_of="2017")) == "Rosa -works at-> Nordlys"
    assert not db.path("Rosa", "Nordlys", as_of="2020")
    assert db.path("Rosa", "Mina", as_of="2022")
    assert not db.path("Rosa", "Mina", as_of="2020")
    assert not db.path("Rosa", "Mina", as_of="2024")
    assert db.path("Nordlys", "Mina")


def test_a_memory_that_was_put_away_ties_nobody(db: MemoryDatabase) -> None:
    memory = db.remember("We saw Rosa and Mina in a boat.", now=NOW)
    assert db.path("Rosa", "Mina")
    db.forget(memory.id, now=NOW)
    assert not db.path("Rosa", "Mina")


def test_a_list_of_many_ties_nobody(db: MemoryDatabase) -> None:
    """Who stands in a list with twelve others has not met them."""
    names = [f"Rosa {name}{n}" for n in range(7) for name in ("Abel", "Bodo")]
    db.ingest([{"text": "We saw " + " and ".join(names) + "."}], now=NOW)
    assert not db.path(names[0], names[1])


def test_of_a_hub_only_the_newest_memories_are_asked(db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a name occurs, so many memories are looked through, shared among those that are gone on from."""
    db.ingest([{"text": f"We saw Rosa and Otto, as on day {n}."} for n in range(90)], now=NOW)
    keys = [entities.find(db.conn, name).key for name in ("Rosa", "Otto")]
    monkeypatch.setattr(edges, "MEETINGS", 60)
    assert {tie.memory for tie in edges.shared_mentions(db.conn, keys[:1])} == set(range(31, 91))
    assert {tie.memory for tie in edges.shared_mentions(db.conn, keys)} == set(range(41, 91))  # 50 of each at least
    assert len(db.path("Rosa", "Otto")) == 1


def test_a_depth_below_none_is_refused(db: MemoryDatabase) -> None:
    with pytest.raises(MemkitError, match="0 or more, not -1"):
        db.path("Rosa", "Otto", max_depth=-1)
