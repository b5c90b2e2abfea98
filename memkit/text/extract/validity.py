"""Validity: from when until when a sentence says that something is true."""

from __future__ import annotations

from memkit.core.instants import Interval, parse_iso
from memkit.core.patterns import pattern as later
from memkit.text.times import days_ago, explicit_valid, find_interval
from memkit.text.times.translated import in_english

_YEAR = r"((?:1[5-9]|20)\d\d)"
_YEARS = later(rf"\b{_YEAR}(?: (?:a|al|hasta|bis|à) | ?[-–—~至到] ?){_YEAR}\b|\b(?:desde|seit|depuis) {_YEAR}\b")


def said_valid(sentence: str, happened_at: str | None, begins: bool) -> Interval | None:
    """The interval in which the sentence says it is true; what begins (a new job) is true from its date on."""
    if happened_at is None:
        return None
    sentence = in_english(sentence)
    said = parse_iso(happened_at)
    if (valid := explicit_valid(sentence, happened_at) or _years(sentence)) or not begins:
        exact = days_ago(sentence, said) if valid and valid.start and not valid.end else None
        return Interval(exact, None) if exact else valid
    named = find_interval(sentence, said)
    if named is None or named[0].start is None or parse_iso(named[0].start) > said:
        return None
    return Interval(days_ago(sentence, said) or named[0].start, None)


def _years(sentence: str) -> Interval | None:
    """The years from which and until which something was true, as languages beside English say it."""
    found = _YEARS.search(sentence)
    if found is None:
        return None
    first, last = int(found[1] or found[3]), int(found[2] or 0)
    return Interval(f"{first}-01-01T00:00:00Z", f"{last + 1}-01-01T00:00:00Z" if last else None)
