"""Relation extraction by patterns: statements of plain sentences, with few patterns that are nearly always right.

Each pattern starts at the start of a clause and needs an explicit subject (`I`, `my sister` or a capitalised name,
never `she` or `it`). Questions, negations, conditions and hearsay give nothing. A model may find what patterns miss.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import itemgetter

from memkit.core.instants import Interval, parse_iso
from memkit.core.patterns import pattern as later
from memkit.core.remembered import Remembered
from memkit.core.roles import USERS, is_role
from memkit.text.extract import chinese, readings, words
from memkit.text.extract.attribution import find_attributions
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.changes_chinese import CHINESE_CHANGES
from memkit.text.extract.changes_english import ENGLISH_CHANGES
from memkit.text.extract.changes_french import FRENCH_CHANGES
from memkit.text.extract.changes_german import GERMAN_CHANGES
from memkit.text.extract.changes_spanish import SPANISH_CHANGES
from memkit.text.extract.definitions import kind_in
from memkit.text.extract.french import FRENCH
from memkit.text.extract.german import GERMAN
from memkit.text.extract.grammar import (
    AFTER_OWNER,
    AFTER_SUBJECT,
    APPOSED,
    IN_FICTION,
    MADE,
    NAME,
    OWNER,
    SUBJECT,
    VERB,
    Language,
    Pattern,
    compiled,
    matched,
    needs,
)
from memkit.text.extract.literals import Forms
from memkit.text.extract.predicates import PLANS, predicate_id
from memkit.text.extract.readings import Changes
from memkit.text.extract.spanish import SPANISH
from memkit.text.extract.tokens import HIDDEN, MARKED, Form, Sentence, prose, worded_sentences, written
from memkit.text.extract.unmarked import CLOSE, MARKS, OPEN, name_of, unmarked
from memkit.text.extract.voice import quotations
from memkit.text.extract.wikilinks import WikiLink, find_links
from memkit.text.spans import Spans
from memkit.text.times import days_ago, explicit_valid, find_interval
from memkit.text.times.translated import in_english
from memkit.text.words import has_cjk


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


@dataclass(frozen=True, slots=True)
class Topic:
    """What a text is about, by its title; only a `person` lives and works somewhere.

    `opening` says that the text begins the note, `direct` that all of it is about the topic, not only its first lines.
    """

    name: str
    person: bool = False
    opening: bool = False
    direct: bool = True


Triple = tuple[str, str, str]

# A word to the forms that are tried in a sentence with it.
FOREIGN: dict[str, list[tuple[Language, tuple[Pattern, ...]]]] = {}
for _language in (SPANISH, GERMAN, FRENCH):
    for _word, _forms in _language.forms.items():
        FOREIGN.setdefault(_word.lower(), []).append((_language, _forms))

_KIN = {**SPANISH.kin, **GERMAN.kin, **FRENCH.kin, **chinese.KIN_ROLES}  # `mi hermana` to `sister`

_MINE = later(r"(?:[Mm]eine?[rmn]? [A-ZÄÖÜ]|(?:[Mm]i|[Mm]a|[Mm]on) [^\W\d_A-Z]|我的?(?=\w))\w+\Z")

CHANGES = (ENGLISH_CHANGES, GERMAN_CHANGES, SPANISH_CHANGES, FRENCH_CHANGES)

_LONGEST_SENTENCE = 400  # characters; longer sentences are not plain
_LONGEST_OBJECT = 8  # words
_SENTENCE_END = later(r"[.!?…]*[\"”’)]*")
_CLOSING = later(rf"[\]*_~={HIDDEN}]*")

# A clause starts a sentence, or follows one of these; words such as "Yes," or "In 2019," may come first.
_CLAUSE = later(
    r"(?:\A|[,;:] (?:and |but |so )?|\b(?:and|but|because|since|that) )"
    r"(?:(?:Yes|Yeah|Yep|Well|Oh|Hi|Hey|Hello|So|And|But|Also|By the way|Btw|FYI|Today|Yesterday|Actually|Anyway"
    r"|Back then|In those days|At that time"
    r"|(?:In|Since) (?:\w+ )?\d{4}|Since (?:last )?\w+|(?:Last|This) \w+)\b,? )*"
    rf"(?:[Tt]he (?={OPEN}))?"
)
_LONGEST_VERB = 20  # characters
_OWNED = ("my ", "My ", "' ", "’ ")  # after an owner, without a form of `be`
_DOUBT = later(
    rf"\?|{IN_FICTION}"
    r"|n['’]t\b|\bI['’]d\b|['’]ll\b|\b(?:as if|as though|no longer|used to|going to|about to|let['’]?s)\b"
    r"|\b(?:not|never|(?<!, )no|nobody|none|neither|nor|without|hardly|if|unless|whether|would|could|might|may|maybe"
    r"|perhaps|possibly|probably|apparently|supposedly|allegedly|should|shall|will|wish\w*|hop(?:e|es|ed|ing)|want\w*"
    r"|plan(?:s|ned|ning)?|gonna|almost|nearly|thinks?|thought|believe[sd]?|guess|suppose[sd]?|hear[sd]?|rumou?rs?"
    r"|(?:[Oo]ften|[Ss]ometimes|[Rr]arely|[Ss]eldom)|If|Unless|Whether|Maybe|Perhaps|Possibly|Probably|Suppose|Apparently|wonder\w*|imagin\w*|pretend\w*|dream\w*|jok(?:e|es|ed|ing)|kidding|claim\w*|doubt\w*|suggest\w*)\b"
)
# An object ends before a new clause or a word about time or degree.
_CUT = later(
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
_TURN = later(r"^([^\W\d_a-z][^:\n]{0,40}):\s", re.MULTILINE)
_SIDE_TURN = later(r"^([a-z]{2,20}):\s", re.MULTILINE)  # `user: `, `assistant: `
# Whoever writes `Lead: ...` at the start of a line names a field; whoever writes `Anna: ...`, somebody who speaks.
_LINE_TURN = later(r"^[ \t]*(?:[-*+][ \t]+)?[*_]*(@[\w.-]+|[^\W\d_a-z][^:*\n]{0,40})[*_]*:[*_]*[ \t].*$", re.MULTILINE)
_INTRODUCED = later(
    r"(?:\b[Mm]y name is|\b[Mm]i nombre es|\b[Mm]e llamo|\b[Ii]ch heiße|\b[Mm]ein Name ist|\b[Jj]e m['’]appelle) "
    rf"(?P<short>{NAME})|\b(?:Soy|I am|I['’]m) (?P<full>{NAME})(?<=\w )?(?=[,.!]| and\b| y\b)"
)
_MAY_INTRODUCE = later(r"name is |nombre es |llamo |heiße |Name ist |appelle |Soy |I am |I['’]m ")
_IT = later(r"It (?=(?:was|is|has been) )")
_PARTICIPLES = frozenset([*MADE, "born", "based", "located", "headquartered", "situated", "married", "member"])
_OF_THINGS = frozenset(["{role}", "uses", "located_in", "part_of"])  # predicates of a line without a subject
_OF_PEOPLE = frozenset(
    """works_at works_as studies_at studied_at member_of lives_in born_in comes_from married_to speaks founded
    wrote""".split()
)
_NAME = later(rf"(?<!\w){NAME}")
_ABSTRACT_GERMAN = later(r"[a-zäöüß](?:ung|heit|keit|schaft|tion|tät|nis|tum|ismus)(?:en|s)?\Z")
_ABSTRACT = later(r"[a-z](?:ing|ness|ment|tion|sion|ity|ism|ship|ance|ence)s?\Z")
_TRAIL = later(r"[\s,.;:!?'\"’”)]+\Z")
_POSSESSIVE = later(r"['’]s?\Z")
_DETERMINER = later(r"\A(?:the|a|an|some|any) (?=\S)", re.IGNORECASE)
_APPOSITION = later(rf"(?:the|an?) (?P<kind>[a-z]+(?: [a-z]+)?)(?: called| named)? [\"“]?(?P<name>{NAME})")


# What opens the link or the emphasis with which a sentence begins: it belongs to the quote.
_OPENED = later(r"[\[*_]*\Z")


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
    hidden = prose(text)
    found: dict[tuple[Triple, str], ExtractedTriple] = {}
    links = find_links(text)
    marked = MARKS.search(text) is not None
    who_says = _speakers(text, speaker, statistics or _NO_STATISTICS)
    quoted: Spans | None = None
    before = 0
    for sentence in worded_sentences(text):
        start, end = sentence.start, _SENTENCE_END.match(hidden, sentence.end).end()  # type: ignore[union-attr]
        line = hidden.rfind("\n", 0, start) + 1
        first, opening, before = before <= line, max(before, line), end
        if end - start > _LONGEST_SENTENCE:
            continue
        shown, loud = hidden[start:end], list(filter(_is_loud, sentence.forms))
        words_ = [form.raw for form in loud]
        if marked and MARKS.search(hidden, opening, last := _CLOSING.match(hidden, end).end()):  # type: ignore[union-attr]
            shown = unmarked(hidden, opening, last, links)
            words_ = shown.split()  # links may hide words
            named = True
        else:
            named = bool(sentence.inner & MARKED) or not shown.isascii()
        me = who_says(start)
        spoken = _spoken(words_) if words_ else ()
        changed = next((found_ for one, sure in spoken if (found_ := readings.readings(shown, one, sure))), [])
        stated = [] if changed else _stated(shown, [form.lower for form in loud], me, statistics, named)
        if first and topic and topic.direct and not text[opening:start].strip(" \t-*+_>[]("):
            stated += _of_topic(shown, sentence, topic)
        read = [(one, *pair) for one in changed for pair in _meant(one, me, statistics)]
        doubted = [pair for one, _ in spoken for pair in _doubted(shown, one, me)]
        if not (stated or read or doubted) or sentence.mute:
            continue
        quoted = Spans(quotations(text)) if quoted is None else quoted
        if quoted.overlap(start, end):
            continue
        begin = _OPENED.search(text, opening, start).start()  # type: ignore[union-attr]
        for pattern, triple in stated:
            if (triple, readings.HOLDS) not in found:
                valid = _valid(text[start:end], happened_at, pattern.begins)
                found[triple, readings.HOLDS] = ExtractedTriple(
                    *triple, text[begin:end], begin, end, pattern.confidence, valid
                )
        for reading, pattern, triple in read:
            if (triple, reading.mode) not in found:
                begins = pattern.begins or reading.mode not in (readings.HOLDS, readings.ELSE)
                valid = _valid(reading.words, happened_at, begins) or _valid(text[start:end], happened_at, begins)
                found[triple, reading.mode] = ExtractedTriple(
                    *triple,
                    text[begin:end],
                    begin,
                    end,
                    pattern.confidence,
                    valid,
                    reading.mode,
                    reading.source,
                    _given(reading, me, triple[1]),
                )
        for triple in doubted:
            if (triple, readings.SHAKEN) not in found:
                found[triple, readings.SHAKEN] = ExtractedTriple(
                    *triple, text[begin:end], begin, end, _IN_DOUBT, None, readings.SHAKEN
                )
    for one in (*_chinese(text, links, who_says, happened_at), *_attributed(text, topic, statistics)):
        quoted = Spans(quotations(text)) if quoted is None else quoted
        if not quoted.overlap(one.start, one.end):
            found.setdefault(((one.subject, one.predicate, one.object), one.mode), one)
    return _without_needless_doubts(list(found.values()))


_IN_DOUBT = 0.45  # confidence in what was so before something changed


def _doubted(sentence: str, changes: Changes, me: str) -> Iterator[Triple]:
    """What a sentence makes doubtful, as triples without an object: whatever it was that held."""
    for subject, predicate in readings.shaken(sentence, changes):
        if who := _who(subject or "I", me):
            yield who, predicate, ""


def _without_needless_doubts(found: list[ExtractedTriple]) -> list[ExtractedTriple]:
    """The statements without the doubts about what the text itself states."""
    stated = {(one.subject, one.predicate) for one in found if one.mode != readings.SHAKEN}
    return [one for one in found if one.mode != readings.SHAKEN or (one.subject, one.predicate) not in stated]


_MOST_WORDS = 1 << 16


def _may_tell(form: Form) -> bool:
    """Whether a word may be a signal, or a form in another language than English needs it: most are neither."""
    return bool(_signalled(form.raw)) or form.lower in FOREIGN


_is_loud = Remembered(_may_tell, _MOST_WORDS).__getitem__


def _spoken(words_: Iterable[str]) -> Sequence[tuple[Changes, bool]]:
    """The languages in which a sentence may speak of a change, by its single words: for most sentences, none.

    For each language, whether one of the words is a signal by itself, and not only the first one of a phrase.
    """
    said: set[tuple[int, bool]] = set()
    for word in set(words_):
        said |= _signalled(word)
    return [(changes, (i, True) in said) for i, changes in enumerate(CHANGES) if (i, False) in said] if said else ()


_NO_SIGNAL: frozenset[tuple[int, bool]] = frozenset()


@cache
def _signals() -> readings.Signals:
    return readings.Signals(changes.signal for changes in CHANGES)


@lru_cache(maxsize=_MOST_WORDS)
def _signalled(word: str) -> frozenset[tuple[int, bool]]:
    may = _signals().begun_by(word)
    sure = [(i, True) for i in may if readings.signals(word, CHANGES[i].signal)]
    return frozenset([*((i, False) for i in may), *sure]) if may else _NO_SIGNAL


def who_reports(quote: str) -> str:
    """Who says what a sentence reports, as it names them (`Mia`, `My sister`); empty for a rumour."""
    return readings.source_of(quote, (*CHANGES, CHINESE_CHANGES))


def _stated(
    sentence: str, forms: list[str], me: str, statistics: CaseStatistics | None, named: bool = True
) -> list[tuple[Pattern, Triple]]:
    """The triples of a plain sentence; `forms` are its words in lower case, or those that `FOREIGN` may have.

    `named` says that its first word need not be the only one that may be a name.
    """
    stated = list(_triples(sentence, me, statistics)) if _has_subject(sentence, named) else []
    return stated if FOREIGN.keys().isdisjoint(forms) else [*stated, *_foreign(sentence, forms, me, statistics)]


_WORDS = later(r"\w+(?:['’]\w+)?")
_VISITED = later(rf"(?P<s>I(?!\w)|{NAME}) (?:visited|travelled to) (?P<o>{NAME})")
_NO_JOB = Pattern("", "works_at", 0.85, inverse=False, begins=False)
_VISIT = Pattern("", "plans_to_visit", 0.85, inverse=False, begins=False)


def _meant(reading: readings.Reading, me: str, statistics: CaseStatistics | None) -> Iterator[tuple[Pattern, Triple]]:
    """The triples of a reading. What is planned, or planned no longer, has a predicate of its own: `plans_to_live_in`.

    What others say of the speaker is left out: it is for the speaker to say.
    """
    if reading.mode == readings.ALL_OVER:
        yield _NO_JOB, (_of(reading, me), _NO_JOB.predicate, "")
        return
    planned = reading.mode in (readings.PLANNED, readings.DROPPED)
    if planned and (visit := _VISITED.match(reading.text)):
        yield _VISIT, (_who(visit["s"], me), _VISIT.predicate, name_of(visit["o"]))
        return
    for pattern, (subject, predicate, object_) in _stated(
        reading.text, _WORDS.findall(reading.text.lower()), me, statistics
    ):
        if reading.source is not None and subject == me:
            continue
        if not planned:
            yield pattern, (subject, predicate, object_)
        elif predicate in PLANS:
            yield pattern, (subject, PLANS[predicate], object_)


def _of(reading: readings.Reading, me: str) -> str:
    """Whom a reading is about that is a subject only."""
    return me if reading.text in readings.SPEAKERS else _who(reading.text, me)


def _given(reading: readings.Reading, me: str, predicate: str) -> str:
    """The object that must be known of a predicate before this reading counts; empty if none must."""
    if not reading.given:
        return ""
    stated = _stated(reading.given, _WORDS.findall(reading.given.lower()), me, None)
    chinese_ = _in_chinese(readings.Reading(reading.given), me) if has_cjk(reading.given) else ()
    return next((triple[2] for triple in (*(one for _, one in stated), *chinese_) if triple[1] == predicate), "")


def _chinese(
    text: str, links: list[WikiLink], who_says: Callable[[int], str], happened_at: str | None
) -> Iterator[ExtractedTriple]:
    """The statements of a text's Chinese clauses."""
    if not has_cjk(text):
        return
    shown = written(text)
    for start, end in chinese.sentences(shown):
        plain = unmarked(shown, start, end, links)
        changed = readings.readings(plain.strip(), CHINESE_CHANGES)
        me = who_says(start)
        for triple in _doubted(plain, CHINESE_CHANGES, me):
            quote = text[start:end].strip()
            at = text.index(quote, start)
            yield ExtractedTriple(*triple, quote, at, at + len(quote), _IN_DOUBT, None, readings.SHAKEN)
        for one in changed or ([readings.Reading(plain)] if chinese.is_plain(plain) else ()):
            for subject, predicate, object_ in _in_chinese(one, me):
                quote = text[start:end].strip()
                at = text.index(quote, start)
                valid = _valid(quote, happened_at, begins=one.changed)
                yield ExtractedTriple(
                    subject,
                    predicate,
                    object_,
                    quote,
                    at,
                    at + len(quote),
                    0.85,
                    valid,
                    one.mode,
                    one.source,
                    _given(one, me, predicate),
                )


