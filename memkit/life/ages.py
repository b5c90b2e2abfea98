"""Moments reckoned from now: when something will be over, before when something is old enough."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from memkit.times import parse_iso, to_iso

LAST = datetime(9999, 12, 31, tzinfo=timezone.utc)
FIRST = datetime(1, 1, 1, tzinfo=timezone.utc)


def days_later(now: str, days: float) -> str:
    """The moment so many days after now, or before it for a negative number; the calendar's ends at most."""
    moment = parse_iso(now)
    try:
        return to_iso(moment + timedelta(days=days))
    except OverflowError:
        return to_iso(LAST if days > 0 else FIRST)


def hours_later(now: str, hours: float) -> str:
    """The same in hours."""
    return days_later(now, hours / 24)


def days_between(start: str, end: str) -> float:
    """How many days lie between two moments; negative if the first is the later one."""
    return (parse_iso(end) - parse_iso(start)) / timedelta(days=1)
