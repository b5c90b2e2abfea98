"""What held when, out of what several sources say: a pure function from claims to spans.

A relation's row is never edited by hand: it follows from its evidence. So the same evidence gives the same rows, in
whatever order it came, and evidence that goes takes its consequences with it.

Of a predicate with one value at a time, a new value closes the old one at its own start; an older claim that arrives
late is put before what came after it; what says outright that two values held at once is a conflict, and both stay.
(Graphiti's rules, research.md 3.4, made independent of order.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

from memkit.times import parse_iso, to_iso


@dataclass(frozen=True, slots=True)
class Claim:
    """What one source says: this object, from `start` until `end` (None: it does not say), as of `said`.

    Times are canonical ISO text. `rank` tells claims of one moment apart where one was made to replace the other.
    """

    object: int
    said: str
    start: str | None = None
    end: str | None = None
    rank: int = 0
    source: int = 0

    @property
    def at(self) -> str:
        """A moment at which it held, as far as one is known: where the claim stands in time."""
        return self.start or (min(self.said, _surely_before(self.end)) if self.end else self.said)

    @property
    def order(self) -> tuple[str, bool, int, str, int]:
        return self.at, self.start is not None or self.end is None, self.rank, self.said, self.object


@dataclass(eq=False, slots=True)
class Span:
    """An object and how long it held, with the claims that say so; `follower` is the span that ended it."""

    object: int
    claims: list[Claim]
    start: str | None = None
    end: str | None = None
    follower: Span | None = None
    conflicts: list[Span] = field(default_factory=list)

    @property
    def at(self) -> str:
        return min(claim.at for claim in self.claims)

    @property
    def dated(self) -> bool:
        """Whether a claim says when it began."""
        return any(claim.start for claim in self.claims)

    @property
    def stated_end(self) -> str | None:
        """When it ended, by its own claims; None if the latest of them says that it goes on."""
        ends = [claim.end for claim in self.claims if claim.start and claim.end]
        by_then = [claim.end for claim in self.claims if claim.end and not claim.start]
        last = max([*ends, *([min(by_then)] if by_then else [])], default=None)
        return None if last is None or any(witness >= last for witness in self.witnesses) else last

    @property
    def witnesses(self) -> list[str]:
        """When somebody said that it held at the time."""
        return [max(claim.said, claim.start or "") for claim in self.claims if not claim.end]


def spans(claims: Iterable[Claim], *, single: bool) -> list[Span]:
    """The spans that claims about one subject and predicate add up to, in order of time.

    `single`: only one object holds at a time. Without it, objects do not touch one another.
    """
    ordered = sorted(claims, key=lambda claim: claim.order)
    if single:
        return _in_sequence(_runs(ordered))
    objects = dict.fromkeys(claim.object for claim in ordered)
    found = [run for each in objects for run in _apart_in_time(_runs([c for c in ordered if c.object == each]))]
    return sorted(found, key=lambda span: (span.at, span.object))


def _runs(ordered: list[Claim]) -> list[Span]:
    """Claims that follow one another about the same object, as long as none begins after the others' stated end."""
    runs: list[Span] = []
    for claim in ordered:
        last = runs[-1] if runs else None
        if last and last.object == claim.object and not _apart(last, claim):
            last.claims.append(claim)
        else:
            runs.append(Span(claim.object, [claim]))
    return runs


def _apart(run: Span, claim: Claim) -> bool:
    end = run.stated_end
    return end is not None and claim.at > end and not (claim.end and not claim.start)


def _apart_in_time(runs: list[Span]) -> list[Span]:
    """Spans of one object: what held before, ended, and holds again, began when that was first heard of."""
    for i, run in enumerate(runs):
        _alone(run)
        if i and run.start is None:
            run.start = run.at
    return runs


def _alone(span: Span) -> Span:
    span.start = min((claim.start for claim in span.claims if claim.start), default=None)
    span.end = span.stated_end
    return span


def _in_sequence(runs: list[Span]) -> list[Span]:
    """Spans of which each gives way to the next."""
    kept: list[Span] = []
    for run in runs:
        _alone(run)
        around = next((span for span in reversed(kept) if span.object == run.object and span.end is None), None)
        if around is not None and around.follower is None:  # it was never closed: what came between is in conflict
            around.claims += run.claims
            _alone(around)
            continue
        if run.start is None and kept:
            run.start = _begin_after(kept[-1], run)
        for earlier in kept:
            _give_way(earlier, run)
        kept.append(run)
    return kept


def _begin_after(before: Span, run: Span) -> str:
    """When a value began that does not say so itself: when the one before it ended, or when it was first heard of."""
    ended = before.end is not None and before.end <= run.at and before.object != run.object
    return before.end if ended and before.end else run.at


def _give_way(earlier: Span, later: Span) -> None:
    """Ends the earlier span where the later one begins, or notes that they cannot both be right."""
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


def _beginning(span: Span) -> str:
    return min((claim.start for claim in span.claims if claim.start), default=None) or span.at


# People speak in years, months and days: `until August` ends some time in August. How such an end is written, and how
# many of its characters name the year, the month, the day.
_SHAPES = (("-01-01T00:00:00Z", 4), ("-01T00:00:00Z", 7), ("T00:00:00Z", 10))


def _surely_before(end: str) -> str:
    """The beginning of the year, month or day in which something ended."""
    for shape, length in _SHAPES:
        if end.endswith(shape):
            return _before(end)[:length] + shape
    return end


def _coarse(end: str, begin: str) -> bool:
    """Whether an end is only so late because it names a whole month or year, in the middle of which the next began."""
    return _surely_before(end) < begin


def _before(when: str) -> str:
    try:
        return to_iso(parse_iso(when) - timedelta(seconds=1))
    except OverflowError:  # the first moment of the year 1
        return when