def _in_chinese(reading: readings.Reading, me: str) -> Iterator[Triple]:
    """The triples of a reading in Chinese; what others say of the speaker is left out."""
    if reading.mode == readings.ALL_OVER:
        yield _of(reading, me), _NO_JOB.predicate, ""
        return
    planned = reading.mode in (readings.PLANNED, readings.DROPPED)
    for form, groups in chinese.find_forms(reading.text):
        subject = _who(groups["s"], me)
        object_ = name_of(groups["o"]) if "o" in groups else _who(groups["y"], me)
        predicate = form.format(role=groups["role"])
        if planned:
            predicate = PLANS.get(predicate, "")
        if reading.source is not None and subject == me:
            continue
        if subject and object_ and predicate and subject != object_ and HIDDEN not in subject + object_:
            yield subject, predicate, object_


def _attributed(text: str, topic: Topic | None, statistics: CaseStatistics | None) -> Iterator[ExtractedTriple]:
    """What a text says without sentences of who made what."""
    about, opening = (topic.name, topic.opening) if topic else (None, False)
    for one in find_attributions(text, about, statistics, opening):
        if one.subject.casefold() != one.object.casefold():
            quote = text[one.start : one.end]
            yield ExtractedTriple(one.subject, one.predicate, one.object, quote, one.start, one.end, 0.9)


