"""Parts of a session's summary: where it is divided, so that each part can be read without the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from memkit.maintenance.summaries import Point
from memkit.text.words import est_tokens

AGAIN = 3  # what a token that is said again costs, in tokens above the size of a part
LONGEST_AGAIN = 40  # tokens of a line that is said again
LARGEST = 2  # of the size of a part: what belongs together may have so much

Line = tuple[int, int, str]
Cost = tuple[int, int]


def parts_of(points: Sequence[Point], ties: Sequence[int], most: int) -> Iterator[tuple[int, int, tuple[Point, ...]]]:
    """The parts of a summary as (first turn, turn after the last, points), of about `most` tokens at most.

    `ties` has for each turn what it costs to divide before it, in tokens. Every turn is in one part, and all sources of
    a point are in its own. A part begins with the lines of earlier parts that its points need, said again. Where it
    begins is chosen so that as few tokens as possible are said again, torn apart or above `most`; then so that there
    are few parts. Without points there is no part.
    """
    found = sorted(points, key=lambda one: one.sources[0])
    starts = _starts(found, ties, most)
    firsts = [0, *(found[start].sources[0] for start in starts[1:]), len(ties)]
    for (start, end), (first, last) in zip(pairwise([*starts, len(found)]), pairwise(firsts), strict=False):
        again = (Point(text, (turn,)) for turn, _, text in _said_before(found[start:end]))
        yield first, last, (*again, *found[start:end])


def _said_before(part: Sequence[Point]) -> list[Line]:
    """The lines that the points of a part need from turns before it, in their order; no long ones."""
    needed = {line for point in part for line in point.needs if line[0] < part[0].sources[0]}
    return sorted(line for line in needed if est_tokens(line[2]) <= LONGEST_AGAIN)


def _starts(found: Sequence[Point], ties: Sequence[int], most: int) -> list[int]:
    """The places at which parts begin, so that all of them together cost least (by dynamic programming)."""
    places = _boundaries(found)
    cheapest: dict[int, tuple[Cost, int]] = {0: ((0, 0), 0)}  # of all parts up to a place, and where the last begins
    for number, end in enumerate(places[1:], 1):
        cheapest[end] = min(
            ((cheapest[start][0][0] + tokens + _torn(found, start, ties), cheapest[start][0][1] + 1), start)
            for start, tokens in _last_parts(found, places[:number], end, most)
        )
    starts = places[-1:]
    while starts[0]:
        starts.insert(0, cheapest[starts[0]][1])
    return starts[:-1]


def _torn(found: Sequence[Point], start: int, ties: Sequence[int]) -> int:
    """What it costs to begin a part at a place."""
    return ties[found[start].sources[0]] if start else 0


def _boundaries(found: Sequence[Point]) -> list[int]:
    """The places where a part may begin or end: no point before one has a source after it."""
    until = accumulate((max(point.sources) for point in found), max)
    inside = (
        place for place, (last, point) in enumerate(zip(until, found[1:], strict=False), 1) if last < point.sources[0]
    )
    return [0, *inside, len(found)] if found else [0]


def _last_parts(found: Sequence[Point], starts: Sequence[int], end: int, most: int) -> Iterator[tuple[int, int]]:
    """The parts that may end at a place, the shortest first: where each begins, and its tokens too many."""
    for start in reversed(starts):
        size = sum(est_tokens(point.text) for point in found[start:end])
        if start != starts[-1] and size > LARGEST * most:
            return
        yield start, AGAIN * sum(est_tokens(text) for *_, text in _said_before(found[start:end])) + max(0, size - most)
