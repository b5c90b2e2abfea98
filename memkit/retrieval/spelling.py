"""Spelling: a word that no memory has is read as the nearest one that some have, and the question says so.

"Who planted the quinse?" finds nothing by words. One letter further is `quince`, which many memories have. A word is
left as it is if a memory has it, if a dictionary knows it, or if it is short. British and American spellings of known
words are one word (`colour`, `color`), and so are parts that a memory writes together or apart (`data base`).

The candidates are made from the word, not from the words of the database (P. Norvig, How to Write a Spelling Corrector,
2007). In other languages than English, where there is no dictionary, only other forms of a word are looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import NamedTuple

from memkit.core.errors import IndexDamaged
from memkit.core.patterns import pattern
from memkit.retrieval.channels.fulltext import undamaged
from memkit.retrieval.inflection import is_inflected, other_form
from memkit.retrieval.known_words import KnownWords
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope
from memkit.text.function_words import asking_words
from memkit.text.words import LETTER, STOP_WORDS, fold

LEAST, LEAST_NAME = 5, 6  # letters of a word, and of one with a capital inside the question, that is looked at
LEAST_PART = 3  # letters of each part of a compound
MOST, MOST_FORMS = 3, 16  # words of a question that are read otherwise, and in another form
LONGEST = 500  # characters of a question; a longer text is a message
LETTERS = "abcdefghijklmnopqrstuvwxyz"  # to load the module `string` for them takes .7 ms
_WORD = pattern(rf"(?<![\w'’@#/.:-])[^\W\d_]+(?:{LETTER}+(?<![\d\x00-\x7f]))?(?![\w@/:]|['’.-]\w)")
# The endings and letters in which American and British English differ, each way.
_REGIONAL = (
    ("our", "or"), ("yse", "yze"), ("is", "iz"), ("ll", "l"), ("re", "er"), ("ogue", "og"), ("ence", "ense"),
    ("ae", "e"), ("oe", "e"), ("mme", "m"), ("grey", "gray"), ("ium", "um"), ("que", "ck"), ("yre", "ire"),
)  # fmt: skip


class Spelling(NamedTuple):
    """That `written` in a question is read as `read`."""

    written: str
    read: str


def respelled(conn: Connection, text: str, scope: Scope) -> tuple[str, tuple[str, ...]]:
    """The question with words that memories have in place of those that none has, and sentences that say so."""
    if not isinstance(text, str) or len(text) > LONGEST:
        return text, ()
    known = KnownWords(conn, scope)
    try:
        with undamaged():
            misspelt = list(islice(chain(_joined(known, text), _misspelt(known, text)), MOST))
            inflected = list(islice(_inflected(known, text), MOST_FORMS))
    except IndexDamaged:
        return text, ()  # full-text search will say so
    for one in (*inflected, *misspelt):
        text = re.sub(rf"(?<!\w){re.escape(one.written)}(?!{LETTER})", one.read, text)
    said = [f"Nothing has {one.written!r}, so it was read as {one.read!r}." for one in misspelt]
    if inflected:
        forms = ", ".join(f"{one.read!r} for {one.written!r}" for one in inflected)
        said.append(f"Read in the forms that memories have: {forms}.")
    return text, tuple(said)


def _misspelt(known: KnownWords, text: str) -> Iterator[Spelling]:
    """The single words in Latin letters that no memory has, each as what it is read."""
    from memkit.text.extract.dictionary import is_foreign, is_unheard_of

    for match in _WORD.finditer(text):
        written = match[0]
        name = written[0].isupper() and match.start() > 0
        if len(written) < (LEAST_NAME if name else LEAST) or not _is_latin(written) or known.has(written):
            continue
        word = fold(written)
        near = known.best(_regional(word)) or known.best(_apart(word))
        if near is None and is_unheard_of(written) and not is_foreign(text.replace(written, "")):
            near = known.best(_one_away(word, name))
        if near:
            yield Spelling(written, _as_written(near, written))


def _inflected(known: KnownWords, text: str) -> Iterator[Spelling]:
    """The words of a question in another language than English that no memory has, each as its other form."""
    from memkit.text.extract.dictionary import is_foreign

    idle = asking_words(text)
    for written in dict.fromkeys(match[0] for match in _WORD.finditer(text)):
        if written.lower() in idle or not is_inflected(written):
            continue
        if _is_latin(written) and not idle and not is_foreign(text.replace(written, "")):
            continue
        if not known.has(written) and (form := other_form(known, written.lower())):
            yield Spelling(written, _as_written(form, written))


def _as_written(word: str, written: str) -> str:
    return word.capitalize() if written[0].isupper() else word


def _joined(known: KnownWords, text: str) -> Iterator[Spelling]:
    """Two words in a row that some memory writes as one, and none writes in this way."""
    for one, other in pairwise(_WORD.finditer(text)):
        said, parts = text[one.start() : other.end()], (one[0], other[0])
        name = all(part[0].isupper() for part in parts)
        if said == " ".join(parts) and not name and all(map(_may_be_part, parts)):
            together = fold("".join(parts))
            if known.has(together) and not known.has(said) and known.best([together]):
                yield Spelling(said, together)


def _may_be_part(word: str) -> bool:
    return len(word) >= LEAST_PART and _is_latin(word) and word.lower() not in STOP_WORDS


def _is_latin(word: str) -> bool:
    return fold(word).isascii()


def _regional(word: str) -> Iterator[str]:
    """The other spelling of a word in American or British English, wherever it may be."""
    for british, american in _REGIONAL:
        for old, new in ((british, american), (american, british)):
            yield from (word[: at.start()] + new + word[at.end() :] for at in re.finditer(old, word))


def _apart(word: str) -> Iterator[str]:
    """A word as two."""
    return (f"{word[:at]} {word[at:]}" for at in range(LEAST_PART, len(word) - LEAST_PART + 1))


def _one_away(word: str, name: bool) -> Iterator[str]:
    """All words that are one letter away: one more, one less, another one, or two that have changed places.

    With another letter, a name is another name: Columbia and Colombia.
    """
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield from (before + letter + after for letter in LETTERS)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in ("" if name else LETTERS))
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
