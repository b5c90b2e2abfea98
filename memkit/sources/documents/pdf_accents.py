"""Accents of PDFs: `M¨uller`, `fran¸cais` and `prote´ge´`, which TeX and old programs set with signs of their own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SIGNS = {"¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "˚": "\u030a", "¸": "\u0327", "ˇ": "\u030c", "˝": "\u030b"}
# People type these in the place of an apostrophe (`don´t`, `c´est`): they are accents only where others are, too.
_TYPED = {"´": "\u0301", "`": "\u0300"}
_ALL = {**_SIGNS, **_TYPED}
_LETTER = r"[^\W\d_]"
_ACCENT = re.compile(rf"(?P<before>{_LETTER})?(?<!/)(?P<sign>[{''.join(_ALL)}])(?P<space> ?)(?P<after>{_LETTER})?")
_SURE = re.compile(rf"{_LETTER}[{''.join(_SIGNS)}] ?{_LETTER}|ı[´`]|[´`] ?ı")  # nobody types these in words
_WHOLE = re.compile("[à-öø-ýÀ-ÖØ-Ý]")  # in a font that has such letters no accent stands alone
_LATIN_1, _LATIN_A = "ÿ", "ſ"
_DOTLESS = {"ı": "i", "ȷ": "j"}


def composed(pages: Sequence[str]) -> list[str]:
    """The pages with whole letters, if the document sets accents with signs of their own.

    A sign stands before its letter (TeX) or behind it: where both sides could have it, most of the others decide.
    """
    text = "\n".join(pages)
    if not any(sign in text for sign in _ALL):
        return list(pages)
    signs = _ALL if _SURE.search(text) and not _WHOLE.search(text) else _SIGNS
    votes = 0
    for found in _ACCENT.finditer(text):
        votes += bool(_with(found["after"], found["sign"], signs)) - bool(_with(found["before"], found["sign"], signs))

    def whole(found: re.Match[str]) -> str:
        before, sign, space, after = found["before"] or "", found["sign"], found["space"], found["after"] or ""
        on_next, on_last = _with(after, sign, signs), _with(before, sign, signs)
        if on_next and (votes > 0 or not on_last):
            return before + on_next if before or not space else f"{space}{on_next}"
        return f"{on_last}{space}{after}" if on_last else found[0]

    return [_ACCENT.sub(whole, page) for page in pages]


def _with(letter: str | None, sign: str, signs: dict[str, str]) -> str:
    """The letter with the accent; empty if there is none that people write."""
    if not letter or sign not in signs:
        return ""
    made = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + signs[sign])
    last = _LATIN_1 if sign in _TYPED or sign in "¨˜" else _LATIN_A
    return made if len(made) == 1 and made <= last else ""
