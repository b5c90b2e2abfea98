"""Topics of a conversation: how much is torn apart if it is divided before a turn (after TextTiling; Hearst 1997)."""

from __future__ import annotations

from collections.abc import Sequence

from memkit.maintenance.dates import days_between
from memkit.maintenance.summaries import Turn
from memkit.text.compress import terms

PAUSE = 30 / (24 * 60)  # days (half an hour) after which a turn begins something new
AROUND = 3  # turns before and after a place that are compared
TIE, SHARED, MOST_SHARED = 6, 3, 3  # tokens for a turn without a pause before it, and for each term that goes over it


def ties(turns: Sequence[Turn]) -> list[int]:
    """For each turn what it costs to divide before it, in tokens."""
    said = [terms(turn.text) for turn in turns]
    return [_tie(turns, said, i) if i else 0 for i in range(len(turns))]


def goes_on_after(before: str, now: str) -> bool:
    """Whether what was said at a time goes on with what was said before: both have an hour, with no pause between.

    >>> goes_on_after("2026-03-01T23:58:00Z", "2026-03-02T00:03:00Z"), goes_on_after("2026-03-01", "2026-03-02")
    (True, False)
    """
    apart = _apart(before, now)
    return apart is not None and apart < PAUSE


def _tie(turns: Sequence[Turn], said: Sequence[set[str]], i: int) -> int:
    if (_apart(turns[i - 1].at or "", turns[i].at or "") or 0) >= PAUSE:
        return 0
    shared = _over(said[max(0, i - AROUND) : i]) & _over(said[i : i + AROUND])
    return TIE + SHARED * min(MOST_SHARED, len(shared))


def _over(said: Sequence[set[str]]) -> set[str]:
    return set().union(*said)


def _apart(before: str, now: str) -> float | None:
    """The days between two times; None if one has no hour."""
    if min(len(before), len(now)) < len("2026-03-01T10:00"):
        return None
    return days_between(before, now)
