"""Data URIs: an image or a font that a text holds as letters (`data:image/png;base64,iVBORw0...`, RFC 2397).

Nobody wrote them and nobody reads them. Cut into passages they would be memories without a word, and the letters of a
picture would be looked up as names.
"""

from __future__ import annotations

import re

LONGEST_DATA = 100  # characters; a shorter one hardly stands out, and may be what a text is about
LEFT_OUT = "…"

_SIGN = r"""[^\s"'`<>()]"""
_DATA_URI = re.compile(
    r"\b(data:[\w.+-]{1,80}/[\w.+-]{1,80}(?:;[\w.=+-]{1,80}){0,9},)"
    rf"({_SIGN}*(?:\({_SIGN}{{0,200}}\){_SIGN}*)*)",  # in Markdown, the bracket behind an address is no part of it
    re.IGNORECASE,
)


def without_data(text: str) -> str:
    """The text with the data of each long data URI as an ellipsis: `data:image/png;base64,…`."""
    return _DATA_URI.sub(_shortened, text) if "data:" in text else text


def _shortened(found: re.Match[str]) -> str:
    return found[1] + LEFT_OUT if len(found[2]) > LONGEST_DATA else found[0]
