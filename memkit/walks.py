"""One compact graph of everything in the database, and four walks over it that can name their way.

A graph is an `Adjacency`: plain arrays, every undirected edge stored from both of its ends. A walk starts at *seeds*
(nodes with a weight: what the question found), and gives a `Walk`: the nodes it reached, a score for each, and the path
that led there. Nothing here knows of SQL or of memories: nodes are numbers, and `keys` says which row each stands for.

    breadth_first          how near is it?               seed x decay**hops                   (membox)
    neighbours             what is it surely tied to?    seed x confidence / (1 + hops / 2)   (Kira, Construct)
    spreading_activation   what do strong ties wake?     the best product of tie strengths    (Construct today)
    pagerank               where do many ways meet?      a random walker's share of time      (HippoRAG)

All four take the same three views of one graph, so that a strategy never rebuilds it:

    type_weights   a factor for each edge type (0 switches a type off); a second row of them is for edges that are
                   walked from target to source, so that a link can be followed one way only
    allowed        a mask of the nodes that may be entered; the others are not walked through either
    specificity    p divides what flows into an entity by its degree**p, so that a name that everything mentions
                   says little; 0 is off, 1 is HippoRAG's node specificity

Ties go to the node, then to the edge, with the lower number; the same call gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

MEMORY, ENTITY, DOCUMENT = 0, 1, 2  # kinds of nodes
MENTION, TITLE, RELATION, LINK, NEIGHBOUR = 0, 1, 2, 3, 4  # types of edges
TYPE, BACKWARD = 0x7F, 0x80  # a place's type, and the bit that says that the edge is seen from its target

Seeds = Mapping[int, float] | tuple[ArrayLike, ArrayLike]
Ints = NDArray[Any]
Floats = NDArray[Any]


# ---------------------------------------------------------------------------------------------------- the graph


@dataclass(frozen=True, eq=False)
class Adjacency:
    """An undirected, weighted graph with typed edges, as arrays.

    A node is a number from 0 to n-1; an edge is its position in what `build` was given. The neighbours of node `v` are
    `targets[offsets[v]:offsets[v + 1]]`, ordered by edge; `weights`, `types` and `edges` run beside `targets`.
    A million memories with five million edges take about 150 MB, a tenth of both 15 MB.
    """

    kinds: NDArray[np.uint8]  # n: MEMORY, ENTITY or DOCUMENT
    keys: NDArray[np.int64]  # n: the row of this kind that the node stands for
    offsets: NDArray[np.int64]  # n + 1
    targets: NDArray[np.int32]  # twice the number of edges kept
    weights: NDArray[np.float32]
    types: NDArray[np.uint8]  # with the bit BACKWARD where the row is that of the edge's target
    edges: NDArray[np.int32]
    given: int  # edges seen so far, those that were left out included: the number of the next one

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
        """How many edges each node has; parallel ones count each."""
        return np.diff(self.offsets).astype(np.int32)

    def nodes_of(self, kind: int, keys: ArrayLike) -> NDArray[np.int64]:
        """The node of each database key of one kind, -1 where there is none."""
        order, codes = self._by_code
        wanted = _codes(np.uint8(kind), np.asarray(keys, np.int64))
        places = np.searchsorted(codes, wanted)
        found = places < len(codes)
        found[found] = codes[places[found]] == wanted[found]
        nodes = np.full(len(wanted), -1, np.int64)
        nodes[found] = order[places[found]]
        return nodes

    @cached_property
    def _by_code(self) -> tuple[Ints, Ints]:
        codes = _codes(self.kinds, self.keys)
        order = np.argsort(codes, kind="stable")  # nearly free: rows usually come in order
        return order, codes[order]

    @cached_property
    def _type_count(self) -> int:
        return int((self.types & TYPE).max(initial=0)) + 1


def build(
    kinds: ArrayLike, keys: ArrayLike, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike, types: ArrayLike
) -> Adjacency:
    """The graph of n nodes (`kinds`, `keys`) and m undirected edges (the other four, all of length m).

    `sources` and `targets` are node numbers, `weights` finite and not negative, `types` 0-127. Self loops and edges of
    weight zero are left out, though they keep their number. Parallel edges all stay, since each has its own type and
    its own evidence to show: PageRank sees their sum, as if they were one; the other walks take the best of them.
    ValueError for lengths that differ, unknown nodes and impossible weights. 500,000 edges: .1 s; 5 million: 2 s.
    """
    nodes = _checked_nodes(kinds, keys)
    ends, edges, strengths, sorts = _checked_edges(len(nodes[1]), sources, targets, weights, types)
    owners = ends.ravel()  # source and target by turns: the other end of place i is place i ^ 1
    order = np.sort(owners.astype(np.int64) << 32 | np.arange(len(owners))) & 0xFFFFFFFF  # faster than argsort
    edge = order >> 1
    return Adjacency(
        *nodes,
        offsets=_running_sum(np.bincount(owners, minlength=len(nodes[1]))),
        targets=owners[order ^ 1],
        weights=strengths[edge],
        types=_directed(sorts[edge], order),
        edges=edges[edge],
        given=np.size(sources),
    )


def append(
    adjacency: Adjacency,
    kinds: ArrayLike,
    keys: ArrayLike,
    sources: ArrayLike,
    targets: ArrayLike,
    weights: ArrayLike,
    types: ArrayLike,
) -> Adjacency:
    """The graph with more nodes and edges: exactly what `build` gives for everything at once, some ten times sooner.

    New nodes are numbered on from the last one, new edges from the last edge; an edge may join old and new nodes.
    The given graph is not changed. (What is taken away needs a `build`; or hide it with `allowed`.)
    """
    new_kinds, new_keys = _checked_nodes(kinds, keys)
    size = len(adjacency) + len(new_keys)
    ends, edges, strengths, sorts = _checked_edges(size, sources, targets, weights, types)
    owners = ends.ravel()
    order = np.argsort(owners, kind="stable")
    edge = order >> 1
    degrees = np.concatenate([adjacency.degrees, np.zeros(len(new_keys), np.int64)])
    row_ends = _running_sum(degrees)[1:][owners[order]]

    def widened(old: NDArray, new: NDArray) -> NDArray:
        return np.insert(old, row_ends, new)

    return Adjacency(
        kinds=np.concatenate([adjacency.kinds, new_kinds]),
        keys=np.concatenate([adjacency.keys, new_keys]),
        offsets=_running_sum(degrees + np.bincount(owners, minlength=size)),
        targets=widened(adjacency.targets, owners[order ^ 1]),
        weights=widened(adjacency.weights, strengths[edge]),
        types=widened(adjacency.types, _directed(sorts[edge], order)),
        edges=widened(adjacency.edges, edges[edge] + np.int32(adjacency.given)),
        given=adjacency.given + np.size(sources),
    )


# ------------------------------------------------------------------------------------------------ what a walk gives


class Step(NamedTuple):
    """One node of a path, and the edge that led to it: its number and type, None for the seed that it starts from."""

    node: int
    edge: int | None = None
    type: int | None = None


@dataclass(frozen=True, eq=False)
class Walk:
    """The nodes that a walk reached (ascending), the score of each, and how many edges from a seed it was met."""

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
            good = scores >= np.partition(scores, -k)[-k]  # spares the sorting of what is not asked for
            nodes, scores = nodes[good], scores[good]
        best = np.argsort(-scores, kind="stable")[:k]
        return nodes[best], scores[best]

    def path(self, node: int) -> list[Step]:
        """The way from a seed to this node, both included: for `pagerank` the way by which most came at each step.

        ValueError if the walk did not reach the node.
        """
        place = int(np.searchsorted(self.nodes, node))
        if place == len(self.nodes) or self.nodes[place] != node:
            raise ValueError(f"node {node} was not reached by this walk")
        return self.trace(place)


# ---------------------------------------------------------------------------------------------------- the four walks


def breadth_first(
    adjacency: Adjacency,
    seeds: Seeds,
    depth: int = 2,
    decay: float = 0.7,
    *,
    type_weights: ArrayLike | None = None,
    allowed: ArrayLike | None = None,
) -> Walk:
    """Everything within `depth` edges of a seed, scored seed x decay**hops with the fewest hops (membox).

    Seeds are at hop 0. Of several seeds equally near, the one with the largest weight counts. Edge weights play no
    part, except that an edge of weight zero (by its type) is none.
    """
    _check("depth", depth, 0)
    _check("decay", decay, 0, 1)
    view = _View(adjacency, type_weights, allowed)
    return _expand(view, seeds, depth, lambda score, seed, weight, hop: score * decay)


def neighbours(
    adjacency: Adjacency,
    seeds: Seeds,
    depth: int = 2,
    fan_out: int = 10,
    *,
    min_weight: float = 0.0,
    type_weights: ArrayLike | None = None,
    allowed: ArrayLike | None = None,
    specificity: float = 0.0,
) -> Walk:
    """What is tied to the seeds most surely: the `fan_out` strongest edges of each node, to `depth` (Kira, Construct).

    The score is seed x min(weight, 1) / (1 + hops / 2), where the weight, a confidence, is that of the last edge; seeds
    keep their own. Edges must weigh more than `min_weight` (Kira: .3). Nodes are met at their least distance, and an
    edge back to where the walk came from counts towards the cap, as in a plain `order by confidence limit 10`.
    """
    _check("depth", depth, 0)
    _check("fan_out", fan_out, 1)
    view = _View(adjacency, type_weights, allowed, specificity, min_weight)
    return _expand(
        view,
        seeds,
        depth,
        lambda score, seed, weight, hop: seed * np.minimum(weight, 1) / (1 + hop / 2),
        fan_out=fan_out,
    )


def spreading_activation(
    adjacency: Adjacency,
    seeds: Seeds,
    decay: float = 0.5,
    depth: int = 2,
    min_activation: float = 0.01,
    *,
    type_weights: ArrayLike | None = None,
    allowed: ArrayLike | None = None,
    specificity: float = 0.0,
) -> Walk:
    """What the seeds wake through at most `depth` edges (Construct as it is today).

    An edge passes on decay + (1 - decay) x min(weight, 10) / 10 of what it gets, so that a tie seen ten times loses
    nothing. A node keeps the largest activation that reaches it, not the sum; below `min_activation` nothing spreads.
    """
    _check("depth", depth, 0)
    _check("decay", decay, 0, 1)
    view = _View(adjacency, type_weights, allowed, specificity)
    return _expand(
        view,
        seeds,
        depth,
        lambda score, seed, weight, hop: score * (decay + (1 - decay) * np.minimum(weight, 10) / 10),
        revisit=True,
        least=min_activation,
    )


def pagerank(
    adjacency: Adjacency,
    seeds: Seeds,
    damping: float = 0.5,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    *,
    type_weights: ArrayLike | None = None,
    allowed: ArrayLike | None = None,
    specificity: float = 0.0,
    least_strength: float = 0.0,
) -> Walk:
    """Personalised PageRank: how much of its time a walker spends at each node, who goes on with probability `damping`
    (to a neighbour, by weight) and else begins anew at a seed (by its weight). Scores sum to 1.

    Computed by local push (Andersen, Chung and Lang 2006): each node has a *residual*, walkers that have arrived and
    not yet moved on, and only those with more than `tolerance` per edge are moved, all at once, until there are none.
    So the cost follows from the tolerance, not from the size of the graph, and what is left out at a node is less than
    about `tolerance` per edge of it. A round that would touch much of the graph is a step of power iteration instead.
    `hops` is the round in which a node was met first. Walkers with nowhere to go begin anew.

    With `least_strength`, a node whose edges weigh less than that together passes on only their share of it, and the
    rest is lost: a faint tie, though it be the only one, is followed faintly. The scores then sum to less than 1.
    """
    _check("damping", damping, 0, 0.99)  # at 1 nobody ever begins anew
    _check("tolerance", tolerance, 0)
    _check("least_strength", least_strength, 0)
    view = _View(adjacency, type_weights, allowed, specificity)
    nodes, weights = _checked_seeds(view, seeds)
    flow = _Flow(view, damping, least_strength, tolerance, nodes, weights)
    frontier = flow.crowded(nodes)
    for hop in range(1, max_iterations + 1):
        if not len(frontier):
            break
        frontier = flow.move(frontier, hop)
    return flow.walk()


# ------------------------------------------------------------------------------------------------ the graph as seen


class _View:
    """The graph with its weights as one walk sees them; computed only for the rows that the walk comes by."""

    def __init__(
        self,
        adjacency: Adjacency,
        type_weights: ArrayLike | None = None,
        allowed: ArrayLike | None = None,
        specificity: float = 0.0,
        above: float = 0.0,
    ):
        _check("specificity", specificity, 0)
        self.adjacency, self.above = adjacency, above
        self.type_weights = None if type_weights is None else _checked_type_weights(adjacency, type_weights)
        self.allowed = None if allowed is None else _checked_mask(adjacency, allowed)
        self.gate = _gate(adjacency, self.allowed, specificity)
        self.whole = type_weights is None and allowed is None and not above  # no edge drops out

    def weigh(self, slots: Ints | slice) -> Floats:
        """The weights of edges at these places, towards their targets."""
        weights = self.outward(slots)
        return weights if self.gate is None else weights * self.gate[self.adjacency.targets[slots]]

    def outward(self, slots: Ints | slice) -> Floats:
        """The weights of edges out of their owners, without the targets' part."""
        weights = self.adjacency.weights[slots]
        return weights if self.type_weights is None else weights * self.type_weights[self.adjacency.types[slots]]

    def inward(self, slots: Ints | slice) -> Floats:
        """The weights of the same edges into their owners, without the owners' part."""
        weights = self.adjacency.weights[slots]
        if self.type_weights is None:
            return weights
        return weights * self.type_weights[self.adjacency.types[slots] ^ BACKWARD]

    def rows(self, nodes: Ints) -> tuple[Ints, Ints, Ints, Floats]:
        """All edges out of these nodes: position of their owner in `nodes`, place, target and weight of each."""
        starts = self.adjacency.offsets[nodes]
        counts = self.adjacency.offsets[nodes + 1] - starts
        owners = np.repeat(np.arange(len(nodes)), counts)
        slots = np.repeat(starts - np.cumsum(counts) + counts, counts)
        slots += np.arange(len(slots))
        targets, weights = self.adjacency.targets[slots], self.weigh(slots)
        if self.whole:
            return owners, slots, targets, weights
        kept = np.flatnonzero(weights > self.above)
        return owners[kept], slots[kept], targets[kept], weights[kept]

    def step(self, slot: int, node: int) -> Step:
        return Step(int(node), int(self.adjacency.edges[slot]), int(self.adjacency.types[slot]) & TYPE)


