"""Readings: what a sentence about a change, a plan or hearsay says in plain words, and how it is meant.

"I no longer live in Porto" is read as "I live in Porto", which is over; "Mia said that Noah lives in Paris" as "Noah
lives in Paris", which Mia says. The patterns for plain sentences then find the relation, so each of them need be
written once only. A language is a table of rules; a sentence without its signal words is not looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from memkit.text.extract.grammar import NAME, compiled, matched, needs
from memkit.text.extract.literals import Forms

HOLDS = "holds"
OVER = "over"  # it was true, and is no longer
DENIED = "denied"  # it is not true now; whether it was is not said
NEVER = "never"  # it was not true at any time
PLANNED = "planned"
DROPPED = "dropped"  # the plan is over
LEFT = "left"  # it is over if it is known to have been so: "switched from Orbis to Fenwick" may say of a job or a tool
FOLLOWS = "follows"  # it holds if the reading before it, which is left, was known
ELSE = "else"  # it holds if nothing follows in this way
ELSE_OVER = "else over"  # it is over, if nothing follows in this way
ALL_OVER = "all over"  # the reading is a subject, and each job of it is over: "I'm retired"
CORRECTED = "corrected"  # the object is what was meant by one of the turn before: "Sorry, I meant Ashby"
SHAKEN = "shaken"  # something has changed, and nobody understood to what: "we finally moved" leaves a home in doubt

# Stands for the subject of a clause in forms: a form with all that a subject may be would take three times as long to
# compile, and the subject would be looked for again and again.
STAND_IN = "\ue003"
_CONTRACTED = re.compile(r"(?=['’])")  # where a subject may end before its time: Noah've

_JOINED_WORDS, _OTHER_WORDS = re.compile(r" \?[^|)]*"), re.compile(r" [^|)]*")  # of a phrase in a signal

Build = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause in plain words, how it is meant, and its own words (for its dates).

    `source` is who says so, if it is not the speaker: a name, or empty if nobody is named.
    """

    text: str
    mode: str = HOLDS
    words: str = ""
    source: str | None = None
    changed: bool = False  # by a rule
    given: str = ""  # of LEFT and FOLLOWS: the reading that must be known


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of a clause, and its readings: each a template of `Match.expand` or a function, with its mode."""

    form: str
    readings: tuple[tuple[Build, str], ...]


@dataclass(frozen=True)
class Changes:
    """How a language speaks of changes: its signal words, hearsay, joints between clauses, and rules for a clause.

    `hearsay` are forms with the groups `source` and `rest`; `leads` are words that may stand before a clause; `subject`
    is what a clause begins with that has one, `inherits` what it begins with if its subject is that of the clause
    before. `then` are rules for a clause after one that ends a job, which `job` recognises: "I quit and joined Orbis".
    """

    signal: str
    hearsay: Sequence[str]
    joint: str
    leads: str
    subject: str
    inherits: str
    rules: Sequence[Rule]
    job: str = r"(?!)"
    then: Sequence[Rule] = ()
    shaking: Sequence[tuple[str, str]] = ()
    unshaken: str = r"(?!)"  # what a sentence that makes something doubtful may not say
    doubt: str = r"[?¿？]"
    gap: str = " "  # between words
    person: str = rf"(?P<s>{NAME})"
    edge: str = r"(?<![\w'’-])"  # where a word begins
    undated: Callable[[str], str] = str  # a clause without its dates: they stand between the words that rules ask for

    @cached_property
    def forms(self) -> Forms:
        """The forms of the rules, then those of hearsay, then those of what makes a value doubtful."""
        forms = (*(rule.form for rule in self.rules), *self.hearsay, *(form for _, form in self.shaking))
        return Forms(map(needs, forms))

    @cached_property
    def numbers_of_hearsay(self) -> range:
        """The numbers of the forms of hearsay; those before are of rules, those after of what makes doubtful."""
        return range(len(self.rules), len(self.rules) + len(self.hearsay))

    @cached_property
    def about_subjects(self) -> tuple[bool, ...]:
        """For each rule, whether its form begins with the subject: without one, there is nothing to try."""
        return tuple(STAND_IN in rule.form or rule.form.startswith(self.subject) for rule in self.rules)

    @cached_property
    def opening(self) -> re.Pattern[str]:
        """What may stand before a clause, at its start."""
        return compiled(rf"(?:{self.leads})")


class Signals:
    """The signals of several languages: which of them may begin with a word? Asked before a sentence is looked at."""

    def __init__(self, signals: Iterable[str]):
        self._first = tuple(map(_first_words, signals))
        listed = [one for first in self._first for one in _LISTED.search(first.pattern)[1].split("|")]  # type: ignore[index]
        self._plain = frozenset(one.lower() for one in listed if one.isalpha())
        self._others = re.compile(rf"(?i:{'|'.join(one for one in listed if not one.isalpha()) or '(?!)'})\b")

    def begun_by(self, word: str) -> list[int]:
        """The numbers of the languages of which a word, as written, may begin a signal."""
        if word.isascii() and word.isalpha() and word.lower() not in self._plain and not self._others.match(word):
            return []  # most words
        return [number for number, first in enumerate(self._first) if first.search(word)]


def signals(word: str, signal: str) -> bool:
    """Whether a word, as written, is a signal of a language by itself."""
    return compiled(signal).search(word) is not None


_LISTED = re.compile(r"\\b\(\?:([^()]*)\)\\b")  # a list of words; what stands beside it has an apostrophe


@cache
def _first_words(signal: str) -> re.Pattern[str]:
    """A signal with the first words of its phrases: `used` for `used to`, what begins with `any` for `any ?more`."""
    return compiled(_OTHER_WORDS.sub("", _JOINED_WORDS.sub(r"\\w*", signal)))


def readings(sentence: str, changes: Changes, signalled: bool = False) -> list[Reading]:
    """The readings of a sentence; empty if it says nothing of a change, a plan or what others say.

    `signalled` says that one of its words is known to be a signal.
    """
    possible = changes.forms.possible(sentence)
    hearsay = changes.numbers_of_hearsay
    first = possible[0] if possible else hearsay.stop  # of what makes doubtful, nothing is read here
    if first >= hearsay.stop and not _is_dated(sentence, changes):
        return []
    if not (signalled or compiled(changes.signal).search(sentence)):
        return []
    source, rest = _hearsay(sentence, changes, possible)
    if source is None and first >= hearsay.start and not _is_dated(sentence, changes):
        return []
    if compiled(changes.doubt).search(sentence):
        return []
    found = list(_clauses(rest, changes))
    if source is None:
        return found if any(one.changed for one in found) else []
    return [replace(one, source=source) for one in found]


def _is_dated(sentence: str, changes: Changes) -> bool:
    return changes.undated(sentence) != sentence


def shaken(sentence: str, changes: Changes) -> Iterator[tuple[str, str]]:
    """The subjects (empty for the speaker) and predicates whose value a sentence makes doubtful."""
    first, possible = changes.numbers_of_hearsay.stop, changes.forms.possible(sentence)
    for number in possible[bisect_left(possible, first) :]:
        predicate, form = changes.shaking[number - first]
        if (found := compiled(form).search(sentence)) and not compiled(changes.unshaken).search(sentence):
            yield found.groupdict().get("s") or "", predicate


def source_of(sentence: str, languages: Sequence[Changes]) -> str:
    """Who says what a sentence reports, or empty text."""
    for changes in languages:
        source, _ = _hearsay(sentence, changes, changes.forms.possible(sentence))
        if source is not None:
            return source
    return ""


def _hearsay(sentence: str, changes: Changes, possible: Iterable[int]) -> tuple[str | None, str]:
    """Who says what a sentence reports (empty for a rumour, None if it reports nothing), and what that is."""
    numbers = changes.numbers_of_hearsay
    for number in possible:
        if number not in numbers:
            continue
        form = changes.hearsay[number - numbers.start]
        # What is told may follow on other words: "Bumped into Bo at the gym, and he told me that ..."
        anywhere = not form.startswith(_BEFORE_SOURCE)
        if found := compiled(rf"{changes.edge}{form}").search(sentence) if anywhere else compiled(form).match(sentence):
            groups = found.groupdict()
            if not agree(groups.get("name") or "", groups.get("pronoun") or ""):
                continue  # "My sister said he moved": who did?
            parts = [groups.get(name) for name in ("name", "verb", "object", "tail")]  # the verb stood elsewhere
            rest = groups.get("rest") or changes.gap.join(part.strip() for part in parts if part)
            source = _named(groups.get("source") or "", sentence[: found.start()], changes)
            return source, rest[:1].upper() + rest[1:]
    return None, sentence


SPEAKERS = frozenset(("I", "ich", "Ich", "Yo", "yo", "Je", "je", "J'", "j'", "J’", "j’", "我"))
CLAUSE_START = r"(?:\A|(?<=[,;:] )|(?<=\band )|(?<=\bbut ))"
_BEFORE_SOURCE = "(?P<rest>"  # of a form in which what is said comes first


# Words of relatives by which one knows whom a pronoun cannot mean.
_WOMAN = re.compile(
    r"(?i)\b(?:meine|ma|sister|mother|mom|mum|wife|daughter|aunt|grand(?:ma|mother)|girlfriend|niece|hermana|madre|mamá"
    r"|hija|esposa|mujer|tía|abuela)\b|[姐妹妈母妻女]|奶奶|阿姨"
)
_MAN = re.compile(
    r"(?i)\b(?:mein|mon|brother|father|dad|husband|son|uncle|grand(?:pa|father)|boyfriend|nephew|hermano|padre|papá|hijo"
    r"|marido|esposo|tío|abuelo)\b|[哥弟爸父夫]|儿子|爷爷|叔"
)
_SHE, _HE = frozenset("she sie elle ella 她".split()), frozenset("he er il él 他".split())
_PRONOUNS = _SHE | _HE | {"they"}


def agree(subject: str, pronoun: str) -> bool:
    """Whether a pronoun may mean this subject, as far as its words tell: `elle` is not `mon frère`."""
    one = pronoun.lower()
    return not ((one in _SHE and _MAN.search(subject)) or (one in _HE and _WOMAN.search(subject)))


def _named(source: str, before: str, changes: Changes) -> str:
    """Who a source is: for a pronoun, the name before it, if there is just one."""
    if source.lower() not in _PRONOUNS or not before:
        return source
    names = {found["s"] for found in compiled(changes.person).finditer(before) if found["s"] not in ("I", "我")}
    return names.pop() if len(names) == 1 else ""


def _clauses(sentence: str, changes: Changes) -> Iterator[Reading]:
    subject, leads, ended = "", changes.opening, False
    dated_first = not changes.undated(sentence).startswith(sentence[:8])  # a lead would take a part of the date
    begun = None if dated_first else leads.match(sentence)
    opening = sentence[: begun.end()] if begun else ""  # `Since Saturday`
    for piece in compiled(changes.joint).split(sentence[len(opening) :]):
        words, opening = opening + piece.strip(), ""
        plain = changes.undated(piece.strip())
        led = leads.match(plain)
        clause = plain[led.end() :] if led else plain
        own = compiled(changes.subject).match(clause)
        said = compiled(changes.inherits).match(clause) if subject else None
        # "I'll ring Bo, he works at Orbis" is not about the speaker.
        if said and said["pronoun"] and (subject in SPEAKERS or not agree(subject, said["pronoun"])):
            said = None
        if said and (said["pronoun"] or not (own and own[0].strip())):
            clause = f"{subject}{changes.gap}{clause[said.end('pronoun') if said['pronoun'] else 0 :].lstrip()}"
        if own := compiled(changes.subject).match(clause):
            subject = own[0].strip()
        changed = plain != piece.strip()
        found = list(_read_then(clause, words, changes) if ended else ())
        found = found or list(_read(clause, words, changes, changed=changed))
        ended = any(one.mode in (OVER, LEFT) and compiled(changes.job).search(one.text) for one in found)
        yield from found


def _read_then(clause: str, words: str, changes: Changes) -> Iterator[Reading]:
    """The readings of a clause after one that ends a job; none if it says nothing of the next."""
    for rule in changes.then:
        for subject, rest in _divided(clause, changes) if STAND_IN in rule.form else [("", clause)]:
            if found := matched(rule.form, rest):
                yield from _readings_by(rule, found, subject, clause, words, changes)
                return


def _read(clause: str, words: str, changes: Changes, changed: bool = False) -> Iterator[Reading]:
    divided: list[tuple[str, str]] | None = None
    for number in changes.forms.possible(clause):
        if number >= len(changes.rules):
            break
        rule = changes.rules[number]
        tried = [("", clause)]
        if changes.about_subjects[number]:
            divided = _divided(clause, changes) if divided is None else divided
            tried = divided if STAND_IN in rule.form else tried[: len(divided)]
        for subject, rest in tried:
            if found := compiled(rule.form).match(rest):
                yield from _readings_by(rule, found, subject, clause, words, changes)
                return
    yield Reading(clause, HOLDS, words, changed=changed)


def _divided(clause: str, changes: Changes) -> list[tuple[str, str]]:
    """The subject of a clause, and the clause with STAND_IN for it; a second time with a part of it, if it may end so.

    A clause about the speaker stays as it is; one without a subject gives nothing.
    """
    own = compiled(changes.subject).match(clause)
    if own is None or own[0] == "I":
        return [("", clause)] if own else []
    ends = [own.end(), *(one.start() for one in _CONTRACTED.finditer(own[0]))]
    return [(clause[:end], STAND_IN + clause[end:]) for end in ends]


def _readings_by(
    rule: Rule, found: re.Match[str], subject: str, clause: str, words: str, changes: Changes
) -> Iterator[Reading]:
    before = ""
    for build, mode in rule.readings:
        text = (build(found) if callable(build) else found.expand(build)).replace(STAND_IN, subject)
        if mode == HOLDS and text != clause:
            yield from _read(text, words, changes, changed=True)
        else:
            yield Reading(text, mode, words, changed=True, given=_given(text, before, mode))
        before = text


def _given(text: str, before: str, mode: str) -> str:
    return text if mode == LEFT else before if mode == FOLLOWS else ""


def rules(*forms: Any, **macros: str) -> tuple[Rule, ...]:
    """Rules from (form, reading, mode) or (form, [(reading, mode), ...]); `<NAME>` in a form is a macro."""
    made = []
    for form, *rest in forms:
        for name, regex in macros.items():
            form = form.replace(f"<{name}>", regex)
        made.append(Rule(form, tuple(rest[0]) if len(rest) == 1 else ((rest[0], rest[1]),)))
    return tuple(made)
