"""Whether a value looks like a secret by itself: random as a key, or made up as a password."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from math import log2

RANDOM = 3.0  # a value with more bits per character looks random: words have 2.5 to 3, hex keys 3.5 and more

_EDGES = ".,:;*_~`\"'()[]{}<>/|\\-"  # what stands around a word in Markdown and code
_WORD = re.compile(r"[^\W\d_]+")
_NO_SYLLABLE = re.compile("[b-df-hj-np-tv-xz]{6}", re.IGNORECASE)
_FEW_DIGITS = re.compile(r"\d{1,5}")
_CHOSEN = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{5,}|(?=.*[^\W_])(?=.*[!?$#%@^+=]).{5,}|\d{4,12}")


def looks_random(value: str) -> bool:
    """Whether a value has a digit and the entropy of a key: more than RANDOM bits per character (Shannon)."""
    return any(character.isdigit() for character in value) and entropy(value) > RANDOM


def looks_chosen(value: str) -> bool:
    """Whether a value may be a password: letters with digits or signs, or a number of 4 to 12 digits."""
    return _CHOSEN.fullmatch(value) is not None


def is_plain_word(value: str) -> bool:
    """Whether a value is a word as others write it, or a number of up to five digits, apart from the signs around it.

    It says nothing where it stands elsewhere. A word with digits, signs or capitals within it does, and so do six
    consonants in a row.
    """
    core = without_edges(value)
    if not core.isascii():
        core = "".join(one for one in unicodedata.normalize("NFC", core) if not unicodedata.combining(one))
    if _FEW_DIGITS.fullmatch(core):
        return True
    plain = core.islower() or core.isupper() or core == core.capitalize()
    return plain and _WORD.fullmatch(core) is not None and not _NO_SYLLABLE.search(core)


def without_edges(value: str) -> str:
    """A value without the signs that stand around a word."""
    return value.strip(_EDGES)


def entropy(text: str) -> float:
    """The Shannon entropy of a text in bits per character; 0 for an empty text."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)