def _gate(adjacency: Adjacency, allowed: NDArray[np.bool_] | None, specificity: float) -> Floats | None:
    """What each node lets in: nothing if not allowed, an entity degree**-specificity; None if that is 1 for all."""
    if allowed is None and not specificity:
        return None
    gate = np.ones(len(adjacency), np.float32)
    if specificity:
        entities = np.flatnonzero(adjacency.kinds == ENTITY)
        gate[entities] = np.maximum(adjacency.degrees[entities], 1).astype(np.float32) ** np.float32(-specificity)
    return gate if allowed is None else gate * allowed


# ------------------------------------------------------------------------------------------------ walks by steps


def _expand(
    view: _View,
    seeds: Seeds,
    depth: int,
    worth: Callable[[Floats, Floats, Floats, int], Floats],
    *,
    fan_out: int | None = None,
    revisit: bool = False,
    least: float = 0.0,
) -> Walk:
    """Go from the seeds level by level; `worth(score, seed, weight, hop)` is what arrives over an edge.

    Every arrival is a record that points to the one it came from, so a path always has the scores it was made of, even
    where a better way to its middle was found later (`revisit`).
    """
    nodes, scores = _checked_seeds(view, seeds)
    best = np.zeros(len(view.adjacency))
    best[nodes] = scores
    origin = scores
    levels = [(nodes, scores, np.full(len(nodes), -1), np.full(len(nodes), -1))]
    first = 0
    for hop in range(1, depth + 1):
        owners, slots, targets, weights = view.rows(nodes)
        if fan_out is not None:
            kept = _strongest(owners, targets, weights, fan_out)
            owners, slots, targets, weights = owners[kept], slots[kept], targets[kept], weights[kept]
        values = worth(scores[owners], origin[owners], weights, hop)
        news = np.flatnonzero((values > best[targets] if revisit else best[targets] == 0) & (values > 0))
        news = news[values[news] >= least]
        news = news[_best_of_each(best, targets[news], values[news])]
        parents = first + owners[news]
        first += len(nodes)
        nodes, scores, origin = targets[news].astype(np.int64), values[news], origin[owners[news]]
        levels.append((nodes, scores, parents, slots[news]))
        if not len(nodes):
            break
    return _walk_of(view, levels)


