"""Relations that plain sentences state: a small set of patterns that are right nearly always.

Each pattern is anchored at the start of a clause, names its subject outright (`I`, `my sister`, a capitalised name;
never `she` or `it`) and yields nothing from questions, negations, conditions and hearsay. What is missed, a model may
find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memkit.extract import words
from memkit.extract.case import CaseStatistics
from memkit.extract.grammar import AFTER_OWNER, AFTER_SUBJECT, NAME, OWNER, SUBJECT, Pattern
from memkit.extract.predicates import predicate_id
from memkit.extract.tokens import HIDDEN, prose, sentences
from memkit.times import Interval, explicit_valid, find_interval, parse_iso


@dataclass(frozen=True, slots=True)
class Statement:
    """Subject - predicate - object, as a sentence says it: `text[start:end]` is the quote that proves it."""

    subject: str
    predicate: str
    object: str
    quote: str
    start: int
    end: int
    confidence: float
    valid: Interval | None = None


Triple = tuple[str, str, str]

_LONGEST_SENTENCE = 400  # characters; what is longer is no plain sentence
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
# Where an object ends: a new clause, or a word about time or degree.
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
) -> list[Statement]:
    """What the sentences of a text state outright, in order, each statement once.

    `I` and `my` are the `speaker` (a chat's speaker; `user` if None; of several, `Li, Bo`, the one whose line it is).
    `happened_at` (ISO 8601) is when the text was said: with it the sentences' dates become the statements' `valid`. A
    subject of one word that the `statistics` know as a common one ("Dinner is a mess") states nothing.
    """
    hidden = prose(text)
    found: dict[Triple, Statement] = {}
    who_says = _speakers(text, speaker)
    for sentence in sentences(text):
        start, end = sentence.start, _SENTENCE_END.match(hidden, sentence.end).end()  # type: ignore[union-attr]
        if sentence.mute or end - start > _LONGEST_SENTENCE or _DOUBT.search(hidden, start, end):
            continue
        for pattern, triple in _triples(hidden[start:end], who_says(start), statistics):
            if triple not in found:
                valid = _valid(text[start:end], happened_at, pattern.begins)
                found[triple] = Statement(*triple, text[start:end], start, end, pattern.confidence, valid)
    return list(found.values())


def _speakers(text: str, speaker: str | None) -> Callable[[int], str]:
    """Who says the sentence at an offset. Of several speakers (`Li, Bo`) the one whose `Bo: ` stands before it."""
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
    """The triples of a match: its groups are s(ubject), o(bject), y (whose, or whom) and role."""
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
    """Whether another name is joined to the subject: in `Toto and Cleopatra is a film` neither is one."""
    return (
        re.search(rf"(?:{NAME}|\bI)(?:,? and|,? or) \Z", sentence[max(0, start.start() - 60) : start.start()])
        is not None
    )


def _may_be_named(written: str, statistics: CaseStatistics | None) -> bool:
    """Whether a subject can be one: not a single common word or abstract noun with a sentence's capital."""
    name = _POSSESSIVE.sub("", written)
    if " " in name or name in ("I", "My", "my"):
        return True
    return not _ABSTRACT.search(name) and not (statistics or _NO_STATISTICS).is_common_word(name)


_NO_STATISTICS = CaseStatistics()


def _who(written: str, me: str) -> str:
    """The name of who is meant: the speaker for `I`, `Kofi's sister` for Kofi's `my sister`; empty if it is no name."""
    if written in ("I", "me", "my", "My"):
        return me
    if written[:3] in ("My ", "my ") and written[3].islower():
        return f"{me}'s {written[3:]}" if me else ""
    first = written.split()[0].lower()
    small = first in words.FUNCTION or first in words.CALENDAR or first in words.PEOPLES
    return "" if small or (first in words.OPENERS and first not in words.NAME_FORMING) else _tidy(written)


def _what(written: str, predicate: str, me: str) -> tuple[str, str | None]:
    """The object without what follows it, and the kind of thing it is called: `the restaurant Nightshade`."""
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
    """How long the sentence says that it holds; what begins (a move, a new job) holds from the date it names."""
    if happened_at is None:
        return None
    if (valid := explicit_valid(sentence, happened_at)) or not begins:
        return valid
    named = find_interval(sentence, said := parse_iso(happened_at))
    if named is None or named[0].start is None or parse_iso(named[0].start) > said:
        return None
    return Interval(named[0].start, None)
