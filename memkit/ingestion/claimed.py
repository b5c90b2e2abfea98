"""Claimed memories: which of them a record of a run has matched, and the file of the first that did."""

from __future__ import annotations

from array import array
from bisect import bisect_right


class Claimed:
    """Keys of memories with a file each, as ranges: a run writes millions, one after the other, of few files."""

    def __init__(self) -> None:
        self._firsts, self._lasts = array("q"), array("q")  # of ranges in order
        self._files: list[str | None] = []
        self._others: dict[int, str | None] = {}  # keys that came after higher ones

    def add(self, key: int, file: str | None) -> None:
        """Notes the file of a memory, unless it has one already."""
        if key in self:
            return
        if self._lasts and key < self._lasts[-1]:
            self._others[key] = file
        elif self._lasts and key == self._lasts[-1] + 1 and file == self._files[-1]:
            self._lasts[-1] = key
        else:
            self._firsts.append(key)
            self._lasts.append(key)
            self._files.append(file)

    def __contains__(self, key: int) -> bool:
        return self._range(key) is not None or key in self._others

    def file_of(self, key: int) -> str | None:
        """The file of a memory; None for one without."""
        at = self._range(key)
        return self._others.get(key) if at is None else self._files[at]

    def _range(self, key: int) -> int | None:
        at = bisect_right(self._firsts, key) - 1
        return at if at >= 0 and key <= self._lasts[at] else None