def _best_of_each(best: Floats, targets: Ints, values: Floats) -> Ints:
    """The position of the largest value of each target, the first among equals; by target. Raises `best` to it."""
    np.maximum.at(best, targets, values)
    winners = np.flatnonzero(values == best[targets])
    at = np.full(len(best), -1)
    at[targets[winners[::-1]]] = winners[::-1]  # the last one written stays
    return at[at >= 0]


def _strongest(owners: Ints, targets: Ints, weights: Floats, fan_out: int) -> NDArray[np.bool_]:
    """A mask of the `fan_out` heaviest edges of each owner."""
    kept = np.ones(len(owners), bool)
    ends = _running_sum(np.bincount(owners))
    for row in np.flatnonzero(np.diff(ends) > fan_out):
        here = slice(ends[row], ends[row + 1])
        bar = np.partition(weights[here], -fan_out)[-fan_out]
        kept[here] = weights[here] > bar
        equals = ends[row] + np.flatnonzero(weights[here] == bar)
        places = targets[equals].astype(np.int64) << 32 | np.arange(len(equals))
        free = fan_out - np.count_nonzero(kept[here])
        kept[equals[np.partition(places, free - 1)[:free] & 0xFFFFFFFF]] = True
    return kept


def _walk_of(view: _View, levels: list[tuple[Ints, Floats, Ints, Ints]]) -> Walk:
    nodes, scores, parents, slots = (np.concatenate(column) for column in zip(*levels, strict=True))
    hops = np.repeat(np.arange(len(levels), dtype=np.int16), [len(level[0]) for level in levels])
    latest = np.full(len(view.adjacency), -1)
    latest[nodes] = np.arange(len(nodes))  # a later record of a node is a better one
    reached = np.flatnonzero(latest >= 0)
    records = latest[reached]

    def trace(place: int) -> list[Step]:
        record, path = int(records[place]), []
        while parents[record] >= 0:
            path.append(view.step(slots[record], nodes[record]))
            record = int(parents[record])
        return [Step(int(nodes[record])), *reversed(path)]

    return Walk(view.adjacency, reached, scores[records], hops[records], trace)


