"""Readings: what a sentence about a change, a plan or hearsay says in plain words, and how it is meant.

"I no longer live in Porto" is read as "I live in Porto", which is over; "Mia said that Noah lives in Paris" as "Noah
lives in Paris", which Mia says. The patterns for plain sentences then find the relation, so each of them need be
written once only. A language is a table of rules; a sentence without its signal words is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from memkit.text.extract.grammar import compiled, matched, needs
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
    doubt: str = r"[?¿？]"
    gap: str = " "  # between words
    undated: Callable[[str], str] = str  # a clause without its dates: they stand between the words that rules ask for

    @cached_property
    def forms(self) -> Forms:
        """The forms of the rules."""
        return Forms(needs(rule.form) for rule in self.rules)

    @cached_property
    def hearsay_forms(self) -> Forms:
        """The forms of hearsay."""
        return Forms(needs(form) for form in self.hearsay)

    @cached_property
    def about_subjects(self) -> tuple[bool, ...]:
        """For each rule, whether its form begins with the subject: without one, there is nothing to try."""
        return tuple(rule.form.startswith(self.subject) for rule in self.rules)

    @cached_property
    def opening(self) -> re.Pattern[str]:
        """What may stand before a clause, at its start."""
        return compiled(rf"(?:{self.leads})")


def may_signal(word: str, signal: str) -> bool:
    """Whether a word, as written, may begin a signal of a language: a quick look, before its sentence is looked at."""
    if word.isascii() and word.isalpha():
        plain, other = _single_words(signal)
        return (word.lower() if signal.startswith(_ANY_CASE) else word) in plain or other.match(word) is not None
    return _first_words(signal).search(word) is not None


def signals(word: str, signal: str) -> bool:
    """Whether a word, as written, is a signal of a language by itself."""
    return compiled(signal).search(word) is not None


@cache
def _single_words(signal: str) -> tuple[frozenset[str], re.Pattern[str]]:
    """What of `_first_words` a word of ASCII letters can be: plain words, and an expression for all the others."""
    first = _first_words(signal).pattern
    found = _LISTED.search(first)[1].split("|")  # type: ignore[index]
    others = [one for one in found if not one.isalpha()]
    case = _ANY_CASE if signal.startswith(_ANY_CASE) else ""
    return frozenset(one for one in found if one.isalpha()), compiled(rf"{case}(?:{'|'.join(others) or '(?!)'})\b")


_ANY_CASE = "(?i)"
_LISTED = re.compile(r"\\b\(\?:([^()]*)\)\\b")  # a list of words; what stands beside it has an apostrophe


@cache
def _first_words(signal: str) -> re.Pattern[str]:
    """A signal with the first words of its phrases: `used` for `used to`, what begins with `any` for `any ?more`."""
    return compiled(_OTHER_WORDS.sub("", _JOINED_WORDS.sub(r"\\w*", signal)))


def readings(sentence: str, changes: Changes, signalled: bool = False) -> list[Reading]:
    """The readings of a sentence; empty if it says nothing of a change, a plan or what others say.

    `signalled` says that one of its words is known to be a signal.
    """
    if not (signalled or compiled(changes.signal).search(sentence)) or compiled(changes.doubt).search(sentence):
        return []
    source, rest = _hearsay(sentence, changes)
    found = list(_clauses(rest, changes))
    if source is None:
        return found if any(one.changed for one in found) else []
    return [replace(one, source=source) for one in found]


def source_of(sentence: str, languages: Sequence[Changes]) -> str:
    """Who says what a sentence reports, or empty text."""
    for changes in languages:
        source, _ = _hearsay(sentence, changes)
        if source is not None:
            return source
    return ""


def _hearsay(sentence: str, changes: Changes) -> tuple[str | None, str]:
    for number in changes.hearsay_forms.possible(sentence):
        if found := compiled(changes.hearsay[number]).match(sentence):
            groups = found.groupdict()
            parts = [groups.get(name) for name in ("name", "verb", "object", "tail")]  # the verb stood elsewhere
            rest = groups.get("rest") or " ".join(part.strip() for part in parts if part)
            return groups.get("source") or "", rest[:1].upper() + rest[1:]
    return None, sentence


def _clauses(sentence: str, changes: Changes) -> Iterator[Reading]:
    subject, leads, ended = "", changes.opening, False
    dated_first = not changes.undated(sentence).startswith(sentence[:8])  # a lead would take a part of the date
    begun = None if dated_first else leads.match(sentence)
    for piece in compiled(changes.joint).split(sentence[begun.end() :] if begun else sentence):
        plain = changes.undated(piece.strip())
        led = leads.match(plain)
        clause = plain[led.end() :] if led else plain
        own = compiled(changes.subject).match(clause)
        said = compiled(changes.inherits).match(clause) if subject else None
        if said and (said["pronoun"] or not (own and own[0].strip())):
            clause = f"{subject}{changes.gap}{clause[said.end('pronoun') if said['pronoun'] else 0 :].lstrip()}"
        if own := compiled(changes.subject).match(clause):
            subject = own[0].strip()
        changed = plain != piece.strip()
        found = list(_read_then(clause, piece.strip(), changes) if ended else ())
        found = found or list(_read(clause, piece.strip(), changes, changed=changed))
        ended = any(one.mode in (OVER, LEFT) and compiled(changes.job).search(one.text) for one in found)
        yield from found


def _read_then(clause: str, words: str, changes: Changes) -> Iterator[Reading]:
    """The readings of a clause after one that ends a job; none if it says nothing of the next."""
    for rule in changes.then:
        if found := matched(rule.form, clause):
            yield from _readings_by(rule, found, clause, words, changes)
            return


def _read(clause: str, words: str, changes: Changes, changed: bool = False) -> Iterator[Reading]:
    subject: re.Match[str] | bool | None = None
    for number in changes.forms.possible(clause):
        if changes.about_subjects[number]:
            subject = compiled(changes.subject).match(clause) or False if subject is None else subject
            if not subject:
                continue
        rule = changes.rules[number]
        if found := compiled(rule.form).match(clause):
            yield from _readings_by(rule, found, clause, words, changes)
            return
    yield Reading(clause, HOLDS, words, changed=changed)


def _readings_by(rule: Rule, found: re.Match[str], clause: str, words: str, changes: Changes) -> Iterator[Reading]:
    before = ""
    for build, mode in rule.readings:
        text = build(found) if callable(build) else found.expand(build)
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
