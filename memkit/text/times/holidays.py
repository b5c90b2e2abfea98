"""Holidays that come every year, by their English names: Christmas, Easter, New Year's Eve.

Christmas is the three days from Christmas Eve on, Easter the four from Good Friday on. Movable feasts follow from the
date of Easter, which the anonymous Gregorian computus gives (Meeus, Astronomical Algorithms, chapter 8).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from memkit.text.times.spans import Floating, Span

# Month, day, and how many days.
_FIXED = {
    "christmas": (12, 24, 3),
    "christmas eve": (12, 24, 1),
    "christmas day": (12, 25, 1),
    "boxing day": (12, 26, 1),
    "new year's eve": (12, 31, 1),
    "new year's day": (1, 1, 1),
    "new year's": (1, 1, 1),
    "new year": (1, 1, 1),
    "valentine's day": (2, 14, 1),
    "halloween": (10, 31, 1),
    "all saints' day": (11, 1, 1),
}
# Days after Easter Sunday, and how many days.
_BY_EASTER = {
    "easter": (-2, 4),
    "good friday": (-2, 1),
    "easter sunday": (0, 1),
    "easter monday": (1, 1),
    "whitsun": (49, 2),
    "pentecost": (49, 2),
}
NAMES = tuple(sorted((*_FIXED, *_BY_EASTER), key=len, reverse=True))


class _Holiday(Floating):
    """A holiday; the next one may be more or less than a year away."""

    def next_after(self, when: datetime) -> Span:
        return next(span for year in (0, 1, 2) if (span := self.latest(datetime(when.year + year, 12, 31)))[0] > when)


def holiday(name: str) -> Floating:
    """A holiday by its name in lower case (NAMES)."""

    def latest(when: datetime) -> Span:
        span = _of(name, when.year)
        return span if span[0] <= when else _of(name, when.year - 1)

    return _Holiday("year", latest)


def _of(name: str, year: int) -> Span:
    if name in _FIXED:
        month, day, days = _FIXED[name]
        start = datetime(year, month, day)
    else:
        after, days = _BY_EASTER[name]
        start = easter(year) + timedelta(days=after)
    return start, start + timedelta(days=days)


def easter(year: int) -> datetime:
    """Easter Sunday of a year in the Gregorian calendar."""
    century, in_century = divmod(year, 100)
    golden = year % 19
    leap, rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - leap - correction + 15) % 30
    weekday = (32 + 2 * rest + 2 * (in_century // 4) - moon - in_century % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return datetime(year, month, day + 1)
