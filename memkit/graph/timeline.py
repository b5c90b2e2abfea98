"""Temporal reasoning: when something was true, computed from several sources. A pure function from claims to periods.

A relation's row is never edited by hand: it follows from its evidence. So the same evidence gives the same rows, in
whatever order it came. When evidence is removed, its consequences are removed, too.

If a predicate has one value at a time, a new value ends the old one when it begins. An older claim that arrives late is
placed before the later ones. If claims clearly say that two values were true at once, this is a conflict, and both
stay. (Graphiti's rules, made independent of the order.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

from memkit.core.instants import parse_iso, to_iso


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of one source: this object, from `start` until `end` (None: not stated), stated at `said`.

    Times are canonical ISO text. Of two claims at the same time, the one with the higher `rank` replaces the other.
    """

    object: int
    said: str
    start: str | None = None
    end: str | None = None
    rank: int = 0
    source: int = 0

    @property
    def at(self) -> str:
        """A time at which it was true, as far as one is known: the position of the claim in time."""
        return self.start or (min(self.said, _surely_before(self.end)) if self.end else self.said)

    @property
    def order(self) -> tuple[str, bool, int, str, int]:
        return self.at, self.start is not None or self.end is None, self.rank, self.said, self.object


@dataclass(eq=False, slots=True)
class Period:
    """An object and when it was true, with its claims; `follower` is the period that ended it."""

    object: int
    claims: list[Claim]
    start: str | None = None
    end: str | None = None
    follower: Period | None = None
    conflicts: list[Period] = field(default_factory=list)

    @property
    def at(self) -> str:
        return min(claim.at for claim in self.claims)

    @property
    def dated(self) -> bool:
        """Whether any claim says when it began."""
        return any(claim.start for claim in self.claims)

    @property
    def stated_end(self) -> str | None:
        """When it ended, by its own claims; None if the latest of them says that it is still true."""
        ends = [claim.end for claim in self.claims if claim.start and claim.end]
        by_then = [claim.end for claim in self.claims if claim.end and not claim.start]
        last = max([*ends, *([min(by_then)] if by_then else [])], default=None)
        return None if last is None or any(witness >= last for witness in self.witnesses) else last

    @property
    def witnesses(self) -> list[str]:
        """The times at which a source said that it was true then."""
        return [max(claim.said, claim.start or "") for claim in self.claims if not claim.end]


def periods(claims: Iterable[Claim], *, single: bool) -> list[Period]:
    """The periods that follow from the claims about one subject and predicate, in order of time.

    `single` means that only one object is true at a time. Without it, objects are independent.
    """
    ordered = sorted(claims, key=lambda claim: claim.order)
    if single:
        return _in_sequence(_runs(ordered))
    objects = dict.fromkeys(claim.object for claim in ordered)
    found = [run for each in objects for run in _apart_in_time(_runs([c for c in ordered if c.object == each]))]
    return sorted(found, key=lambda period: (period.at, period.object))


def _runs(ordered: list[Claim]) -> list[Period]:
    """Periods of consecutive claims about the same object; a claim after the stated end begins a new period."""
    runs: list[Period] = []
    for claim in ordered:
        last = runs[-1] if runs else None
        if last and last.object == claim.object and not _apart(last, claim):
            last.claims.append(claim)
        else:
            runs.append(Period(claim.object, [claim]))
    return runs


def _apart(run: Period, claim: Claim) -> bool:
    end = run.stated_end
    return end is not None and claim.at > end and not (claim.end and not claim.start)


def _apart_in_time(runs: list[Period]) -> list[Period]:
    """The periods of one object; a later period without a start begins when it was first stated."""
    for i, run in enumerate(runs):
        _alone(run)
        if i and run.start is None:
            run.start = run.at
    return runs


def _alone(period: Period) -> Period:
    period.start = min((claim.start for claim in period.claims if claim.start), default=None)
    period.end = period.stated_end
    return period


def _in_sequence(runs: list[Period]) -> list[Period]:
    """The periods of a single-valued predicate: each one ends when the next one begins."""
    kept: list[Period] = []
    for run in runs:
        _alone(run)
        around = next((period for period in reversed(kept) if period.object == run.object and period.end is None), None)
        if around is not None and around.follower is None:  # it never ended: the values in between are in conflict
            around.claims += run.claims
            _alone(around)
            continue
        if run.start is None and kept:
            run.start = _begin_after(kept[-1], run)
        for earlier in kept:
            _give_way(earlier, run)
        kept.append(run)
    return kept


def _begin_after(before: Period, run: Period) -> str:
    """The start of a value without a stated one: when the one before it ended, or when it was first stated."""
    ended = before.end is not None and before.end <= run.at and before.object != run.object
    return before.end if ended and before.end else run.at


def _give_way(earlier: Period, later: Period) -> None:
    """Ends the earlier period when the later one begins, or marks a conflict if they cannot both be true."""
    if earlier.object == later.object or earlier.follower is not None:
        return
    begin = later.start or later.at
    if earlier.end is not None and earlier.end <= begin:
        return
    same_moment = _beginning(earlier) == _beginning(later) and (
        (earlier.dated and later.dated) or earlier.claims[-1].rank == later.claims[0].rank
    )
    within = later.end is not None and earlier.dated and any(w >= later.end for w in earlier.witnesses)
    if same_moment or (earlier.end is None and within) or (earlier.end is not None and not _coarse(earlier.end, begin)):
        earlier.conflicts.append(later)
        if same_moment:
            later.start = min((claim.start for claim in later.claims if claim.start), default=None)
    else:
        earlier.end, earlier.follower = begin, later


def _beginning(period: Period) -> str:
    return min((claim.start for claim in period.claims if claim.start), default=None) or period.at


# People speak in years, months and days: `until August` may end on any day of August. These are the endings of such a
# time, and how many of its characters name the year, month or day.
_SHAPES = (("-01-01T00:00:00Z", 4), ("-01T00:00:00Z", 7), ("T00:00:00Z", 10))


def _surely_before(end: str) -> str:
    """The beginning of the year, month or day in which something ended."""
    for shape, length in _SHAPES:
        if end.endswith(shape):
            return _before(end)[:length] + shape
    return end


def _coarse(end: str, begin: str) -> bool:
    """Whether an end names a whole month or year in which the next value began: then it is no contradiction."""
    return _surely_before(end) < begin


def _before(when: str) -> str:
    try:
        return to_iso(parse_iso(when) - timedelta(seconds=1))
    except OverflowError:  # the first moment of the year 1
        return when
