"""Block ranges: which rows are worth a block of their own, which ranges of keys no block covers, and blocks joined.

A block repeats many rows in one, for a new process (`code_blocks`, `text_blocks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from memkit.storage.connection import Connection
from memkit.storage.driver import writing

ROWS = 8192  # in a block: a change of one row means reading so many
LEAST = 1000  # new rows that are worth a block of their own; fewer wait for more
LAST_KEY = 2**63 - 1

Range = tuple[int, int]  # the first and the last key
Rows = TypeVar("Rows", bound=tuple[np.ndarray, ...])  # a NamedTuple of arrays, whose last axis is the rows


def gaps(covered: Iterable[Range], first: int) -> Iterator[Range]:
    """The ranges of keys from `first` on that these, which ascend, do not cover; the last one ends with LAST_KEY."""
    for start, end in covered:
        if first < start:
            yield first, start - 1
        first = max(first, end + 1)
    yield first, LAST_KEY


def fill(
    conn: Connection, first: int, covered: Callable[[], Iterable[Range]], write: Callable[[int, int], int | None]
) -> None:
    """Writes blocks for all keys from `first` on that none covers, except for a few at the end.

    `write(first, last)` writes one and returns its last key, or None for none. Each is a transaction, in which
    `covered` is asked anew: another process may have written blocks since the last one.
    """
    while first <= LAST_KEY:
        with writing(conn):
            start, last = next(gaps(covered(), first))
            end = write(start, last) if start <= last else None
        first = (last if end is None else end) + 1


def end_of(keys: np.ndarray, last: int) -> int | None:
    """The last key that a block of these rows covers: the first ROWS of a range that ends with `last`.

    None for no row, and for too few at the end, which wait for more.
    """
    if not len(keys) or (len(keys) < LEAST and last == LAST_KEY):
        return None
    return int(keys[-1]) if len(keys) == ROWS or last == LAST_KEY else last


def joined(none: Rows, parts: Iterable[Rows], room: int) -> Rows:
    """The rows of these parts, one part after the other; `none` has no rows.

    They are copied as they come into arrays for `room` rows, and let go: to hold all first and then to copy them takes
    twice as long. What has no room is copied once more.
    """
    full = (part for part in parts if len(part[0]))
    first, second = next(full, none), next(full, None)
    if second is None:
        return first
    whole = [np.empty((*array.shape[:-1], room), array.dtype) for array in first]
    end, filled, more = 0, 0, list[Rows]()
    for part in chain((first, second), full):
        start, end = end, end + len(part[0])
        if end > room:
            more.append(part)
            continue
        for array, its in zip(whole, part, strict=True):
            array[..., start:end] = its
        filled = end
    arrays = [array[..., :filled] for array in whole]
    if more:
        arrays = [np.concatenate(column, axis=-1) for column in zip(arrays, *more, strict=True)]
    made: Any = type(first)
    return made(*arrays)  # type: ignore[no-any-return]
