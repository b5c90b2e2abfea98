"""Graph search: a PageRank walk from what the question names and other channels found, along the graph's edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from memkit.core.formatting import short
from memkit.graph import random_walk
from memkit.graph.adjacency import BACKWARD_NAMES, TYPE_NAMES, MemoryGraph, graph
from memkit.graph.walk_results import WalkStep
from memkit.retrieval.entry_nodes import EntryNodes
from memkit.retrieval.fusion import best_first
from memkit.retrieval.strategies import Graph as Settings
from memkit.storage.connection import Connection

SELECT_NODE_NAMES = """
select 0 as kind, m.key, coalesce(m.title, substr(m.text, 1, 200)) as name
from memories as m where m.key in (select value from json_each(:memories))
union all
select 1, e.key, e.name from entities as e where e.key in (select value from json_each(:entities))
"""


LONGEST_NAME = 60  # characters of a name in a path
LEAST = 1e-5  # lower PageRank scores are rounding errors


class Found(NamedTuple):
    """What a walk found: a ranking of memories, and a function that gives the paths to some of them, by key."""

    ranking: dict[int, float]
    paths: Callable[[Sequence[int]], dict[int, tuple[WalkStep, ...]]]

    def path(self, key: int) -> tuple[WalkStep, ...]:
        """The path to one of them; empty if there is none."""
        return self.paths([key]).get(key, ())


def search(conn: Connection, entries: EntryNodes, settings: Settings, *, seen: Connection, limit: int) -> Found:
    """The memories that a walk reaches, best first, with the path to each.

    A score is what the edges brought to a memory, without the weight that a found memory began with. A path over
    something that the connection `seen` does not see is not told.
    """
    whole, edges = graph(conn), vars(settings.edges)
    seeds = _seeds(whole, entries)
    if not seeds:
        return Found({}, lambda _: {})
    weights = [[edges.get(name, 0.0) for name in names] for names in (TYPE_NAMES, BACKWARD_NAMES)]
    reached = random_walk.pagerank(
        whole.adjacency,
        seeds,
        settings.damping,
        type_weights=weights,
        specificity=settings.specificity,
        least_strength=settings.least_strength,
    )
    nodes, scores = reached.top(limit + len(entries.found), random_walk.MEMORY)
    whole_weight = sum(seeds.values())
    ranking = {
        key: score * whole_weight - (1 - settings.damping) * entries.found.get(key, 0.0)
        for key, score in zip(whole.adjacency.keys[nodes].tolist(), scores.tolist(), strict=True)
    }
    ranking = {key: score for key, score in ranking.items() if score > LEAST}
    ranking = dict(islice(best_first(ranking.items()).items(), limit))

    def paths(keys: Sequence[int]) -> dict[int, tuple[WalkStep, ...]]:
        ends = zip(keys, whole.memory_nodes(keys).tolist(), strict=True)
        return _steps(seen, whole, {key: reached.path(node) for key, node in ends if reached.has(node)})

    return Found(ranking, paths)


def _seeds(whole: MemoryGraph, entries: EntryNodes) -> dict[int, float]:
    """The nodes that a walk begins at, with their weights."""
    seeds: dict[int, float] = {}
    for nodes, weights in (
        (whole.memory_nodes(list(entries.found)), entries.found.values()),
        (whole.memory_nodes(list(entries.titled)), entries.titled.values()),
        (whole.entity_nodes(list(entries.entities)), entries.entities.values()),
    ):
        for node, weight in zip(nodes.tolist(), weights, strict=True):
            if node >= 0 and weight > 0:
                seeds[node] = seeds.get(node, 0.0) + weight
    return seeds


def _steps(
    conn: Connection, whole: MemoryGraph, paths: Mapping[int, list[random_walk.Step]]
) -> dict[int, tuple[WalkStep, ...]]:
    """Paths of nodes as steps between names; a memory without a title is named by the start of its text.

    A path is left out if the connection does not see all of its nodes.
    """
    from memkit.storage.store import keys_json

    kinds, keys = whole.adjacency.kinds, whole.adjacency.keys
    places = {step.node: (int(kinds[step.node]), int(keys[step.node])) for path in paths.values() for step in path}
    parameters = {
        "memories": keys_json(key for kind, key in places.values() if kind == random_walk.MEMORY),
        "entities": keys_json(key for kind, key in places.values() if kind == random_walk.ENTITY),
    }
    names = {
        (row["kind"], row["key"]): short(row["name"], LONGEST_NAME)
        for row in conn.execute(SELECT_NODE_NAMES, parameters)
    }

    def told(path: list[random_walk.Step]) -> Iterator[WalkStep]:
        for before, step in pairwise(path):
            ends = names[places[before.node]], names[places[step.node]]
            yield WalkStep(ends[0], TYPE_NAMES[step.type or 0] or "mention", ends[1])

    return {key: tuple(told(path)) for key, path in paths.items() if all(places[step.node] in names for step in path)}