def _speakers(text: str, speaker: str | None, statistics: CaseStatistics) -> Callable[[int], str]:
    """A function from an offset to its speaker.

    Of several (`Li, Bo`), it is the one whose `Bo: ` is before the offset; of `user, assistant`, the user or nobody. In
    a line that begins with another name and a colon, somebody else speaks. Where nobody is known, the text may say who
    writes: `My name is Bo Ek`.
    """
    if speaker and "," in speaker:
        sides = {name: "user" if name in USERS else "" for part in speaker.split(",") if is_role(name := part.strip())}
        turns = [(turn.start(), turn[1]) for turn in _TURN.finditer(text)]
        turns += [(turn.start(), sides[turn[1]]) for turn in _SIDE_TURN.finditer(text) if turn[1] in sides]
        turns.sort()
        names = ["", *(name for _, name in turns)]
        return lambda offset: names[bisect_right(turns, offset, key=itemgetter(0))]
    me = "user" if speaker is None else speaker
    introduced = _INTRODUCED.search(text) if not me and _MAY_INTRODUCE.search(text) else None
    me = name_of(introduced["full"] or introduced["short"]) if introduced else me
    if ": " not in text:
        return lambda offset: me
    others = Spans(turn.span() for turn in _LINE_TURN.finditer(text) if _is_other(turn[1], me, statistics))
    return lambda offset: "" if others.cover(offset) else me


