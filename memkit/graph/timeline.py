"""Temporal reasoning: when something was true, computed from several sources. A pure function from claims to periods.

A relation's row is never edited by hand: it follows from its evidence. So the same evidence gives the same rows, in
whatever order it came. When evidence is removed, its consequences are removed, too.

If a predicate has one value at a time, a new value ends the old one when it begins. An older claim that arrives late is
placed before the later ones. If claims clearly say that two values were true at once, this is a conflict, and both
stay. (Graphiti's rules, made independent of the order.)

What somebody no longer does or never did is a claim, too: it ends or takes back a value, and gives none. What is only
hearsay never ends what was said at first hand. What makes a value doubtful does not end it: from then on, the value has
a period of its own, until somebody states it, or another one, again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from datetime import timedelta

from memkit.core.classes import dataclass
from memkit.core.instants import parse_iso, to_iso

NEVER = "0001-01-01T00:00:00Z"  # denied from then on: it never was
AFTER_ALL = "~"  # after any time


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of one source: this object, from `start` until `end` (None: not stated), stated at `said`.

    Times are canonical ISO text. Of two claims at the same time, the one with the higher `rank` replaces the other.
    A claim with an empty interval denies: it is not true from then on; from `NEVER` on, it never was. `sure` is False
    for hearsay; what only `doubts` states nothing.
    """

    object: int
    said: str
    start: str | None = None
    end: str | None = None
    rank: int = 0
    source: int = 0
    sure: bool = True
    doubts: bool = False

    @property
    def denies(self) -> bool:
        """Whether it says that something is not so."""
        return self.start is not None and self.start == self.end

    @property
    def ends(self) -> bool:
        """Whether it says only that something is over, and not when it began."""
        return self.end is not None and (self.start is None or self.denies)

    @property
    def bounds(self) -> bool:
        """Whether its end is only when it was said: then it was over, and may have been for long."""
        return self.ends and (self.denies or (self.end or "").startswith(self.said))  # said may be a day alone

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
    denied: bool = False  # it is not true at any time
    conflicts: list[Period] = field(default_factory=list)

    @property
    def at(self) -> str:
        return min(claim.at for claim in [claim for claim in self.claims if not claim.doubts] or self.claims)

    @property
    def dated(self) -> bool:
        """Whether any claim says when it began."""
        return any(claim.start and not claim.denies for claim in self.claims)

    @property
    def stated_end(self) -> str | None:
        """When it ended, by its own claims; None if the latest of them says that it is still true."""
        ends = [claim.end for claim in self.claims if claim.end and not claim.ends]
        by_then = [claim.end for claim in self.claims if claim.end and claim.ends]
        last = max([*ends, *([min(by_then)] if by_then else [])], default=None)
        return None if last is None or any(witness >= last for witness in self.witnesses) else last

    @property
    def witnesses(self) -> list[str]:
        """The times at which a source said that it was true then."""
        return [max(claim.said, claim.start or "") for claim in self.claims if not claim.end]

    @property
    def only_over(self) -> bool:
        """Whether all that is known is that it is over."""
        return all(claim.bounds for claim in self.claims)


def periods(claims: Iterable[Claim], *, single: bool) -> list[Period]:
    """The periods that follow from the claims about one subject and predicate, in order of time.

    `single` means that only one object is true at a time. Without it, objects are independent.
    """
    ordered = sorted(claims, key=lambda claim: claim.order)
    known = _periods([claim for claim in ordered if claim.sure and not claim.doubts], single)
    heard = _periods([claim for claim in ordered if not claim.sure], single)
    found = _with_hearsay(known, heard, single) if heard else known
    for claim in ordered:
        if claim.doubts:
            _put_in_doubt(found, claim)
    return found


def _periods(ordered: list[Claim], single: bool) -> list[Period]:
    standing, denied = _taken_back(ordered)
    runs = _runs(standing)
    denied += [run for run in runs if run.denied]
    runs = [run for run in runs if not run.denied]
    if single:
        return [*_in_sequence(runs), *denied]
    objects = dict.fromkeys(run.object for run in runs)
    found = [run for each in objects for run in _apart_in_time([run for run in runs if run.object == each])]
    return [*sorted(found, key=lambda period: (period.at, period.object)), *denied]


def _taken_back(ordered: list[Claim]) -> tuple[list[Claim], list[Period]]:
    """The claims that stand, and as denied periods those that somebody took back later: `I never lived there`."""
    nevers = [claim for claim in ordered if claim.denies and claim.start == NEVER]
    denied: dict[int, list[Claim]] = {}
    standing = []
    for claim in ordered:
        if any(never.object == claim.object and claim.said <= never.said for never in nevers):
            denied.setdefault(claim.object, []).append(claim)
        else:
            standing.append(claim)
    return standing, [_alone(Period(object_, each, denied=True)) for object_, each in denied.items()]


