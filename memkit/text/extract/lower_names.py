"""Projects in lower case, such as `libp2p` and `go-libp2p`; a dictionary tells them from other words with a hyphen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memkit.text.extract import dictionary, words
from memkit.text.extract.tokens import COMPOUND, NameSpan, worded_sentences

_BEFORE, _AFTER = "./@#'’:+-\\", "/@'’:(-"  # signs of a path, a call or an address
_HEX = re.compile(r"[0-9a-f]+\Z")
# `non-linear` and `event-driven` are no projects, whatever the other word is.
_PREFIXES = frozenset(
    """non anti micro macro multi intra inter extra socio spatio self well pre post mid late early proto vice semi super
    cross pseudo quasi neo bio geo psycho techno ultra co re de en""".split()
)
_ADJECTIVES = frozenset(
    """based like related specific compatible powered driven style only free aware native enabled centric wise level
    ready safe friendly first side end""".split()
)


def lower_names(text: str) -> Iterator[NameSpan]:
    """The projects that an English text names: words with a digit inside, or with a part that is in no dictionary."""
    for sentence in worded_sentences(text):
        if sentence.traits & COMPOUND:
            for token in sentence.tokens:
                if token.form.compound and _stands_alone(text, token.start, token.end) and _is_project(token.word):
                    yield NameSpan(token.start, token.end, token.word)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 2]
    return not (before and before in _BEFORE) and not (after[:1] and (after[0] in _AFTER or after[0] == "_"))


@lru_cache(maxsize=1 << 14)
def _is_project(word: str) -> bool:
    parts = word.split("-")
    if len(parts) == 1:
        return not _HEX.match(parts[0])
    if not words.FUNCTION.isdisjoint(parts[:-1]):  # state-of-the-art, however it is spelt; in-wasm
        return False
    if parts[0] in _PREFIXES or parts[-1] in _ADJECTIVES or parts[-1].endswith(("ed", "ing", "ness", "ive")):
        return False
    return any(len(part) > 3 and part.isalpha() and dictionary.is_unheard_of(part) for part in parts) or any(
        re.fullmatch(r"[a-z]+\d+[a-z]+", part) for part in parts
    )
