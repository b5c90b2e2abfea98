"""Typesetting inside of words: soft hyphens, and letters that are set as one sign.

With a soft hyphen pages, books and mails say where a line may break; nobody sees it, nor the marks of byte order and
the joiners that programs leave between letters. What is copied from a printed page has ligatures (`ﬁrst`), which nobody
types. To an index, a word with one of these is a word that nobody asks for.
"""

from __future__ import annotations

import re

_UNSEEN = "\u00ad\u2060\ufeff"
# Between letters only: in old files a soft hyphen between numbers (`2001-2003`) stands for one that is seen.
_INSIDE = re.compile(rf"(?<=[^\W\d_])[{_UNSEEN}]+(?=[^\W\d_])")
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LETTERS = str.maketrans(_LIGATURES)
_SIGNS = (*_UNSEEN, *_LIGATURES)


def as_typed(text: str) -> str:
    """The text with each word in one piece and in single letters, as people type it: `ﬁrst` is `first`."""
    if text.isascii() or not any(sign in text for sign in _SIGNS):
        return text
    return _INSIDE.sub("", text).translate(_LETTERS)
