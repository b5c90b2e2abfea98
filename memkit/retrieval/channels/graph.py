"""Graph search: a PageRank walk from what the question names and other channels found, along the graph's edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from memkit.core.formatting import short
from memkit.graph import random_walk
from memkit.graph.adjacency import BACKWARD_NAMES, TYPE_NAMES, MemoryGraph, graph
from memkit.graph.walk_results import WalkStep
from memkit.retrieval.fusion import best_first
from memkit.storage.connection import Connection

SELECT_NODE_NAMES = """
select 0 as kind, m.key, coalesce(m.title, substr(m.text, 1, 200)) as name
from memories as m where m.key in (select value from json_each(:memories))
union all
select 1, e.key, e.name from entities as e where e.key in (select value from json_each(:entities))
"""


LONGEST_NAME = 60  # characters of a name in a path
LEAST = 1e-5  # lower PageRank scores are rounding errors


@dataclass(frozen=True)
class Found:
    """What a walk found: a ranking of memories, and a function that gives the path to each of them."""

    ranking: dict[int, float]
    path: Callable[[int], tuple[WalkStep, ...]]


def search(
    conn: Connection,
    found: Mapping[int, float],
    named: Mapping[int, float],
    entities: Mapping[int, float],
    *,
    seen: Connection,
    damping: float,
    specificity: float,
    least_strength: float,
    edges: Mapping[str, float],
    limit: int,
) -> Found:
    """The memories that a walk reaches, best first, with the path to each.

    It begins at the memories that were `found`, at those whose title is `named` in the question, and at `entities`
    (each key to weight). `edges` maps an edge type (`adjacency.TYPE_NAMES`) to its weight; 0 switches it off. A score
    is what the edges brought to a memory, without the weight that a found memory began with. A path over something that
    the connection `seen` does not see is not told.
    """
    whole = graph(conn)
    seeds = _seeds(whole, found, named, entities)
    if not seeds:
        return Found({}, lambda _: ())
    weights = [[edges.get(name, 0.0) for name in names] for names in (TYPE_NAMES, BACKWARD_NAMES)]
    reached = random_walk.pagerank(
        whole.adjacency,
        seeds,
        damping,
        type_weights=weights,
        specificity=specificity,
        least_strength=least_strength,
    )
    nodes, scores = reached.top(limit + len(found), random_walk.MEMORY)
    whole_weight = sum(seeds.values())
    ranking = {
        key: score * whole_weight - (1 - damping) * found.get(key, 0.0)
        for key, score in zip(whole.adjacency.keys[nodes].tolist(), scores.tolist(), strict=True)
    }
    ranking = {key: score for key, score in ranking.items() if score > LEAST}
    ranking = dict(islice(best_first(ranking.items()).items(), limit))

    def path(memory_key: int) -> tuple[WalkStep, ...]:
        node = int(whole.memory_nodes([memory_key])[0])
        return _steps(seen, whole, reached.path(node)) if node in reached.nodes else ()

    return Found(ranking, path)


def _seeds(
    whole: MemoryGraph, found: Mapping[int, float], named: Mapping[int, float], entities: Mapping[int, float]
) -> dict[int, float]:
    """The nodes that a walk begins at, with their weights."""
    seeds: dict[int, float] = {}
    for nodes, weights in (
        (whole.memory_nodes(list(found)), found.values()),
        (whole.memory_nodes(list(named)), named.values()),
        (whole.entity_nodes(list(entities)), entities.values()),
    ):
        for node, weight in zip(nodes.tolist(), weights, strict=True):
            if node >= 0 and weight > 0:
                seeds[node] = seeds.get(node, 0.0) + weight
    return seeds


def _steps(conn: Connection, whole: MemoryGraph, path: list[random_walk.Step]) -> tuple[WalkStep, ...]:
    """A path of nodes as steps between names; a memory without a title is named by the start of its text.

    It is empty if the connection does not see all of them.
    """
    from memkit.storage.store import keys_json

    kinds, keys = whole.adjacency.kinds, whole.adjacency.keys
    places = [(int(kinds[step.node]), int(keys[step.node])) for step in path]
    parameters = {
        "memories": keys_json(key for kind, key in places if kind == random_walk.MEMORY),
        "entities": keys_json(key for kind, key in places if kind == random_walk.ENTITY),
    }
    names = {
        (row["kind"], row["key"]): short(row["name"], LONGEST_NAME)
        for row in conn.execute(SELECT_NODE_NAMES, parameters)
    }
    if any(place not in names for place in places):
        return ()
    return tuple(
        WalkStep(names[before], TYPE_NAMES[step.type or 0] or "mention", names[after])
        for before, after, step in zip(places, places[1:], path[1:], strict=False)
    )
