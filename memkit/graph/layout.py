"""Graph layout (stress majorisation) and communities (label propagation), for pages with up to about 150 nodes.

    positions     stress majorisation: distances in the drawing as close as possible to distances in the graph
    separated     the same positions, moved apart so that the labels do not overlap
    communities   label propagation

A graph is a number of nodes and the two ends of each edge. Nothing is random: the same graph always looks the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ROUNDS = 200  # in which labels are moved apart, at most


def positions(count: int, sources: ArrayLike, targets: ArrayLike, iterations: int = 100) -> Floats:
    """A position in the unit square for each of `count` nodes: an array (count x 2), x first.

    Stress majorisation (Gansner, Koren and North 2004), beginning with a circle: it minimises the sum over all pairs of
    (distance in the drawing / distance in the graph - 1)**2. Each step minimises an upper bound that touches the
    stress, so no step makes it worse. Parts without a connection are put a little farther apart than the two farthest
    connected nodes. Raises ValueError for unknown nodes.
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


def separated(places: ArrayLike, sizes: ArrayLike) -> Floats:
    """The positions (n x 2), moved apart until their labels do not overlap: boxes of these sizes (n x 2) around them.

    The unit is the side of the square. Each round pushes every overlapping pair apart along its shorter overlap, and
    keeps the boxes inside the square. If they cannot all fit, the result is the round with the least overlap. Raises
    ValueError for arrays of other shapes.
    """
    spots, boxes = np.array(places, np.float64), np.asarray(sizes, np.float64)
    if spots.shape != boxes.shape or spots.ndim != 2 or spots.shape[1] != 2:
        raise ValueError(f"places and sizes must both be n x 2, not {spots.shape} and {boxes.shape}")
    margin = np.minimum(boxes / 2, 0.5)
    room = (boxes.T[:, :, None] + boxes.T[:, None, :]) / 2 * 1.001  # a little more, so that rounding leaves no overlap
    best, least = spots, np.inf
    for _ in range(ROUNDS):
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
) -> Ints:
    """The community of each node, as a number: 0 is the largest one. A node without edges has its own.

    Label propagation (Raghavan, Albert and Kumara 2007): one node after the other takes the label to which most of its
    edges lead, by weight, until no label changes. The paper uses chance; here the nodes with the fewest edges come
    first, and among equal labels the one with the most nodes wins, so that fragments grow together. Communities of the
    same size are ordered by their first node. It is plain Python: a few milliseconds for a page, about a second for
    100,000 edges. Raises ValueError for unknown nodes or a wrong number of weights.
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


# ---------------------------------------------------------------------------------------------------- parts


def _distances(count: int, sources: Ints, targets: Ints) -> Floats:
    """The least number of edges between any two nodes (Floyd and Warshall); the largest plus 1.5 if unreachable."""
    distances = np.full((count, count), np.inf)
    distances[sources, targets] = distances[targets, sources] = 1
    np.fill_diagonal(distances, 0)
    for middle in range(count):
        np.minimum(distances, distances[:, middle, None] + distances[middle], out=distances)
    known = np.isfinite(distances)
    distances[~known] = distances[known].max() + 1.5
    return distances


def _circle(distances: Floats) -> Floats:
    """Nodes on a circle, with near ones beside each other: the next node is the one nearest to the last ones."""
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
    places: Floats = distances.max() / 2 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return places


def _offsets(places: Floats) -> Floats:
    """The differences of positions (2 x n x n): how far each node is to the right of, and above, each other one."""
    columns = np.ascontiguousarray(places.T)
    offsets: Floats = columns[:, :, None] - columns[:, None, :]
    return offsets


def _into_unit_square(places: Floats) -> Floats:
    """The positions, centred and as large as they fit without distortion."""
    low, high = places.min(axis=0), places.max(axis=0)
    fitted: Floats = 0.5 + (places - (low + high) / 2) / max((high - low).max(), 1e-9)
    return fitted


def _pushes(offsets: Floats, overlap: Floats, shorter: Floats) -> Floats:
    """How far each box moves: by .9 of the shorter overlap with each other box. Both move, which loosens knots."""
    ones, others = np.nonzero(shorter)
    axis = np.argmin(overlap[:, ones, others], axis=0)
    side = np.sign(offsets[axis, ones, others])
    side = np.where(side == 0, np.sign(ones - others), side)  # two at the same position move apart by their numbers
    moves = np.zeros((len(shorter), 2))
    np.add.at(moves, (ones, axis), 0.9 * side * shorter[ones, others])
    return moves


def _favourite(near: dict[int, float], labels: list[int], sizes: list[int]) -> int:
    """The label to which most edges lead, by weight; of equal ones, the one with the most nodes."""
    votes: dict[int, float] = {}
    for other, strength in near.items():
        votes[labels[other]] = votes.get(labels[other], 0) + strength
    return max(votes, key=lambda label: (votes[label], sizes[label], -label))


def _by_size(labels: list[int]) -> Ints:
    _, first, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return rank[inverse.ravel()]


def _checked(count: int, sources: ArrayLike, targets: ArrayLike) -> tuple[Ints, Ints]:
    ends = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
    if ends[0].shape != ends[1].shape or ends[0].ndim != 1:
        raise ValueError(f"sources and targets must be lists of one length, not {ends[0].shape} and {ends[1].shape}")
    for end in ends:
        if len(end) and not 0 <= end.min() <= end.max() < count:
            raise ValueError(f"edges lead to nodes {end.min()} to {end.max()}, but there are {count} nodes")
    return ends
