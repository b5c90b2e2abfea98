"""Claims: what a text states, each with how it is meant and the quote that proves it.

A sentence is read in three ways: in plain words, by the readings of a change, a plan or hearsay, and, at the start of a
line, as said of what the note is about. Chinese clauses and lines that only name a maker have forms of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import NamedTuple

from memkit.core.instants import Interval
from memkit.core.patterns import pattern as later
from memkit.core.remembered import Remembered
from memkit.text.extract import chinese, readings
from memkit.text.extract.attribution import find_attributions
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.change_signals import SIGNAL_BITS, signals_of, spoken_of
from memkit.text.extract.changes_chinese import CHINESE_CHANGES
from memkit.text.extract.corrections import corrected
from memkit.text.extract.grammar import Pattern
from memkit.text.extract.handed_over import handed_over
from memkit.text.extract.meanings import DOUBT, Meaning, doubted, given, in_chinese, meant
from memkit.text.extract.participants import NO_STATISTICS
from memkit.text.extract.plain_statements import (
    FOREIGN,
    Topic,
    Triple,
    begins_with_subject,
    is_of_subject,
    is_verb,
    plain_statements,
    topic_statements,
)
from memkit.text.extract.readings import Reading
from memkit.text.extract.speakers import speakers
from memkit.text.extract.tokens import HIDDEN, MARKED, Form, Sentence, prose, worded_sentences, written
from memkit.text.extract.unmarked import MARKS, unmarked
from memkit.text.extract.validity import said_valid
from memkit.text.extract.voice import quotations
from memkit.text.extract.wikilinks import WikiLink, find_links
from memkit.text.spans import Spans
from memkit.text.words import PLUS, SHARP, has_cjk


@dataclass(frozen=True, slots=True)
class ExtractedTriple:
    """Subject - predicate - object, as a sentence states it: `text[start:end]` is the quote that proves it.

    `valid` is the interval in which the sentence says it is true, `confidence` is 0 to 1. `mode` says how it is meant
    (`readings`: it holds, is over, denied or planned ...), `source` who says so, if that is not the speaker (empty if
    nobody is named). With `given`, it holds only if that was the object until then.
    """

    subject: str
    predicate: str
    object: str
    quote: str
    start: int
    end: int
    confidence: float
    valid: Interval | None = None
    mode: str = readings.HOLDS
    source: str | None = None
    given: str = ""


def find_statements(
    text: str,
    speaker: str | None = None,
    happened_at: str | None = None,
    statistics: CaseStatistics | None = None,
    topic: Topic | None = None,
) -> list[ExtractedTriple]:
    """What a text states, at first hand, to be so: `find_claims` without what is over, denied, planned or hearsay."""
    found = find_claims(text, speaker, happened_at, statistics, topic)
    return [one for one in found if one.mode in (readings.HOLDS, readings.ELSE) and one.source is None]


def find_claims(
    text: str,
    speaker: str | None = None,
    happened_at: str | None = None,
    statistics: CaseStatistics | None = None,
    topic: Topic | None = None,
) -> list[ExtractedTriple]:
    """The explicit statements of a text, in order, without duplicates; what the text quotes from others gives none.

    `I` and `my` mean the `speaker` of a chat (`user` if None, nobody if empty; of several, `Li, Bo`, the speaker of the
    line). `happened_at` (ISO 8601) is the time of the text; with it, dates in sentences become the `valid` interval. A
    sentence whose subject is one common word by the `statistics` ("Dinner is a mess") gives nothing. `topic` is what
    the text is about: the subject of lines without one (`Written by Anna Lind`).
    """
    links = find_links(text)
    who_says = speakers(text, speaker, statistics or NO_STATISTICS)
    claims = [
        *_of_sentences(text, links, who_says, happened_at, statistics, topic),
        *_of_chinese(text, links, who_says, happened_at),
        *_attributed(text, topic, statistics),
        *_corrected(text, who_says),
    ]
    if not claims:
        return []
    quoted = Spans(quotations(text))
    others: Spans | None = None
    found: dict[tuple[str, str, str, str], ExtractedTriple] = {}
    for one in claims:
        if quoted.overlap(one.start, one.end):
            continue
        if who_says(one.start) in (one.subject, one.object):
            others = others or Spans(handed_over(text))
            if others.overlap(one.start, one.end):
                continue
        found.setdefault((one.subject, one.predicate, one.object, one.mode), one)
    return _without_needless_doubts(list(found.values()))


def _without_needless_doubts(found: list[ExtractedTriple]) -> list[ExtractedTriple]:
    """The statements without the doubts about what the text itself states."""
    stated = {(one.subject, one.predicate) for one in found if one.mode != readings.SHAKEN}
    return [one for one in found if one.mode != readings.SHAKEN or (one.subject, one.predicate) not in stated]


_LONGEST_SENTENCE = 400  # characters; longer sentences are not plain
_SENTENCE_END = later(rf"(?:{PLUS}|{SHARP})?[.!?…]*[\"”’)]*")  # after the sign of its last name, as that of C#
_CLOSING = later(rf"[\]*_~={HIDDEN}]*")
_OPENED = later(r"[\[*_]*\Z")  # the link or the emphasis with which a sentence begins: it belongs to the quote
_BEFORE_A_LINE = " \t-*+_>[]("


def _of_sentences(
    text: str,
    links: list[WikiLink],
    who_says: Callable[[int], str],
    happened_at: str | None,
    statistics: CaseStatistics | None,
    topic: Topic | None,
) -> Iterator[ExtractedTriple]:
    """What the sentences of a text state."""
    hidden = prose(text)
    marked = MARKS.search(text) is not None
    direct = topic if topic and topic.direct else None
    last = None
    for sentence in worded_sentences(text):
        told = reduce(or_, map(_tells, sentence.forms))
        before, last = last, sentence
        if not (told or marked or direct):  # as many sentences
            continue
        start, end = sentence.start, _end(hidden, sentence)
        if end - start > _LONGEST_SENTENCE or sentence.mute:
            continue
        plain, about, unlinked = hidden[start:end], None, False
        if marked or direct:
            opening, first = _opening(hidden, start, before)
            last_mark = _CLOSING.match(hidden, end).end()  # type: ignore[union-attr]
            if unlinked := MARKS.search(hidden, opening, last_mark) is not None:
                plain = unmarked(hidden, opening, last_mark, links)
                told = told & _FOREIGN | _OF_SUBJECT | _signals_in(plain)
            answers = before is not None and hidden.startswith("?", before.end)
            about = direct if first and not answers and not text[opening:start].strip(_BEFORE_A_LINE) else None
        named = unlinked or bool(sentence.inner & MARKED) or not plain.isascii()
        me = who_says(start)
        found = _meanings(_Shown(sentence, plain, told, named), me, statistics, about)
        if found:
            opening, _ = _opening(hidden, start, before)
            begin = _OPENED.search(text, opening, start).start()  # type: ignore[union-attr]
            for reading, pattern, triple in found:
                valid = _when(reading, pattern, text[start:end], happened_at)
                object_before = given(reading, me, triple[1])
                yield ExtractedTriple(
                    *triple,
                    text[begin:end],
                    begin,
                    end,
                    pattern.confidence,
                    valid,
                    reading.mode,
                    reading.source,
                    object_before,
                )


def _opening(hidden: str, start: int, before: Sentence | None) -> tuple[int, bool]:
    """Where the line or, after another sentence in it, the sentence begins; and whether it is the first of its line."""
    line = hidden.rfind("\n", 0, start) + 1
    end = _end(hidden, before) if before else 0
    return max(end, line), end <= line


def _end(hidden: str, sentence: Sentence) -> int:
    """The end of a sentence with the signs that end it."""
    return _SENTENCE_END.match(hidden, sentence.end).end()  # type: ignore[union-attr]


# What words tell: the bits of their signals, whether a form in another language than English needs them, whether they
# may be a verb after a subject, and whether one may belong to a subject otherwise. Most tell nothing.
_FOREIGN, _VERB, _OF_SUBJECT = (1 << SIGNAL_BITS + bit for bit in range(3))


def _told_by(form: Form) -> int:
    return (
        signals_of(form.raw)
        | _FOREIGN * (form.lower in FOREIGN)
        | _VERB * is_verb(form.raw)
        | _OF_SUBJECT * is_of_subject(form.raw)
    )


_ALONE = _FOREIGN | _OF_SUBJECT
_tells = Remembered(_told_by, 1 << 16).__getitem__
_signals = Remembered(signals_of, 1 << 14).__getitem__


def _signals_in(text: str) -> int:
    return reduce(or_, map(_signals, text.split()), 0)


class _Shown(NamedTuple):
    """A sentence as a reader sees it, what its words tell, and whether more than its first word may be a name."""

    sentence: Sentence
    text: str
    told: int
    named: bool


_PLAIN = Reading("")


def _meanings(shown: _Shown, me: str, statistics: CaseStatistics | None, about: Topic | None) -> list[Meaning]:
    """What a sentence states: by what it says of a change, or else in plain words; and what it makes doubtful."""
    text, told = shown.text, shown.told
    spoken = spoken_of(told)
    changed = next((said for one, sure in spoken if (said := readings.readings(text, one, sure))), [])
    stated: list[tuple[Pattern, Triple]] = []
    if not changed and (told & _ALONE or (told & _VERB and (shown.named or begins_with_subject(text)))):
        forms = [form.lower for form in shown.sentence.forms] if told & _FOREIGN else ()
        stated = plain_statements(text, forms, me, statistics)
    if about:
        stated += topic_statements(text, shown.sentence, about)
    found: list[Meaning] = [(_PLAIN, *one) for one in stated]
    if spoken:
        found += [(reading, *one) for reading in changed for one in meant(reading, me, statistics)]
        found += [(DOUBT, *one) for language, _ in spoken for one in doubted(text, language, me)]
    return found


def _when(reading: Reading, pattern: Pattern, sentence: str, happened_at: str | None) -> Interval | None:
    """When a meaning is true, as its clause says it, or else its sentence."""
    if reading is DOUBT:
        return None
    begins = pattern.begins or reading.mode not in (readings.HOLDS, readings.ELSE)
    of_clause = said_valid(reading.words, happened_at, begins) if reading.words else None
    valid = of_clause or said_valid(sentence, happened_at, begins)
    if valid is None and happened_at and reading.mode in (readings.FOLLOWS, readings.ELSE):
        return Interval(happened_at, None)
    return valid


def _of_chinese(
    text: str, links: list[WikiLink], who_says: Callable[[int], str], happened_at: str | None
) -> Iterator[ExtractedTriple]:
    """What the Chinese clauses of a text state."""
    if not has_cjk(text):
        return
    shown = written(text)
    for start, end in chinese.sentences(shown):
        me = who_says(start)
        plain = unmarked(shown, start, end, links)
        quote = text[start:end].strip()
        at = text.index(quote, start)
        place = quote, at, at + len(quote)
        for pattern, triple in doubted(plain, CHINESE_CHANGES, me):
            yield ExtractedTriple(*triple, *place, pattern.confidence, mode=readings.SHAKEN)
        changed = readings.readings(plain.strip(), CHINESE_CHANGES)
        for reading in changed or ([Reading(plain)] if chinese.is_plain(plain) else ()):
            for triple in in_chinese(reading, me):
                valid = said_valid(quote, happened_at, begins=reading.changed)
                object_before = given(reading, me, triple[1])
                yield ExtractedTriple(*triple, *place, 0.85, valid, reading.mode, reading.source, object_before)


def _corrected(text: str, who_says: Callable[[int], str]) -> Iterator[ExtractedTriple]:
    """What a text says was meant in the turn before it, as a triple without a predicate."""
    if found := corrected(text):
        name, start, _ = found
        quote = text.strip()
        at = text.index(quote)
        yield ExtractedTriple(who_says(start), "", name, quote, at, at + len(quote), 0.85, mode=readings.CORRECTED)


def _attributed(text: str, topic: Topic | None, statistics: CaseStatistics | None) -> Iterator[ExtractedTriple]:
    """What a text says without sentences of who made what."""
    about, opening = (topic.name, topic.opening) if topic else (None, False)
    for one in find_attributions(text, about, statistics, opening):
        if one.subject.casefold() != one.object.casefold():
            quote = text[one.start : one.end]
            yield ExtractedTriple(one.subject, one.predicate, one.object, quote, one.start, one.end, 0.9)
