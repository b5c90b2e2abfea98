"""Sounds: what people write as they speak and laugh: `yesss`, `ohh`, `hahaha`, `lol`."""

from __future__ import annotations

from memkit.core.patterns import pattern

# The same sign three times at the end, or four times anywhere; and sounds that are longer than they need be.
_DRAWN_OUT = pattern(r"(?i:.*([^\W\d_])\1\1|.*([^\W\d_])\2{3}.*|o+h+|a+h+|u+[mh]+|e+h+|a+w+|h+a+|h+m+|m+h+m+)\Z")
_LAUGHS = pattern(
    r"(?i:(?:h([aei]))(?:h\1)+h?|[ha]{5,}m?|(?:ja){2,}j?|(?:j[ei]){3,}|(?:wk){2,}|(?:rs){2,}|lo+l|lmf?ao+|rofl|xd+|mdr)\Z"
)
_ROMAN = pattern(r"[IVXLCDM]+\Z")
# These may have their last sign twice: `hii`, `thankss`.
_SAID = frozenset(
    "hi hey hello bye yes yeah yep no nah nope ok bro thanks please you cool nice sure wow well what".split()
)


def is_sound(word: str) -> bool:
    """Whether a word is drawn out as one speaks, or laughter. Numbers in Roman letters (`VIII`) and `WWW` are none."""
    if not word or (word.isupper() and (len(word) < 4 or _ROMAN.match(word))):
        return False
    if _DRAWN_OUT.match(word) or _LAUGHS.match(word):
        return True
    lower = word.lower()
    return lower[-2:-1] == lower[-1:] and lower.rstrip(lower[-1]) + lower[-1] in _SAID


def without_sounds(text: str) -> str:
    """The text without the sounds at its end: `burgers` for `burgers hahaha`."""
    parts = text.split(" ")
    while parts and is_sound(parts[-1].strip(".,!?")):
        parts.pop()
    return " ".join(parts)
