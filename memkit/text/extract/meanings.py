"""What a reading states, as triples: of a change, a plan or what others say, and what becomes doubtful."""

from __future__ import annotations

from collections.abc import Iterator

from memkit.core.patterns import pattern as later
from memkit.text.extract import chinese, readings
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.grammar import NAME, Pattern
from memkit.text.extract.participants import who
from memkit.text.extract.plain_statements import Triple, plain_statements
from memkit.text.extract.predicates import PLANS
from memkit.text.extract.readings import Changes, Reading
from memkit.text.extract.tokens import HIDDEN
from memkit.text.extract.unmarked import name_of
from memkit.text.words import has_cjk

_WORDS = later(r"\w+(?:['’]\w+)?")
_VISITED = later(rf"(?P<s>I(?!\w)|{NAME}) (?:visited|travelled to) (?P<o>{NAME})")
_NO_JOB = Pattern("", "works_at", 0.85, inverse=False, begins=False)
_VISIT = Pattern("", "plans_to_visit", 0.85, inverse=False, begins=False)

Meaning = tuple[Reading, Pattern, Triple]

DOUBT = Reading("", readings.SHAKEN)
_IN_DOUBT = 0.45  # confidence in what was so before something changed


def meant(reading: Reading, me: str, statistics: CaseStatistics | None) -> Iterator[tuple[Pattern, Triple]]:
    """The triples of a reading. What is planned, or planned no longer, has a predicate of its own: `plans_to_live_in`.

    What others say of the speaker is left out: it is for the speaker to say.
    """
    if reading.mode == readings.ALL_OVER:
        yield _NO_JOB, (about_whom(reading, me), _NO_JOB.predicate, "")
        return
    planned = reading.mode in (readings.PLANNED, readings.DROPPED)
    if planned and (visit := _VISITED.match(reading.text)):
        yield _VISIT, (who(visit["s"], me), _VISIT.predicate, name_of(visit["o"]))
        return
    for pattern, (subject, predicate, object_) in plain_statements(
        reading.text, _WORDS.findall(reading.text.lower()), me, statistics
    ):
        if reading.source is not None and subject == me:
            continue
        if not planned:
            yield pattern, (subject, predicate, object_)
        elif predicate in PLANS:
            yield pattern, (subject, PLANS[predicate], object_)


def in_chinese(reading: Reading, me: str) -> Iterator[Triple]:
    """The triples of a reading in Chinese; what others say of the speaker is left out."""
    if reading.mode == readings.ALL_OVER:
        yield about_whom(reading, me), _NO_JOB.predicate, ""
        return
    planned = reading.mode in (readings.PLANNED, readings.DROPPED)
    for form, groups in chinese.find_forms(reading.text):
        subject = who(groups["s"], me)
        object_ = name_of(groups["o"]) if "o" in groups else who(groups["y"], me)
        predicate = form.format(role=groups["role"])
        if planned:
            predicate = PLANS.get(predicate, "")
        if reading.source is not None and subject == me:
            continue
        if subject and object_ and predicate and subject != object_ and HIDDEN not in subject + object_:
            yield subject, predicate, object_


def given(reading: Reading, me: str, predicate: str) -> str:
    """The object that must be known of a predicate before this reading counts; empty if none must."""
    if not reading.given:
        return ""
    stated = plain_statements(reading.given, _WORDS.findall(reading.given.lower()), me, None)
    chinese_ = in_chinese(Reading(reading.given), me) if has_cjk(reading.given) else ()
    return next((triple[2] for triple in (*(one for _, one in stated), *chinese_) if triple[1] == predicate), "")


def about_whom(reading: Reading, me: str) -> str:
    """Whom a reading is about that is a subject only."""
    return me if reading.text in readings.SPEAKERS else who(reading.text, me)


def doubted(sentence: str, changes: Changes, me: str) -> Iterator[tuple[Pattern, Triple]]:
    """What a sentence makes doubtful, as triples without an object: whatever it was that held."""
    for subject, predicate in readings.shaken(sentence, changes):
        if name := who(subject or "I", me):
            yield Pattern("", predicate, _IN_DOUBT, inverse=False, begins=False), (name, predicate, "")