# ------------------------------------------------------------------------------------------------ walks by flow

_SWEEP = 0.25  # a frontier with this share of all edges is cheaper done as the whole graph


class _Flow:
    """The state of a PageRank: what has settled at each node, and what is still to move on."""

    def __init__(self, view: _View, damping: float, least: float, tolerance: float, nodes: Ints, weights: Floats):
        size = len(view.adjacency)
        self.view, self.damping, self.least, self.tolerance = view, damping, least, tolerance
        self.settled, self.residual = np.zeros(size), np.zeros(size)
        self.residual[nodes] = weights / (weights.sum() or 1)
        self.strength = np.zeros(size)  # sum of weights out of a node, known once it has moved
        self.met = np.full(size, -1, np.int16)
        self.met[nodes] = 0
        self.scratch = np.empty(size, np.int32)

    def crowded(self, nodes: Ints) -> Ints:
        """Those of the nodes whose residual is worth moving, each once."""
        nodes = nodes[self.residual[nodes] > self.tolerance]  # most end here, and cost no second look-up
        nodes = nodes[self.residual[nodes] > self.tolerance * self.view.adjacency.degrees[nodes]]
        positions = np.arange(len(nodes), dtype=np.int32)
        self.scratch[nodes] = positions  # of a node that occurs twice, the last one stays
        return np.sort(nodes[self.scratch[nodes] == positions])

    def move(self, frontier: Ints, hop: int) -> Ints:
        """Settle 1 - damping of the frontier's residual, pass the rest on to its neighbours; the next frontier."""
        adjacency = self.view.adjacency
        if adjacency.degrees[frontier].sum() > _SWEEP * len(adjacency.targets):
            return self._sweep(hop)
        return self._push(frontier, hop)

    def _push(self, frontier: Ints, hop: int) -> Ints:
        moving = self.residual[frontier]
        self.settled[frontier] += (1 - self.damping) * moving
        self.residual[frontier] = 0
        owners, _, targets, weights = self.view.rows(frontier)
        strength = self._at_least(np.bincount(owners, weights, len(frontier)))
        self.strength[frontier] = strength
        share = np.divide(self.damping * moving, strength, out=np.zeros(len(frontier)), where=strength > 0)
        np.add.at(self.residual, targets, share[owners] * weights)
        self.met[targets[self.met[targets] < 0]] = hop
        return self.crowded(targets)  # the others were not crowded before, and got nothing

    def _sweep(self, hop: int) -> Ints:
        strength, weights, gate = self._all
        self.strength = strength
        self.settled += (1 - self.damping) * self.residual
        share = np.divide(self.damping * self.residual, strength, out=np.zeros(len(strength)), where=strength > 0)
        # Every edge stands with both its ends, so the sum over those who give to a node is a sum over its own row.
        self.residual = _row_sums(self.view.adjacency, weights * share[self.view.adjacency.targets])
        if gate is not None:
            self.residual *= gate
        self.met[(self.met < 0) & (self.residual > 0)] = hop
        return self.crowded(np.flatnonzero(self.residual))

    @cached_property
    def _all(self) -> tuple[Floats, Floats, Floats | None]:
        everything = slice(None)
        strength = self._at_least(_row_sums(self.view.adjacency, self.view.weigh(everything).astype(np.float64)))
        return strength, self.view.inward(everything), self.view.gate

    def _at_least(self, strength: Floats) -> Floats:
        return np.where(strength > 0, np.maximum(strength, self.least), 0)

    def walk(self) -> Walk:
        """The nodes met so far. What has not moved on counts where it is: it would settle 1 - damping there."""
        nodes = np.flatnonzero(self.met >= 0)
        scores = self.settled[nodes] + (1 - self.damping) * self.residual[nodes]
        if not self.least:
            scores /= scores.sum() or 1  # walkers lost at dead ends begin anew: the same shares, scaled
        hops = self.met[nodes]
        rates = np.divide(scores, self.strength[nodes], out=np.zeros(len(nodes)), where=self.strength[nodes] > 0)
        return Walk(self.view.adjacency, nodes, scores, hops, partial(_main_stream, self.view, nodes, rates, hops))


