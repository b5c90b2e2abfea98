"""Composed text: letters with their accents as one character each (NFC), with places in the text as it was written.

macOS writes the names of files, and what was copied from them, decomposed: `März` as M, a, a combining diaeresis, r, z,
and Korean in single letters. Patterns, statistics of words and indexes know letters as keyboards write them. So names
and statements are read in a composed copy; what is stored stays as it was written.
"""

from __future__ import annotations

import unicodedata
from array import array
from functools import lru_cache

from memkit.core.patterns import pattern

# Unicode also composes U+F900 to U+8C48, another form of the character; an index that SQL writes has it as it is.
_OTHER_FORMS = pattern("([\uf900-\ufaff\U0002f800-\U0002fa1f]+)")


def is_composed(text: str | None) -> bool:
    """Whether all letters of a text are composed; of no text they are."""
    return text is None or text.isascii() or unicodedata.is_normalized("NFC", text)


def composed(text: str) -> str:
    """The text with composed letters (NFC); the text itself if all are."""
    if is_composed(text):
        return text
    parts = _OTHER_FORMS.split(text)
    parts[::2] = (unicodedata.normalize("NFC", part) for part in parts[::2])
    return "".join(parts)


def as_written(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Where a span of a text's composed copy is in the text itself."""
    if is_composed(text):
        return span
    starts = _starts(text)
    return starts[span[0]], starts[span[1]]


@lru_cache(maxsize=8)  # a text is asked for each of its names
def _starts(text: str) -> array[int]:
    """For each character of the composed copy, where it begins in the text, and the end of the text."""
    starts = array("q")
    at = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _continues(text[end]):
            continue
        letter = text[at:end]
        one = unicodedata.normalize("NFC", letter)
        starts.extend(range(at, end) if one == letter else [at] * len(one))
        at = end
    starts.append(at)
    return starts


def _continues(character: str) -> bool:
    """Whether a character may become one with what stands before it: a sign, or a vowel or ending of Korean."""
    return unicodedata.category(character)[0] == "M" or "\u1161" <= character <= "\u11ff"
