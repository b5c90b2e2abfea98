"""Link places: the page that a wikilink leads to, and the headings in it, `garden/Quince#Yield#Autumn`."""

from __future__ import annotations

from memkit.core.patterns import pattern
from memkit.text.words import AFTER_LETTER

_PLACE = pattern(rf"(?!{AFTER_LETTER}#(?:[\s/]|\Z))#")  # the sign of `C#` and `F# scripts` is a part of the name


def places(target: str) -> list[str]:
    """The page first, then the headings, the last of them last; a page alone where no heading is named."""
    return [part.strip() for part in _PLACE.split(target)]


def shown(target: str) -> str:
    """What a link without words of its own shows: `Quince › Yield`."""
    return " › ".join(_PLACE.split(target))