def _main_stream(view: _View, nodes: Ints, rates: Floats, hops: Ints, place: int) -> list[Step]:
    """The path that, backwards from a node, goes each time to the one met earlier from which most came.

    `rates` is what each node gives per unit of edge weight. Only the rows on the path are looked at.
    """
    path: list[Step] = []
    while hops[place] > 0:
        row = slice(*view.adjacency.offsets[nodes[place] : nodes[place] + 2])
        targets = view.adjacency.targets[row]
        giver = np.minimum(np.searchsorted(nodes, targets), len(nodes) - 1)
        earlier = (nodes[giver] == targets) & (hops[giver] < hops[place])
        came = np.where(earlier, rates[giver] * view.inward(row), -1)
        best = np.flatnonzero(came == came.max())
        chosen = int(best[np.argmin(targets[best])])
        path.append(view.step(row.start + chosen, nodes[place]))
        place = int(giver[chosen])
    return [Step(int(nodes[place])), *reversed(path)]


def _row_sums(adjacency: Adjacency, values: Floats) -> Floats:
    """The sum of the values of each node's row."""
    sums = np.zeros(len(adjacency))
    rows = np.flatnonzero(adjacency.degrees)
    if len(rows):
        sums[rows] = np.add.reduceat(values, adjacency.offsets[rows])
    return sums


