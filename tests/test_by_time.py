"""Browsing by time: periods count what happened in them, with brute force in Python as the oracle."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from datasettes import build_demo, datasette, root

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("time") / "demo.db")


@pytest.mark.parametrize(("when", "length"), [("", 4), ("2025", 7), ("2025-03", 10)])
def test_the_parts_of_a_period_count_what_happened_in_them(demo: Path, when: str, length: int) -> None:
    with MemoryDatabase(demo, read_only=True) as memory:
        times = [one.happened_at for one in memory if one.kind != "summary" and one.happened_at]
        wanted = Counter(time[:length] for time in times if time.startswith(when) and len(time) >= length)
        found = memory.period(when)
        assert dict(found.parts) == wanted
        assert [part for part, _ in found.parts] == sorted(wanted)
        assert len(wanted) > (1 if when else 0)


def test_a_day_has_its_memories_in_order_and_leads_to_the_nearest_ones(demo: Path) -> None:
    with MemoryDatabase(demo, read_only=True) as memory:
        days = sorted({one.happened_at[:10] for one in memory if len(one.happened_at or "") >= 10})
        for before, day, after in zip(days, days[1:], days[2:], strict=False):
            found = memory.period(day)
            assert (found.before, found.after) == (before, after)
            assert found.memories
            assert {one.happened_at[:10] for one in found.memories if one.happened_at} == {day}
            assert [one.happened_at for one in found.memories] == sorted(
                one.happened_at or "" for one in found.memories
            )
        assert memory.period(days[0]).before is None
        assert memory.period("1999-12-31").memories == ()


def test_what_is_known_less_well_stands_where_it_belongs_and_what_is_not_dated_or_forgotten_nowhere() -> None:
    with MemoryDatabase(":memory:", embed="none") as memory:
        memory.remember("We moved to Ferry Lane some time that year.", happened_at="2019")
        memory.remember("The roof leaked in autumn.", happened_at="2019-10")
        memory.remember("The roofer came for the first time.", happened_at="2019-10-03")
        memory.remember("Quinces need no pruning at all, says Rosa.")
        gone = memory.remember("The roofer sent a bill that was too high.", happened_at="2019-10-04")
        memory.forget(gone.id)
        assert memory.period().parts == (("2019", 3),)
        year, month = memory.period("2019"), memory.period("2019-10")
        assert (year.parts, [one.text for one in year.memories]) == (
            (("2019-10", 2),),
            ["We moved to Ferry Lane some time that year."],
        )
        assert (month.parts, [one.text for one in month.memories]) == (
            (("2019-10-03", 1),),
            ["The roof leaked in autumn."],
        )
        for wrong in ("2019-13", "19", "2019-1", "yesterday", "2019-10-32", "2019~", "2019-10-03T"):
            with pytest.raises(BadQuestion, match="A period is a year, a month or a day"):
                memory.period(wrong)


def test_on_this_day_are_the_same_days_of_earlier_years() -> None:
    with MemoryDatabase(":memory:", embed="none") as memory:
        for when in ("2023-11-23", "2024-11-23T10:00:00Z", "2026-11-23", "2024-11-22", "2024-11", "2024"):
            memory.remember(f"Something particular took place: {when}.", happened_at=when)
        found = memory.on_this_day(now="2026-11-23T12:00:00Z")
        assert [one.happened_at for one in found] == ["2024-11-23T10:00:00Z", "2023-11-23"]
        assert len(memory.on_this_day(1, now="2026-11-23T12:00:00Z")) == 1


async def test_one_walks_from_the_years_to_a_day_and_on(demo: Path) -> None:
    reader = root(datasette(demo))
    for here, there in (("", "2025"), ("/2025", "2025-03"), ("/2025-03", "2025-03-08")):
        assert f'href="/demo/-/time/{there}"' in await reader.page(f"/demo/-/time{here}")
    day = await reader.page("/demo/-/time/2025-03-08")
    assert "<h1>8 March 2025</h1>" in day
    assert 'rel="prev"' in day
    assert "/demo/-/memory/" in day
    found = await reader.json("/demo/-/time/2025-03.json")
    assert found["title"] == "March 2025"
    assert (await reader.get("/demo/-/time/nonsense")).status_code == 400
    assert "Nothing is remembered of 1 January 1999" in await reader.page("/demo/-/time/1999-01-01")
    assert "/demo/-/time" in await reader.page("/demo")
