"""Greedy choice (maximum coverage): the item with the largest gain, then the largest gain given that one, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappop, heappush


def by_gain(places: Iterable[int], gain: Callable[[int], float]) -> Iterator[tuple[int, float]]:
    """The places with their gains, by decreasing gain, given those before them; of equal ones the smallest place first.

    A gain may only shrink when other places are chosen. So a gain that is still the largest when it is computed again
    is the largest of all (lazy evaluation; Minoux 1978).
    """
    waiting = [(-gain(place), place) for place in places]
    heapify(waiting)
    while waiting:
        before, place = heappop(waiting)
        if (now := gain(place)) < -before:
            heappush(waiting, (-now, place))
        else:
            yield place, now
