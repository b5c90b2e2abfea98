"""Batches: the items of any iterable in lists of some length, as `itertools.batched` gives them from Python 3.12 on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of this length; the last may be shorter."""
    each = iter(items)
    while some := list(islice(each, size)):
        yield some
