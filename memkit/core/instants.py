"""ISO 8601 timestamps in UTC: points in time, intervals, and their wording for people (`3 days ago`)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from memkit.core.classes import dataclass

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_ISO = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d))?"
    r"|(?P<y>\d{4})-?(?P<m>\d\d)-?(?P<d>\d\d)"
    r"(?:[Tt ](?P<hour>\d\d)(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,]\d+)?)?)?"
    r"(?:\s?(?P<utc>[Zz])|\s?(?P<sign>[+-])(?P<oh>\d\d)(?::?(?P<om>\d\d))?)?)?",
    re.ASCII,
)
_CANONICAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_UTC = timezone.utc


def parse_iso(text: str) -> datetime:
    """The moment of an ISO 8601 text as an aware datetime in UTC; text without a zone is taken as UTC.

    A year, a month or a day means its first moment. Fractions of a second are dropped. Raises ValueError for any other
    text, and for a date that does not exist.
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
        return local.astimezone(_UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is not a date in the calendar: {error}.") from error


def to_iso(when: datetime) -> str:
    """A moment as `YYYY-MM-DDTHH:MM:SSZ`, which sorts as text in the order of time; a naive one is taken as UTC."""
    if when.tzinfo is not None:
        when = when.astimezone(_UTC)
    # timespec, because a Timestamp of pandas also has nanoseconds
    return when.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _whole_second(when: datetime) -> datetime:
    """A moment in UTC without fractions of a second; a naive one is taken as UTC."""
    year, month, day, hour, minute, second, *_ = when.utctimetuple()
    return datetime(year, month, day, hour, minute, second, tzinfo=_UTC)


def canonical_time(text: str) -> str:
    """Any ISO 8601 text in the form of `to_iso`. Raises ValueError like `parse_iso`."""
    return to_iso(parse_iso(text))


@dataclass(frozen=True, slots=True)
class Interval:
    """The time from `start` (included) to `end` (excluded), as canonical UTC text; None means unbounded.

    Raises ValueError if `start` or `end` is not ISO 8601, or if `end` is not after `start`.
    """

    start: str | None
    end: str | None

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, canonical_time(value))
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise ValueError(f"An interval must end after its start, not go from {self.start} to {self.end}.")

    def __str__(self) -> str:
        """The days in words, the last one included; with hours where it does not begin or end at midnight.

        >>> str(Interval("2025-04-01", "2025-05-01")), str(Interval("2025-04-12", "2025-04-13"))
        ('2025-04-01 to 2025-04-30', '2025-04-12')
        """
        start, end = self.start, self.end
        whole = all(when is None or when.endswith(_MIDNIGHT) for when in (start, end))
        if whole:
            start = start and start[:_DAY]
            end = end and to_iso(parse_iso(end) - timedelta(days=1))[:_DAY]
        if start and end:
            return start if start == end else f"{start} to {end}"
        return f"since {start}" if start else f"until {end}" if end else "any time"

    def contains(self, when: str) -> bool:
        """Whether a time (ISO 8601) lies in the interval: a year or a month does if all of it does."""
        moment = when if _CANONICAL.fullmatch(when) else canonical_time(when)
        if len(when) <= _MONTH and self.end is not None and _after(when) > self.end:
            return False
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    def overlaps(self, other: Interval) -> bool:
        """Whether the two intervals share a moment. If one ends where the other starts, they do not."""
        return _before(self.start, other.end) and _before(other.start, self.end)


_MIDNIGHT = "T00:00:00Z"
_DAY, _MONTH, _YEAR = len("2023-03-05"), len("2023-03"), len("2023")


def _after(when: str) -> str:
    """The first moment after a year or a month, as canonical text."""
    year, month = int(when[:_YEAR]), int(when[_YEAR + 1 :] or 12)
    return (
        canonical_time(f"{year + month // 12:04}-{month % 12 + 1:02}") if (year, month) < (9999, 12) else "9999-12-31"
    )


def first_moment(when: str) -> str:
    """The shortest ISO 8601 text with the same first moment: `2023-01-01T00:00:00Z` becomes `2023`.

    So that times of any precision can be compared as text: what happened in `2023` begins before `2023-03`.
    """
    when = when.removesuffix("T00:00:00Z")
    for length in (_DAY, _MONTH):
        if len(when) == length:
            when = when.removesuffix("-01")
    return when


