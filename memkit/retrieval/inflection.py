"""Inflection: a word of another language than English that no memory has is read in a form that some have.

The index knows the forms of English words by their stems. `Где растёт айва?` asks for what a memory has as `айву`. Most
languages change the end of a word, so another form begins with the same letters; some put an article or a preposition
before it. To know the stems of each language (Snowball's) finds no more: docs/recall.md has the figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from memkit.core.patterns import pattern
from memkit.retrieval.known_words import KnownWords
from memkit.text.words import CJK_CLASS, fold

_LEAST = 4  # letters of a word that is looked at
_STEM = 4  # letters that two forms share at least, or all but one
_ENDING = 3  # letters of an ending at most
_SHARE = 0.6  # of the letters of the longer form that both share
_SURE = 6  # letters in common after which both endings may have more than one letter
# What is written together with a word: the article, `and`, and prepositions.
_ATTACHED = {
    "arabic": ("ال", "وال", "بال", "كال", "فال", "لل", "و", "ب", "ل", "ف", "ك"),
    "hebrew": ("ה", "ו", "ב", "ל", "מ", "ש", "כ", "וה", "שה", "מה"),
}
_WITHOUT_SPACES = pattern(rf"{CJK_CLASS}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # between words, as in Thai


def is_inflected(word: str) -> bool:
    """Whether a word is long enough to have an ending, and stands between spaces."""
    return len(word) >= _LEAST and not _WITHOUT_SPACES.search(word)


def other_form(known: KnownWords, word: str) -> str | None:
    """Another form of a word in lower case that memories have, the nearest one; None if they have none."""
    bare = [*_bare(word)]
    if attached := known.best([*bare, *(prefix + one for one in (word, *bare) for prefix in _prefixes(word))]):
        return attached
    forms = [form for one in (word, *bare) for form in _ended_otherwise(known, one)]
    return max(forms)[2] if forms else None


def _ended_otherwise(known: KnownWords, word: str) -> Iterator[tuple[int, int, str]]:
    """The forms of a word with other endings: the letters in common, the number of memories, and the form."""
    for form, n in known.beginning_with(word[: _shared(len(word))], 2 * _ENDING).items():
        one, other = fold(word), fold(form)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        if form != word and _is_form(len(one), len(other), common):
            yield common, n, form


def _is_form(one: int, other: int, common: int) -> bool:
    """Whether words of so many letters, and so many in common at their beginning, may be forms of one word."""
    shorter, longer = sorted((one - common, other - common))
    return (
        longer <= _ENDING
        and common >= max(min(_STEM, max(one, other) - 1), _SHARE * max(one, other))
        and (shorter <= 1 or common >= _SURE)
    )


def _shared(letters: int) -> int:
    """How many letters another form of a word of so many shares at least."""
    return max(min(_STEM, letters - 1), letters - _ENDING)


def _prefixes(word: str) -> tuple[str, ...]:
    first = word[0]
    return _ATTACHED["arabic"] if "ء" <= first <= "ي" else _ATTACHED["hebrew"] if "א" <= first <= "ת" else ()


def _bare(word: str) -> Iterator[str]:
    """The word without what may be written together with it."""
    for prefix in _prefixes(word):
        if word.startswith(prefix) and len(word) - len(prefix) >= _ENDING:
            yield word[len(prefix) :]
