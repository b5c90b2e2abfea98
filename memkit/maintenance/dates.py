"""Date arithmetic for deadlines and ages. Times are canonical UTC texts."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from memkit.core.instants import parse_iso, to_iso

LAST = datetime(9999, 12, 31, tzinfo=timezone.utc)
FIRST = datetime(1, 1, 1, tzinfo=timezone.utc)


def days_later(now: str, days: float) -> str:
    """The time so many days after `now`, or before it for a negative number; at most the years 1 to 9999."""
    moment = parse_iso(now)
    try:
        return to_iso(moment + timedelta(days=days))
    except OverflowError:
        return to_iso(LAST if days > 0 else FIRST)


def hours_later(now: str, hours: float) -> str:
    """The time so many hours after `now`, or before it for a negative number."""
    return days_later(now, hours / 24)


def days_between(start: str, end: str) -> float:
    """The number of days from `start` to `end`; negative if `start` is later."""
    return (parse_iso(end) - parse_iso(start)) / timedelta(days=1)
