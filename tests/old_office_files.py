"""Files of old Office, made by hand: a workbook of Excel 97 (MS-XLS), and slides of PowerPoint 97 (MS-PPT)."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from compound_files import compound

_BOOK, _SHEET = 5, 0x10
_DAY_FORMAT = 14  # of numbers, which are shown as a day


def workbook(sheets: dict[str, Sequence[Sequence[object]]]) -> bytes:
    """A workbook with these sheets. A day is `("day", number)`, an error `("error", code)`."""
    formats = _record(0xE0, struct.pack("<HH", 0, 0).ljust(20, b"\0"))
    formats += _record(0xE0, struct.pack("<HH", 0, _DAY_FORMAT).ljust(20, b"\0"))
    parts = [_sheet(rows) for rows in sheets.values()]
    names = [struct.pack("<IHBB", 0, 0, len(name), 1) + name.encode("utf-16-le") for name in sheets]
    head = _begin(_BOOK) + formats
    place = len(head) + sum(4 + len(name) for name in names) + len(_END)
    for name, part in zip(names, parts, strict=True):
        head += _record(0x85, struct.pack("<I", place) + name[4:])
        place += len(part)
    return compound({"Workbook": head + _END + b"".join(parts)})


def _record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def _begin(kind: int) -> bytes:
    return _record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))


_END = _record(0x0A, b"")


def _sheet(rows: Sequence[Sequence[object]]) -> bytes:
    cells = (
        _cell(row, column, value)
        for row, values in enumerate(rows)
        for column, value in enumerate(values)
        if value != ""
    )
    return _begin(_SHEET) + b"".join(cells) + _END


def _cell(row: int, column: int, value: object) -> bytes:
    if isinstance(value, str):
        text = struct.pack("<HB", len(value), 1) + value.encode("utf-16-le")
        return _record(0x204, struct.pack("<HHH", row, column, 0) + text)
    if isinstance(value, tuple) and value[0] == "error":
        return _record(0x205, struct.pack("<HHHBB", row, column, 0, value[1], 1))
    if isinstance(value, bool):
        return _record(0x205, struct.pack("<HHHBB", row, column, 0, value, 0))
    shown, number = (1, value[1]) if isinstance(value, tuple) else (0, value)
    return _record(0x203, struct.pack("<HHHd", row, column, shown, number))


def slides(
    given: Sequence[tuple[Sequence[tuple[int, str]], Sequence[str], str]],
    *,
    locked: bool = False,
    saved_twice: bool = False,
) -> bytes:
    """Slides: the texts of each with their kinds as they stand in the list, those in boxes, and its notes."""
    parts, places, listed, notes = b"", list[int](), b"", b""
    for number, (texts, boxes, note) in enumerate(given):
        for kind, page in ((0x3EE, _boxes(0x3EF, number, 4, boxes)), (0x3F0, _boxes(0x3F1, number, 2, [note]))):
            places.append(len(parts))
            parts += _part(kind, page, holds=True)
        listed += _part(0x3F3, struct.pack("<IIiII", 2 * number + 2, 0, len(texts), 256 + number, 0))
        listed += b"".join(_text(kind, text) for kind, text in texts)
        notes += _part(0x3F3, struct.pack("<IIiII", 2 * number + 3, 0, 0, 256 + number, 0))
    document = _part(0xFF0, listed, holds=True) + _part(0xFF0, notes, number=2, holds=True)
    first = len(parts)
    parts += _part(0x3E8, document, holds=True)
    edit = 0
    for offsets in ([first] * (2 * len(given) + 1), [first, *places]) if saved_twice else ([first, *places],):
        table = len(parts)
        parts += _part(0x1772, struct.pack(f"<I{len(offsets)}I", len(offsets) << 20 | 1, *offsets))
        before, edit = edit, len(parts)
        parts += _part(0xFF5, struct.pack("<IIIIIIHH", 0, 0, before, table, 1, 0, 0, 0))
    user = b"\0" * 8 + struct.pack("<III", 0x14, 0xF3D1C4DF if locked else 0xE391C05F, edit)
    return compound({"PowerPoint Document": parts, "Current User": user, "Pictures": b"\x89PNG"})


def _part(kind: int, data: bytes, *, number: int = 0, holds: bool = False) -> bytes:
    return struct.pack("<HHI", number << 4 | (0xF if holds else 0), kind, len(data)) + data


def _text(kind: int, text: str) -> bytes:
    letters = _part(0xFA8, text.encode("latin-1")) if text.isascii() else _part(0xFA0, text.encode("utf-16-le"))
    return _part(0xF9F, struct.pack("<I", kind)) + letters


def _boxes(atom: int, number: int, kind: int, texts: Sequence[str]) -> bytes:
    """What a page of a slide or of its notes holds."""
    about = struct.pack("<I", 256 + number) if atom == 0x3F1 else b"\0" * 24
    boxes = b"".join(_part(0xF004, _part(0xF00D, _text(kind, text), holds=True), holds=True) for text in texts)
    return _part(atom, about) + _part(0x40C, boxes, holds=True)