_REMARKS = frozenset("correction update edit korrektur nachtrag corrección rectification".split()) | {
    "for the record",
    "para que quede claro",
}
# "That was wrong: ...", but not "That was Anna: ..."
_REMARKING = later(
    r"(?i:(?:das|dies|it|that|this) (?:war|ist|was|is)|c['’](?:était|est)|fue|era)"
    r"(?: (?:Fehler|Irrtum|[a-zäöüßáéíóúñèêàç]+))* ?\Z"
)
_READ = frozenset("read heard quote quoted gelesen gehört lu entendu leí oí escuché".split())  # "I read in a book: ..."
_SAYER = frozenset("i ich je j'ai j’ai yo me tengo".split())  # "I was wrong: ..." is no name


def _is_other(label: str, me: str, statistics: CaseStatistics) -> bool:
    """Whether what stands before a colon at the start of a line is the name of somebody else."""
    if label.casefold() == me.casefold():
        return False
    words_ = label.lower().lstrip("@").split()
    if label[0] == "@" or len(label) == 1 or not _READ.isdisjoint(words_):
        return True
    remark = label.strip().lower() in _REMARKS or _REMARKING.match(label) or not _SAYER.isdisjoint(words_)
    return not remark and not all(word in words.OPENERS or statistics.is_common_word(word) for word in words_)


