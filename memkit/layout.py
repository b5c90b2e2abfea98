"""Where to draw the nodes of a small graph, and which of them belong together. For pages: up to some 150 nodes.

    positions     stress majorisation: distances on paper as near as can be to distances in the graph
    separated     the same positions, moved as little as needed for their labels not to overlap
    communities   label propagation

Graphs are a number of nodes and the two ends of each edge; nothing is random, so a page looks the same tomorrow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def positions(count: int, sources: ArrayLike, targets: ArrayLike, iterations: int = 100) -> NDArray[np.float64]:
    """A place in the unit square for each of `count` nodes: count x 2, x first, the same for the same graph.

    Stress majorisation (Gansner, Koren and North 2004) from a circle: minimises the sum over all pairs of
    (distance on paper / distance in the graph - 1)**2, where each step solves for a bound that touches the stress from
    above, so no step makes it worse. Parts without a connection are put a little farther apart than the two farthest
    connected nodes. ValueError for unknown nodes.
    """
    if count < 2:
        return np.full((count, 2), 0.5)
    wanted = _distances(count, *_checked(count, sources, targets))
    pull = np.divide(1, wanted**2, out=np.zeros_like(wanted), where=wanted > 0)
    solver = np.linalg.inv(
        np.diag(pull.sum(axis=1)) - pull + 1 / count
    )  # with 1/n it has an inverse, and stays centred
    places = _circle(wanted)
    for _ in range(iterations):
        offsets = _offsets(places)
        apart = np.maximum(np.sqrt((offsets * offsets).sum(axis=0)), 1e-9)
        forces = np.einsum("ij,kij->ki", pull * wanted / apart, offsets)
        moved = np.einsum("ij,kj->ik", solver, forces)
        still = np.abs(moved - places).max() < 1e-3  # a thousandth of an edge
        places = moved
        if still:
            break
    return _into_unit_square(places)


def separated(places: ArrayLike, sizes: ArrayLike, iterations: int = 200) -> NDArray[np.float64]:
    """The places (n x 2) moved apart until their labels, boxes of these sizes (n x 2) around them, do not overlap.

    All in units of the square's side. Each round pushes every overlapping pair apart along its shorter overlap and
    keeps the boxes inside the square; where they cannot all fit, the round with the least overlap is what you get.
    """
    spots, boxes = np.array(places, np.float64), np.asarray(sizes, np.float64)
    if spots.shape != boxes.shape or spots.ndim != 2 or spots.shape[1] != 2:
        raise ValueError(f"places and sizes must both be n x 2, not {spots.shape} and {boxes.shape}")
    margin = np.minimum(boxes / 2, 0.5)
    room = (boxes.T[:, :, None] + boxes.T[:, None, :]) / 2 * 1.001  # a hair more, so that rounding leaves no overlap
    best, least = spots, np.inf
    for _ in range(iterations):
        spots = np.clip(spots, margin, 1 - margin)
        offsets = _offsets(spots)
        overlap = room - np.abs(offsets)
        shorter = overlap.min(axis=0)
        np.fill_diagonal(shorter, 0)
        np.maximum(shorter, 0, out=shorter)
        total = float(shorter.sum())
        if total < least:
            best, least = spots, total
        if not total:
            break
        spots = spots + _pushes(offsets, overlap, shorter)
    return best


def communities(
    count: int, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike | None = None, rounds: int = 50
) -> NDArray[np.int64]:
    """The community of each node: 0 is the largest, and so on (equals: by their first node); a lonely node has its own.

    Label propagation (Raghavan, Albert and Kumara 2007): node after node takes the label that most of its edges, by
    weight, lead to, until none changes. Where they say chance, here the nodes with fewest edges begin, and among equal
    labels the one with most nodes wins, so that fragments grow together. A handful of milliseconds for a page; plain
    Python, about a second for 100,000 edges.
    """
    ends = _checked(count, sources, targets)
    strengths = np.ones(len(ends[0])) if weights is None else np.asarray(weights, np.float64)
    if len(strengths) != len(ends[0]):
        raise ValueError(f"{len(ends[0])} edges, but {len(strengths)} weights")
    near: list[dict[int, float]] = [{} for _ in range(count)]
    for one, other, strength in zip(*(end.tolist() for end in ends), strengths.tolist(), strict=True):
        if one != other and strength > 0:
            near[one][other] = near[one].get(other, 0) + strength
            near[other][one] = near[other].get(one, 0) + strength
    labels, sizes = list(range(count)), [1] * count
    order = sorted((node for node in range(count) if near[node]), key=lambda node: (len(near[node]), node))
    for _ in range(rounds):
        before = list(labels)
        for node in order:
            sizes[labels[node]] -= 1
            labels[node] = _favourite(near[node], labels, sizes)
            sizes[labels[node]] += 1
        if labels == before:
            break
    return _by_size(labels)


# ---------------------------------------------------------------------------------------------------- their parts


def _distances(count: int, sources: NDArray, targets: NDArray) -> NDArray[np.float64]:
    """The least number of edges between any two nodes (Floyd and Warshall); unreachable: the largest one and a half."""
    distances = np.full((count, count), np.inf)
    distances[sources, targets] = distances[targets, sources] = 1
    np.fill_diagonal(distances, 0)
    for middle in range(count):
        np.minimum(distances, distances[:, middle, None] + distances[middle], out=distances)
    known = np.isfinite(distances)
    distances[~known] = distances[known].max() + 1.5
    return distances


def _inverse(matrix: NDArray) -> NDArray[np.float64]:
    """The inverse of a positive definite matrix (Gauss and Jordan).

    3 ms for 150 rows. `np.linalg` needs 0.6 on an idle machine but 120 on a busy one, where its threads wait for each
    other, and its last bits depend on their number.
    """
    inverse = np.array(matrix, np.float64)
    for here in range(len(inverse)):
        pivot, row, column = inverse[here, here], inverse[here].copy(), inverse[:, here].copy()
        inverse -= column[:, None] * (row / pivot)
        inverse[here], inverse[:, here] = row / pivot, -column / pivot
        inverse[here, here] = 1 / pivot
    return inverse


def _circle(distances: NDArray) -> NDArray[np.float64]:
    """Nodes on a circle, ordered so that near ones stand together: each next is the one nearest to the last ones."""
    count = len(distances)
    order = [int(np.argmin(distances.sum(axis=1)))]
    closeness = np.zeros(count)
    free = np.ones(count, bool)
    for _ in range(count - 1):
        free[order[-1]] = False
        closeness = closeness / 2 + 1 / (1 + distances[order[-1]])
        order.append(int(np.argmax(np.where(free, closeness, -1))))
    angles = np.empty(count)
    angles[order] = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return distances.max() / 2 * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _offsets(places: NDArray) -> NDArray[np.float64]:
    """2 x n x n: how far each node is to the right of, and above, each other one."""
    columns = np.ascontiguousarray(places.T)
    return columns[:, :, None] - columns[:, None, :]


def _into_unit_square(places: NDArray) -> NDArray[np.float64]:
    """Centred, and as large as fits without distortion."""
    low, high = places.min(axis=0), places.max(axis=0)
    return 0.5 + (places - (low + high) / 2) / max((high - low).max(), 1e-9)


def _pushes(offsets: NDArray, overlap: NDArray, shorter: NDArray) -> NDArray[np.float64]:
    """How far each box moves: most of the shorter overlap with each that it hits (both do: beyond, to loosen knots)."""
    ones, others = np.nonzero(shorter)
    axis = np.argmin(overlap[:, ones, others], axis=0)
    side = np.sign(offsets[axis, ones, others])
    side = np.where(side == 0, np.sign(ones - others), side)  # two at one place go apart by their numbers
    moves = np.zeros((len(shorter), 2))
    np.add.at(moves, (ones, axis), 0.9 * side * shorter[ones, others])
    return moves


def _favourite(near: dict[int, float], labels: list[int], sizes: list[int]) -> int:
    """The label that most edges lead to; of equals the one with most nodes."""
    votes: dict[int, float] = {}
    for other, strength in near.items():
        votes[labels[other]] = votes.get(labels[other], 0) + strength
    return max(votes, key=lambda label: (votes[label], sizes[label], -label))


def _by_size(labels: list[int]) -> NDArray[np.int64]:
    _, first, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return rank[inverse.ravel()]


def _checked(count: int, sources: ArrayLike, targets: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    ends = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
    if ends[0].shape != ends[1].shape or ends[0].ndim != 1:
        raise ValueError(f"sources and targets must be lists of one length, not {ends[0].shape} and {ends[1].shape}")
    for end in ends:
        if len(end) and not 0 <= end.min() <= end.max() < count:
            raise ValueError(f"edges lead to nodes {end.min()} to {end.max()}, but there are {count} nodes")
    return ends
