"""Directions of PDFs: words of Arabic and Hebrew in the order in which people read them.

Browsers draw them from the left, as a screen shows them, and pypdf keeps the order in which words are drawn: the last
word of a sentence came first. It tells where each part of a line stands, so that one sees which way a line was drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Any, NamedTuple

_TO_THE_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_TO_THE_RIGHT = re.compile("[^\\W_\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LEFT, _RIGHT, _NEITHER = "left", "right", ""  # where the words go


class _Part(NamedTuple):
    """A part of a line: what it says, and how far from the left it begins."""

    text: str
    x: float

    @property
    def direction(self) -> str:
        """Where its letters and numbers go."""
        if _TO_THE_LEFT.search(self.text):
            return _LEFT
        return _RIGHT if _TO_THE_RIGHT.search(self.text) else _NEITHER


def read_text(page: Any) -> str:
    """The text of a page of pypdf, each line in the order in which it is read."""
    text: str = page.extract_text() or ""
    if not _TO_THE_LEFT.search(text):
        return text
    parts: list[_Part] = []

    def visit(said: str, outer: Any, inner: Any, *_: Any) -> None:
        parts.append(_Part(said, inner[4] * outer[0] + inner[5] * outer[2] + outer[4]))

    page.extract_text(visitor_text=visit)
    if "".join(part.text for part in parts) != text:
        return text
    return "\n".join("".join(_in_order(line)) for line in _lines(parts))


def _lines(parts: list[_Part]) -> Iterator[list[_Part]]:
    line: list[_Part] = []
    for part in parts:
        first, *others = part.text.split("\n")
        line.append(_Part(first, part.x))
        for text in others:
            yield line
            line = [_Part(text, part.x)]
    yield line


def _in_order(line: list[_Part]) -> list[str]:
    """What the parts of a line say; turned round if the words that go to the left were drawn from the left."""
    line = [part for part in line if part.text]
    places = [part.x for part in line if part.direction == _LEFT]
    if len(places) < 2 or any(later <= before for before, later in pairwise(places)):
        return [part.text for part in line]
    letters = "".join(part.text for part in line)
    base = _LEFT if 2 * len(_TO_THE_LEFT.findall(letters)) > len(re.findall(r"[^\W\d_]", letters)) else _RIGHT
    runs = []
    for direction, run in groupby(zip(_directions(line, base), line, strict=True), key=lambda one: one[0]):
        texts = [part.text for _, part in run]
        runs.append(texts[::-1] if direction == _LEFT else texts)
    return [text for run in (runs[::-1] if base == _LEFT else runs) for text in run]


def _directions(line: list[_Part], base: str) -> list[str]:
    """The direction of each part; blanks and points go with what stands on both sides, or with the line."""
    found = [part.direction for part in line]
    before, after = [base], [base]
    for one in found[:-1]:
        before.append(one or before[-1])
    for one in reversed(found[1:]):
        after.append(one or after[-1])
    around = zip(before, reversed(after), strict=True)
    return [one or (left if left == right else base) for one, (left, right) in zip(found, around, strict=True)]