def _triples(sentence: str, me: str, statistics: CaseStatistics | None) -> Iterator[tuple[Pattern, Triple]]:
    doubtful: bool | None = None
    apposed = any(joint in sentence for joint in _APPOSING)
    for clause in (*_CLAUSE.finditer(sentence), *(APPOSED.finditer(sentence) if apposed else ())):
        for opening, patterns in ((OWNER, _OF_OWNERS), (SUBJECT, _OF_SUBJECTS)):
            start = opening.match(sentence, clause.end())
            if not start or (opening is SUBJECT and not VERB.match(sentence, start.end())) or _is_nobody(start[1]):
                continue
            if found := patterns.first(sentence, start.end()):
                if not _may_be_named(start[1], statistics) or _one_of_several(sentence, start):
                    continue
                doubtful = _DOUBT.search(sentence) is not None if doubtful is None else doubtful
                if doubtful:
                    return
                pattern, match = found
                for triple in _read(pattern, start.groupdict() | match.groupdict(), me):
                    yield pattern, triple


_APPOSING = (", who ", ", who'", ", who’")


def _foreign(
    sentence: str, forms: Iterable[str], me: str, statistics: CaseStatistics | None
) -> Iterator[tuple[Pattern, Triple]]:
    """The triples of a sentence in another language than English; a word of it tells which forms are tried."""
    for form in forms:
        for language, patterns in FOREIGN.get(form, ()):
            for clause in compiled(language.clause).finditer(sentence):
                for pattern in patterns:
                    match = matched(pattern.form, sentence, clause.end())
                    if not match or _one_of_several(sentence, match) or not _is_foreign(match, pattern, statistics):
                        continue
                    if compiled(language.doubt).search(sentence):
                        return
                    for triple in _read(pattern, match.groupdict(), me, language):
                        yield pattern, triple
                    break


