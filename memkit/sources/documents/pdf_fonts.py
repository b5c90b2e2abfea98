"""Fonts of PDFs: their tables say which letters a sign stands for (`ToUnicode`), and leave some out.

For ligatures of Calibri browsers write nothing there, so that a printed page has `acon` in the place of `action`; and
the signs of Symbol and Wingdings are private characters in them. What is missing is added before pypdf reads a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memkit.sources.documents.symbol_fonts import signs_of

Letters = Mapping[bytes, str]  # of signs, by their codes

# The numbers that signs for several letters have in Calibri.
CALIBRI = {0x014C: "ft", 0x019E: "tf", 0x019F: "ti", 0x01A9: "tt", 0x01AB: "tti"}
_UNKNOWN = "\0"  # what browsers write for letters that they do not know
_ENTRIES = re.compile(rb"begin(bfchar|bfrange)(.*?)endbf", re.DOTALL)
_HEX = re.compile(rb"<([0-9A-Fa-f]+)>")
_LONGEST = 256  # signs in a row: a hostile file may say that there are four billion
_DEEPEST = 8  # drawings in drawings


def complete(resources: Any, known: set[int], deepest: int = _DEEPEST) -> None:
    """Adds to the tables of a page's fonts what they leave out; `known` are the fonts and drawings that have it."""
    resources = dictionary(resources)
    for font in map(dictionary, dictionary(resources.get("/Font")).values()):
        if id(font) not in known:
            known.add(id(font))
            add_letters(font, dict(_left_out(name_of(font), dict(_told(table_of(font))))))
    for drawing in map(dictionary, dictionary(resources.get("/XObject")).values()):
        if deepest and id(drawing) not in known:
            known.add(id(drawing))
            complete(drawing.get("/Resources"), known, deepest - 1)


def dictionary(value: Any) -> Any:
    """A value of a PDF as a dictionary, which is empty if it is none: anything may stand anywhere."""
    value = value.get_object() if hasattr(value, "get_object") else value
    return value if isinstance(value, dict) else {}


def name_of(font: Any) -> str:
    """The name of a font, such as `ABCDEF+Calibri`."""
    return str(font.get("/BaseFont", "")).removeprefix("/")


def table_of(font: Any) -> bytes:
    """A font's table of letters; empty if it has none."""
    table = font.get("/ToUnicode")
    table = table.get_object() if hasattr(table, "get_object") else table
    return bytes(table.get_data()) if hasattr(table, "get_data") else b""


def add_letters(font: Any, letters: Letters) -> None:
    """Adds to a font's table; what it said of the same signs is not read any more."""
    from pypdf.generic import DecodedStreamObject, NameObject

    if not letters:
        return
    lines = [f"<{code.hex()}> <{text.encode('utf-16-be').hex()}>" for code, text in letters.items()]
    table = DecodedStreamObject()
    table.set_data(table_of(font) + "\n".join(["", f"{len(lines)} beginbfchar", *lines, "endbfchar", ""]).encode())
    font[NameObject("/ToUnicode")] = table


def _left_out(name: str, told: Letters) -> Iterator[tuple[bytes, str]]:
    signs = signs_of(name)
    for code, letters in told.items():
        if letters.translate(signs) != letters:
            yield code, letters.translate(signs)
    if "calibri" in name.lower():
        for number, letters in CALIBRI.items():
            code = number.to_bytes(2, "big")
            if told.get(code, "") in (_UNKNOWN, chr(number)):
                yield code, letters


def _told(table: bytes) -> Iterator[tuple[bytes, str]]:
    """What a table says, in its order. Lists of letters for a row of signs, which are rare, are left out."""
    for kind, entries in _ENTRIES.findall(table):
        values = [bytes.fromhex(one.decode()) for one in _HEX.findall(entries) if len(one) % 2 == 0]
        if kind == b"bfchar":
            yield from ((code, _letters(text)) for code, text in zip(values[::2], values[1::2], strict=False))
        elif b"[" not in entries:
            for first, last, text in zip(values[::3], values[1::3], values[2::3], strict=False):
                yield from _in_a_row(first, last, text)


def _in_a_row(first: bytes, last: bytes, text: bytes) -> Iterator[tuple[bytes, str]]:
    start, letter = int.from_bytes(first, "big"), int.from_bytes(text, "big")
    for step in range(min(int.from_bytes(last, "big") - start + 1, _LONGEST)):
        with_step = (letter + step) % (1 << 8 * len(text))
        yield (
            (start + step).to_bytes(len(first) + 1, "big")[-len(first) :],
            _letters(with_step.to_bytes(len(text), "big")),
        )


def _letters(data: bytes) -> str:
    return data.decode("utf-16-be", "ignore")
