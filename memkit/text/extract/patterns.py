"""Relation extraction by patterns: statements of plain sentences, with few patterns that are nearly always right.

Each pattern starts at the start of a clause and needs an explicit subject (`I`, `my sister` or a capitalised name,
never `she` or `it`). Questions, negations, conditions and hearsay give nothing. A model may find what patterns miss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memkit.core.instants import Interval, parse_iso
from memkit.text.extract import words
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.grammar import AFTER_OWNER, AFTER_SUBJECT, NAME, OWNER, SUBJECT, Pattern
from memkit.text.extract.predicates import predicate_id
from memkit.text.extract.tokens import HIDDEN, prose, worded_sentences
from memkit.text.times import explicit_valid, find_interval


@dataclass(frozen=True, slots=True)
class ExtractedTriple:
    """Subject - predicate - object, as a sentence states it: `text[start:end]` is the quote that proves it.

    `valid` is the interval in which the sentence says it is true, `confidence` is 0 to 1.
    """

    subject: str
    predicate: str
    object: str
    quote: str
    start: int
    end: int
    confidence: float
    valid: Interval | None = None


Triple = tuple[str, str, str]

_LONGEST_SENTENCE = 400  # characters; longer sentences are not plain
_LONGEST_OBJECT = 8  # words
_SENTENCE_END = re.compile(r"[.!?…]*[\"”’)]*")

# A clause starts a sentence, or follows one of these; words such as "Yes," or "In 2019," may come first.
_CLAUSE = re.compile(
    r"(?:\A|[,;:] (?:and |but |so )?|\b(?:and|but|because|since|that) )"
    r"(?:(?:Yes|Yeah|Yep|Well|Oh|Hi|Hey|Hello|So|And|But|Also|By the way|Btw|FYI|Today|Yesterday|Actually|Anyway"
    r"|(?:In|Since) (?:\w+ )?\d{4}|(?:Last|This) \w+)\b,? )*"
)
_DOUBT = re.compile(
    r"\?|n['’]t\b|\bI['’]d\b|['’]ll\b|\b(?:as if|as though|no longer|used to|going to|about to|let['’]?s)\b"
    r"|\b(?:not|never|(?<!, )no|nobody|none|neither|nor|without|hardly|if|unless|whether|would|could|might|may|maybe"
    r"|perhaps|possibly|probably|apparently|supposedly|allegedly|should|shall|will|wish\w*|hop(?:e|es|ed|ing)|want\w*"
    r"|plan(?:s|ned|ning)?|gonna|almost|nearly|thinks?|thought|believe[sd]?|guess|suppose[sd]?|hear[sd]?|rumou?rs?"
    r"|wonder\w*|imagin\w*|pretend\w*|dream\w*|jok(?:e|es|ed|ing)|kidding|claim\w*|doubt\w*|suggest\w*)\b"
)
# An object ends before a new clause or a word about time or degree.
_CUT = re.compile(
    r"(?:^|\s)(?:(?:since|until|till|because|but|and|so|when|while|whenever|if|which|who|whose|where|that|though|although"
    r"|as|after|before|more than|over|these days|nowadays|right now|now|too|anymore|lately|recently|today|yesterday"
    r"|already|again|for (?:\w+ ){1,3}?(?:years?|months?|weeks?|days?|ages)|for (?:me|him|her|us|them)|from \d"
    r"|in \d{4}|(?:last|this|every) \w+|a lot|so much|very much|with|to)\b|[-–—]\s).*",
    re.DOTALL,
)
_NO_OBJECT = frozenset(
    """it that this them him her me us you those these one ones lot bit mess matter kind sort joke shame pity pleasure
    pain problem great good big huge real little way fan mistake success disaster start thing things something few
    everything anything nothing everyone someone what how to being the a an there here all each both your his their
    our its seeing having going getting doing making""".split()
)
_POINTING = frozenset("it this that these those them him her you your what".split())
_TASTES = frozenset("likes loves dislikes".split())
_CUT_KIND = re.compile(
    r"\s(?:for|in|by|from|between|among|about|on|at|directed|written|produced|starring|held|located|known|based|featuring"
    r"|made|set|working|created|designed|published|released|played|born|near|under|within)\b.*",
    re.DOTALL,
)
# "Kofi is a legend" praises him; it does not say what he is.
_PRAISE = frozenset(
    """great good nice popular fantastic excellent perfect amazing wonderful beautiful total huge big fun cool lovely
    brilliant must-see must-visit must fan fans sucker legend paradise beast gem choice spot idea option way blast
    treat lifesaver star champ hero genius angel sweetheart place person guy nightmare must-read classic favorite
    favourite delight dream joy bit reminder""".split()
)
_TURN = re.compile(r"^([^\W\d_a-z][^:\n]{0,40}):\s", re.MULTILINE)
_ABSTRACT = re.compile(r"[a-z](?:ing|ness|ment|tion|sion|ity|ism|ship|ance|ence)s?\Z")
_TRAIL = re.compile(r"[\s,.;:!?'\"’”)]+\Z")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_DETERMINER = re.compile(r"\A(?:the|a|an|some|any) (?=\S)", re.IGNORECASE)
_APPOSITION = re.compile(rf"(?:the|an?) (?P<kind>[a-z]+(?: [a-z]+)?)(?: called| named)? [\"“]?(?P<name>{NAME})")


def find_statements(
    text: str,
    speaker: str | None = None,
    happened_at: str | None = None,
    statistics: CaseStatistics | None = None,
) -> list[ExtractedTriple]:
    """The explicit statements of a text, in order, without duplicates.

    `I` and `my` mean the `speaker` of a chat (`user` if None; of several, `Li, Bo`, the speaker of the line).
    `happened_at` (ISO 8601) is the time of the text; with it, dates in sentences become the `valid` interval. A
    sentence whose subject is one common word by the `statistics` ("Dinner is a mess") gives nothing.
    """
    hidden = prose(text)
    found: dict[Triple, ExtractedTriple] = {}
    who_says = _speakers(text, speaker)
    for sentence in worded_sentences(text):
        start, end = sentence.start, _SENTENCE_END.match(hidden, sentence.end).end()  # type: ignore[union-attr]
        if sentence.mute or end - start > _LONGEST_SENTENCE or _DOUBT.search(hidden, start, end):
            continue
        for pattern, triple in _triples(hidden[start:end], who_says(start), statistics):
            if triple not in found:
                valid = _valid(text[start:end], happened_at, pattern.begins)
                found[triple] = ExtractedTriple(*triple, text[start:end], start, end, pattern.confidence, valid)
    return list(found.values())


def _speakers(text: str, speaker: str | None) -> Callable[[int], str]:
    """A function from an offset to its speaker; of several (`Li, Bo`), the one whose `Bo: ` is before the offset."""
    if not speaker or "," not in speaker:
        return lambda offset: speaker or "user"
    turns = [(turn.start(), turn[1]) for turn in _TURN.finditer(text)]
    return lambda offset: next((name for at, name in reversed(turns) if at <= offset), "")


def _triples(sentence: str, me: str, statistics: CaseStatistics | None) -> Iterator[tuple[Pattern, Triple]]:
    for clause in _CLAUSE.finditer(sentence):
        for opening, patterns in ((OWNER, AFTER_OWNER), (SUBJECT, AFTER_SUBJECT)):
            start = opening.match(sentence, clause.end())
            if not start or not _may_be_named(start[1], statistics) or _one_of_several(sentence, start):
                continue
            if found := _first(patterns, sentence, start):
                pattern, match = found
                for triple in _read(pattern, start.groupdict() | match.groupdict(), me):
                    yield pattern, triple


def _first(patterns: tuple[Pattern, ...], sentence: str, start: re.Match[str]) -> tuple[Pattern, re.Match[str]] | None:
    for pattern in patterns:
        if match := pattern.regex.match(sentence, start.end()):
            return pattern, match
    return None


def _read(pattern: Pattern, groups: dict[str, str], me: str) -> Iterator[Triple]:
    """The triples of a match. Its groups are s (subject), o (object), y (owner, or person addressed) and role."""
    predicate = pattern.predicate.format(role=predicate_id(groups.get("role", "")))
    if "o" in groups:
        subject, (object_, kind) = _who(groups.get("s") or groups["y"], me), _what(groups["o"], predicate, me)
    else:
        subject, object_, kind = _who(groups["s"], me), _who(groups["y"], me), None
    if not subject or not object_ or subject.casefold() == object_.casefold():
        return
    if pattern.inverse:
        subject, object_ = object_, subject
    yield subject, predicate, object_
    if kind:
        yield object_, "is_a", kind
    if predicate == "introduced_to" and (introduced := _who(groups["y"], me)):
        yield introduced, "knows", object_


def _one_of_several(sentence: str, start: re.Match[str]) -> bool:
    """Whether another name is joined to the subject: in `Toto and Cleopatra is a film`, neither name is a subject."""
    return (
        re.search(rf"(?:{NAME}|\bI)(?:,? and|,? or) \Z", sentence[max(0, start.start() - 60) : start.start()])
        is not None
    )


def _may_be_named(written: str, statistics: CaseStatistics | None) -> bool:
    """Whether this can be a subject: not one common word or abstract noun with the capital of a sentence start."""
    name = _POSSESSIVE.sub("", written)
    if " " in name or name in ("I", "My", "my"):
        return True
    return not _ABSTRACT.search(name) and not (statistics or _NO_STATISTICS).is_common_word(name)


_NO_STATISTICS = CaseStatistics()


def _who(written: str, me: str) -> str:
    """The name that is meant: the speaker for `I`, `Kofi's sister` for `my sister` of Kofi; empty if not a name."""
    if written in ("I", "me", "my", "My"):
        return me
    if written[:3] in ("My ", "my ") and written[3].islower():
        return f"{me}'s {written[3:]}" if me else ""
    first = written.split()[0].lower()
    small = first in words.FUNCTION or first in words.CALENDAR or first in words.PEOPLES
    return "" if small or (first in words.OPENERS and first not in words.NAME_FORMING) else _tidy(written)


def _what(written: str, predicate: str, me: str) -> tuple[str, str | None]:
    """The object without the words after it, and its kind, if stated: `the restaurant Nightshade`."""
    if apposition := _APPOSITION.match(written):
        return _tidy(apposition["name"]), apposition["kind"]
    cut = _CUT.sub("", written)
    cut = _CUT_KIND.sub("", cut) if predicate == "is_a" else cut
    if predicate in _TASTES and re.match(r"(?:the|a|an|that|this) [a-z]", cut):
        return "", None  # "I love the idea", "I like a challenge": about the moment
    own, thing = cut.startswith(("my ", "our ")), _tidy(_DETERMINER.sub("", cut, count=1))
    parts = thing.split()
    if own and len(parts) > 1 and me and predicate not in _TASTES:
        return f"{me}'s {thing.split(' ', 1)[1]}", None
    if not 0 < len(parts) <= _LONGEST_OBJECT or parts[0] in words.FUNCTION or parts[-1] in words.FUNCTION:
        return "", None
    parts = thing.casefold().split()
    if parts[0] in _NO_OBJECT or not _POINTING.isdisjoint(parts):
        return "", None
    if HIDDEN in thing or (predicate == "is_a" and not _PRAISE.isdisjoint(parts)):
        return "", None
    return thing, None


def _tidy(written: str) -> str:
    return _POSSESSIVE.sub("", _TRAIL.sub("", " ".join(written.split())))


def _valid(sentence: str, happened_at: str | None, begins: bool) -> Interval | None:
    """The interval in which the sentence says it is true; what begins (a new job) is true from its date on."""
    if happened_at is None:
        return None
    if (valid := explicit_valid(sentence, happened_at)) or not begins:
        return valid
    named = find_interval(sentence, said := parse_iso(happened_at))
    if named is None or named[0].start is None or parse_iso(named[0].start) > said:
        return None
    return Interval(named[0].start, None)
