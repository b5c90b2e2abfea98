"""Plain statements: the triples of a sentence that says what is so, by few patterns that are nearly always right.

Each pattern starts at the start of a clause and needs an explicit subject (`I`, `my sister` or a capitalised name,
never `she` or `it`). Questions, negations, conditions and hearsay give nothing. A model may find what patterns miss.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from memkit.core.patterns import pattern as later
from memkit.text.extract import words
from memkit.text.extract.attribute_values import fits
from memkit.text.extract.case import CaseStatistics
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
    outermost,
)
from memkit.text.extract.literals import Forms
from memkit.text.extract.participants import NO_STATISTICS, is_nobody, may_be_named, what, who, without_article
from memkit.text.extract.predicates import predicate_id
from memkit.text.extract.spanish import SPANISH
from memkit.text.extract.tokens import Sentence
from memkit.text.extract.unmarked import CLOSE, OPEN

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Topic:
    """What a text is about, by its title; only a `person` lives and works somewhere.

    `opening` says that the text begins the note, `direct` that all of it is about the topic, not only its first lines.
    """

    name: str
    person: bool = False
    opening: bool = False
    direct: bool = True


# A word to the forms that are tried in a sentence with it.
FOREIGN: dict[str, list[tuple[Language, tuple[Pattern, ...]]]] = {}
for _language in (SPANISH, GERMAN, FRENCH):
    for _word, _forms in _language.forms.items():
        FOREIGN.setdefault(_word.lower(), []).append((_language, _forms))
# A clause starts a sentence, or follows one of these; words such as "Yes," or "In 2019," may come first.
_CLAUSE = later(
    r"(?:\A|[,;:] (?:and |but |so )?|\b(?:and|but|because|since|that) )"
    r"(?:(?:Yes|Yeah|Yep|Well|Oh|Hi|Hey|Hello|So|And|But|Also|By the way|Btw|FYI|Today|Yesterday|Actually|Anyway"
    r"|Back then|In those days|At that time"
    r"|(?:In|Since) (?:\w+ )?\d{4}|Since (?:last )?\w+|(?:Last|This) \w+)\b,? )*"
    rf"(?:[Tt]he (?={OPEN}))?"
)
_OWNED = ("my ", "My ", "' ", "’ ")  # after an owner, without a form of `be`
_APPOSING = (", who ", ", who'", ", who’")
_OF_OTHERS = frozenset(["my", "My", "who"])  # words of the two before
_DOUBT = later(
    rf"\?|{IN_FICTION}"
    r"|n['’]t\b|\bI['’]d\b|['’]ll\b|\b(?:as if|as though|no longer|used to|going to|about to|let['’]?s)\b"
    r"|\b(?:not|never|(?<!, )no|nobody|none|neither|nor|without|hardly|if|unless|whether|would|could|might|may|maybe"
    r"|perhaps|possibly|probably|apparently|supposedly|allegedly|should|shall|will|wish\w*|hop(?:e|es|ed|ing)|want\w*"
    r"|plan(?:s|ned|ning)?|gonna|almost|nearly|thinks?|thought|believe[sd]?|guess|suppose[sd]?|hear[sd]?|rumou?rs?"
    r"|(?:thes[ie]s|theor(?:y|ies)|ideas?|notion|views?|beliefs?|arguments?|assumption|hypothesis|opinion|impression"
    r"|myth) that"
    r"|(?:[Oo]ften|[Ss]ometimes|[Rr]arely|[Ss]eldom)|If|Unless|Whether|Maybe|Perhaps|Possibly|Probably|Suppose|Apparently|wonder\w*|imagin\w*|pretend\w*|dream\w*|jok(?:e|es|ed|ing)|kidding|claim\w*|doubt\w*|suggest\w*)\b"
)
_IT = later(r"It (?=(?:was|is|has been) )")
_PARTICIPLES = frozenset([*MADE, "born", "based", "located", "headquartered", "situated", "married", "member"])
_OF_THINGS = frozenset(["{role}", "uses", "located_in", "part_of"])  # predicates of a line without a subject
_OF_PEOPLE = frozenset(
    """works_at works_as studies_at studied_at member_of lives_in born_in comes_from married_to speaks founded
    wrote""".split()
)
_NAME = later(rf"(?<!\w){NAME}")
_ABSTRACT_GERMAN = later(r"[a-zäöüß](?:ung|heit|keit|schaft|tion|tät|nis|tum|ismus)(?:en|s)?\Z")
_FAVOURITE = re.compile(r"favorit|préféré")


def plain_statements(
    sentence: str, forms: Collection[str], me: str, statistics: CaseStatistics | None
) -> list[tuple[Pattern, Triple]]:
    """The triples of a plain sentence; `forms` are its words in lower case, or those that `FOREIGN` may have."""
    stated = list(_triples(sentence, me, statistics)) if _has_subject(sentence) else []
    return stated if FOREIGN.keys().isdisjoint(forms) else [*stated, *_foreign(sentence, forms, me, statistics)]


def topic_statements(sentence: str, words_: Sentence, topic: Topic) -> Iterator[tuple[Pattern, Triple]]:
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


def is_verb(word: str) -> bool:
    """Whether a word may be the verb after a subject."""
    return VERB.match(f" {word}") is not None


def is_of_subject(word: str) -> bool:
    """Whether a word, as written, belongs to an owner or an apposition, or has an apostrophe, as `Anna's`, `I'm`."""
    return word in _OF_OTHERS or "'" in word or "’" in word


def begins_with_subject(sentence: str) -> bool:
    """Whether the second word may be the verb after a subject, in a sentence without words that are `of_subject`."""
    end = sentence.find(" ")
    return end > 0 and VERB.match(sentence, end) is not None and _ends_subject(sentence[:end], end)


def _has_subject(sentence: str) -> bool:
    """A quick look whether a sentence has a verb directly after what may be the end of a name, or an owner."""
    for sign in (*_OWNED, *_APPOSING):
        if sign in sentence:
            return True
    for verb in VERB.finditer(sentence):
        end = verb.start()
        if _ends_subject(sentence[sentence.rfind(" ", 0, end) + 1 : end], end):
            return True
    return False


def _ends_subject(word: str, end: int) -> bool:
    """Whether a word that ends there may be the last of a name."""
    return word[-1:].isdigit() or not word.isascii() or (word != word.lower() and not _is_it(word, end))


def _is_it(word: str, end: int) -> bool:
    """Whether a sentence begins with this word, and it is no name: `It is`, `That was`."""
    return end == len(word) and word.isalpha() and is_nobody(word)


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


def _triples(sentence: str, me: str, statistics: CaseStatistics | None) -> Iterator[tuple[Pattern, Triple]]:
    doubtful: bool | None = None
    apposed = any(joint in sentence for joint in _APPOSING)
    for clause in (*_CLAUSE.finditer(sentence), *(outermost(APPOSED.finditer(sentence)) if apposed else ())):
        for opening, patterns in ((OWNER, _OF_OWNERS), (SUBJECT, _OF_SUBJECTS)):
            start = opening.match(sentence, clause.end())
            if not start or (opening is SUBJECT and not VERB.match(sentence, start.end())) or is_nobody(start[1]):
                continue
            if found := patterns.first(sentence, start.end()):
                if not may_be_named(start[1], statistics) or _one_of_several(sentence, start) or _is_adjective(*found):
                    continue
                doubtful = _DOUBT.search(sentence) is not None if doubtful is None else doubtful
                if doubtful:
                    return
                pattern, match = found
                for triple in _read(pattern, start.groupdict() | match.groupdict(), me):
                    yield pattern, triple


def _foreign(
    sentence: str, forms: Iterable[str], me: str, statistics: CaseStatistics | None
) -> Iterator[tuple[Pattern, Triple]]:
    """The triples of a sentence in another language than English; a word of it tells which forms are tried."""
    for form in forms:
        for language, patterns in FOREIGN.get(form, ()):
            for clause in outermost(compiled(language.clause).finditer(sentence)):
                for pattern in patterns:
                    match = matched(pattern.form, sentence, clause.end())
                    if not match or _one_of_several(sentence, match) or not _is_foreign(match, pattern, statistics):
                        continue
                    if compiled(language.doubt).search(sentence):
                        return
                    for triple in _read(pattern, match.groupdict(), me, language):
                        yield pattern, triple
                    break


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
        or (not _ABSTRACT_GERMAN.search(name) and not (statistics or NO_STATISTICS).is_common_word(name))
        for name in names
    )


def _read(pattern: Pattern, groups: dict[str, str], me: str, language: Language | None = None) -> Iterator[Triple]:
    """The triples of a match. Its groups are s (subject), o (object), y (owner, or person addressed) and role."""
    role = groups.get("role") or ""
    predicate = pattern.predicate.format(role=predicate_id(language.roles.get(role, "") if language else role))
    if "o" in groups:
        subject = who(groups.get("s") or groups.get("y") or "I", me)
        object_, kind = what(groups["o"], predicate, me, language)
    else:
        subject, object_, kind = who(groups["s"], me), who(groups.get("y") or "I", me), None
    if subject and not (groups.get("s") or OPEN).startswith(OPEN):
        subject = without_article(subject, predicate, language)
    if not subject or not object_ or subject.casefold() == object_.casefold():
        return
    if predicate == "introduced_to" and groups["y"] not in ("me", "us"):
        if object_[0].isupper() and (introduced := who(groups["y"], me)):
            yield introduced, "knows", object_  # Rosa introduced Bo to Ida
        return
    if predicate == "is_a" and subject.casefold() in object_.casefold():
        return  # it is explained by itself
    if not fits(predicate, object_):
        return  # God's name is majestic
    if pattern.inverse:
        for maker in (object_, *(who(name, me) for name in _NAME.findall(groups.get("more") or ""))):
            if maker:
                yield maker, predicate, subject
        return
    yield subject, predicate, object_
    if groups.get("job"):
        yield subject, "works_as", groups["job"]
    if kind:
        yield object_, "is_a", kind
    if predicate == "introduced_to" and (introduced := who(groups["y"], me)):
        yield introduced, "knows", object_


def _is_adjective(pattern: Pattern, match: re.Match[str]) -> bool:
    """Whether the object is only the adjective of a people before a noun: `directed German pilots`."""
    name = match.groupdict().get("o") or ""
    after = match.string[match.end("o") :] if name else ""
    return pattern.predicate != "speaks" and name.lower() in words.PEOPLES and re.match(r" [a-z]", after) is not None


def _one_of_several(sentence: str, start: re.Match[str]) -> bool:
    """Whether another name is joined to the subject: in `Toto and Cleopatra is a film`, neither name is a subject."""
    return (
        re.search(
            rf"(?:{NAME}|\bI)(?:,? and|,? or| und| oder| y| e| et| ou| o) \Z",
            sentence[max(0, start.start() - 60) : start.start()],
        )
        is not None
    )
