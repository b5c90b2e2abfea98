"""Stems: words without their usual endings, to see that two are forms of one."""

from __future__ import annotations

from functools import lru_cache

from memkit.text.words import fold

_ENDINGS = ("ing", "ies", "es", "ed", "en", "s", "e", "t", "n")  # English, and what German, French, Spanish share
_LEAST = 3  # characters that stay


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its usual endings: enough to see that `lives` and `living` are forms of one word.

    >>> stem("lives"), stem("living")
    ('liv', 'liv')
    """
    word = fold(word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            return word[: -len(ending)]
    return word
