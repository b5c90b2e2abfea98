"""What held when, out of what several sources say: each rule by an example, and what holds for any claims at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.instants import to_iso
from memkit.graph.timeline import Claim, Period, periods

A, B, C = 1, 2, 3


def day(text: str) -> str:
    return f"{text}T00:00:00Z"


def claim(
    object_: int, said: str = "2025-06-01", start: str | None = None, end: str | None = None, **more: Any
) -> Claim:
    return Claim(object_, day(said), day(start) if start else None, day(end) if end else None, **more)


def told(found: list[Period]) -> list[tuple[int, str | None, str | None]]:
    return [(period.object, period.start and period.start[:10], period.end and period.end[:10]) for period in found]


def one_at_a_time(*claims: Claim) -> list[tuple[int, str | None, str | None]]:
    return told(periods(claims, single=True))


# ---------------------------------------------------------------------------------------------- one value at a time


def test_a_new_value_closes_the_old_one_at_its_own_start():
    found = periods([claim(A, start="2016-01-01"), claim(B, start="2025-03-01")], single=True)
    assert told(found) == [(A, "2016-01-01", "2025-03-01"), (B, "2025-03-01", None)]
    assert found[0].follower is found[1]


def test_values_without_dates_follow_one_another_as_they_were_said():
    assert one_at_a_time(claim(B, "2025-03-02"), claim(A, "2025-01-01")) == [
        (A, None, "2025-03-02"),
        (B, "2025-03-02", None),
    ]


def test_an_older_value_that_is_told_late_becomes_history():
    assert one_at_a_time(claim(B, start="2020-01-01"), claim(A, "2025-12-01", start="2010-01-01")) == [
        (A, "2010-01-01", "2020-01-01"),
        (B, "2020-01-01", None),
    ]


def test_disjoint_intervals_are_left_alone():
    assert one_at_a_time(claim(A, start="2010-01-01", end="2012-01-01"), claim(B, start="2015-01-01")) == [
        (A, "2010-01-01", "2012-01-01"),
        (B, "2015-01-01", None),
    ]


def test_until_august_and_moved_on_the_16th_of_august_do_not_conflict():
    found = periods([claim(A, end="2025-09-01"), claim(B, start="2025-08-16")], single=True)
    assert told(found) == [(A, None, "2025-08-16"), (B, "2025-08-16", None)]
    assert not found[0].conflicts


def test_what_has_no_start_begins_after_what_is_known_to_have_ended_before():
    assert one_at_a_time(claim(A, end="2025-09-01"), claim(C, start="2022-01-01", end="2023-01-01")) == [
        (C, "2022-01-01", "2023-01-01"),
        (A, "2023-01-01", "2025-09-01"),
    ]


def test_two_values_from_the_same_day_on_are_in_conflict_and_both_stay():
    found = periods([claim(A, start="2020-01-01"), claim(B, start="2020-01-01")], single=True)
    assert told(found) == [(A, "2020-01-01", None), (B, "2020-01-01", None)]
    assert found[0].conflicts == [found[1]]


def test_two_values_said_at_the_same_moment_are_in_conflict():
    found = periods([claim(A), claim(B)], single=True)
    assert told(found) == [(A, None, None), (B, None, None)]
    assert found[0].conflicts == [found[1]]


def test_of_two_said_by_hand_at_one_moment_the_later_replaces_the_earlier():
    assert one_at_a_time(claim(A, rank=1), claim(B, rank=2)) == [(A, None, "2025-06-01"), (B, "2025-06-01", None)]


def test_intervals_that_overlap_outright_are_in_conflict():
    found = periods([claim(A, start="2010-01-01", end="2020-06-15"), claim(B, start="2015-01-01")], single=True)
    assert told(found) == [(A, "2010-01-01", "2020-06-15"), (B, "2015-01-01", None)]
    assert found[0].conflicts == [found[1]]


def test_an_episode_within_what_is_said_to_go_on_does_not_end_it():
    found = periods([claim(A, start="2010-01-01"), claim(B, start="2012-01-01", end="2014-01-01")], single=True)
    assert told(found) == [(A, "2010-01-01", None), (B, "2012-01-01", "2014-01-01")]
    assert found[0].conflicts == [found[1]]


def test_who_comes_back_is_there_twice():
    assert one_at_a_time(claim(A, "2020-01-01"), claim(B, "2022-01-01"), claim(A, "2024-01-01")) == [
        (A, None, "2022-01-01"),
        (B, "2022-01-01", "2024-01-01"),
        (A, "2024-01-01", None),
    ]


# ---------------------------------------------------------------------------------------------- many values


def test_many_values_hold_beside_one_another():
    assert told(periods([claim(A), claim(B, start="2020-01-01")], single=False)) == [
        (B, "2020-01-01", None),
        (A, None, None),
    ]


def test_what_is_said_with_and_without_a_date_is_one():
    found = periods([claim(A), claim(A, start="2020-01-01")], single=False)
    assert told(found) == [(A, "2020-01-01", None)]
    assert len(found[0].claims) == 2


def test_what_began_again_after_its_end_is_two():
    claims = [claim(A, start="2010-01-01", end="2012-01-01"), claim(A, start="2020-01-01")]
    assert told(periods(claims, single=False)) == [(A, "2010-01-01", "2012-01-01"), (A, "2020-01-01", None)]


def test_what_holds_again_after_its_end_began_when_it_was_first_heard_of():
    assert told(periods([claim(A, "2025-06-01"), claim(A, start="2020-01-01", end="2022-01-01")], single=False)) == [
        (A, "2020-01-01", "2022-01-01"),
        (A, "2025-06-01", None),
    ]


# ---------------------------------------------------------------------------------------------- in doubt


def doubt(said: str) -> Claim:
    return claim(A, said, said, doubts=True)


def test_what_something_has_made_doubtful_has_a_period_of_its_own_from_then_on():
    found = periods([claim(A, "2025-01-01"), doubt("2025-03-01"), doubt("2025-04-01")], single=True)
    assert told(found) == [(A, None, "2025-03-01"), (A, "2025-03-01", None)]
    assert [len(period.claims) for period in found] == [1, 2]


def test_a_doubt_ends_with_the_next_value_and_the_old_one_is_not_said_to_be_replaced_before():
    found = periods([claim(A, "2025-01-01"), doubt("2025-03-01"), claim(B, "2025-05-01")], single=True)
    assert told(found) == [(A, None, "2025-03-01"), (B, "2025-05-01", None), (A, "2025-03-01", "2025-05-01")]
    assert [period.follower for period in found] == [None, None, found[1]]


def test_what_somebody_states_again_is_not_in_doubt():
    again = [claim(A, "2025-01-01"), doubt("2025-03-01"), claim(A, "2025-05-01")]
    assert told(periods(again, single=True)) == [(A, None, None)]


def test_hearsay_does_not_lift_a_doubt():
    heard = [claim(A, "2025-01-01"), doubt("2025-03-01"), claim(A, "2025-05-01", sure=False)]
    assert told(periods(heard, single=True)) == [(A, None, "2025-03-01"), (A, "2025-03-01", None)]


def test_a_doubt_about_what_nobody_stated_is_no_statement():
    (found,) = periods([doubt("2025-03-01")], single=True)
    assert found.denied


# ---------------------------------------------------------------------------------------------- any claims

MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2050, 1, 1)).map(to_iso)


@st.composite
def any_claim(draw: st.DrawFn) -> Claim:
    dates = sorted(draw(st.sets(MOMENTS, min_size=2, max_size=2)))
    start, end = (date if draw(st.booleans()) else None for date in dates)
    return Claim(draw(st.integers(1, 3)), draw(MOMENTS), start, end, doubts=draw(st.integers(0, 3)) == 0)


CLAIMS = st.lists(any_claim(), max_size=8)


@given(CLAIMS, st.booleans())
def test_every_claim_is_in_exactly_one_span(claims: list[Claim], single: bool) -> None:
    found = periods(claims, single=single)
    assert sorted((c for period in found for c in period.claims), key=repr) == sorted(claims, key=repr)
    assert all(c.object == period.object for period in found for c in period.claims)


@given(CLAIMS, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_in_which_claims_come_does_not_matter(claims: list[Claim], single: bool, random) -> None:
    shuffled = list(claims)
    random.shuffle(shuffled)
    assert told(periods(claims, single=single)) == told(periods(shuffled, single=single))


@given(CLAIMS, MOMENTS)
def test_two_values_hold_at_once_only_in_conflict(claims: list[Claim], moment: str) -> None:
    found = periods(claims, single=True)
    holding = [s for s in found if (s.start or "") <= moment and (s.end is None or moment < s.end)]
    disputed = {id(one) for period in found for one in (period, *period.conflicts) if period.conflicts}
    unknown = {id(period) for period in found if period.start is None}  # nobody says when it began
    assert len({s.object for s in holding if id(s) not in disputed and id(s) not in unknown}) <= 1


@given(CLAIMS, st.booleans())
def test_no_span_ends_before_it_begins(claims: list[Claim], single: bool) -> None:
    assert all(s.start is None or s.end is None or s.start <= s.end for s in periods(claims, single=single))


DAYS = st.integers(1, 4).map(lambda n: day(f"2025-06-0{n}"))
HEARD = st.lists(
    st.builds(Claim, st.integers(1, 3), DAYS, st.none() | DAYS, st.none(), sure=st.booleans()), min_size=3, max_size=8
)


@given(HEARD, st.booleans())
def test_what_a_span_refers_to_is_among_the_spans_also_with_hearsay(claims: list[Claim], single: bool) -> None:
    found = periods(claims, single=single)
    assert all(other in found for period in found for other in period.conflicts)
    assert all(period.follower in found for period in found if period.follower is not None)


def test_a_rumour_against_a_confirmed_one_is_against_what_is_known():
    rumours = [replace(claim(A), sure=False), replace(claim(B), sure=False)]
    found = periods([claim(B, start="2020-01-01"), *rumours], single=True)
    assert [period.object for period in found] == [B, A]
    assert set(map(id, found[1].conflicts)) == {id(found[0])}


def test_somebody_who_lives_in_one_place_and_by_hearsay_in_two_can_be_ingested():
    said = ["Ida told me that Bo Ek lives in Bern.", "Ida told me that Bo Ek lives in Ulm.", "Bo Ek lives in Ulm."]
    with MemoryDatabase(embed="none") as db:
        assert db.ingest([{"text": text, "timestamp": "2023-05-05"} for text in said]).added == 3
        assert {one.object for one in db.about("Bo Ek").relations} >= {"Ulm"}
