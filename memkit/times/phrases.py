"""Times in running text: the rules find their names, and the words around them say what of them is meant.

    text --rules--> atoms --modifiers--> `early March`, `Friday evening`
                          --two and a connector--> `from March to May`
                          --lead or suffix--> `since March`, `before the 8th`, `in 2019`

A time that comes back (`March`, `Monday`) is the latest one that has begun: questions are about the past. "since X"
starts with X, "after X" behind it; "until X" and "to X" end with X's end, "before X" at its start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone, tzinfo
from re import Match
from typing import NamedTuple

from memkit.times import cjk, english, spans
from memkit.times.instants import Interval, parse_iso, to_iso
from memkit.times.rules import Rule, When
from memkit.times.spans import Floating, Span

RULES: tuple[Rule, ...] = english.RULES + cjk.RULES

OpenSpan = tuple[datetime | None, datetime | None]
_SINCE, _UNTIL = ("since", "starting", "beginning", "onwards"), ("until", "till", "til", "through", "up to")
_WITHIN = ("in", "on", "during", "over", "at", "around", "throughout", "within", "from", "as of")
# What a lead makes of the time after it. "from" and "between" want a second time; "from" alone is like "in".
ROLES: dict[str, Callable[[Span], OpenSpan]] = {
    **dict.fromkeys(_SINCE, lambda span: (span[0], None)),
    "after": lambda span: (span[1], None),
    **dict.fromkeys(_UNTIL, lambda span: (None, span[1])),
    **dict.fromkeys(("before", "prior to"), lambda span: (None, span[0])),
    **dict.fromkeys(_WITHIN, lambda span: span),
}
_LEAD = re.compile(
    rf"\b(?:(?P<early>since|starting|beginning|as of)\s+(?:in|on|from|about|around)"
    rf"|(?P<lead>{'|'.join(sorted([*ROLES, 'between'], key=len, reverse=True))}))\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_END_OF = re.compile(r"(?:the\s+)?end\s+of\b", re.IGNORECASE)
_ONWARDS = re.compile(r"\s+on(?:wards?)?\b(?!\s+\w)", re.IGNORECASE)
_CONNECTOR = re.compile(
    r"\s*,?\s*(?P<word>and|to|until|till|through|thru|-|–|—|~|〜|～|到|至|から)\s*(?:the\s+)?", re.IGNORECASE
)
_SUFFIXES = (  # Chinese and Japanese say it behind
    (re.compile("以来|以來|起|から|以降"), "since"),
    (re.compile("之后|之後|以后|以後"), "after"),
    (re.compile("为止|為止|まで"), "until"),
    (re.compile("之前|以前"), "before"),
)
_NARROWED = re.compile(
    r"\b(?:(?P<third>early|mid|late)(?:\s+|-)(?:in\s+)?|(?:the\s+)?(?P<edge>beginning|start|middle|end)\s+of\s+)"
    r"(?:the\s+)?\Z",
    re.IGNORECASE,
)
_PART_OF_DAY = re.compile(r"(?:\s+|\s+in\s+the\s+)(?P<part>morning|afternoon|evening|night)\b", re.IGNORECASE)
_OFFSET = re.compile(
    rf"\b(?:(?P<the>the|last)|{english.COUNT})\s+(?:{english.UNIT}s?|{english.WEEKDAY})\s+"
    r"(?P<way>before|prior\s+to|after|following)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
# How far before a time its modifier or lead may begin.
_REACH = 40


class Found(NamedTuple):
    """A time in a text: the interval it means, where it stands (start, end), and how it is written there."""

    interval: Interval
    span: tuple[int, int]
    phrase: str


@dataclass(frozen=True)
class _Atom:
    """A time that a rule found, before the words around it are read."""

    start: int
    end: int
    when: When
    rule: Rule
    match: Match[str]
    weak: bool


@dataclass(frozen=True)
class _Phrase:
    start: int
    end: int
    lead: str
    span: OpenSpan
    when: When | None  # None for a range


def find_intervals(text: str, now: datetime) -> list[Found]:
    """Every time that a text names, in order, for one who writes or asks at `now`; an empty list where it names none.

    Days begin at midnight in the zone of `now` (a naive one is UTC). No text raises.
    """
    zone = now.tzinfo or timezone.utc
    found = []
    for phrase in _phrases(text, now.replace(tzinfo=None)):
        if interval := _interval(phrase.span, zone):
            found.append(Found(interval, (phrase.start, phrase.end), text[phrase.start : phrase.end]))
    return found


def find_interval(question: str, now: datetime) -> tuple[Interval, tuple[int, int]] | None:
    """The first time that a question names, and where it stands; None where it names none (systems.md K05)."""
    found = find_intervals(question, now)
    return (found[0].interval, found[0].span) if found else None


def explicit_valid(text: str, happened_at: str) -> Interval | None:
    """How long a statement says that it holds: `since March`, `until 2019`, `from 2015 to 2019`; None if it does not.

    Relative to when it was said (ISO 8601). A bare `until March` is the nearest March, which may be to come. A mere
    date (`last week`, `in 2019`) says when something happened, not how long it holds: see `find_interval`.
    """
    now = parse_iso(happened_at).replace(tzinfo=None)
    if _VALIDITY.search(text) is None:
        return None
    for phrase in _phrases(text, now):
        span = phrase.span
        if phrase.lead in _UNTIL and isinstance(phrase.when, Floating):
            span = (None, _nearest(phrase.when, now)[1])
        if phrase.lead == "as of":  # a question means that moment, a statement also what follows
            span = (span[0], None)
        if phrase.lead in (*_SINCE, *_UNTIL, "as of", "range") and (interval := _interval(span, timezone.utc)):
            return interval
    return None


# Cheap to look for, and most statements have none: the grammar is only asked about the others.
_VALIDITY = re.compile(
    rf"\b(?:{'|'.join((*_SINCE, *_UNTIL))}|as of|from|between)\b|[–—~〜～到至起来來降止]|から|まで|\d-\d", re.IGNORECASE
)


# ---------------------------------------------------------------------------------------------- atoms


# Where a rule may begin: few places of a text, so that the rules are only tried there.
_START = re.compile(
    rf"(?:(?<=\bmid-)|(?<![{english.LETTER}]))(?:[0-9]|q[1-4]|(?:the|this|these|day|last|past|previous|current|next|coming"
    rf"|(?:yester|to)day|to(?:morrow|night)|start|beginning|end|month|weekend|first|second|third|fourth"
    rf"|{'|'.join(english.COUNTS)}|{english.MONTH_WORDS}|{'|'.join(english.WEEKDAYS)}|{'|'.join(spans.SEASONS)})\b)"
    rf"|[{cjk.FIRST}]",
    re.IGNORECASE,
)


def _atoms(text: str, now: datetime) -> list[_Atom]:
    """What the rules find, leftmost and longest first, without overlaps."""
    kept: list[_Atom] = []
    for place in _START.finditer(text):
        start = place.start()
        if not kept or start >= kept[-1].end:
            found = [atom for rule in _rules_for(text[start]) if (atom := _atom(rule, text, start, now))]
            kept += sorted(found, key=lambda atom: atom.end)[-1:]
    return [_modified(text, atom, now) for atom in kept]


def _rules_for(first: str) -> tuple[Rule, ...]:
    """The rules whose match may begin with a character: figures begin one in any language."""
    if first.isdigit():
        return RULES
    return english.RULES if first.isascii() else cjk.RULES


def _atom(rule: Rule, text: str, start: int, now: datetime) -> _Atom | None:
    match = rule.pattern.match(text, start)
    when = _built(rule, match, now) if match else None
    return _Atom(start, match.end(), when, rule, match, rule.weak) if match and when else None


def _built(rule: Rule, match: Match[str], now: datetime) -> When | None:
    """What a match means, tried out; None where the calendar has no such time."""
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
    except (ValueError, OverflowError):  # the calendar ends before it comes back
        return past


# ---------------------------------------------------------------------------------------------- around an atom


def _modified(text: str, atom: _Atom, now: datetime) -> _Atom:
    """An atom with the words that narrow it: `early March`, `the end of 2019`, `Friday evening`."""
    start, end = _resolved(atom.when, now)
    before = _NARROWED.search(text, max(0, atom.start - _REACH), atom.start)
    if before and end - start > timedelta(days=3) and _is_name(atom):
        name = (before["third"] or before["edge"]).lower()
        when = _mapped(atom.when, lambda span: spans.third(span, name))
        return replace(atom, start=before.start(), when=when, weak=False)
    after = _PART_OF_DAY.match(text, atom.end)
    if after and end - start == timedelta(days=1):
        when = _mapped(atom.when, lambda span: spans.part_of_day(span, after["part"].lower()))
        return replace(atom, end=after.end(), when=when)
    return atom


def _is_name(atom: _Atom) -> bool:
    """Not `late may` and `early march`, which are a word and a walk."""
    return atom.match[0] not in ("may", "march")


def _mapped(when: When, change: Callable[[Span], Span]) -> When:
    if isinstance(when, Floating):
        return Floating(when.period, lambda moment: change(when.latest(moment)))
    return change(when)


def _lead(text: str, start: int) -> tuple[str, int]:
    """The word before a time that says what of it is meant, and where that begins; "" if there is none."""
    match = _LEAD.search(text, max(0, start - _REACH), start)
    return ((match["early"] or match["lead"]).lower(), match.start()) if match else ("", start)


def _suffix(text: str, atom: _Atom) -> tuple[str, int]:
    """The same, behind a time: `2019年以来`, `from March on`."""
    for pattern, lead in _SUFFIXES:
        if atom.rule in cjk.RULES and (match := pattern.match(text, atom.end)):
            return lead, match.end()
    return "", atom.end


# ---------------------------------------------------------------------------------------------- phrases


def _phrases(text: str, now: datetime) -> Iterator[_Phrase]:
    """The times of a text with the words around them; overflowing ones are passed over."""
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
    """Whether a time only says how far the next one is meant: `last weekend before April 10`."""
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
    """The start of one time and the end of the other; one that comes back is the one nearest to the other."""
    if isinstance(last, Floating) and not isinstance(first, Floating):
        return first[0], last.next_after(first[0])[1]
    end = _resolved(last, now)
    return _resolved(first, end[0])[0], end[1]


def _single(text: str, atom: _Atom, now: datetime) -> _Phrase | None:
    """One time with its lead; a weak one without a lead that fits is none."""
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
    """A local span as an interval in UTC; None where the calendar ends or a clock change leaves nothing of it."""
    try:
        return Interval(*(None if when is None else to_iso(when.replace(tzinfo=zone)) for when in span))
    except (ValueError, OverflowError):
        return None
