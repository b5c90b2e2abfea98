"""Spoken moments: a day and a time of day in the words of a device or an account, in any of its languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from memkit.core.instants import from_clocks
from memkit.core.patterns import pattern
from memkit.core.written_dates import written_date

_YEAR = pattern(r"(?<=[^\W\d])(?=\d{4}年)")  # a Chinese one, right behind a word
_TIME = pattern(r"(?<!\d)(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?(?!\d|\. ?\d)")
_HALF = pattern(r"\A\s*([ap])\.?\s?m\b|(下午|晚上|午後|오후)\s*\Z|(?:上午|凌晨|早上|午前|오전)\s*\Z", re.IGNORECASE)
_MOST_WORDS = 4  # before and after a date that are not part of it
_LONGEST = 120  # characters
_WHOLE = len("2024-01-01")


def moment(told: str, timezone: str | None = None) -> str | None:
    """When `Added on Friday, January 3, 2025 10:30:45 PM` was on the clocks of a zone (None: of this machine).

    The day without a time; None for no date. Words may stand before and after the date.
    """
    found = _TIME.search(told) if len(told) <= _LONGEST else None
    before = _YEAR.sub(" ", told[: found.start()] if found else told[:_LONGEST])
    day = _day(before.replace(",", ", ").split())
    if found is None or day is None or len(day) < _WHOLE:
        return day
    hour = int(found[1])
    # The half of the day stands after the time, or before it.
    if half := _HALF.search(told[found.end() :]) or _HALF.search(told[: found.start()]):
        hour = hour % 12 + (12 if half[2] or (half[1] or "").lower() == "p" else 0)
    if hour > 23 or int(found[2]) > 59 or int(found[3] or 0) > 59:
        return day
    at = timedelta(hours=hour, minutes=int(found[2]), seconds=int(found[3] or 0))
    return from_clocks(datetime.fromisoformat(day) + at, timezone)


def _day(words: list[str]) -> str | None:
    """The date among the words, of several the first that is known to the day; None if there is none."""
    best = ""
    for some in _runs(words):
        best = max(best, written_date(" ".join(some).strip(" ,")) or "", key=len)
        if len(best) == _WHOLE:
            break
    return best or None


def _runs(words: list[str]) -> Iterator[list[str]]:
    """The words, without more and more of those before and after a date."""
    for first in range(min(_MOST_WORDS, len(words)) + 1):
        for last in range(_MOST_WORDS):
            if first < len(words) - last:
                yield words[first : len(words) - last]
