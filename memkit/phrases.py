"""The words of a sentence that say something, in order, as somebody takes notes: `Li Hua`, `booked`, `seat`, `not far`.

Function words are left out, but names and titles stay whole (`Game of Thrones`), and a negation stays with what it
denies: notes may say less than the sentence, never the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memkit.compress import terms
from memkit.text import CJK_CLASS, STOP_WORDS

DENIED = "not "  # in front of a term that a sentence denies: `not far` says something else than `far`
DENYING = frozenset(
    """
    cannot neither never no nor not without aucun jamais kein keine keinen keiner nadie nicht nie niemals niet non nunca
    ohne pas sans sem senza
    """.split()
)
WITHIN_NAMES = frozenset("and da de del der des di du la le of the van von y zu".split())

# Scripts without spaces: what stands between particles. In Japanese one of them is only what kanji or katakana are on
# both sides of, so that no verb loses its ending; Chinese negations stay in what they begin.
_CJK_WORD = rf"(?:(?![的了是在我你他她们們吗嗎呢吧啊])(?!(?<=[^ぁ-ゖ])[はがをにでともの](?=[^ぁ-ゖ])){CJK_CLASS})+"
_LETTER = rf"(?:(?!{CJK_CLASS})[^\W_])"
_QUOTED = re.compile(r'"[^"\n]{2,60}"|“[^”\n]{2,60}”|«[^»\n]{2,60}»')
_WORD = rf"{_LETTER}(?:{_LETTER}|[\u0300-\u036f]|(?<=[^\W_])['’.-](?={_LETTER}))*|{_CJK_WORD}"
_QUOTED_OR_WORD = re.compile(f"{_QUOTED.pattern}|{_WORD}")
_APOSTROPHE = re.compile("['’]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A word, a name or a title as it stands in the sentence, and the terms it is found by."""

    words: str
    terms: frozenset[str]


def phrases(sentence: str) -> list[Phrase]:
    """The phrases of a sentence in order; none of one that has only function words."""
    found: list[Phrase] = []
    denial: Span | None = None
    for start, end in _spans(sentence):
        words = sentence[start:end]
        if _denies(words):
            denial = start, end
            continue
        if denial:
            found.append(_denied(sentence, denial, (start, end)))
            denial = None
        else:
            found.append(Phrase(words, _found_by(words)))
    if denial and found:  # as in "das stimmt nicht"
        last = found.pop()
        found.append(Phrase(f"{last.words} {sentence[slice(*denial)]}", _turned(last.terms)))
    return found


def _denied(sentence: str, denial: Span, what: Span) -> Phrase:
    """What is denied, with the word that does so: as it stands where nothing is between them."""
    near = what[0] - denial[1] == 1
    words = sentence[denial[0] : what[1]] if near else f"{sentence[slice(*denial)]} {sentence[slice(*what)]}"
    return Phrase(words, _turned(_found_by(sentence[slice(*what)])))


def _found_by(words: str) -> frozenset[str]:
    """The terms of a phrase; of a title in quotes also all of it together, with the blanks that no other term has."""
    title = words[1:-1].strip(".,!? ").casefold() if _QUOTED.fullmatch(words) else ""
    return frozenset(terms(words)) | ({title} if " " in title else frozenset())


def _turned(said: frozenset[str]) -> frozenset[str]:
    return frozenset(DENIED + term for term in said)


def _spans(sentence: str) -> list[Span]:
    """The titles in quotes, names, negations and other words that are no function words."""
    return _joined(sentence, [match.span() for match in _QUOTED_OR_WORD.finditer(sentence)])


def _joined(sentence: str, single: Sequence[Span]) -> list[Span]:
    """The words that count, those that make up a name as one."""
    found: list[Span] = []
    i = 0
    while i < len(single):
        last = _last_of_name(sentence, single, i)
        span = single[i][0], single[last][1]
        if last > i or _counts(sentence[slice(*span)]):
            found.append(span)
        i = last + 1
    return found


def _last_of_name(sentence: str, single: Sequence[Span], first: int) -> int:
    """The place of the last word of a name that begins here: capitals, a blank apart, small words only between them."""
    if not _named(sentence[slice(*single[first])]):
        return first
    last = first
    for i in range(first + 1, len(single)):
        words = sentence[slice(*single[i])]
        if sentence[single[i - 1][1] : single[i][0]] != " ":
            break
        if _named(words):
            last = i
        elif words not in WITHIN_NAMES:
            break
    return last


def _named(words: str) -> bool:
    return words[0].isupper() and _counts(words) and not _denies(words)


def _counts(words: str) -> bool:
    """Whether words say something: that something is denied, too."""
    return _denies(words) or not all(part in STOP_WORDS for part in _APOSTROPHE.split(words.lower()))


def _denies(words: str) -> bool:
    folded = words.lower().replace("’", "'")
    return folded in DENYING or folded.endswith("n't")
