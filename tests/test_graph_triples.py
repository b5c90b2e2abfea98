"""Triples that somebody else extracted: the same again changes nothing, and what they name does not depend on order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.ingestion import relation_extraction
from memkit.sources.tables.triples import TripleDraft

FIRST, SECOND = "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"
TABLES = ("entities", "aliases", "mentions", "relations", "evidence", "conflicts", "links")
# Names that are one another's plurals, or differ in a capital only.
NAMES = st.sampled_from(["car", "cars", "Car", "Cars", "city", "cities", "Cities", "Rosa", "1990", "box", "boxes"])
PREDICATES = st.sampled_from(["likes", "lives in", "is a"])
YEARS = st.none() | st.sampled_from(["2012", "2015", "2019"])
TRIPLES = st.lists(
    st.builds(
        TripleDraft, st.just("a"), NAMES, PREDICATES, NAMES, confidence=st.none(), valid_from=YEARS, valid_until=YEARS
    ),
    min_size=1,
    max_size=8,
)


@pytest.fixture
def db() -> Iterator[MemoryDatabase]:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": "a", "text": "Nothing is named here."}], now=FIRST)
        yield db


def rows(db: MemoryDatabase) -> dict[str, set[Any]]:
    return {table: {tuple(row) for row in db.conn.execute(f"select * from {table}")} for table in TABLES}


def take(db: MemoryDatabase, triples: list[TripleDraft], now: str, at_once: int = 2000) -> None:
    with patch.object(relation_extraction, "TRIPLES_AT_ONCE", at_once):
        relation_extraction.ingest_triples(db.conn, triples, now)


def bearers(db: MemoryDatabase) -> set[tuple[str, str]]:
    query = "select a.alias, e.name from aliases as a join entities as e on e.key = a.entity_key"
    return {tuple(row) for row in db.conn.execute(query)}


@settings(max_examples=150, deadline=None)
@given(triples=TRIPLES, at_once=st.integers(1, 4), again=st.integers(1, 4))
def test_twice_is_once_however_many_are_taken_at_once(triples: list[TripleDraft], at_once: int, again: int) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest([{"id": "a", "text": "Nothing is named here."}], now=FIRST)
        take(db, triples, FIRST, at_once)
        once = rows(db)
        take(db, triples, SECOND, again)
        assert rows(db) == once


@settings(max_examples=60, deadline=None)
@given(triples=TRIPLES, at_once=st.integers(1, 4))
def test_whom_a_name_means_does_not_depend_on_how_many_are_taken_at_once(
    triples: list[TripleDraft], at_once: int
) -> None:
    found = []
    for size in (at_once, 2000):
        with MemoryDatabase(embed="none") as db:
            db.ingest([{"id": "a", "text": "Nothing is named here."}], now=FIRST)
            take(db, triples, FIRST, size)
            found.append(bearers(db))
    assert found[0] == found[1]


def test_a_plural_is_the_concept_and_a_name_that_looks_like_one_is_not(db: MemoryDatabase) -> None:
    take(db, [TripleDraft("a", "Rosa", "likes", "car"), TripleDraft("a", "Otto", "saw", "cars")], FIRST)
    take(db, [TripleDraft("a", "Cars", "is a", "film")], FIRST)
    assert {str(one) for one in db.about("car", now=SECOND).relations} == {"Rosa -likes-> car", "Otto -saw-> car"}
    assert {str(one) for one in db.about("Cars", now=SECOND).relations} == {"Cars -is a-> film"}


def test_a_concept_has_no_plural_that_is_somebodys_name_already(db: MemoryDatabase) -> None:
    take(db, [TripleDraft("a", "Rosa", "saw", "Cars"), TripleDraft("a", "Otto", "drives", "car")], FIRST)
    assert [str(one) for one in db.about("cars", now=SECOND).relations] == ["Rosa -saw-> Cars"]