def _runs(ordered: list[Claim]) -> list[Period]:
    """Periods of consecutive claims about the same object; a claim after the stated end begins a new period.

    A claim that something is over belongs to the last time when it was true, whatever was said in between.
    """
    runs: list[Period] = []
    for claim in ordered:
        last: Period | None = runs[-1] if runs else None
        if claim.bounds:
            last = next((run for run in reversed(runs) if run.object == claim.object and not run.denied), None)
            if last is None or last.at > (claim.end or ""):
                runs.append(_alone(Period(claim.object, [claim], denied=claim.denies)))
            else:
                last.claims.append(claim)
        elif last and last.object == claim.object and not last.denied and not _apart(last, claim):
            last.claims.append(claim)
        else:
            runs.append(Period(claim.object, [claim]))
    return runs


def _with_hearsay(known: list[Period], heard: list[Period], single: bool) -> list[Period]:
    """Hearsay agrees with what is known at first hand, or stands beside it until something surer follows."""
    beside = []
    confirmed: dict[Period, Period] = {}
    for rumour in heard:
        same = [one for one in known if one.object == rumour.object]
        agreeing = next((one for one in same if _confirms(one, rumour, known if single else same)), None)
        if agreeing and not rumour.denied and rumour.end is None:
            agreeing.claims += rumour.claims
            confirmed[rumour] = agreeing
            continue
        beside.append(rumour)
        for one in known if single else ():
            if one.object != rumour.object and not one.denied and not rumour.denied:
                if _holds(one, rumour.at):
                    rumour.conflicts.append(one)
                    rumour.start = rumour.start or rumour.at  # what holds was not doubted before
                elif rumour.at < one.at < (rumour.end or AFTER_ALL):
                    rumour.end, rumour.follower, one.start = one.at, one, one.start or one.at
        denials = [claim.at for one in same for claim in one.claims if claim.denies]
        rumour.denied = rumour.denied or NEVER in denials
        if over := [at for at in denials if rumour.at < at < (rumour.end or AFTER_ALL)]:
            rumour.end, rumour.follower = min(over), None
    for rumour in beside:  # what another rumour followed or contradicted is now what is known
        rumour.conflicts = [confirmed.get(one, one) for one in rumour.conflicts]
        rumour.follower = confirmed.get(rumour.follower, rumour.follower) if rumour.follower else None
    return [*known, *beside]


def _confirms(one: Period, rumour: Period, known: list[Period]) -> bool:
    """Whether a period is what a rumour says: it holds then, or it is the first that is known after it."""
    if one.denied or _holds(one, rumour.at):
        return not one.denied
    later = [other.at for other in known if other.at > rumour.at]
    return one.start is None and one.at == min(later, default=None)


def _holds(period: Period, when: str) -> bool:
    return period.at <= when and (period.end is None or when < period.end)


def _put_in_doubt(found: list[Period], doubt: Claim) -> None:
    """Divides the period that a claim makes doubtful, if nobody has stated its value since then."""
    same = [one for one in found if one.object == doubt.object]
    if not same:
        found.append(Period(doubt.object, [doubt], denied=True))
        return
    held = next(
        (one for one in same if not one.denied and (one.start or "") <= doubt.at and _holds(one, doubt.at)), None
    )
    if held is None or held.claims[0].doubts or any(claim.sure and claim.said > doubt.said for claim in held.claims):
        (held or same[0]).claims.append(doubt)
        return
    found.append(Period(doubt.object, [doubt], doubt.at, held.end, held.follower))
    held.end, held.follower = doubt.at, None


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
    period.start = min((claim.start for claim in period.claims if claim.start and not claim.denies), default=None)
    period.end = period.stated_end
    return period


def _in_sequence(runs: list[Period]) -> list[Period]:
    """The periods of a single-valued predicate: each one ends when the next one begins."""
    kept: list[Period] = []
    for run in runs:
        _alone(run)
        if run.only_over:  # it ended before what is true now, as far as is known
            holding = [period.at for period in kept if period.end is None and period.object != run.object]
            run.end = min([*holding, run.end or AFTER_ALL])
            kept.append(run)
            continue
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
    if earlier.claims[-1].bounds and earlier.end is not None:  # it was over when that was said, and before: here
        earlier.end, earlier.follower = begin, later
        return
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
