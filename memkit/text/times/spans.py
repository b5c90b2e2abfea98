"""Calendar arithmetic on local time: a day, week, month or season is a pair (first moment, first moment after it).

Moments here are naive, in the local time of the question; `phrases` converts them to UTC. Weeks begin on Monday (ISO
8601). Seasons are the meteorological ones of the northern hemisphere, in whole months: the winter of 2021 is December
2021 to February 2022. Raises ValueError or OverflowError outside the years 1 to 9999.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from memkit.core.classes import dataclass

Span = tuple[datetime, datetime]

# What `re` takes for s, i and k where case does not matter, and no dictionary of words does.
LOOK_ALIKES = str.maketrans("\u017f\u0131\u0130\u212a", "siIK")
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


@dataclass(frozen=True)
class Floating:
    """A repeating time such as `March` or `Monday`; `latest` gives its last span that begins at or before a moment."""

    period: str
    latest: Callable[[datetime], Span]

    def next_after(self, when: datetime) -> Span:
        """The span after the one that `latest` gives."""
        return self.latest(shift(when, 1, self.period))


def midnight(when: datetime) -> datetime:
    return when.replace(hour=0, minute=0, second=0, microsecond=0)


def day(when: datetime) -> Span:
    return midnight(when), midnight(when) + timedelta(days=1)


def week(when: datetime) -> Span:
    monday = midnight(when) - timedelta(days=when.weekday())
    return monday, monday + timedelta(days=7)


def weekend(when: datetime) -> Span:
    """Saturday and Sunday of the week of a moment."""
    end = week(when)[1]
    return end - timedelta(days=2), end


def months(year: int, month: int, count: int) -> Span:
    """`count` months from the first day of a month."""
    start = datetime(year, month, 1)
    return start, shift(start, count, "month")


def decade(when: datetime) -> Span:
    return months(when.year - when.year % 10, 1, 120)


UNITS: dict[str, Callable[[datetime], Span]] = {
    "day": day,
    "week": week,
    "weekend": weekend,
    "month": lambda when: months(when.year, when.month, 1),
    "quarter": lambda when: months(when.year, when.month - (when.month - 1) % 3, 3),
    "year": lambda when: months(when.year, 1, 12),
    "decade": decade,
}

_FIXED = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "weekend": timedelta(days=7),
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


def shift(when: datetime, count: int, unit: str) -> datetime:
    """A moment `count` units later (earlier if negative); the 31st becomes the last day of a shorter month."""
    if unit in _FIXED:
        return when + count * _FIXED[unit]
    years, month = divmod(when.month - 1 + count * _MONTHS[unit], 12)
    year = when.year + years
    return when.replace(year=year, month=month + 1, day=min(when.day, _days_in(year, month + 1)))


def _days_in(year: int, month: int) -> int:
    from calendar import monthrange  # most questions name no time

    return monthrange(year, month)[1]


def is_short(unit: str) -> bool:
    return unit in ("minute", "hour")


def around(when: datetime, fewest: int, most: int, unit: str) -> Span:
    """The span meant by `fewest` to `most` units from a moment: whole days, with half a unit before and after."""
    early, late = shift(when, fewest, unit), shift(when, most, unit)
    if unit == "weekend":
        return weekend(early)[0], weekend(late)[1]
    if unit == "day":
        return day(early)[0], day(late)[1]
    half = (shift(when, 1, unit) - when) / 2
    if is_short(unit):
        return early - half, late + half
    return day(early - half)[0], day(late + half)[1]


def trailing(when: datetime, count: int, unit: str) -> Span:
    """The last `count` units up to a moment, including its whole day; for weekends, the last `count` weekends."""
    if unit == "weekend":
        return weekend(shift(when, -count, unit))[0], weekend(shift(when, -1, unit))[1]
    start = shift(when, -count, unit)
    if is_short(unit):
        return start, when + timedelta(seconds=1)
    return midnight(start), day(when)[1]


def leading(when: datetime, count: int, unit: str) -> Span:
    """The next `count` units from a moment on, including its whole day."""
    if unit == "weekend":
        return weekend(shift(when, 1, unit))[0], weekend(shift(when, count, unit))[1]
    end = shift(when, count, unit)
    return (when, end) if is_short(unit) else (midnight(when), day(end)[1])


# ---------------------------------------------------------------------------------------------- repeating times


def yearly(month: int, count: int = 1) -> Floating:
    """`count` months of every year, from the first of `month`: a month, a season or a quarter."""

    def latest(when: datetime) -> Span:
        span = months(when.year, month, count)
        return span if span[0] <= when else months(when.year - 1, month, count)

    return Floating("year", latest)


def date_of_year(month: int, number: int) -> Floating:
    """A date in every year that has it. Raises ValueError if no year has it."""
    if not 1 <= number <= (29 if month == 2 else _days_in(2023, month)):
        raise ValueError(f"Month {month} has no day {number}.")

    def latest(when: datetime) -> Span:
        years = (when.year - back for back in range(9))  # 9 years: 1900 was not a leap year
        days = (datetime(year, month, number) for year in years if number <= _days_in(year, month))
        return day(next(start for start in days if start <= when))

    return Floating("year", latest)


def day_of_month(number: int) -> Floating:
    """A day of the month, in every month that has it. Raises ValueError outside 1 to 31."""
    if not 1 <= number <= 31:
        raise ValueError(f"No month has a day {number}.")

    def latest(when: datetime) -> Span:
        firsts = (shift(when.replace(day=1), -back, "month") for back in range(3))
        days = (first.replace(day=number) for first in firsts if number <= _days_in(first.year, first.month))
        return day(next(start for start in days if midnight(start) <= when))

    return Floating("month", latest)


def weekday(number: int) -> Floating:
    """A day of every week; Monday is 0."""
    return Floating("week", lambda when: day(when - timedelta(days=(when.weekday() - number) % 7)))


def every_weekend() -> Floating:
    """Saturday and Sunday of every week."""

    def latest(when: datetime) -> Span:
        span = weekend(when)
        return span if span[0] <= when else weekend(when - timedelta(days=7))

    return Floating("week", latest)


def relative(floating: Floating, which: int, now: datetime) -> Span:
    """The last (-1: the latest that is over), this (0: now, or in this week or year) or next (1: to begin) span."""
    span = floating.latest(now)
    if which > 0:
        return floating.next_after(now)
    if which < 0:
        return span if span[1] <= now else floating.latest(span[0] - timedelta(seconds=1))
    return span if now < span[1] else floating.latest(UNITS[floating.period](now)[1] - timedelta(seconds=1))


# ---------------------------------------------------------------------------------------------- parts of spans

THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
HOURS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}


def third(span: Span, name: str) -> Span:
    """The early, mid or late third of a span, in whole days; the late third also gets the remainder."""
    start, end = span
    size = timedelta(days=(end - start).days // 3)
    number = THIRDS[name]
    return start + number * size, (start + (number + 1) * size if number < 2 else end)


def half(span: Span, number: int) -> Span:
    """The first (0) or second half of a month or a year; a month has its second half from the 16th on."""
    start, end = span
    middle = start + timedelta(days=15) if end - start < timedelta(days=40) else shift(start, 6, "month")
    return (start, middle) if number == 0 else (middle, end)


def week_of(span: Span, number: int) -> Span:
    """The first (0) to fourth seven days of a span, or its last seven (4)."""
    start, end = span
    return (
        (end - timedelta(days=7), end)
        if number == 4
        else (shift(start, number, "week"), shift(start, number + 1, "week"))
    )


def part(when: Span | Floating, cut: Callable[[Span], Span]) -> Span | Floating:
    """A part of a time; of a repeating one, the last part that begins at or before a moment."""
    if not isinstance(when, Floating):
        return cut(when)

    def latest(moment: datetime) -> Span:
        whole = when.latest(moment)
        found = cut(whole)
        return found if found[0] <= moment else cut(when.latest(whole[0] - timedelta(seconds=1)))

    return Floating(when.period, latest)


def part_of_day(span: Span, name: str) -> Span:
    """A part of a day. The morning begins at midnight, to include dates without a time; the night ends at six."""
    first, last = HOURS[name]
    return span[0] + timedelta(hours=first), span[0] + timedelta(hours=last)
