"""Times that count from a year of their own: Windows' and Chrome's, Apple's."""

from __future__ import annotations

from memkit.sources.chat import time_or_none

_YEAR_1601 = -11_644_473_600  # seconds from 1970 to where Windows' time begins, and Chrome's
_YEAR_2001 = 978_307_200  # and to where Apple's begins


def since_1601(value: object) -> str | None:
    """The time of microseconds since 1601; None for none."""
    micros = _number(value)
    return time_or_none(_YEAR_1601 + micros / 1e6) if micros else None


def since_2001(value: object) -> str | None:
    """The time of seconds since 2001; None for none."""
    seconds = _number(value)
    return time_or_none(_YEAR_2001 + seconds) if seconds else None


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 0
    try:
        return float(value)
    except (ValueError, OverflowError):
        return 0
