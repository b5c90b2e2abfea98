"""Recurrence rules in words: `FREQ=WEEKLY;BYDAY=MO` is `every week on Monday`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from memkit.core.instants import MONTH_NAMES, WEEKDAY_NAMES

_UNITS = {
    "SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week",
    "MONTHLY": "month", "YEARLY": "year",
}  # fmt: skip
_DAYS = {name[:2].upper(): name for name in WEEKDAY_NAMES}
_DAY = re.compile(r"([+-]?\d+)?([A-Z]{2})")
_ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last", -2: "last but one"}
_MOST = 20  # days or dates that are listed


def in_words(rule: Mapping[str, Any]) -> str:
    """How often a rule says that something takes place; empty for a rule that does not say it."""
    unit = _UNITS.get(str(_first(rule, "FREQ")).upper(), "")
    if not unit:
        return ""
    every = str(_first(rule, "INTERVAL") or 1)
    words = [f"every {unit}" if every == "1" else f"every {every} {unit}s"]
    if days := _listed([_day(str(one)) for one in rule.get("BYDAY", [])]):
        words.append(f"on {days}")
    if days := _listed([_number(one) for one in rule.get("BYMONTHDAY", [])]):
        words.append(f"on the {days} day of the month")
    if months := _listed([_month(one) for one in rule.get("BYMONTH", [])]):
        words.append(f"in {months}")
    if places := _listed([_number(one) for one in rule.get("BYSETPOS", [])]):
        words.append(f"(only the {places} of these)")
    if count := _first(rule, "COUNT"):
        words.append(f"{count} times")
    if isinstance(until := _first(rule, "UNTIL"), date):
        words.append(f"until {until:%Y-%m-%d}" if until.year > 999 else "")
    return " ".join(filter(None, words))


def dates(days: Sequence[date]) -> str:
    """Days as a list: the first of them, if they are many."""
    return _listed(sorted({one.isoformat()[:10] for one in days}))


def _first(rule: Mapping[str, Any], name: str) -> Any:
    found = rule.get(name)
    return found[0] if isinstance(found, list) and found else found or ""


def _day(text: str) -> str:
    found = _DAY.fullmatch(text.upper())
    if found is None or found[2] not in _DAYS:
        return ""
    return f"the {_number(found[1])} {_DAYS[found[2]]}" if found[1] else _DAYS[found[2]]


def _number(value: Any) -> str:
    """A place in a row: `first`, `last`, `15.`"""
    text = str(value)
    if not re.fullmatch(r"[+-]?\d{1,4}", text):
        return ""
    number = int(text)
    return _ORDINALS.get(number) or (f"{number}." if number > 0 else f"{-number}. from the end")


def _month(value: Any) -> str:
    text = str(value)
    return MONTH_NAMES[int(text) - 1] if re.fullmatch(r"0?[1-9]|1[0-2]", text) else ""


def _listed(words: Sequence[str]) -> str:
    known = list(dict.fromkeys(filter(None, words)))
    kept = known if len(known) <= _MOST else [*known[:_MOST], "..."]
    return " and ".join(filter(None, [", ".join(kept[:-1]), *kept[-1:]]))
