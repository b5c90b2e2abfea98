"""Connection: from what the question named and what other channels found, along the graph's edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from memkit import walks
from memkit.graph.adjacency import TYPE_NAMES, Graph, graph
from memkit.results import Step

SELECT_NODE_NAMES = """
select 0 as kind, m.key, coalesce(m.title, substr(m.text, 1, 60)) as name
from memories as m where m.key in (select value from json_each(:memories))
union all
select 1, e.key, e.name from entities as e where e.key in (select value from json_each(:entities))
"""


@dataclass(frozen=True)
class Found:
    """What a walk found: a ranking of memories, and for each of them how it was reached."""

    ranking: dict[int, float]
    path: Callable[[int], tuple[Step, ...]]


WALKS = {
    "pagerank": walks.pagerank,
    "breadth_first": walks.breadth_first,
    "neighbours": walks.neighbours,
    "spreading_activation": walks.spreading_activation,
}


def search(
    conn: Any,
    memories: Mapping[int, float],
    entities: Mapping[int, float],
    *,
    walk: str,
    settings: Mapping[str, Any],
    edges: Mapping[str, float],
    limit: int,
) -> Found:
    """The memories that a walk from these memories and entities (key to weight) reaches, best first.

    `edges` gives the weight of each edge type by name (`adjacency.TYPE_NAMES`); 0 switches one off.
    """
    whole = graph(conn)
    seeds = _seeds(whole, memories, entities)
    if not seeds:
        return Found({}, lambda _: ())
    weights = np.array([edges.get(name, 0.0) for name in TYPE_NAMES], np.float32)
    reached = WALKS[walk](whole.adjacency, seeds, type_weights=weights, **settings)
    nodes, scores = reached.top(limit, walks.MEMORY)
    ranking = dict(zip(whole.adjacency.keys[nodes].tolist(), scores.tolist(), strict=True))

    def path(memory_key: int) -> tuple[Step, ...]:
        node = int(whole.memory_nodes([memory_key])[0])
        return _steps(conn, whole, reached.path(node)) if node in reached.nodes else ()

    return Found(ranking, path)


def _seeds(whole: Graph, memories: Mapping[int, float], entities: Mapping[int, float]) -> dict[int, float]:
    seeds: dict[int, float] = {}
    for nodes, weights in (
        (whole.memory_nodes(list(memories)), memories.values()),
        (whole.entity_nodes(list(entities)), entities.values()),
    ):
        seeds |= {int(node): weight for node, weight in zip(nodes, weights, strict=True) if node >= 0 and weight > 0}
    return seeds


def _steps(conn: Any, whole: Graph, path: list[walks.Step]) -> tuple[Step, ...]:
    """A path of nodes as steps between names."""
    from memkit.store import keys_json

    kinds, keys = whole.adjacency.kinds, whole.adjacency.keys
    places = [(int(kinds[step.node]), int(keys[step.node])) for step in path]
    parameters = {
        "memories": keys_json(key for kind, key in places if kind == walks.MEMORY),
        "entities": keys_json(key for kind, key in places if kind == walks.ENTITY),
    }
    names = {(row["kind"], row["key"]): row["name"] for row in conn.execute(SELECT_NODE_NAMES, parameters)}
    return tuple(
        Step(names.get(before, ""), TYPE_NAMES[step.type or 0], names.get(after, ""))
        for before, after, step in zip(places, places[1:], path[1:], strict=False)
    )
