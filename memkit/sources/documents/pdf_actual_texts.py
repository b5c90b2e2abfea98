"""Actual texts of PDFs: what a part of a line says where its signs do not tell (ISO 32000-1, 14.9.4).

Browsers write ligatures and the scripts of India so: of `हिन्दी` the signs alone tell two letters, and pypdf reads the
signs. So each such part becomes one sign more of its font, as wide as what it stands for: where words end is told by
where signs end.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from memkit.sources.documents.pdf_fonts import add_letters, dictionary

_KEY = "/ActualText"
_SHOWN = (b"Tj", b"TJ", b"'", b'"')  # the steps of drawing that show text
_NOTHING = "\0"  # the letters of all signs of a part but the first; they are taken out with what is unknown
_FIRST_NEW, _LAST_NEW = 0xE000, 0xFFFE  # numbers of the signs that are added


def with_actual_texts(page: Any, fonts: dict[int, Font]) -> None:
    """Replaces the signs of a page of pypdf by what they stand for, if the page says so.

    `fonts` are those of the document that have new signs already. Text from right to left stays as it is: pypdf turns
    it round by its letters.
    """
    from pypdf.generic import ContentStream, NameObject

    resources, drawn = dictionary(page.get("/Resources")), page.get("/Contents")
    named = {name: dictionary(about) for name, about in dictionary(resources.get("/Properties")).items()}
    contents = page.get_contents() if drawn is not None else None
    if contents is None or not (_KEY.encode() in contents.get_data() or any(_KEY in about for about in named.values())):
        return
    content = ContentStream(drawn.get_object(), page.pdf, "bytes")
    by_name = dict(_composite(dictionary(resources.get("/Font")), fonts))
    _Replacing(by_name, named).all(content.operations)
    page[NameObject("/Contents")] = content
    for font in by_name.values():
        font.settle()


class Font:
    """A font with two bytes for each sign, to which signs are added."""

    def __init__(self, font: Any, descendant: Any):
        self._font, self._descendant = font, descendant
        self._default = descendant.get("/DW", 1000)
        self._widths = dict(_widths(_values(descendant.get("/W"))))
        self._numbers = iter(range(_FIRST_NEW, _LAST_NEW))
        self._known: dict[tuple[bytes, str], bytes] = {}  # codes and letters -> the new code
        self._new: dict[bytes, tuple[str, float]] = {}  # new code -> letters and width

    def sign(self, codes: bytes, letters: str) -> bytes:
        """The code of a new sign with these letters, as wide as others together; theirs if there is no room."""
        if (codes, letters) not in self._known:
            if (number := next(self._numbers, None)) is None:
                return codes
            numbers = [int.from_bytes(codes[at : at + 2], "big") for at in range(0, len(codes), 2)]
            new = self._known[codes, letters] = number.to_bytes(2, "big")
            self._new[new] = letters, sum(self._widths.get(number, self._default) for number in numbers)
        return self._known[codes, letters]

    def settle(self) -> None:
        """Writes the signs that were added since into the font."""
        from pypdf.generic import ArrayObject, FloatObject, NameObject, NumberObject

        widths = ArrayObject(_values(self._descendant.get("/W")))
        for code, (_, width) in self._new.items():
            widths += [NumberObject(int.from_bytes(code, "big")), ArrayObject([FloatObject(width)])]
        self._descendant[NameObject("/W")] = widths
        add_letters(self._font, {code: letters for code, (letters, _) in self._new.items()})
        self._new = {}


class _Replacing:
    """The steps of drawing a page, one after the other."""

    def __init__(self, fonts: dict[str, Font], named: dict[str, Any]):
        self._fonts, self._named = fonts, named
        self._font: Font | None = None
        self._saved: list[Font | None] = []  # fonts, for when the state of drawing is restored
        self._open: list[str | None] = []  # the actual text of each part that is open, if it has one
        self._waiting: str | None = None  # the one of which nothing was drawn yet

    def all(self, operations: Iterable[tuple[Any, bytes]]) -> None:
        """Changes what is drawn, in place."""
        for operands, operator in operations:
            if operator == b"Tf" and operands:
                self._font = self._fonts.get(operands[0])
            elif operator == b"q":
                self._saved.append(self._font)
            elif operator == b"Q" and self._saved:
                self._font = self._saved.pop()
            elif operator in (b"BDC", b"BMC"):
                self._begin(_actual_text(operands, self._named) if operator == b"BDC" else None)
            elif operator == b"EMC" and self._open:
                self._open.pop()
            elif operator in _SHOWN and self._font and operands and any(one is not None for one in self._open):
                self._replace(operands, self._font)

    def _begin(self, text: str | None) -> None:
        if all(one is None for one in self._open):  # within another one, that one says all
            self._waiting = text
        self._open.append(text)

    def _replace(self, operands: Any, font: Font) -> None:
        from pypdf.generic import ArrayObject, ByteStringObject

        shown = operands[-1]
        codes = b"".join(one for one in (shown if isinstance(shown, list) else [shown]) if isinstance(one, bytes))
        if not codes or len(codes) % 2:
            return
        letters, self._waiting = self._waiting, None
        sign = ByteStringObject(font.sign(codes, _NOTHING if letters is None else letters))
        operands[-1] = ArrayObject([sign]) if isinstance(shown, list) else sign


def _composite(fonts: Any, known: dict[int, Font]) -> Iterator[tuple[str, Font]]:
    """The fonts whose signs have two bytes each, by name."""
    for name, value in fonts.items():
        font = dictionary(value)
        parts = _values(font.get("/DescendantFonts"))
        if parts and str(font.get("/Encoding")).startswith("/Identity"):
            if id(font) not in known:
                known[id(font)] = Font(font, dictionary(parts[0]))
            yield name, known[id(font)]


def _widths(table: Sequence[Any]) -> Iterator[tuple[int, float]]:
    """Widths by the numbers of signs: `number [width width]`, or `first last width`."""
    at = 0
    while at + 1 < len(table):
        first, following = table[at], table[at + 1].get_object()
        if isinstance(following, list):
            yield from zip(count(int(first)), map(float, following), strict=False)
        elif at + 2 < len(table):
            yield from ((number, float(table[at + 2])) for number in range(int(first), min(int(following), 0xFFFF) + 1))
        at += 2 if isinstance(following, list) else 3


def _actual_text(operands: Any, named: dict[str, Any]) -> str | None:
    from pypdf.generic import create_string_object

    about = operands[1] if len(operands) > 1 else None
    text = dictionary(named.get(about) if isinstance(about, str) else about).get(_KEY)
    text = create_string_object(bytes(text)) if isinstance(text, bytes) else text  # where a page itself has it
    if not isinstance(text, str) or any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text):
        return None
    return str(text)


def _values(value: Any) -> list[Any]:
    value = value.get_object() if hasattr(value, "get_object") else value
    return list(value) if isinstance(value, list) else []
