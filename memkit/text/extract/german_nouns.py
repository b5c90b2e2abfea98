"""Common German nouns: in a language that gives each noun a capital, a list is what tells `Hilfe` from a name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

_ENDINGS = ("", "s", "es", "n", "en", "e", "er", "ern", "nen", "innen")  # of cases and plurals
_WITHOUT_UMLAUT = str.maketrans("äöü", "aou")  # Pläne, Häuser
_SHORTEST_FRONT = 3  # letters of a compound before its last noun


@lru_cache(maxsize=1 << 14)
def is_german_noun(word: str) -> bool:
    """Whether a word (in any case) is a common German noun, in some form, or a compound that ends with one.

    >>> is_german_noun("Hilfen"), is_german_noun("Leistungspaket"), is_german_noun("Neumann")
    (True, True, False)
    """
    front, _, last = word.lower().rpartition("-")
    return any(
        form in _nouns() or (front and form in _heads()) or _ends_with_noun(form) for form in _forms(last) if form
    )


def _ends_with_noun(word: str) -> bool:
    return any(word[cut:] in _heads() for cut in range(_SHORTEST_FRONT, len(word) - 2))


def _forms(word: str) -> Iterator[str]:
    """What a word may be a form of: Plänen, Pläne, Plän, Plan."""
    for ending in _ENDINGS:
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            yield from (stem, stem.translate(_WITHOUT_UMLAUT))


@cache
def _listed() -> tuple[str, ...]:
    lines = Path(__file__).with_name("german_nouns.txt").read_text("utf-8").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())


@cache
def _nouns() -> frozenset[str]:
    return frozenset(word.removeprefix("-") for word in _listed())


@cache
def _heads() -> frozenset[str]:
    return frozenset(word[1:] for word in _listed() if word.startswith("-"))
