"""Personalised PageRank: a compact graph of all memories and entities, and a random walk over it with paths.

A graph is an `Adjacency`: plain arrays, with every undirected edge stored at both of its ends. The walk starts at
*seeds* (nodes with a weight, found for the question), and returns a `Walk`: the nodes it reached, a score for each, and
the path to each. This module knows nothing of SQL or memories: nodes are numbers, and `keys` has the row of each.

A strategy does not rebuild the graph; it only weighs the edges in another way:

    type_weights   a factor for each edge type (0 switches a type off); a second row is for edges that are walked from
                   target to source, so that a link can be followed in one direction only
    specificity    p: what flows into an entity is divided by its degree**p, so that a name in many memories counts
                   little; 0 is off, 1 is HippoRAG's node specificity

Of equal candidates, the node with the lower number wins, then the edge; the same call gives exactly the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memkit.core.classes import dataclass

MEMORY, ENTITY = 0, 1  # kinds of nodes
MENTION, TITLE, RELATION, LINK, NEIGHBOUR, SPEAKER, NAMES, LONE = range(8)  # types of edges
TYPE, BACKWARD = 0x7F, 0x80  # the bits of the type, and the bit that means: the edge is seen from its target

MOST_NAMED = 10  # memories that name the title of one; with more, each of these edges counts less
PARTS, SMALL = 16, 200_000  # so many parts a graph is made in, unless it has fewer ends of edges than SMALL
FEW = 200  # ends of new edges; with more, it is as quick to weigh all anew
LIST = 30  # mentions in a memory; with more, it is rather a list than a text about them

Seeds = Mapping[int, float] | tuple[ArrayLike, ArrayLike]
Ints = NDArray[Any]
Floats = NDArray[Any]


# ---------------------------------------------------------------------------------------------------- the graph


@dataclass(frozen=True, eq=False)
class Adjacency:
    """An undirected, weighted graph with typed edges, as arrays.

    A node is a number from 0 to n-1. The neighbours of node `v` are `targets[offsets[v]:offsets[v + 1]]`, in the order
    in which the edges were given; `weights` and `types` are parallel to `targets`. A million memories with five million
    edges take about 110 MB; 100,000 with 500,000 take 11 MB.
    """

    kinds: NDArray[np.uint8]  # n: MEMORY or ENTITY
    keys: NDArray[np.int64]  # n: the row of this kind that the node stands for
    offsets: NDArray[np.int64]  # n + 1
    targets: NDArray[np.int32]  # twice the number of edges kept
    weights: NDArray[np.float32]
    types: NDArray[np.uint8]  # with the bit BACKWARD where the row is that of the edge's target
    # If this is a part of a graph: n, the mentions of each entity, and the memories that name the title of each memory,
    # that are not in it. The walk counts them, and what they would take is lost.
    outside: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"<Adjacency: {len(self):,} nodes, {len(self.targets) // 2:,} edges, {self.nbytes / 1e6:.1f} MB>"

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))

    @cached_property
    def degrees(self) -> NDArray[np.int32]:
        """How many edges each node has; parallel edges all count."""
        return np.subtract(self.offsets[1:], self.offsets[:-1], dtype=np.int32, casting="same_kind")

    @cached_property
    def specific_weights(self) -> NDArray[np.float32]:
        """The weights, in which links to what everything links to, and mentions in long lists, count less.

        An edge to a memory that more than MOST_NAMED name is divided by the square of how many times too many they are:
        a hub, or a note called like a common word, is no answer. A mention in a memory with more than LIST mentions
        is divided by how many times too many they are.
        """
        weights: NDArray[np.float32] = self.weights.copy()
        self._weaken(weights, NAMES, NAMES | BACKWARD, MOST_NAMED, 2)
        for kind in (MENTION, LONE):
            self._weaken(weights, kind | BACKWARD, kind, LIST, 1)
        return weights

    def is_hub(self, node: int) -> bool:
        """Whether any edge counts less because of this node."""
        types = self.types[slice(*self.offsets[node : node + 2])]
        most = ((NAMES | BACKWARD, MOST_NAMED), (MENTION, LIST), (LONE, LIST))
        return any(np.count_nonzero(types == kind) > limit for kind, limit in most)

    def gate(self, specificity: float) -> NDArray[np.float32]:
        """The share that each node lets in: degree**-specificity for an entity, 1 for any other node."""
        if specificity not in self._gates:
            gate = np.ones(len(self), np.float32)
            entities = np.flatnonzero(self.kinds == ENTITY)
            degrees = self.degrees[entities] + (0 if self.outside is None else self.outside[entities])
            gate[entities] = np.maximum(degrees, 1).astype(np.float32) ** np.float32(-specificity)
            self._gates.clear()  # one is kept: a strategy has one
            self._gates[specificity] = gate
            return gate
        return self._gates[specificity]

    @cached_property
    def desks(self) -> list[_Desk]:
        """What the last walk has left for the next one; empty while one is going on."""
        return []

    def take_desk(self) -> _Desk:
        """A desk that nobody else uses: two threads may walk at the same time."""
        try:
            return self.desks.pop()
        except IndexError:
            return _Desk(len(self))

    @cached_property
    def _gates(self) -> dict[float, NDArray[np.float32]]:
        return {}

    def _weaken(self, weights: NDArray[np.float32], towards: int, away: int, most: int, power: int) -> None:
        """Divides the weights of the edges of a type at the memories that have more than `most` of them.

        `towards` is how the type is seen from the other end of such an edge, `away` how it is seen from that memory.
        """
        outside = self.outside if towards == NAMES else None
        ways = self.degrees if outside is None else self.degrees + outside
        # Others cannot have so many: in a large graph these few are found much sooner than the owners of all edges.
        crowded = np.flatnonzero((self.kinds == MEMORY) & (ways > most))
        owners, places = self.places_of(crowded)
        own = np.flatnonzero(self.types[places] == away)
        counts = np.bincount(owners[own], minlength=len(crowded)) + (0 if outside is None else outside[crowded])
        excess = np.maximum(counts / most, 1) ** power
        if excess.max(initial=1) > 1:
            weights[places[own]] /= excess[owners[own]]
            of_nodes = np.ones(len(self))
            of_nodes[crowded] = excess
            other = np.flatnonzero(self.types == towards)
            weights[other] /= of_nodes[self.targets[other]]

    def places_of(self, nodes: Ints) -> tuple[Ints, Ints]:
        """The places of all edges out of these nodes, and before them, for each, its owner's position in `nodes`."""
        starts = self.offsets.take(nodes)  # `take` and methods: most steps of a walk have few nodes
        counts = self.offsets.take(nodes + 1) - starts
        owners = np.arange(len(nodes)).repeat(counts)
        places = (starts - counts.cumsum() + counts).repeat(counts)
        places += np.arange(len(places))
        return owners, places

    def nodes_of(self, kind: int, keys: ArrayLike) -> NDArray[np.int64]:
        """The node of each database key of one kind; -1 for an unknown key."""
        order, codes = self._by_code
        wanted = _codes(np.uint8(kind), np.asarray(keys, np.int64))
        places = np.searchsorted(codes, wanted)
        found = places < len(codes)
        found[found] = codes[places[found]] == wanted[found]
        nodes = np.full(len(wanted), -1, np.int64)
        nodes[found] = places[found] if order is None else order[places[found]]
        return nodes

    @cached_property
    def _by_code(self) -> tuple[Ints | None, Ints]:
        codes = _codes(self.kinds, self.keys)
        if (codes[1:] >= codes[:-1]).all():  # until rows are appended
            return None, codes
        order = np.argsort(codes, kind="stable")
        return order, codes[order]

    @cached_property
    def _type_count(self) -> int:
        return int((self.types & TYPE).max(initial=0)) + 1


