"""Plain text fitted to a terminal: columns whose cells are wrapped, and lines that go on below their own beginning.

Elsewhere (in a file, a pipe, a notebook) nothing is wrapped: a program that reads lines gets each in one piece.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import zip_longest
from shutil import get_terminal_size
from textwrap import wrap
from unicodedata import category, east_asian_width

GAP = "  "
NARROWEST = 12  # characters of a column that is wrapped
UNSPACED = ("Mn", "Me", "Cf")  # categories of Unicode: accents, what encloses, and what is not seen
FILLER = "\ufdd0"  # in no text: a noncharacter


def terminal_width() -> int | None:
    """The columns of the terminal that standard output goes to; None if it goes elsewhere."""
    return get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for a sign of Chinese or an emoji, none for an accent."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    return 2 if east_asian_width(char) in "WF" else 0 if category(char) in UNSPACED else 1


def table(rows: Sequence[Sequence[str]], indent: str = "", width: int | None = None) -> str:
    """Rows as aligned columns of plain text, fitted to `width` characters, or to the terminal."""
    if not rows:
        return ""
    widths = [max(columns(row[i]) for row in rows) for i in range(len(rows[0]))]
    room = width or terminal_width()
    if room is not None:
        words = [max((columns(word) for row in rows for word in row[i].split()), default=0) for i in range(len(widths))]
        widths = narrowed(widths, room - len(indent) - len(GAP) * (len(widths) - 1), words)
    return "\n".join(indent + line for row in rows for line in _lines(row, widths))


def narrowed(widths: Sequence[int], room: int, words: Sequence[int] = ()) -> list[int]:
    """The widths of columns that fit into the room: the widest are cut to one width, none below NARROWEST.

    `words` are the lengths of their longest words, which stay whole if all fit so: a path is copied in one piece.
    """
    if sum(widths) <= room:
        return list(widths)
    for whole in (words or [0] * len(widths), [0] * len(widths)):
        for cap in range(min(max(widths), room), NARROWEST - 1, -1):
            fitted = [min(wide, max(cap, word)) for wide, word in zip(widths, whole, strict=True)]
            if sum(fitted) <= room:
                return fitted
    return [min(wide, NARROWEST) for wide in widths]


def hanging(line: str, indent: str, width: int | None = None) -> str:
    """A line that is wrapped at `width` characters, or at the width of the terminal, and goes on after `indent`."""
    room = width or terminal_width()
    return line if room is None or columns(line) <= room else "\n".join(_wrapped(line, room, indent)) or line


def _lines(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = [[cell] if columns(cell) <= wide else _wrapped(cell, wide) for cell, wide in zip(row, widths, strict=True)]
    return [GAP.join(map(_padded, line, widths)).rstrip() for line in zip_longest(*cells, fillvalue="")]


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - columns(cell))


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines of this width. For the wrapper a wide sign is two characters, of which one is no text."""
    filled = text if text.isascii() else "".join(char + FILLER * (_columns(char) - 1) for char in text)
    width -= filled != text  # a line may end between the two
    lines = wrap(filled, width, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace(FILLER, "") for line in lines] or [text]
