"""Inflection: a word of another language than English that no memory has is read in a form that some have.

The index knows the forms of English words by their stems. `Где растёт айва?` asks for what a memory has as `айву`. To
know the stems of each language (Snowball's) finds no more than `text.forms`: docs/recall.md has the figures.
"""

from __future__ import annotations

from collections.abc import Iterator

from memkit.core.patterns import pattern
from memkit.retrieval.known_words import KnownWords
from memkit.text.forms import ENDING, attached, beginning, in_common, spellings
from memkit.text.words import UNSPACED

_LEAST = 4  # letters of a word that is looked at
_UNSPACED = pattern(UNSPACED)


def is_inflected(word: str) -> bool:
    """Whether a word is long enough to have an ending, and stands between spaces."""
    return len(word) >= _LEAST and (word.isascii() or not _UNSPACED.search(word))


def other_form(known: KnownWords, word: str) -> str | None:
    """Another form of a word in lower case that memories have, the nearest one; None if they have none."""
    if same := known.best(spellings(word)):
        return same
    before = attached(word)
    bare = [word[len(one) :] for one in before if word.startswith(one) and len(word) - len(one) >= ENDING]
    if together := known.best([*bare, *(one + rest for rest in (word, *bare) for one in before)]):
        return together
    forms = [form for one in (word, *bare) for form in _ended_otherwise(known, one)]
    return max(forms)[2] if forms else None


def _ended_otherwise(known: KnownWords, word: str) -> Iterator[tuple[int, int, str]]:
    """The forms of a word with other endings: the letters in common, the number of memories, and the form."""
    for form, n in known.beginning_with(beginning(word), 2 * ENDING).items():
        if form != word and (common := in_common(word, form)):
            yield common, n, form
