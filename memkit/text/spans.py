"""Spans: places in a text, of which is asked again and again whether one of them overlaps another place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

Span = tuple[int, int]  # start and end


class Spans:
    """Spans in any order, which may overlap. A question takes as long with many of them as with few."""

    def __init__(self, spans: Iterable[Span]):
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = list(accumulate((end for _, end in ordered), max))  # the last end so far

    def overlap(self, start: int, end: int) -> bool:
        """Whether one of the spans has a character of `text[start:end]`."""
        before = bisect_left(self._starts, end)
        return before > 0 and self._ends[before - 1] > start

    def cover(self, offset: int) -> bool:
        """Whether the character at an offset is in one of the spans."""
        return self.overlap(offset, offset + 1)
