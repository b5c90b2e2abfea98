"""Notes on PDFs: what readers wrote on a page, and what was typed into its form. The text of the page has neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from memkit.sources.documents.document import BROKEN, remark

# What can have words of a reader. The rest are links, files, films, and windows that show these again.
_WRITTEN = frozenset(
    """/Text /FreeText /Highlight /Underline /Squiggly /StrikeOut /Ink /Line /Square /Circle /Polygon /PolyLine /Caret
    /Stamp""".split()
)
_UNSEEN = 0x02 | 0x20  # flags of what is hidden
_PASSWORD = 1 << 13  # a flag of a field
_DEEPEST = 10  # fields in fields
_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")


def notes_on(page: Any) -> list[str]:
    """The notes of a page of pypdf in their order, each once: `Comment of Rosa: ...`, `Street: ...`."""
    found: list[str] = []
    with suppress(*BROKEN):
        for mark in page.get("/Annots") or ():
            with suppress(*BROKEN):  # one that is damaged costs no other
                found += filter(None, [_said(mark.get_object())])
    return list(dict.fromkeys(found))


def _said(mark: Any) -> str:
    if int(mark.get("/F", 0)) & _UNSEEN:
        return ""
    if mark.get("/Subtype") == "/Widget":
        return _field(mark)
    words = _text(mark.get("/Contents")) if mark.get("/Subtype") in _WRITTEN else ""
    if not words or mark["/Subtype"] == "/FreeText":  # which stands on the page as text does
        return words
    return remark(words, " ".join(_text(mark.get("/T")).split()))


def _field(mark: Any) -> str:
    """What was typed or chosen in a field, after what the field is called, if that is for people."""
    about: dict[str, Any] = {}
    for one in _with_parents(mark):
        about = {**one, **about}
    if about.get("/FT") not in ("/Tx", "/Ch") or int(about.get("/Ff", 0)) & _PASSWORD:
        return ""
    value = about.get("/V")
    words = ", ".join(filter(None, map(_text, value))) if isinstance(value, list) else _text(value)
    name = " ".join(_text(about.get("/TU")).split())
    if not name and _WORDS.fullmatch(_text(about.get("/T"))):
        name = _text(about["/T"])
    is_told = words if name else any(map(str.isalpha, words))  # a number without a name tells nothing
    return f"{name.rstrip(' :')}: {words}" if name and is_told else words if is_told else ""


def _with_parents(mark: Any) -> Iterator[dict[str, Any]]:
    """A field, and those that it is a part of, which say what holds for all of their parts."""
    for _ in range(_DEEPEST):
        yield {name: mark.get(name) for name in ("/FT", "/Ff", "/V", "/T", "/TU") if mark.get(name) is not None}
        if mark.get("/Parent") is None:
            return
        mark = mark["/Parent"].get_object()


def _text(value: Any) -> str:
    """The text of a value of a PDF; empty if it is no text."""
    return value.replace("\r\n", "\n").replace("\r", "\n").strip() if isinstance(value, str) else ""
