"""Function words of other languages than English. Those that ask do not tell the topic of a question.

Where no memory has `Gdzie`, it would be the rarest word of `Gdzie rośnie pigwa?`, and what lacks it would not count as
an answer.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from memkit.text.words import STOP_WORDS, WORD, words

LONGEST = 500  # characters of a question; a longer text is a message
_SAFE = 4  # letters of a word that asks, if it is in ASCII: `mit` and `co` stand in English texts, too


class _Language(NamedTuple):
    asking: frozenset[str]
    all: frozenset[str]


def without_asking_words(text: str) -> str:
    """A question in another language with a space in the place of each word that asks; any other text as it is."""
    idle = asking_words(text)
    left = WORD.sub(lambda word: " " if word[0].lower() in idle else word[0], text) if idle else text
    return left if any(map(str.isalnum, left)) else text


def asking_words(text: str) -> frozenset[str]:
    """The words that ask in the languages that a question may be in, by its function words; none for English.

    Those that join stay: most memories have them, and "we" and "for" tell one statement from another.
    """
    said = frozenset(words(text)) if len(text) <= LONGEST else frozenset()
    if said.isdisjoint(_asking()):
        return frozenset()
    counted = [(len(said & one.all), one) for one in _languages() if _is_in(text, said & one.asking)]
    most = max((count for count, _ in counted), default=0)
    if most <= len(said & STOP_WORDS):
        return frozenset()
    return frozenset().union(*(one.asking for count, one in counted if count == most))


def _is_in(text: str, asking: frozenset[str]) -> bool:
    """Whether these words tell the language of a text: an English one may have one that looks alike (`dove`)."""
    from memkit.text.extract.dictionary import is_foreign, is_known

    if any(not word.isascii() or (len(word) >= _SAFE and not is_known(word)) for word in asking):
        return True
    return bool(asking) and is_foreign(WORD.sub(lambda word: "" if word[0].lower() in asking else word[0], text))


@cache
def _asking() -> frozenset[str]:
    return frozenset().union(*(one.asking for one in _languages()))


@cache
def _languages() -> tuple[_Language, ...]:
    lines = Path(__file__).with_name("function_words.txt").read_text("utf-8").splitlines()
    told = [frozenset(line.split()) for line in lines if line[:1] not in ("#", "[")]
    return tuple(_Language(asking, asking | others) for asking, others in zip(told[::2], told[1::2], strict=True))
