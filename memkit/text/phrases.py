"""Keyphrase extraction: the content words, names and negations of a sentence in order: `Li Hua`, `booked`, `not far`.

Function words are left out, but names and titles stay whole (`Game of Thrones`). A negation stays whole, too, up to the
end of its clause (`never take ibuprofen with these pills`): notes may say less than the sentence, but never the
opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memkit.text.compress import terms
from memkit.text.words import CJK_CLASS, STOP_WORDS

DENIED = "not "  # prefix of a negated term: `not far` does not mean `far`
DENYING = frozenset(
    """
    barely cannot hardly neither never no nobody none nor not nothing nowhere without aucun jamais nada nadie niente non
    nunca ohne pas personne rien sans sem senza
    """.split()
)
DENYING_ALL = frozenset(
    "geen kein keine keinen keiner nicht nichts nie niemals niemand niet niets".split()
)  # these also negate the words before them
INTERJECTION = frozenset(["no", "non"])
WITHIN_NAMES = frozenset("and da de del der des di du la le of the van von y zu".split())

# In scripts without spaces a word is the text between particles. In Japanese a character is a particle only between
# kanji or katakana, so that no verb loses its ending. Chinese negations stay in the word that they begin.
_CJK_WORD = rf"(?:(?![的了是在我你他她们們吗嗎呢吧啊])(?!(?<=[^ぁ-ゖ])[はがをにでともの](?=[^ぁ-ゖ])){CJK_CLASS})+"
_LETTER = rf"(?:(?!{CJK_CLASS})[^\W_])"
_QUOTED = re.compile(r'"[^"\n]{2,60}"|“[^”\n]{2,60}”|«[^»\n]{2,60}»')
_WORD = rf"{_LETTER}(?:{_LETTER}|[\u0300-\u036f]|(?<=[^\W_])['’.-](?={_LETTER}))*|{_CJK_WORD}"
_QUOTED_OR_WORD = re.compile(f"{_QUOTED.pattern}|{_WORD}")
_APOSTROPHE = re.compile("['’]")
# A negation does not apply beyond one of these between two words.
_BREAK = re.compile(
    r"[,;:!?()\[\]–—…。，；、！？]|\.\s|\n|\b(?:because|but)\b",
    re.IGNORECASE,
)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A word, name, title or negation as in the sentence, and the terms that find it."""

    words: str
    terms: frozenset[str]


MOST_DENIALS = 50  # words at the start of a clause that may all deny: no language has more in a row


def phrases(sentence: str) -> list[Phrase]:
    """The phrases of a sentence in order; an empty list if it has only function words."""
    return [each for clause in _clauses(sentence) for each in _of_clause(sentence, clause)]


def _clauses(sentence: str) -> list[list[Span]]:
    """The word spans of each clause; a negation without a word to negate is joined to the next clause."""
    found: list[list[Span]] = []
    for span in _spans(sentence):
        if not found or (_BREAK.search(sentence, found[-1][-1][1], span[0]) and not _awaits(sentence, found[-1])):
            found.append([])
        found[-1].append(span)
    return found


def _awaits(sentence: str, clause: Sequence[Span]) -> bool:
    """Whether a clause begins with a negation that is separated from its words: `not, as you know, eat it`."""
    words = [sentence[slice(*span)] for span in clause[:MOST_DENIALS]]
    count = next((i for i, word in enumerate(words) if not _denies(word)), len(words))
    if count == 0 or words[0].lower() in INTERJECTION:
        return False
    return count == len(words) or _BREAK.search(sentence, clause[count - 1][1], clause[count][0]) is not None


def _of_clause(sentence: str, clause: Sequence[Span]) -> Iterator[Phrase]:
    """The phrases of a clause: single words before a negation, then the negation and the rest as one phrase."""
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
    """The terms of a phrase; a title in quotes is also one term as a whole, with spaces, which no other term has."""
    title = words[1:-1].strip(".,!? ").casefold() if _QUOTED.fullmatch(words) else ""
    return frozenset(terms(words)) | ({title} if " " in title else frozenset())


def _turned(said: frozenset[str]) -> frozenset[str]:
    return frozenset(DENIED + term for term in said)


def _spans(sentence: str) -> list[Span]:
    """The spans of titles in quotes, names, negations and content words."""
    return _joined(sentence, [match.span() for match in _QUOTED_OR_WORD.finditer(sentence)])


def _joined(sentence: str, single: Sequence[Span]) -> list[Span]:
    """The spans of words that count; the words of a name become one span."""
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
    """The place of the last word of a name that starts at `first`: capitalised words, with small words between them."""
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
    """Whether words are more than function words. Negations count."""
    return _denies(words) or not all(part in STOP_WORDS for part in _APOSTROPHE.split(words.lower()))


def _denies(words: str) -> bool:
    folded = words.lower().replace("’", "'")
    return folded in DENYING or folded in DENYING_ALL or folded.endswith("n't")
