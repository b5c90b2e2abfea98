"""The words of a sentence that say something, in order, as somebody takes notes: `Li Hua`, `booked`, `seat`, `not far`.

Function words are left out, but names and titles stay whole (`Game of Thrones`), and so does what is denied, from the
negation to the end of its clause (`never take ibuprofen with these pills`): notes may say less than the sentence, never
the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memkit.compress import terms
from memkit.text import CJK_CLASS, STOP_WORDS

DENIED = "not "  # in front of a term that a sentence denies: `not far` says something else than `far`
DENYING = frozenset(
    """
    barely cannot hardly neither never no nobody none nor not nothing nowhere without aucun jamais nada nadie niente non
    nunca ohne pas personne rien sans sem senza
    """.split()
)
DENYING_ALL = frozenset(
    "geen kein keine keinen keiner nicht nichts nie niemals niemand niet niets".split()
)  # also what stands before them
INTERJECTION = frozenset(["no", "non"])
WITHIN_NAMES = frozenset("and da de del der des di du la le of the van von y zu".split())

# Scripts without spaces: what stands between particles. In Japanese one of them is only what kanji or katakana are on
# both sides of, so that no verb loses its ending; Chinese negations stay in what they begin.
_CJK_WORD = rf"(?:(?![的了是在我你他她们們吗嗎呢吧啊])(?!(?<=[^ぁ-ゖ])[はがをにでともの](?=[^ぁ-ゖ])){CJK_CLASS})+"
_LETTER = rf"(?:(?!{CJK_CLASS})[^\W_])"
_QUOTED = re.compile(r'"[^"\n]{2,60}"|“[^”\n]{2,60}”|«[^»\n]{2,60}»')
_WORD = rf"{_LETTER}(?:{_LETTER}|[\u0300-\u036f]|(?<=[^\W_])['’.-](?={_LETTER}))*|{_CJK_WORD}"
_QUOTED_OR_WORD = re.compile(f"{_QUOTED.pattern}|{_WORD}")
_APOSTROPHE = re.compile("['’]")
# What a negation does not reach beyond, where it stands between two words.
_BREAK = re.compile(
    r"[,;:!?()\[\]–—…。，；、！？]|\.\s|\n|\b(?:because|but)\b",
    re.IGNORECASE,
)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A word, a name or a title as it stands in the sentence, and the terms it is found by."""

    words: str
    terms: frozenset[str]


def phrases(sentence: str) -> list[Phrase]:
    """The phrases of a sentence in order; none of one that has only function words."""
    return [each for clause in _clauses(sentence) for each in _of_clause(sentence, clause)]


def _clauses(sentence: str) -> list[list[Span]]:
    """The words of each clause; a negation without a word that it could deny belongs to what comes next."""
    found: list[list[Span]] = []
    for span in _spans(sentence):
        if not found or (_BREAK.search(sentence, found[-1][-1][1], span[0]) and not _awaits(sentence, found[-1])):
            found.append([])
        found[-1].append(span)
    return found


def _awaits(sentence: str, clause: Sequence[Span]) -> bool:
    """Whether a clause begins with a negation that is cut off from what it denies: `not, as you know, eat it`."""
    words = [sentence[slice(*span)] for span in clause]
    count = next((i for i, word in enumerate(words) if not _denies(word)), len(words))
    if count == 0 or words[0].lower() in INTERJECTION:
        return False
    return count == len(words) or _BREAK.search(sentence, clause[count - 1][1], clause[count][0]) is not None


def _of_clause(sentence: str, clause: Sequence[Span]) -> Iterator[Phrase]:
    """The phrases of a clause: single ones up to a negation, and all the rest as one, word for word."""
    words = [sentence[slice(*span)] for span in clause]
    denying = [i for i, word in enumerate(words) if _denies(word)]
    first = denying[0] if denying else len(words)
    if denying and (denying[-1] == len(words) - 1 or any(words[i].lower() in DENYING_ALL for i in denying)):
        first = 0  # as in "das stimmt nicht"
    for word in words[:first]:
        yield Phrase(word, _found_by(word))
    if len(denying) < len(words) - first:
        denied = sentence[clause[first][0] : clause[-1][1]]
        yield Phrase(denied, _turned(frozenset().union(*map(_found_by, words[first:]))))


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
    return folded in DENYING or folded in DENYING_ALL or folded.endswith("n't")
