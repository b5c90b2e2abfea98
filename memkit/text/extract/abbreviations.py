"""Abbreviations that end a name with a full stop of their own: `Brandtner & Co.`, `Tom Reed Jr.`, `Washington D.C.`"""

from __future__ import annotations

from memkit.core.patterns import pattern

LAST = ("Inc", "Ltd", "Co", "Corp", "Bros", "Cie", "Jr", "Sr", "St")
LETTERS = r"[A-Z](?:\.[A-Z])+(?!\w)"  # D.C

_HAS_ITS_OWN = pattern(rf" (?:{'|'.join(LAST)}|{LETTERS})\Z")


def has_its_own_stop(name: str) -> bool:
    """Whether a full stop after this name belongs to it: its last word of several is an abbreviation.

    >>> has_its_own_stop("Brandtner & Co"), has_its_own_stop("Co"), has_its_own_stop("Anna Lind")
    (True, False, False)
    """
    return _HAS_ITS_OWN.search(name) is not None
