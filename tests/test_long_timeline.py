"""A timeline of more memories than can be drawn: spread over the whole time, all counted, all there in a short span."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.graph.timeline_view import moments
from memkit.widgets import Timeline

DAYS = 40


@pytest.fixture(scope="module")
def days() -> Iterator[MemoryDatabase]:
    """A memory on each of 40 days, and one without a day."""
    with MemoryDatabase(embed="none") as db:
        rows = [{"text": f"Walk {n}.", "timestamp": str(date(2025, 1, 1) + timedelta(n))} for n in range(DAYS)]
        db.ingest(rows)
        for n in range(DAYS):
            start = date(2020, 1, 1) + timedelta(n)
            db.relate(f"Boat{n}", "lies_in", "Porto", valid_from=str(start), valid_until=str(start + timedelta(1)))
        yield db


@given(most=st.integers(2, DAYS + 5), since=st.integers(0, DAYS), length=st.integers(0, DAYS))
def test_what_is_listed_is_spread_over_the_whole_time_and_the_rest_is_counted(
    days: MemoryDatabase, most: int, since: int, length: int
) -> None:
    first, end = date(2025, 1, 1) + timedelta(since), date(2025, 1, 1) + timedelta(since + length)
    there = [str(first + timedelta(n)) for n in range(length) if since + n < DAYS]
    with days._turn() as conn:
        found = moments(conn, since=str(first), until=str(end), most=most)
    listed = [one.start[:10] for one in found.memories if one.start]
    assert len(listed) == min(most, len(there))
    assert len(listed) + found.more == len(there)
    assert listed == sorted(set(listed) & set(there))
    assert not there or (listed[0], listed[-1]) == (there[0], there[-1])
    places = [there.index(day) for day in listed]
    gaps = {later - place for place, later in itertools.pairwise(places)}
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_facts_are_spread_and_limited_to_the_span_that_they_touch(days: MemoryDatabase) -> None:
    with days._turn() as conn:
        assert [one.start[:10] for one in moments(conn, most=2).facts if one.start] == ["2020-01-01", "2020-02-09"]
    found = days.timeline(since="2020-01-10", until="2020-01-12")
    assert [one.text for one in found.facts] == ["Boat8 lies in Porto", "Boat9 lies in Porto", "Boat10 lies in Porto"]
    assert found.memories == ()


def test_a_widget_reaches_the_last_day_and_lists_all_of_a_short_span(
    days: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memkit.graph.timeline_view.MOST", 10)
    line = Timeline(days)
    assert line.until == "2025-02-10"
    assert "40 memories" in line.out.value
    assert "10 are drawn" in line.out.value
    assert "40 memories" in repr(line)
    line.span.value = (date(2025, 1, 31), date(2025, 2, 2))
    assert [one.text for one in line.memories] == ["Walk 30.", "Walk 31.", "Walk 32."]
    assert "3 memories" in line.out.value
    assert "Walk 31." in line.out.value
    assert "10 are drawn" in line.out.value
