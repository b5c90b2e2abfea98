"""Points in time as ISO 8601 UTC text, the intervals between them, and how a person would say them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_ISO = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d))?"
    r"|(?P<y>\d{4})-?(?P<m>\d\d)-?(?P<d>\d\d)"
    r"(?:[Tt ](?P<hour>\d\d)(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,]\d+)?)?)?"
    r"(?:\s?(?P<utc>[Zz])|\s?(?P<sign>[+-])(?P<oh>\d\d)(?::?(?P<om>\d\d))?)?)?",
    re.ASCII,
)
_CANONICAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def parse_iso(text: str) -> datetime:
    """The moment an ISO 8601 text names, aware and in UTC; a text without a zone is taken as UTC.

    A year, a month or a day means its first moment; fractions of a second are dropped. Anything else, and a date that
    the calendar does not have, is a ValueError.
    """
    match = _ISO.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a date in ISO 8601, such as 2023-03-05 or 2023-03-05T14:30:00Z.")
    part = {name: int(value) for name, value in match.groupdict().items() if value and value.isdigit()}
    offset = timedelta(hours=part.get("oh", 0), minutes=part.get("om", 0))
    try:
        local = datetime(
            part.get("year", part.get("y", 0)),
            part.get("month", part.get("m", 1)),
            part.get("d", 1),
            part.get("hour", 0),
            part.get("minute", 0),
            part.get("second", 0),
            tzinfo=timezone(-offset if match["sign"] == "-" else offset),
        )
        return local.astimezone(timezone.utc)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is not a date in the calendar: {error}.") from error


def to_iso(when: datetime) -> str:
    """A moment as `YYYY-MM-DDTHH:MM:SSZ`; a naive one is taken as UTC. Sorts as text in the order of time."""
    if when.tzinfo is not None:
        when = when.astimezone(timezone.utc)
    return when.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def canonical(text: str) -> str:
    """Any ISO 8601 text as `to_iso` writes it. ValueError as in `parse_iso`."""
    return to_iso(parse_iso(text))


@dataclass(frozen=True, slots=True)
class Interval:
    """The time from `start` up to, but not with, `end`; None is an open end. Both are kept as canonical UTC text.

    ValueError when an end is no date, or when the interval would be empty.
    """

    start: str | None
    end: str | None

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, canonical(value))
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise ValueError(f"An interval ends after it starts, not from {self.start} to {self.end}.")

    def contains(self, when: str) -> bool:
        """Whether a moment (ISO 8601) lies in the interval."""
        moment = when if _CANONICAL.fullmatch(when) else canonical(when)
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a moment; touching is not overlapping."""
        return _before(self.start, other.end) and _before(other.start, self.end)


def _before(start: str | None, end: str | None) -> bool:
    return start is None or end is None or start < end


# ---------------------------------------------------------------------------------------------- as a person says it

_AGES = (  # a unit is used from this many seconds on
    (365 * 86_400, "year"),
    (30 * 86_400, "month"),
    (7 * 86_400, "week"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)


def age(when: str, now: datetime) -> str:
    """How long ago a moment was, in its largest whole unit: `just now`, `3 days ago`, `in 2 days` (systems.md K30)."""
    seconds = int((parse_iso(to_iso(now)) - parse_iso(when)).total_seconds())
    for size, unit in _AGES:
        if abs(seconds) >= size:
            count = abs(seconds) // size
            words = f"{count} {unit}{'s' if count > 1 else ''}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now"


# Not strftime's names: those follow the machine's locale.
MONTH_NAMES = tuple("January February March April May June July August September October November December".split())
WEEKDAY_NAMES = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())


def clock_line(now: datetime, timezone: str = "UTC", channel: str | None = None) -> str:
    """The time line of a context: `2:15 PM | Thursday, February 26, 2026 | America/New_York | telegram` (C13).

    `now` is shown in the zone; a naive one is taken as UTC. A zone this machine does not know is a ValueError.
    """
    local = on_clocks(now, timezone)
    clock = f"{local.hour % 12 or 12}:{local.minute:02} {'AM' if local.hour < 12 else 'PM'}"
    date = f"{WEEKDAY_NAMES[local.weekday()]}, {MONTH_NAMES[local.month - 1]} {local.day}, {local.year}"
    return " | ".join(part for part in (clock, date, timezone, channel) if part)


def on_clocks(when: datetime, timezone: str = "UTC") -> datetime:
    """A moment as the clocks of a zone show it; a naive one is taken as UTC. ValueError for an unknown zone."""
    return parse_iso(to_iso(when)).astimezone(_zone(timezone))


def _zone(name: str) -> ZoneInfo | timezone:
    if name.upper() == "UTC":
        return timezone.utc  # also where there is no zone database
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{name!r} is not a time zone that this machine knows, such as Europe/Paris.") from error