_FAVOURITE = re.compile(r"favorit|préféré")


def _is_foreign(match: re.Match[str], pattern: Pattern, statistics: CaseStatistics | None) -> bool:
    """Whether the names in a match are names: no question, no single common word, no German noun."""
    groups = match.groupdict()
    if _FAVOURITE.search(groups.get("role") or ""):
        return True  # a colour is a common word
    names = [name for group, name in groups.items() if name and group in "soy"]
    if pattern.predicate == "is_a":
        names = [match["s"]]
    if any(name.partition(" ")[0].lower() in words.FOREIGN_QUESTIONS for name in names):
        return False
    return all(
        name[0] == OPEN
        or " " in name
        or (not _ABSTRACT_GERMAN.search(name) and not (statistics or _NO_STATISTICS).is_common_word(name))
        for name in names
    )


def _of_topic(sentence: str, words_: Sentence, topic: Topic) -> Iterator[tuple[Pattern, Triple]]:
    """The triples of a line without a subject: it is about what the note is about."""
    it = _IT.match(sentence)
    rest = sentence[it.end() :] if it else sentence[:1].lower() + sentence[1:]
    first = rest.partition(" ")[0]
    forms = [form.lower for form in words_.forms]
    if it or first.endswith("s") or first in _PARTICIPLES or first in FOREIGN:
        for between in (" ",) if it or first not in _PARTICIPLES else (" is ", " was "):
            whole = f"{OPEN}{topic.name}{CLOSE}{between}{rest}"
            triples = _triples(whole, "", None) if _has_subject(whole) else ()
            for pattern, triple in (*triples, *_foreign(whole, forms, "", None)):
                if topic.name in (triple[0], triple[2]) and (
                    pattern.predicate in _OF_THINGS or (topic.person and not it and pattern.predicate in _OF_PEOPLE)
                ):
                    yield pattern, triple


