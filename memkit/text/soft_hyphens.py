"""Soft hyphens: signs inside of words by which pages, books and mails say where a line may break.

Nobody sees them, nor the marks of byte order and the joiners that programs leave between letters. To an index, a word
with one would be two words that nobody asks for.
"""

from __future__ import annotations

import re

_SIGNS = "\u00ad\u2060\ufeff"
# Between letters only: in old files a soft hyphen between numbers (`2001-2003`) stands for one that is seen.
_INSIDE = re.compile(rf"(?<=[^\W\d_])[{_SIGNS}]+(?=[^\W\d_])")


def without_soft_hyphens(text: str) -> str:
    """The text with each word in one piece: `Donau` + soft hyphen + `schiff` is `Donauschiff`."""
    return _INSIDE.sub("", text) if any(sign in text for sign in _SIGNS) else text
