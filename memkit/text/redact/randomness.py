"""Whether a value looks like a secret by itself: random as a key, or made up as a password."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

RANDOM = 3.0  # a value with more bits per character looks random: words have 2.5 to 3, hex keys 3.5 and more

_CHOSEN = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{5,}|(?=.*[^\W_])(?=.*[!?$#%@^+=]).{5,}|\d{4,12}")


def looks_random(value: str) -> bool:
    """Whether a value has a digit and the entropy of a key: more than RANDOM bits per character (Shannon)."""
    return any(character.isdigit() for character in value) and entropy(value) > RANDOM


def looks_chosen(value: str) -> bool:
    """Whether a value may be a password: letters with digits or signs, or a number of 4 to 12 digits."""
    return _CHOSEN.fullmatch(value) is not None


def entropy(text: str) -> float:
    """The Shannon entropy of a text in bits per character; 0 for an empty text."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)