def _has_subject(sentence: str, named: bool = True) -> bool:
    """A quick look whether a sentence has a verb directly after what may be the end of a name, or an owner.

    If it is not `named`, only its first word may be a name.
    """
    for sign in (*_OWNED, *_APPOSING):
        if sign in sentence:
            return True
    last = len(sentence) if named or " " not in sentence else sentence.index(" ")
    for verb in VERB.finditer(sentence, 0, last + _LONGEST_VERB):
        if verb.start() > last:
            return False
        word = sentence[sentence.rfind(" ", 0, verb.start()) + 1 : verb.start()]
        if word[-1:].isdigit() or not word.isascii() or (word != word.lower() and not _is_it(word, verb.start())):
            return True
    return False


def _is_it(word: str, end: int) -> bool:
    """Whether a sentence begins with this word, and it is no name: `It is`, `That was`."""
    return end == len(word) and word.isalpha() and _is_nobody(word)


class _Patterns:
    """Patterns that are tried in order after the same opening of a clause."""

    def __init__(self, patterns: tuple[Pattern, ...]):
        self._patterns, self._forms = patterns, Forms(needs(pattern.form) for pattern in patterns)

    def first(self, sentence: str, at: int) -> tuple[Pattern, re.Match[str]] | None:
        """The first pattern that matches at a place of a sentence, with its match."""
        for number in self._forms.possible(sentence):
            if match := compiled(self._patterns[number].form).match(sentence, at):
                return self._patterns[number], match
        return None


_OF_OWNERS, _OF_SUBJECTS = _Patterns(AFTER_OWNER), _Patterns(AFTER_SUBJECT)


def _read(pattern: Pattern, groups: dict[str, str], me: str, language: Language | None = None) -> Iterator[Triple]:
    """The triples of a match. Its groups are s (subject), o (object), y (owner, or person addressed) and role."""
    role = groups.get("role") or ""
    predicate = pattern.predicate.format(role=predicate_id(language.roles.get(role, "") if language else role))
    if "o" in groups:
        subject = _who(groups.get("s") or groups.get("y") or "I", me)
        object_, kind = _what(groups["o"], predicate, me, language)
    else:
        subject, object_, kind = _who(groups["s"], me), _who(groups.get("y") or "I", me), None
    if subject and not (groups.get("s") or OPEN).startswith(OPEN):
        subject = _without_article(subject, predicate, language)
    if not subject or not object_ or subject.casefold() == object_.casefold():
        return
    if predicate == "introduced_to" and groups["y"] not in ("me", "us"):
        if object_[0].isupper() and (introduced := _who(groups["y"], me)):
            yield introduced, "knows", object_  # Rosa introduced Bo to Ida
        return
    if predicate == "is_a" and subject.casefold() in object_.casefold():
        return  # it is explained by itself
    if predicate == "name" and object_.islower():
        return  # God's name is majestic
    if pattern.inverse:
        for maker in (object_, *(_who(name, me) for name in _NAME.findall(groups.get("more") or ""))):
            if maker:
                yield maker, predicate, subject
        return
    yield subject, predicate, object_
    if groups.get("job"):
        yield subject, "works_as", groups["job"]
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
    if name[0] == OPEN or " " in name or name in ("I", "My", "my"):
        return True
    return not _ABSTRACT.search(name) and not (statistics or _NO_STATISTICS).is_common_word(name)


_NO_STATISTICS = CaseStatistics()


def _who(written: str, me: str) -> str:
    """The name that is meant: the speaker for `I`, `Kofi's sister` for `my sister` of Kofi; empty if not a name."""
    if written in ("I", "me", "my", "My"):
        return me
    if written[0] == OPEN:
        return name_of(written[: written.find(CLOSE) + 1])
    if written[:3] in ("My ", "my ") and written[3].islower():
        return f"{me}'s {written[3:]}" if me else ""
    if written[0] in "Mm我" and (mine := _MINE.match(written)):
        role = _KIN.get(mine[0].lower())
        return f"{me}'s {role}" if role and me else ""
    return "" if _is_nobody(written) else _tidy(written)


