"""Date parsing: times as exports write them become ISO 8601 in UTC, or the day, month or year that is known."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime, timedelta
from numbers import Real
from typing import SupportsFloat

from memkit.core.instants import to_iso
from memkit.core.patterns import pattern

_ISO = pattern(
    r"(\d{4})-?(\d\d)-?(\d\d)"
    r"(?:[Tt ]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?[ ]?(?:([Zz]|UTC)|([+-])(\d\d):?(\d\d)?)?)?"
)
_COARSE = pattern(r"(?!0000)\d{4}(?:-(?:0[1-9]|1[0-2]))?", re.ASCII)
_EPOCH = pattern(r"-?\d{9,}(?:\.\d+)?")
# A day and a time in a row, perhaps to the millisecond. As a number since 1970 it would be after the year 2280.
_STAMP = pattern(
    r"((?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))((?:[01]\d|2[0-3])[0-5]\d[0-5]\d)(?:\d{3})?", re.ASCII
)
_START = datetime(1970, 1, 1)
_CANONICAL = len("1970-01-01T00:00:00Z")


def iso(value: object) -> str:
    """The time as `YYYY-MM-DDTHH:MM:SSZ`; `YYYY-MM-DD`, `YYYY-MM` or `YYYY` where no more is known than that.

    Takes ISO 8601 text with any offset (without an offset it is UTC), dates, datetimes, and numbers since 1970 in
    seconds, milli-, micro- or nanoseconds (the size of the number decides which), also `20240531180000` and
    `20240531180000123`. Fractions of a second are dropped.
    Raises ValueError for anything else, and for dates that do not exist.
    """
    if isinstance(value, str):
        return _from_text(value.strip())
    if isinstance(value, datetime):
        return to_iso(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Real) and not isinstance(value, bool):
        is_stamp = isinstance(value, int) and _STAMP.fullmatch(str(value))
        return _from_text(str(value)) if is_stamp else _from_number(value)
    raise ValueError(f"{value!r:.40} is not a time")


def _from_text(text: str) -> str:
    if len(text) == _CANONICAL and text[-1] == "Z":  # as most are; the patterns take five times as long
        with suppress(ValueError):
            if datetime.fromisoformat(text[:-1]).isoformat() + "Z" == text:
                return text
    if match := _ISO.fullmatch(text):
        year, month, day, hour, minute, second, _, sign, hours, minutes = match.groups()
        try:
            if hour is None:
                return date(int(year), int(month), int(day)).isoformat()
            moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0))
            if sign:
                offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
                moment = moment - offset if sign == "+" else moment + offset
        except (ValueError, OverflowError) as error:
            raise ValueError(f"{text!r} is not a time: {error}") from None
        return moment.isoformat() + "Z"
    if _COARSE.fullmatch(text):
        return text
    if stamp := _STAMP.fullmatch(text):
        return _from_text(f"{stamp[1]}T{stamp[2]}")
    if _EPOCH.fullmatch(text):
        return _from_number(float(text))
    raise ValueError(f"{text[:40]!r} is not a time; write it like 2024-05-31 or 2024-05-31T18:00:00Z")


def _from_number(number: SupportsFloat) -> str:
    try:
        seconds = float(number)
        while 1e11 <= abs(seconds) < 1e20:  # 1e11 seconds is the year 5138: a larger number is in smaller units
            seconds /= 1000
        return (_START + timedelta(seconds=seconds // 1)).isoformat() + "Z"
    except (ValueError, OverflowError):
        raise ValueError(f"{number!r:.40} is not a time") from None
