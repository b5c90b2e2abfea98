"""Whose words: where a text quotes others. What is left is said by its author, and only that states something.

A quotation is a block of lines that begin with `>` (a callout is one only if it says so: `> [!quote]`), a block of
Logseq's or HTML's for quotations, or a sentence in quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memkit.core.patterns import pattern
from memkit.text.spans import Span

_LINES = pattern(r"^[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?>.*(?:\n[ \t]*>.*)*", re.MULTILINE)
_CALLOUT = pattern(r"[^>\n]*>[ \t]*\[!(?!(?:quote|cite|quotation|zitat|cita|citation|引用)\b)\w", re.IGNORECASE)
_BLOCKS = pattern(
    r"#\+BEGIN_QUOTE.*?(?:#\+END_QUOTE|\Z)|<blockquote\b.*?(?:</blockquote>|\Z)", re.DOTALL | re.IGNORECASE
)
_MARKS = pattern(
    r"“[^“”\n]{2,2000}”|«[^«»\n]{2,2000}»|„[^„“”\n]{2,2000}[“”]|「[^「」\n]{2,500}」|(?<![\w\"])\"[^\"\n]{2,2000}\"(?!\w)"
)
# The title of a work has no full stop inside, and nobody who speaks; what somebody said has.
_SPEECH = pattern(
    r"[.!?…;](?:\s|\W?\Z)|[。！？；我你]|\b(?:I|I['’]\w+|[Mm]y|[Ww]e|[Oo]ur|[Ii]ch|[Mm]ein\w*|[Ww]ir|[Yy]o|[Jj]e|[Nn]ous)\b"
)
_SIGN = pattern(r"[>“«„「\"]|#\+BEGIN_Q", re.IGNORECASE)


def quotations(text: str) -> list[Span]:
    """The spans (start, end) of a text that are the words of others, in no order."""
    return list(_quotations(text)) if _SIGN.search(text) else []


def _quotations(text: str) -> Iterator[Span]:
    for block in _LINES.finditer(text):
        if not _CALLOUT.match(block[0]):
            yield block.span()
    for block in _BLOCKS.finditer(text):
        yield block.span()
    for marked in _MARKS.finditer(text):
        if _SPEECH.search(marked[0]):
            yield marked.span()