def _is_nobody(written: str) -> bool:
    """Whether what stands as a name begins with a word that begins none: `It`, `The`, `Well`."""
    if written in ("I", "me", "my", "My") or written[0] == OPEN:
        return False
    if written[:3] in ("My ", "my ") and written[3].islower():
        return False
    first = written.split()[0].lower()
    small = (
        first in words.FUNCTION or first in words.DEMONSTRATIVES or first in words.CALENDAR or first in words.PEOPLES
    ) or (first in words.FOREIGN_PRONOUNS and " " not in written)
    return small or (first in words.OPENERS and first not in words.NAME_FORMING)


def _what(written: str, predicate: str, me: str, language: Language | None = None) -> tuple[str, str | None]:
    """The object without the words after it, and its kind, if stated: `the restaurant Nightshade`."""
    if predicate == "is_a":
        kind = kind_in(written, language.cut if language else None)
        adjective = language is GERMAN and kind != "" and kind.split()[-1][0].islower()  # ein azyklischer, ...
        return "" if adjective else kind, None
    if written[0] == OPEN:
        return name_of(written[: written.find(CLOSE) + 1]), None
    if apposition := _APPOSITION.match(written):
        of_it = not words.FUNCTION.isdisjoint(
            apposition["kind"].split()
        )  # "the food from Nightshade" is not Nightshade
        return ("", None) if of_it else (_tidy(apposition["name"]), apposition["kind"])
    cut = _CUT.sub("", written)
    if predicate in _TASTES and re.match(r"(?:the|a|an|that|this) [a-z]", cut):
        return "", None  # "I love the idea", "I like a challenge": about the moment
    own, thing = cut.startswith(("my ", "our ")), _tidy(_DETERMINER.sub("", cut, count=1))
    parts = thing.split()
    if own and len(parts) > 1 and predicate not in _TASTES:
        return (f"{me}'s {thing.split(' ', 1)[1]}" if me else ""), None
    if not 0 < len(parts) <= _LONGEST_OBJECT or parts[0] in words.FUNCTION or parts[-1] in words.FUNCTION:
        return "", None
    parts = thing.casefold().split()
    if parts[0] in _NO_OBJECT or not _POINTING.isdisjoint(parts):
        return "", None
    return ("" if HIDDEN in thing else name_of(thing)), None


def _without_article(subject: str, predicate: str, language: Language | None) -> str:
    """The subject without an indefinite article; empty if it is a letter, or any noun with a definite one.

    `Ein LBA` is an LBA, `El CVE` the CVE; `Das Resultat`, `Eine Funktion` and `Menge M` are known only to the text.
    """
    if language and (elided := _ELIDED.match(subject)):
        subject = subject[elided.end() :]  # l'Obelion; any noun with it is known only to its text
        return subject if subject[:1].isupper() else ""
    first, _, rest = subject.partition(" ")
    if language and rest and first.lower() in words.ARTICLES:
        if rest.isupper() or (first.lower() in _INDEFINITE and not _is_german_noun(rest, language)):
            subject = rest
        elif predicate == "is_a":
            return ""
    return "" if len(subject.split()[-1]) == 1 and not has_cjk(subject) else subject


def _is_german_noun(name: str, language: Language) -> bool:
    """Whether it may be any noun: one word with a capital at its start alone."""
    return language is GERMAN and name.isalpha() and name[1:].islower()


_ELIDED = re.compile(r"[Ll]['’]")
_INDEFINITE = frozenset("ein eine un una une um uma uno unos unas".split())


def _tidy(written: str) -> str:
    return _POSSESSIVE.sub("", _TRAIL.sub("", " ".join(written.split())))


def _valid(sentence: str, happened_at: str | None, begins: bool) -> Interval | None:
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


_YEAR = r"((?:1[5-9]|20)\d\d)"
_YEARS = later(rf"\b{_YEAR}(?: (?:a|al|hasta|bis|à) | ?[-–—~至到] ?){_YEAR}\b|\b(?:desde|seit|depuis) {_YEAR}\b")


def _years(sentence: str) -> Interval | None:
    """The years from which and until which something was true, as languages beside English say it."""
    found = _YEARS.search(sentence)
    if found is None:
        return None
    first, last = int(found[1] or found[3]), int(found[2] or 0)
    return Interval(f"{first}-01-01T00:00:00Z", f"{last + 1}-01-01T00:00:00Z" if last else None)