def _before(start: str | None, end: str | None) -> bool:
    return start is None or end is None or start < end


# ------------------------------------------------------------------------------------------------ wording for people

_AGES = (  # a unit is used from this many seconds on
    (365 * 86_400, "year"),
    (30 * 86_400, "month"),
    (7 * 86_400, "week"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)


def age(when: str, now: datetime) -> str:
    """The time from `now` to a moment in the largest whole unit: `just now`, `3 days ago`, `in 2 days` (Kira, K30).

    Of a year or a month, only years or months are counted: `this year`, `1 month ago`.
    """
    if len(when) <= _MONTH:
        return _coarse_age(when, _whole_second(now))
    seconds = int((_whole_second(now) - parse_iso(when)).total_seconds())
    for size, unit in _AGES:
        if abs(seconds) >= size:
            return _ago(int(seconds / size), unit)
    return "just now"


def _ago(count: int, unit: str) -> str:
    words = f"{abs(count)} {unit}{'s' if abs(count) > 1 else ''}"
    return f"{words} ago" if count > 0 else f"in {words}"


def _coarse_age(when: str, now: datetime) -> str:
    """The age of a year or a month, in years or months of the calendar."""
    begun = parse_iso(when)
    years, months = now.year - begun.year, 12 * (now.year - begun.year) + now.month - begun.month
    if len(when) == _YEAR:
        return _ago(years, "year") if years else "this year"
    if abs(months) >= 12:
        return _ago(int(months / 12), "year")
    return _ago(months, "month") if months else "this month"


# English names, because those of strftime follow the locale of the machine.
MONTH_NAMES = tuple("January February March April May June July August September October November December".split())
WEEKDAY_NAMES = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())


def clock_line(now: datetime, timezone: str = "UTC", channel: str | None = None) -> str:
    """The time line of a context: `2:15 PM | Thursday, February 26, 2026 | America/New_York | telegram` (C13).

    `now` is converted to the zone; a naive one is taken as UTC. Raises ValueError as `on_clocks` does.
    """
    local = on_clocks(now, timezone)
    clock = f"{local.hour % 12 or 12}:{local.minute:02} {'AM' if local.hour < 12 else 'PM'}"
    date = f"{WEEKDAY_NAMES[local.weekday()]}, {MONTH_NAMES[local.month - 1]} {local.day}, {local.year}"
    return " | ".join(part for part in (clock, date, timezone, channel) if part)


def on_clocks(when: datetime, timezone: str = "UTC") -> datetime:
    """The local time of a moment in a zone; a naive moment is taken as UTC.

    Raises ValueError for an unknown zone, and where its clocks show a year before 1 or after 9999.
    """
    zone = _zone(timezone)
    try:
        return _whole_second(when).astimezone(zone)
    except OverflowError as error:
        raise ValueError(f"The calendar has no such time in {timezone}: {when.isoformat()}.") from error


def from_clocks(local: datetime, timezone: str | None = None, offset: str | None = None) -> str:
    """The moment when the clocks of a zone (None: of this machine) showed a time, as ISO 8601 in UTC.

    A time that they showed twice, in autumn, is the first of the two. Where their `offset` from UTC stands beside the
    time (`+02:00`, `+0200`, `Z`), it tells the moment. Raises ValueError for an unknown zone or offset, and where the
    moment lies before the year 1 or after 9999.

    >>> from_clocks(datetime(2024, 3, 2, 0, 2), offset="+0200"), from_clocks(datetime(2024, 3, 2, 0, 2), offset="Z")
    ('2024-03-01T22:02:00Z', '2024-03-02T00:02:00Z')
    """
    try:
        if offset:
            return to_iso(local.replace(tzinfo=datetime.strptime(offset, "%z").tzinfo))
        return to_iso(local.replace(tzinfo=_zone(timezone)) if timezone else local.astimezone(_UTC))
    except OverflowError as error:
        raise ValueError(
            f"The calendar has no such moment: {local.isoformat()} in {timezone or 'local time'}."
        ) from error


def _zone(name: str) -> ZoneInfo | timezone:
    if name.upper() == "UTC":
        return _UTC  # also where there is no zone database
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # looks for that database: few questions name a zone

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{name!r} is not a time zone of this machine. Use a name such as Europe/Paris.") from error