# ------------------------------------------------------------------------------------------------ small things


def _codes(kinds: NDArray[np.uint8] | np.uint8, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.left_shift(np.int64(1) * kinds, 56) + keys


def _running_sum(counts: Ints) -> NDArray[np.int64]:
    """0, then the sum up to and including each."""
    sums = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=sums[1:])
    return sums


def _checked_nodes(kinds: ArrayLike, keys: ArrayLike) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    nodes = np.array(kinds, np.uint8), np.array(keys, np.int64)
    if nodes[0].shape != nodes[1].shape or nodes[0].ndim != 1:
        raise ValueError(f"kinds and keys must be lists of one length, not {nodes[0].shape} and {nodes[1].shape}")
    return nodes


def _checked_edges(
    size: int, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike, types: ArrayLike
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.uint8]]:
    """The edges worth keeping: their two ends (m x 2), number, weight and type."""
    ends = (
        np.stack([_integers(sources), _integers(targets)], axis=1) if np.shape(sources) == np.shape(targets) else None
    )
    strengths, sorts = np.asarray(weights, np.float32), np.asarray(types, np.uint8)
    if np.any(sorts & BACKWARD):
        raise ValueError("edge types are numbers from 0 to 127")
    if ends is None or not len(ends) == len(strengths) == len(sorts):
        lengths = [np.size(column) for column in (sources, targets, weights, types)]
        raise ValueError(f"sources, targets, weights and types must be of one length, not {lengths}")
    if ends.size and (ends.min() < 0 or ends.max() >= size):
        raise ValueError(f"edges lead to nodes {ends.min()} to {ends.max()}, but there are {size} nodes")
    if not np.all(np.isfinite(strengths) & (strengths >= 0)):
        raise ValueError("edge weights must be finite and not negative")
    kept = np.flatnonzero((strengths > 0) & (ends[:, 0] != ends[:, 1]))
    return ends[kept].astype(np.int32), kept.astype(np.int32), strengths[kept], sorts[kept]


