"""Time expression recognition: rules find times in a text, and the words around them decide the interval.

    text --rules--> atoms --modifiers--> `early March`, `Friday evening`
                          --two and a connector--> `from March to May`
                          --lead or suffix--> `since March`, `before the 8th`, `in 2019`

A repeating time (`March`, `Monday`) means the latest one that has begun, because questions are about the past. "since
X" starts at the start of X, "after X" at its end; "until X" and "to X" end at the end of X, "before X" at its start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone, tzinfo
from re import Match
from typing import NamedTuple

from memkit.core.instants import Interval, parse_iso, to_iso
from memkit.core.patterns import pattern
from memkit.text.composed import as_written, composed
from memkit.text.times import cjk, english, spans
from memkit.text.times.rules import TimeRule, When
from memkit.text.times.spans import Floating, Span

RULES: tuple[TimeRule, ...] = english.RULES + cjk.RULES

OpenSpan = tuple[datetime | None, datetime | None]
_SINCE, _UNTIL = ("since", "starting", "beginning", "onwards"), ("until", "till", "til", "through", "up to")
_WITHIN = ("in", "on", "during", "over", "at", "around", "throughout", "within", "from", "as of")
# How a lead word changes the time after it. "from" and "between" need a second time; "from" alone is like "in".
ROLES: dict[str, Callable[[Span], OpenSpan]] = {
    **dict.fromkeys(_SINCE, lambda span: (span[0], None)),
    "after": lambda span: (span[1], None),
    **dict.fromkeys(_UNTIL, lambda span: (None, span[1])),
    **dict.fromkeys(("before", "prior to"), lambda span: (None, span[0])),
    **dict.fromkeys(_WITHIN, lambda span: span),
}
_LEAD = pattern(
    rf"\b(?:(?P<early>since|starting|beginning|as of)\s+(?:in|on|from|about|around)"
    rf"|(?P<lead>{'|'.join(sorted([*ROLES, 'between'], key=len, reverse=True))}))\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_END_OF = pattern(r"(?:the\s+)?end\s+of\b", re.IGNORECASE)
_ONWARDS = pattern(r"\s+on(?:wards?)?\b(?!\s+\w)", re.IGNORECASE)
_CONNECTOR = pattern(
    r"\s*,?\s*(?P<word>and|to|until|till|through|thru|-|–|—|~|〜|～|到|至|から)\s*(?:the\s+)?", re.IGNORECASE
)
_SUFFIXES = (  # Chinese and Japanese put these words after the time
    (pattern("以来|以來|起|から|以降"), "since"),
    (pattern("之后|之後|以后|以後"), "after"),
    (pattern("为止|為止|まで"), "until"),
    (pattern("之前|以前"), "before"),
)
_NARROWED = pattern(
    r"\b(?:(?P<third>early|mid|late)(?:\s+|-)(?:in\s+)?|(?:the\s+)?(?P<edge>beginning|start|middle|end)\s+of\s+)"
    r"(?:the\s+)?\Z",
    re.IGNORECASE,
)
_PART_OF_DAY = pattern(r"(?:\s+|\s+in\s+the\s+)(?P<part>morning|afternoon|evening|night)\b", re.IGNORECASE)
_OFFSET = pattern(
    rf"\b(?:(?P<the>the|last)|{english.COUNT})\s+(?:{english.UNIT}s?|{english.WEEKDAY})\s+"
    r"(?P<way>before|prior\s+to|after|following)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
# A modifier or lead begins at most so many characters before its time.
_REACH = 40


class Found(NamedTuple):
    """A time in a text: its interval, its span (start, end), and its words."""

    interval: Interval
    span: tuple[int, int]
    phrase: str


class _Atom(NamedTuple):
    """A time found by a rule, without the words around it."""

    start: int
    end: int
    when: When
    rule: TimeRule
    match: Match[str]
    weak: bool


class _Phrase(NamedTuple):
    start: int
    end: int
    lead: str
    span: OpenSpan
    when: When | None  # None for a range


def find_intervals(text: str, now: datetime) -> list[Found]:
    """All times that a text names, in order; relative times are relative to `now`. An empty list if it names none.

    Days begin at midnight in the time zone of `now` (UTC if it is naive). Raises no error for any text.
    """
    zone = now.tzinfo or timezone.utc
    found = []
    for phrase in _phrases(composed(text), now.replace(tzinfo=None)):
        if interval := _interval(phrase.span, zone):
            start, end = span = as_written(text, (phrase.start, phrase.end))
            found.append(Found(interval, span, text[start:end]))
    return found


def find_interval(question: str, now: datetime) -> tuple[Interval, tuple[int, int]] | None:
    """The first time that a question names, and its span (start, end); None if it names none (Kira, K05)."""
    found = find_intervals(question, now)
    return (found[0].interval, found[0].span) if found else None


def days_ago(text: str, now: datetime) -> str | None:
    """The first moment of the day that `two weeks ago` names (14 days before `now`, ISO 8601); None without a count.

    `find_interval` gives the days around it that may be meant: right for a question, not for when something began.
    """
    text = text.translate(spans.LOOK_ALIKES)
    if named := cjk.ago(text):
        fewest, most, unit = named
    else:
        found = _AGO.search(text)
        if found is None or spans.is_short(unit := found["unit"].lower()):
            return None
        fewest, most = english.count(found)
    try:
        return to_iso(spans.midnight(spans.shift(now, -(fewest + most) // 2, unit)))
    except (ValueError, OverflowError):
        return None


_AGO = pattern(rf"(?i)(?<!than )(?<!over )\b{english.COUNT}\s+{english.UNIT}s?\s+ago\b")


def explicit_valid(text: str, happened_at: str) -> Interval | None:
    """The interval in which a statement is true by its own words: `since March`, `from 2015 to 2019`; None without.

    Times are relative to `happened_at` (ISO 8601). `until March` means the nearest March, which may be in the future. A
    date alone (`last week`, `in 2019`) says when something happened, not how long it is true: see `find_interval`.
    """
    now = parse_iso(happened_at).replace(tzinfo=None)
    if _VALIDITY.search(text) is None:
        return None
    for phrase in _phrases(text, now):
        span = phrase.span
        if phrase.lead in _UNTIL and isinstance(phrase.when, Floating):
            span = (None, _nearest(phrase.when, now)[1])
        if phrase.lead == "as of":  # in a question it means that moment, in a statement also the time after it
            span = (span[0], None)
        if phrase.lead in (*_SINCE, *_UNTIL, "as of", "range") and (interval := _interval(span, timezone.utc)):
            return interval
    return None


# Most statements have none of these words. This quick search saves running the grammar on them.
_VALIDITY = pattern(
    rf"\b(?:{'|'.join((*_SINCE, *_UNTIL))}|as of|from|between)\b|[–—~〜～到至起来來降止]|から|まで|\d-\d", re.IGNORECASE
)


# ---------------------------------------------------------------------------------------------- atoms


# What a time that begins with `the` or `this` goes on with. The rules are not even compiled for `the old road`.
_AFTER_THE = (
    "day|last|past|previous|this|current|next|coming|first|second|third|fourth|year|week|weekend|month|quarter|decade"
    rf"|morning|afternoon|evening|night|{english.MONTH_WORDS}|{'|'.join(english.WEEKDAYS)}|{'|'.join(spans.SEASONS)}"
)
# The few places of a text where a rule can match: the rules are only tried there.
_START = pattern(
    rf"(?:(?<=\bmid-)|(?<![{english.LETTER}]))(?:[0-9]|q[1-4]"
    rf"|(?:the|this|these)\s+(?=[0-9'’]|(?:{_AFTER_THE})\b)"
    rf"|(?:day|last|past|previous|current|next|coming|(?:yester|to)day|to(?:morrow|night)|start|beginning|end|month|weekend|first|second|third|fourth"
    rf"|{'|'.join(english.COUNTS)}|{english.MONTH_WORDS}|{'|'.join(english.WEEKDAYS)}|{'|'.join(spans.SEASONS)}"
    rf"|(?:week|year)(?=\s+before\s+last)|season(?=\s+of)|{english.HOLIDAY})\b)"
    rf"|[{cjk.FIRST}]",
    re.IGNORECASE,
)


def _atoms(text: str, now: datetime) -> list[_Atom]:
    """The times that the rules find, leftmost and longest first, without overlaps."""
    kept: list[_Atom] = []
    for place in _START.finditer(text):
        start = place.start()
        if not kept or start >= kept[-1].end:
            found = [atom for rule in _rules_for(text[start]) if (atom := _atom(rule, text, start, now))]
            kept += sorted(found, key=lambda atom: atom.end)[-1:]
    return [_modified(text, atom, now) for atom in kept]


def _rules_for(first: str) -> tuple[TimeRule, ...]:
    """The rules whose match may begin with this character; digits may begin one of any language."""
    if first.isdigit():
        return RULES
    return english.RULES if first.isascii() else cjk.RULES


def _atom(rule: TimeRule, text: str, start: int, now: datetime) -> _Atom | None:
    match = rule.pattern.match(text, start)
    when = _built(rule, match, now) if match else None
    return _Atom(start, match.end(), when, rule, match, rule.weak) if match and when else None


def _built(rule: TimeRule, match: Match[str], now: datetime) -> When | None:
    """The time of a match; None if it does not exist in the calendar."""
    try:
        when = rule.build(match, now)
        return when if when and _resolved(when, now) else None
    except (ValueError, OverflowError):
        return None


def _resolved(when: When, now: datetime) -> Span:
    return when.latest(now) if isinstance(when, Floating) else when


def _nearest(when: Floating, now: datetime) -> Span:
    past = when.latest(now)
    try:
        return min(past, when.next_after(now), key=lambda span: abs(span[0] - now))
    except (ValueError, OverflowError):  # the calendar ends before the next one
        return past


# ---------------------------------------------------------------------------------------------- around an atom


def _modified(text: str, atom: _Atom, now: datetime) -> _Atom:
    """An atom with the words that narrow it: `early March`, `the end of 2019`, `Friday evening`."""
    start, end = _resolved(atom.when, now)
    before = _NARROWED.search(text, max(0, atom.start - _REACH), atom.start)
    if before and end - start > timedelta(days=3) and _is_name(atom):
        name = (before["third"] or before["edge"]).lower()
        when = spans.part(atom.when, lambda span: spans.third(span, name))
        return atom._replace(start=before.start(), when=when, weak=False)
    after = _PART_OF_DAY.match(text, atom.end)
    if after and end - start == timedelta(days=1):
        when = _mapped(atom.when, lambda span: spans.part_of_day(span, after["part"].lower()))
        return atom._replace(end=after.end(), when=when)
    return atom


def _is_name(atom: _Atom) -> bool:
    """Rejects `may` and `march` in lower case: in `late may` and `early march` they are not months."""
    return atom.match[0] not in ("may", "march")


def _mapped(when: When, change: Callable[[Span], Span]) -> When:
    if isinstance(when, Floating):
        return Floating(when.period, lambda moment: change(when.latest(moment)))
    return change(when)


def _lead(text: str, start: int) -> tuple[str, int]:
    """The lead word before a time (`since`, `in`) and its start; ("", start) if there is none."""
    match = _LEAD.search(text, max(0, start - _REACH), start)
    return ((match["early"] or match["lead"]).lower(), match.start()) if match else ("", start)


def _suffix(text: str, atom: _Atom) -> tuple[str, int]:
    """The lead word of a Chinese or Japanese suffix after a time (`2019年以来`) and its end; ("", end) if none."""
    for suffix, lead in _SUFFIXES:
        if atom.rule in cjk.RULES and (match := suffix.match(text, atom.end)):
            return lead, match.end()
    return "", atom.end


# ---------------------------------------------------------------------------------------------- phrases


def _phrases(text: str, now: datetime) -> Iterator[_Phrase]:
    """The times of a text with the words around them; times outside the calendar are skipped."""
    text = text.translate(spans.LOOK_ALIKES)
    atoms = _atoms(text, now)
    at = 0
    while at < len(atoms):
        atom, following = atoms[at], atoms[at + 1] if at + 1 < len(atoms) else None
        at += 1
        if following and _is_offset(text, atom, following):
            continue
        try:
            phrase = following and _range(text, atom, following, now)
            at += phrase is not None
            phrase = phrase or _single(text, atom, now)
        except (ValueError, OverflowError):
            continue
        if phrase:
            yield phrase


def _is_offset(text: str, atom: _Atom, following: _Atom) -> bool:
    """Whether a time only belongs to the offset of the next one: `last weekend before April 10`."""
    offset = _OFFSET.search(text, max(0, following.start - _REACH), following.start)
    return offset is not None and offset.start() <= atom.start


def _range(text: str, first: _Atom, last: _Atom, now: datetime) -> _Phrase | None:
    """Two times with a connector: `from March to May`, `between 3/1 and 3/9`, `5 March – 8 March`."""
    connector = _CONNECTOR.fullmatch(text, first.end, last.start)
    if connector is None:
        return None
    lead, start = _lead(text, first.start)
    is_and = connector["word"].lower() == "and"
    if is_and != (lead == "between") or (lead not in ("from", "since", "between") and (first.weak or last.weak)):
        return None
    begin, end = _between(first.when, last.when, now)
    if begin >= end:
        return None
    end_at = _suffix(text, last)[1]
    return _Phrase(start if lead in ("from", "since", "between") else first.start, end_at, "range", (begin, end), None)


def _between(first: When, last: When, now: datetime) -> tuple[datetime, datetime]:
    """The start of one time and the end of the other; a repeating time is resolved to be near the other."""
    if isinstance(last, Floating) and not isinstance(first, Floating):
        return first[0], last.next_after(first[0])[1]
    end = _resolved(last, now)
    return _resolved(first, end[0])[0], end[1]


def _single(text: str, atom: _Atom, now: datetime) -> _Phrase | None:
    """One time with its lead; None for a weak time without a lead that fits."""
    offset = _OFFSET.search(text, max(0, atom.start - _REACH), atom.start)
    if offset and not (atom.weak and not atom.rule.allows("before", atom.match)):
        return _Phrase(offset.start(), atom.end, "in", _offset(offset, _resolved(atom.when, now)), None)
    lead, start = _lead(text, atom.start)
    behind, end = _suffix(text, atom)
    if atom.weak and (not lead or lead == "between" or not atom.rule.allows(lead, atom.match)):
        return None
    if lead == "from" and (onwards := _ONWARDS.match(text, atom.end)):
        lead, end = "onwards", onwards.end()
    if lead == "before" and _END_OF.match(text, atom.start):
        lead = "until"
    lead = behind or lead
    if lead not in ROLES:
        lead, start = "in", atom.start
    return _Phrase(start, end, lead, ROLES[lead](_resolved(atom.when, now)), atom.when)


def _offset(match: Match[str], span: Span) -> Span:
    """`two days before March 5`, `the week after the 8th`, `the Friday before yesterday`."""
    is_before = match["way"].lower() not in ("after", "following")
    if match["weekday"]:
        return _weekday_beside(match, span, is_before)
    unit = match["unit"].lower()
    fewest, most = (1, 1) if match["the"] else english.count(match)
    if unit == "weekend":
        beside = spans.every_weekend()
        return (
            beside.latest(span[0] - timedelta(seconds=1))
            if is_before
            else beside.next_after(span[1] - timedelta(seconds=1))
        )
    if match["the"]:
        return (spans.shift(span[0], -1, unit), span[0]) if is_before else (span[1], spans.shift(span[1], 1, unit))
    return spans.around(span[0], -most, -fewest, unit) if is_before else spans.around(span[0], fewest, most, unit)


def _weekday_beside(match: Match[str], span: Span, is_before: bool) -> Span:
    days = english.weekday(match)
    return days.latest(span[0] - timedelta(seconds=1)) if is_before else days.next_after(span[1] - timedelta(seconds=1))


def _interval(span: OpenSpan, zone: tzinfo) -> Interval | None:
    """A local span as an interval in UTC; None outside the calendar, or if a clock change makes it empty."""
    try:
        return Interval(*(None if when is None else to_iso(when.replace(tzinfo=zone)) for when in span))
    except (ValueError, OverflowError):
        return None