class Edges(NamedTuple):
    """Edges to build a graph of: their ends, weights and types."""

    sources: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    types: np.ndarray


class Rows(NamedTuple):
    """The edges of some nodes, which follow one another: parallel arrays, as in `Adjacency`."""

    targets: np.ndarray
    weights: np.ndarray
    types: np.ndarray


class Plan(NamedTuple):
    """A graph whose edges are still to be laid out: at once (`whole`), or of some nodes at a time (`parts`)."""

    kinds: NDArray[np.uint8]
    keys: NDArray[np.int64]
    offsets: NDArray[np.int64]
    known: Edges

    def whole(self) -> Adjacency:
        """The graph."""
        filled = Rows(*(np.empty(self.offsets[-1], kind) for kind in (np.int32, np.float32, np.uint8)))
        at = 0
        for rows in self.parts():
            for array, its in zip(filled, rows, strict=True):
                array[at : at + len(its)] = its
            at += len(rows.targets)
        return Adjacency(self.kinds, self.keys, self.offsets, *filled)

    def parts(self) -> Iterator[Rows]:
        """The edges of all nodes in their order, of some nodes at a time: of millions of edges, each array is large."""
        ends = int(self.offsets[-1])
        inner = np.searchsorted(self.offsets, np.arange(1, PARTS) * (ends // PARTS)).tolist() if ends > SMALL else []
        for first, end in pairwise([0, *inner, len(self.keys)]):
            yield self._rows(first, end)

    def _rows(self, first: int, end: int) -> Rows:
        """The edges of the nodes from `first` on, and before `end`."""
        sources, targets, weights, types = self.known
        out, back = (np.flatnonzero((ends >= first) & (ends < end)) for ends in (sources, targets))
        # By node, then by edge, then the source's end: as one number each, which is faster than argsort.
        order = np.concatenate([sources[out], targets[back]]).astype(np.int64)
        order <<= 32
        order[: len(out)] |= out << 1
        order[len(out) :] |= back << 1 | 1
        order.sort()
        order &= 0xFFFFFFFF
        marks = _marks(order)
        order >>= 1
        return Rows(
            targets=np.where(marks, sources[order], targets[order]),
            weights=weights[order],
            types=types[order] | marks,
        )


def build(
    kinds: ArrayLike, keys: ArrayLike, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike, types: ArrayLike
) -> Adjacency:
    """The graph of n nodes (`kinds`, `keys`) and m undirected edges (the other four, all of length m).

    `sources` and `targets` are node numbers, `weights` finite and not negative, `types` 0-127. Self loops and edges of
    weight zero are left out. Parallel edges all stay, because each has its own type and its own evidence; the walk uses
    their sum, as if they were one. 500,000 edges take .1 s, 5 million 2 s. Raises ValueError for lengths that differ,
    unknown nodes and impossible weights.
    """
    return plan(kinds, keys, sources, targets, weights, types).whole()


def plan(
    kinds: ArrayLike, keys: ArrayLike, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike, types: ArrayLike
) -> Plan:
    """The same graph, whose edges need not all be made at once."""
    nodes = _checked_nodes(kinds, keys)
    size = len(nodes[1])
    edges = _checked_edges(size, sources, targets, weights, types)
    degrees = np.bincount(edges.sources, minlength=size)
    degrees += np.bincount(edges.targets, minlength=size)
    return Plan(*nodes, _running_sum(degrees), edges)


def append(
    adjacency: Adjacency,
    kinds: ArrayLike,
    keys: ArrayLike,
    sources: ArrayLike,
    targets: ArrayLike,
    weights: ArrayLike,
    types: ArrayLike,
) -> Adjacency:
    """The graph with more nodes and edges: exactly what `build` returns for all of them, about ten times faster.

    The numbers of new nodes continue those of the old ones. An edge may join old and new nodes. The given graph is not
    changed. To remove nodes or edges, use `build`.
    """
    new_kinds, new_keys = _checked_nodes(kinds, keys)
    size = len(adjacency) + len(new_keys)
    starts, aims, strengths, sorts = _checked_edges(size, sources, targets, weights, types)
    owners = np.stack([starts, aims], axis=1).ravel()  # source and target alternate: the other end of place i is i ^ 1
    order = np.argsort(owners, kind="stable")
    edge = order >> 1
    degrees = np.concatenate([adjacency.degrees, np.zeros(len(new_keys), np.int64)])
    row_ends = _running_sum(degrees)[1:][owners[order]]

    def widened(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        return np.insert(old, row_ends, new)

    new = Adjacency(
        kinds=np.concatenate([adjacency.kinds, new_kinds]),
        keys=np.concatenate([adjacency.keys, new_keys]),
        offsets=_running_sum(degrees + np.bincount(owners, minlength=size)),
        targets=widened(adjacency.targets, owners[order ^ 1]),
        weights=widened(adjacency.weights, strengths[edge]),
        types=widened(adjacency.types, sorts[edge] | _marks(order)),
    )
    if len(owners) <= FEW and "specific_weights" in vars(adjacency) and not any(map(new.is_hub, owners.tolist())):
        vars(new)["specific_weights"] = widened(adjacency.specific_weights, strengths[edge])
    return new


# ------------------------------------------------------------------------------------------------ the result of a walk


class Step(NamedTuple):
    """A node of a path, and the type of the edge that led to it; None for the seed at the start."""

    node: int
    type: int | None = None


@dataclass(frozen=True, eq=False)
class Walk:
    """The nodes that a walk reached (ascending), each with a score and the round that reached it first (`hops`).

    A seed has 0. Any other node has at least its distance from a seed: more, where a residual waited on the way.
    """

    adjacency: Adjacency = field(repr=False)
    nodes: NDArray[np.int64]
    scores: NDArray[np.float64]
    hops: NDArray[np.int16]
    trace: Callable[[int], list[Step]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.nodes)

    def top(self, k: int | None = None, kind: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The k best nodes (all if None) of one kind (any if None) and their scores, best first."""
        chosen = slice(None) if kind is None else self.adjacency.kinds[self.nodes] == kind
        nodes, scores = self.nodes[chosen], self.scores[chosen]
        if k is not None and 0 < k < len(nodes):
            good = scores >= np.partition(scores, -k)[-k]  # so that only the best ones are sorted
            nodes, scores = nodes[good], scores[good]
        best = np.argsort(-scores, kind="stable")[:k]
        return nodes[best], scores[best]

    def path(self, node: int) -> list[Step]:
        """The path from a seed to this node, both included: at each step, the edge over which most of the score came.

        Raises ValueError if the walk did not reach the node.
        """
        if not self.has(node):
            raise ValueError(f"node {node} was not reached by this walk")
        return self.trace(int(self.nodes.searchsorted(node)))

    def has(self, node: int) -> bool:
        """Whether the walk reached this node."""
        place = self.nodes.searchsorted(node)
        return bool(place < len(self.nodes) and self.nodes[place] == node)


# ---------------------------------------------------------------------------------------------------- the walk


def pagerank(
    adjacency: Adjacency,
    seeds: Seeds,
    damping: float = 0.5,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    *,
    type_weights: ArrayLike | None = None,
    specificity: float = 0.0,
    least_strength: float = 0.0,
) -> Walk:
    """Personalised PageRank: the share of time that a random walker spends at each node. The scores sum to 1.

    At each step, the walker goes to a neighbour (chosen by weight) with probability `damping`; else, or if there is no
    neighbour, it starts again at a seed (chosen by weight).

    Computed by local push (Andersen, Chung and Lang 2006): each node has a *residual*, the walkers that have arrived
    and not yet moved. Each round moves the residuals of all nodes that have more than `tolerance` per edge, until there
    are none. So the cost depends on the tolerance, not on the size of the graph, and the error at a node is less than
    about `tolerance` per edge of it. A round that would touch much of the graph is a step of power iteration instead.
    `hops` is the round in which a node was first reached.

    With `least_strength`, a node whose edges weigh less than that in total passes on only this share, and the rest is
    lost: a weak edge is followed weakly, even if it is the only one. The scores then sum to less than 1.
    """
    _check("damping", damping, 0, 0.99)  # at 1, the walker never starts again
    _check("tolerance", tolerance, 0)
    _check("least_strength", least_strength, 0)
    view = _View(adjacency, type_weights, specificity)
    nodes, weights = _checked_seeds(len(adjacency), seeds)
    desk = adjacency.take_desk()
    flow = _Flow(view, desk, damping, least_strength, tolerance, nodes, weights)
    frontier = flow.crowded(nodes)
    for hop in range(1, max_iterations + 1):
        if not len(frontier):
            break
        frontier = flow.move(frontier, hop)
    walk = flow.walk()
    desk.clear(walk.nodes)
    adjacency.desks[:] = [desk]
    return walk


# ------------------------------------------------------------------------------------------------ the graph as seen


class _View:
    """The graph with the edge weights of one walk, computed only for the nodes that the walk reaches."""

    def __init__(self, adjacency: Adjacency, type_weights: ArrayLike | None, specificity: float):
        _check("specificity", specificity, 0)
        self.adjacency = adjacency
        self.type_weights = None if type_weights is None else _checked_type_weights(adjacency, type_weights)
        self.gate = adjacency.gate(specificity) if specificity else None
        self.outside = None if adjacency.outside is None else self._outside(adjacency.outside)

    def _outside(self, counts: Ints) -> Floats:
        """What each entity's edges weigh that lead out of this part of the graph: each as one mention."""
        weight = 1.0 if self.type_weights is None else self.type_weights[MENTION | BACKWARD]
        return np.where(self.adjacency.kinds == ENTITY, counts * weight, 0.0)

    def weigh(self, slots: Ints | slice) -> Floats:
        """The weights of the edges at these places, towards their targets."""
        weights = self.adjacency.specific_weights[slots]
        if self.type_weights is not None:
            weights = weights * self.type_weights.take(self.adjacency.types[slots])
        return weights if self.gate is None else weights * self.gate.take(self.adjacency.targets[slots])

    def inward(self, slots: Ints | slice) -> Floats:
        """The weights of the same edges towards their owners, without the owners' `gate`."""
        weights: Floats = self.adjacency.specific_weights[slots]
        if self.type_weights is not None:
            weights = weights * self.type_weights[self.adjacency.types[slots] ^ BACKWARD]
        return weights

    def rows(self, nodes: Ints) -> tuple[Ints, Ints, Floats]:
        """All edges out of these nodes: for each, its owner's position in `nodes`, its target and its weight."""
        owners, slots = self.adjacency.places_of(nodes)
        targets, weights = self.adjacency.targets.take(slots), self.weigh(slots)
        if self.type_weights is None:  # no edge is switched off
            return owners, targets, weights
        kept = (weights > 0).nonzero()[0]
        return owners.take(kept), targets.take(kept), weights.take(kept)

    def step(self, slot: int, node: int) -> Step:
        return Step(int(node), int(self.adjacency.types[slot]) & TYPE)


# ------------------------------------------------------------------------------------------------ the steps of a walk

_SWEEP = 0.25  # for a frontier with more than this share of all edges, computing the whole graph is cheaper


class _Desk:
    """The numbers that a walk notes at each node. It leaves them as it found them, so that the next one can use them.

    A walk reaches some thousand nodes. To make these arrays for each would take longer than the walk in a large graph.
    """

    def __init__(self, size: int):
        self.settled, self.residual, self.strength = (np.zeros(size) for _ in range(3))
        self.met = np.full(size, -1, np.int16)
        self.scratch = np.empty(size, np.int32)

    def clear(self, nodes: Ints) -> None:
        """Takes back what was noted at these nodes."""
        self.settled[nodes] = self.residual[nodes] = self.strength[nodes] = 0
        self.met[nodes] = -1


class _Flow:
    """The state of a PageRank: what has settled at each node, and what still has to move."""

    def __init__(
        self, view: _View, desk: _Desk, damping: float, least: float, tolerance: float, nodes: Ints, weights: Floats
    ):
        self.view, self.damping, self.least, self.tolerance = view, damping, least, tolerance
        self.settled, self.residual, self.met, self.scratch = desk.settled, desk.residual, desk.met, desk.scratch
        self.strength = desk.strength  # sum of weights out of a node, known once it has moved
        self.residual[nodes] = weights / (weights.sum() or 1)
        self.met[nodes] = 0
        self.reached = [nodes]  # those that were first met in each round, some several times

    def crowded(self, nodes: Ints) -> Ints:
        """The nodes whose residual is large enough to move, without duplicates."""
        nodes = nodes[self.residual.take(nodes) > self.tolerance]  # most fail this cheaper test
        nodes = nodes[self.residual.take(nodes) > self.tolerance * self.view.adjacency.degrees.take(nodes)]
        positions = np.arange(len(nodes), dtype=np.int32)
        self.scratch[nodes] = positions  # for a duplicate node, the last position stays
        return np.sort(nodes[self.scratch.take(nodes) == positions])

    def move(self, frontier: Ints, hop: int) -> Ints:
        """Settles 1 - damping of the frontier's residual and moves the rest to its neighbours; the next frontier."""
        adjacency = self.view.adjacency
        if adjacency.degrees[frontier].sum() > _SWEEP * len(adjacency.targets):
            return self._sweep(hop)
        return self._push(frontier, hop)

    def _push(self, frontier: Ints, hop: int) -> Ints:
        moving = self.residual[frontier]
        self.settled[frontier] += (1 - self.damping) * moving
        self.residual[frontier] = 0
        owners, targets, weights = self.view.rows(frontier)
        strength = np.bincount(owners, weights, len(frontier))
        strength = self._at_least(strength if self.view.outside is None else strength + self.view.outside[frontier])
        self.strength[frontier] = strength
        share = np.divide(self.damping * moving, strength, out=np.zeros(len(frontier)), where=strength > 0)
        np.add.at(self.residual, targets, share[owners] * weights)
        self._meet(targets[self.met[targets] < 0], hop)
        return self.crowded(targets)  # the other nodes were not crowded before, and received nothing

    def _sweep(self, hop: int) -> Ints:
        strength, weights, gate = self._all
        self.strength = strength
        self.settled += (1 - self.damping) * self.residual
        share = np.divide(self.damping * self.residual, strength, out=np.zeros(len(strength)), where=strength > 0)
        # Every edge is stored at both ends, so the sum over the nodes that give to a node is a sum over its own row.
        self.residual = _row_sums(self.view.adjacency, weights * share[self.view.adjacency.targets])
        if gate is not None:
            self.residual *= gate
        self._meet(np.flatnonzero((self.met < 0) & (self.residual > 0)), hop)
        return self.crowded(np.flatnonzero(self.residual))

    def _meet(self, nodes: Ints, hop: int) -> None:
        self.met[nodes] = hop
        self.reached.append(nodes)

    @cached_property
    def _all(self) -> tuple[Floats, Floats, Floats | None]:
        everything = slice(None)
        strength = _row_sums(self.view.adjacency, self.view.weigh(everything).astype(np.float64))
        strength = self._at_least(strength if self.view.outside is None else strength + self.view.outside)
        return strength, self.view.inward(everything), self.view.gate

    def _at_least(self, strength: Floats) -> Floats:
        return np.where(strength > 0, np.maximum(strength, self.least), 0)

    def walk(self) -> Walk:
        """The nodes reached so far. Of a residual that has not moved, 1 - damping counts where it is."""
        nodes = np.sort(np.concatenate(self.reached))
        nodes = nodes[np.flatnonzero(np.diff(nodes, prepend=-1))]  # not np.unique, which loads numpy.ma
        scores = self.settled[nodes] + (1 - self.damping) * self.residual[nodes]
        if not self.least:
            scores /= scores.sum() or 1  # walkers at dead ends start again at the seeds: the same shares, scaled
        hops = self.met[nodes]
        rates = np.divide(scores, self.strength[nodes], out=np.zeros(len(nodes)), where=self.strength[nodes] > 0)
        return Walk(self.view.adjacency, nodes, scores, hops, partial(_main_stream, self.view, nodes, rates, hops, {}))


def _main_stream(
    view: _View, nodes: Ints, rates: Floats, hops: Ints, known: dict[int, tuple[Step, int]], place: int
) -> list[Step]:
    """The path to a node, found backwards: each time to the earlier node from which most of the score came.

    `rates` is what each node gives per unit of edge weight. Only the rows on the path are read, and each once: `known`
    keeps the step to a node and where it came from.
    """
    path: list[Step] = []
    while hops[place] > 0:
        if place not in known:
            known[place] = _main_giver(view, nodes, rates, hops, place)
        step, place = known[place]
        path.append(step)
    return [Step(int(nodes[place])), *reversed(path)]


def _main_giver(view: _View, nodes: Ints, rates: Floats, hops: Ints, place: int) -> tuple[Step, int]:
    row = slice(*view.adjacency.offsets[nodes[place] : nodes[place] + 2])
    targets = view.adjacency.targets[row]
    giver = np.minimum(np.searchsorted(nodes, targets), len(nodes) - 1)
    earlier = (nodes[giver] == targets) & (hops[giver] < hops[place])
    came = np.where(earlier, rates[giver] * view.inward(row), -1)
    best = np.flatnonzero(came == came.max())
    chosen = int(best[np.argmin(targets[best])])
    return view.step(row.start + chosen, nodes[place]), int(giver[chosen])


def _row_sums(adjacency: Adjacency, values: Floats) -> Floats:
    """The sum of the values in each node's row."""
    sums = np.zeros(len(adjacency))
    rows = np.flatnonzero(adjacency.degrees)
    if len(rows):
        sums[rows] = np.add.reduceat(values, adjacency.offsets[rows])
    return sums


# ------------------------------------------------------------------------------------------------ helpers


def _codes(kinds: NDArray[np.uint8] | np.uint8, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    codes: Any = kinds.astype(np.int64)
    codes <<= 56
    codes += keys
    return codes  # type: ignore[no-any-return]


def _running_sum(counts: Ints) -> NDArray[np.int64]:
    """The cumulative sums, beginning with 0."""
    sums = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=sums[1:])
    return sums


def _checked_nodes(kinds: ArrayLike, keys: ArrayLike) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    nodes = np.asarray(kinds, np.uint8), np.asarray(keys, np.int64)
    if nodes[0].shape != nodes[1].shape or nodes[0].ndim != 1:
        raise ValueError(f"kinds and keys must be lists of one length, not {nodes[0].shape} and {nodes[1].shape}")
    return nodes


def _checked_edges(size: int, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike, types: ArrayLike) -> Edges:
    """The edges to keep. Raises ValueError for bad input."""
    ends = _whole(sources), _whole(targets)
    strengths, sorts = np.asarray(weights, np.float32), np.asarray(types, np.uint8)
    if np.any(sorts & BACKWARD):
        raise ValueError("edge types are numbers from 0 to 127")
    lengths = [np.size(column) for column in (*ends, strengths, sorts)]
    if len(set(lengths)) > 1:
        raise ValueError(f"sources, targets, weights and types must be of one length, not {lengths}")
    if ends[0].size:
        least, most = min(one.min() for one in ends), max(one.max() for one in ends)
        if least < 0 or most >= size:
            raise ValueError(f"edges lead to nodes {least} to {most}, but there are {size} nodes")
    if not np.all(np.isfinite(strengths) & (strengths >= 0)):
        raise ValueError("edge weights must be finite and not negative")
    sources, targets = (one.astype(np.int32, copy=False) for one in ends)
    fine = (strengths > 0) & (sources != targets)
    if fine.all():
        return Edges(sources, targets, strengths, sorts)
    kept = np.flatnonzero(fine)
    return Edges(sources[kept], targets[kept], strengths[kept], sorts[kept])


def _checked_seeds(size: int, seeds: Seeds) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The seeds with a weight above 0, ascending; a duplicate has its larger weight."""
    given = (list(seeds), list(seeds.values())) if isinstance(seeds, Mapping) else seeds
    nodes, weights = _integers(given[0]), np.asarray(given[1], np.float64)
    if len(nodes) != len(weights):
        raise ValueError(f"{len(nodes)} seeds, but {len(weights)} weights for them")
    if len(nodes) and (nodes.min() < 0 or nodes.max() >= size):
        raise ValueError(f"seeds {nodes.min()} to {nodes.max()}, but there are {size} nodes")
    if not np.isfinite(weights).all():
        raise ValueError("seed weights must be finite")
    kept = weights > 0
    order = np.lexsort((-weights[kept], nodes[kept]))
    nodes, weights = nodes[kept][order], weights[kept][order]
    first = np.flatnonzero(np.diff(nodes, prepend=-1))  # not np.unique, which loads numpy.ma
    return nodes[first], weights[first]


def _checked_type_weights(adjacency: Adjacency, type_weights: ArrayLike) -> NDArray[np.float32]:
    """A factor for each of the 256 values of an edge's type and direction."""
    factors = np.atleast_2d(np.asarray(type_weights, np.float32))
    if factors.ndim != 2 or len(factors) > 2 or factors.shape[1] < adjacency._type_count:
        raise ValueError(
            f"type_weights needs a factor for each of {adjacency._type_count} edge types: {type_weights!r}"
        )
    if not np.all(np.isfinite(factors) & (factors >= 0)):
        raise ValueError(f"type_weights must be finite and not negative: {type_weights!r}")
    table = np.zeros(256, np.float32)
    table[: factors.shape[1]] = factors[0]
    table[BACKWARD : BACKWARD + factors.shape[1]] = factors[-1]
    return table


def _marks(places: Ints) -> NDArray[np.uint8]:
    """The mark of direction: at odd places the edge is seen from its target."""
    marks = np.empty(len(places), np.uint8)
    np.bitwise_and(places, 1, out=marks, casting="unsafe")
    marks <<= 7
    return marks


def _integers(values: ArrayLike) -> NDArray[np.int64]:
    return _whole(values).astype(np.int64, copy=False)


def _whole(values: ArrayLike) -> NDArray[Any]:
    """Node numbers, of whatever width they are."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"nodes are whole numbers, not {array.dtype}")
    return array if array.size and array.dtype.kind == "i" else array.astype(np.int64)


def _check(name: str, value: float, least: float, most: float = float("inf")) -> None:
    if not least <= value <= most:
        raise ValueError(
            f"{name} must be {f'at least {least}' if most == float('inf') else f'{least} to {most}'}: {value!r}"
        )