def _checked_seeds(view: _View, seeds: Seeds) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Seeds that may be entered and weigh more than nothing, ascending; of one given twice the larger weight."""
    given = (list(seeds), list(seeds.values())) if isinstance(seeds, Mapping) else seeds
    nodes, weights = _integers(given[0]), np.asarray(given[1], np.float64)
    if len(nodes) != len(weights):
        raise ValueError(f"{len(nodes)} seeds, but {len(weights)} weights for them")
    size = len(view.adjacency)
    if len(nodes) and (nodes.min() < 0 or nodes.max() >= size):
        raise ValueError(f"seeds {nodes.min()} to {nodes.max()}, but there are {size} nodes")
    if not np.isfinite(weights).all():
        raise ValueError("seed weights must be finite")
    kept = weights > 0 if view.allowed is None else (weights > 0) & view.allowed[nodes]
    order = np.lexsort((-weights[kept], nodes[kept]))
    unique, first = np.unique(nodes[kept][order], return_index=True)
    return unique, weights[kept][order][first]


def _checked_type_weights(adjacency: Adjacency, type_weights: ArrayLike) -> NDArray[np.float32]:
    """A factor for each of the 256 values that a place's type and direction can have."""
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


def _directed(types: NDArray[np.uint8], places: Ints) -> NDArray[np.uint8]:
    """The types with the mark of direction: at odd places the edge is seen from its target."""
    return types | ((places & 1) << 7).astype(np.uint8)


def _checked_mask(adjacency: Adjacency, allowed: ArrayLike) -> NDArray[np.bool_]:
    mask = np.asarray(allowed)
    if mask.dtype != bool or mask.shape != (len(adjacency),):
        raise ValueError(f"allowed must be {len(adjacency)} booleans, not {mask.shape} of {mask.dtype}")
    return mask


def _integers(values: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"nodes are whole numbers, not {array.dtype}")
    return array.astype(np.int64, copy=False)


def _check(name: str, value: float, least: float, most: float = float("inf")) -> None:
    if not least <= value <= most:
        raise ValueError(
            f"{name} must be {f'at least {least}' if most == float('inf') else f'{least} to {most}'}: {value!r}"
        )
