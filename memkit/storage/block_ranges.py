"""Block ranges: which rows are worth a block of their own, and which ranges of keys no block covers.

A block repeats many rows in one, for a new process (`code_blocks`, `text_blocks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

ROWS = 8192  # in a block: a change of one row means reading so many
LEAST = 1000  # new rows that are worth a block of their own; fewer wait for more
LAST_KEY = 2**63 - 1

Range = tuple[int, int]  # the first and the last key


def gaps(covered: Iterable[Range], first: int) -> Iterator[Range]:
    """The ranges of keys from `first` on that these, which ascend, do not cover; the last one ends with LAST_KEY."""
    for start, end in covered:
        if first < start:
            yield first, start - 1
        first = max(first, end + 1)
    yield first, LAST_KEY


def fill(ranges: Iterable[Range], write: Callable[[int, int], int | None]) -> None:
    """Writes blocks for these ranges. `write(first, last)` writes one and returns its last key, or None for none."""
    for first, last in list(ranges):
        while first <= last and (end := write(first, last)) is not None:
            first = end + 1


def end_of(keys: np.ndarray, last: int) -> int | None:
    """The last key that a block of these rows covers: the first ROWS of a range that ends with `last`.

    None for no row, and for too few at the end, which wait for more.
    """
    if not len(keys) or (len(keys) < LEAST and last == LAST_KEY):
        return None
    return int(keys[-1]) if len(keys) == ROWS or last == LAST_KEY else last
