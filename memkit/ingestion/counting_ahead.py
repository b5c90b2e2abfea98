"""Counting ahead: a second process counts the words of new memories while this one writes the rows of further ones.

The case statistics need all words before the first name can be found. The other process waits while rows are written:
this is what it can do then, for it takes the texts alone.
"""

from __future__ import annotations

import pickle
import zlib
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memkit.core.second_process import SecondProcess, Task
from memkit.ingestion import parts
from memkit.ingestion.memory_rows import Row
from memkit.text.extract.case import CaseStatistics

AHEAD = 24  # parts without a result that is not waited for
PART_CHARACTERS = 100_000  # of the texts that are counted at once, if they are not many: somebody may wait for them
TOGETHER = 16_000  # memories whose counts are written together, because most words are in all of them


class Counted:
    """The counts of some memories together; packed, because a run may have millions."""

    def __init__(self, keys: array[int], texts: int, counts: parts.Counts):
        self.keys, self._texts = keys, texts
        self._counts = zlib.compress(pickle.dumps(counts, pickle.HIGHEST_PROTOCOL), 1)

    def of(self, texts: Iterable[str]) -> parts.Counts | None:
        """The counts, if these are the texts that were counted."""
        if _told(0, texts) != self._texts:
            return None
        counts: parts.Counts = pickle.loads(zlib.decompress(self._counts))
        return counts


def _told(before: int, texts: Iterable[str]) -> int:
    """What tells these texts after others."""
    for text in texts:
        before = hash((before, text))
    return before


@dataclass
class _Together:
    """Memories whose counts are written together."""

    keys: array[int] = field(default_factory=lambda: array("q"))
    texts: int = 0  # what tells them
    waiting: int = 0  # parts without a result
    statistics: CaseStatistics = field(default_factory=CaseStatistics)


class CountingAhead:
    """The counts of a run's new memories, made in a second process if there is one."""

    def __init__(self, other: SecondProcess):
        self._other = other
        self._keys: list[int] = []  # of the next part
        self._texts: list[str] = []
        self._characters = 0
        self._begun: deque[tuple[_Together, Task]] = deque()
        self._together = _Together()
        self._counted: deque[Counted] = deque()

    def follow(self, rows: Sequence[Row]) -> None:
        """Begins to count new memories, given in the order of their keys. Few wait for others."""
        if not self._other.works:
            return
        for row in rows:
            self._keys.append(row["key"])
            self._texts.append(row["text"])
            self._characters += len(row["text"])
            if len(self._texts) >= parts.COUNTED_AT_ONCE or self._characters >= PART_CHARACTERS:
                self._begin()

    def slices(self, pending: array[int], most: int) -> Iterator[tuple[array[int], Counted | None]]:
        """These memories in slices: those that were counted together with their counts, and of the others `most`."""
        self._begin()
        self._close()
        while self._begun:
            self._take_first()
        done = 0
        while self._counted:
            counted = self._counted.popleft()
            start = bisect_left(pending, counted.keys[0], done)
            end = start + len(counted.keys)
            if pending[start:end] == counted.keys:
                yield from _sliced(pending, done, start, most)
                yield pending[start:end], counted
                done = end
        yield from _sliced(pending, done, len(pending), most)

    def _begin(self) -> None:
        """Begins the next part, and takes the results that are there, and those of parts long before it."""
        if not self._texts:
            return
        now = self._together
        now.waiting += 1
        self._begun.append((now, self._other.begin(parts.count, self._texts)))
        now.keys.extend(self._keys)
        now.texts = _told(now.texts, self._texts)
        self._keys, self._texts, self._characters = [], [], 0
        if len(now.keys) >= TOGETHER:
            self._close()
        while self._begun and (len(self._begun) > AHEAD or self._begun[0][1].done):
            self._take_first()

    def _take_first(self) -> None:
        """Takes the result of the first part."""
        now, task = self._begun.popleft()
        now.statistics.add(self._other.result(task))
        now.waiting -= 1
        if now is not self._together:
            self._pack(now)

    def _close(self) -> None:
        """What comes now is counted together with other memories."""
        closed, self._together = self._together, _Together()
        self._pack(closed)

    def _pack(self, now: _Together) -> None:
        """Keeps the counts of these memories, if all parts have a result."""
        if now.keys and not now.waiting:
            self._counted.append(Counted(now.keys, now.texts, now.statistics.counts))


def _sliced(pending: array[int], start: int, end: int, most: int) -> Iterator[tuple[array[int], None]]:
    return ((pending[at : min(at + most, end)], None) for at in range(start, end, most))
