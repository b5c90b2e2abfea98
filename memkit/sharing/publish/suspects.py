"""Suspects: words in published texts that look made by a machine, and which no rule of redaction has taken out.

Redaction knows secrets by their shape and by the word before them. This looks at the characters alone: how often a word
changes between small letters, capitals and digits. Names, compounds and paths rarely do; keys of any service, also of
one that nobody has heard of, do at every second character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from memkit.text.redact.whole_words import WholeWords

CHANGES = 0.38  # of each two neighbours: this share is of different kinds
LONGEST_LISTED = 200

_TOKEN = re.compile(r"[A-Za-z0-9+/=_\-]{12,512}")
_PIECE = re.compile(r"[A-Za-z0-9]{12,512}")
_HAS_BOTH = re.compile(r"(?=[^A-Za-z]*[A-Za-z])(?=\D*\d)")
_HASH = re.compile(r"[0-9a-f]+|[0-9A-F]+|0?x[0-9a-fA-F]+")  # ids, and sums of commits and files: mostly public


def suspects(texts: Iterable[str], spare: Iterable[str] = ()) -> tuple[str, ...]:
    """The words in some texts that look like keys, each once, in order; without those in `spare`."""
    spared = frozenset(spare)
    found = dict.fromkeys(word for text in texts for word in _in(text) if word not in spared)
    return tuple(found)


def standing(texts: Iterable[str], taken: Iterable[str]) -> tuple[str, ...]:
    """Those of some texts that were taken out and still stand elsewhere in public texts, each once, in order."""
    words = WholeWords(taken)
    return tuple(dict.fromkeys(text[start:end] for text in texts for start, end in words.spans(text)))


def _in(text: str) -> Iterator[str]:
    for token in _TOKEN.finditer(text):
        if any(_looks_made(piece[0]) for piece in _PIECE.finditer(token[0])):
            yield token[0][:LONGEST_LISTED]


def _looks_made(piece: str) -> bool:
    """Whether the kinds of characters in a piece change too often for words, names and numbers."""
    if not _HAS_BOTH.match(piece) or _HASH.fullmatch(piece):
        return False
    kinds = [character.isdigit() * 2 + character.isupper() for character in piece]
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes >= CHANGES * (len(piece) - 1)
