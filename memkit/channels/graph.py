"""Connection: from what the question named and what other channels found, along the graph's edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memkit import walks
from memkit.graph.adjacency import BACKWARD_NAMES, TYPE_NAMES, Graph, graph
from memkit.render import short
from memkit.results import Step

SELECT_NODE_NAMES = """
select 0 as kind, m.key, coalesce(m.title, substr(m.text, 1, 200)) as name
from memories as m where m.key in (select value from json_each(:memories))
union all
select 1, e.key, e.name from entities as e where e.key in (select value from json_each(:entities))
"""


LONGEST_NAME = 60  # characters of a name in a path
LEAST = 1e-5  # of a PageRank: less is rounding


@dataclass(frozen=True)
class Found:
    """What a walk found: a ranking of memories, and for each of them how it was reached."""

    ranking: dict[int, float]
    path: Callable[[int], tuple[Step, ...]]


WALKS: dict[str, Callable[..., walks.Walk]] = {
    "pagerank": walks.pagerank,
    "breadth_first": walks.breadth_first,
    "neighbours": walks.neighbours,
    "spreading_activation": walks.spreading_activation,
}


def search(
    conn: Any,
    found: Mapping[int, float],
    named: Mapping[int, float],
    entities: Mapping[int, float],
    *,
    walk: str,
    settings: Mapping[str, Any],
    edges: Mapping[str, float],
    limit: int,
) -> Found:
    """The memories that a walk reaches from memories that were found, from those whose title is named in the question,
    and from entities (each key to weight), best first.

    `edges` gives the weight of each edge type by name (`adjacency.TYPE_NAMES`); 0 switches one off. The score of a
    PageRank is what the edges brought: what a found memory began with is no news and left out.
    """
    whole = graph(conn)
    seeds = _seeds(whole, found, named, entities)
    if not seeds:
        return Found({}, lambda _: ())
    weights = [[edges.get(name, 0.0) for name in names] for names in (TYPE_NAMES, BACKWARD_NAMES)]
    reached = WALKS[walk](whole.adjacency, seeds, type_weights=weights, **settings)
    nodes, scores = reached.top(limit + len(found), walks.MEMORY)
    ranking = dict(zip(whole.adjacency.keys[nodes].tolist(), scores.tolist(), strict=True))
    if walk == "pagerank":
        own = 1 - settings["damping"]
        whole_weight = sum(seeds.values())
        ranking = {key: score * whole_weight - own * found.get(key, 0.0) for key, score in ranking.items()}
        ranking = {key: score for key, score in ranking.items() if score > LEAST}
    ranking = dict(sorted(ranking.items(), key=lambda item: (-item[1], item[0]))[:limit])

    def path(memory_key: int) -> tuple[Step, ...]:
        node = int(whole.memory_nodes([memory_key])[0])
        return _steps(conn, whole, reached.path(node)) if node in reached.nodes else ()

    return Found(ranking, path)


def _seeds(
    whole: Graph, found: Mapping[int, float], named: Mapping[int, float], entities: Mapping[int, float]
) -> dict[int, float]:
    """The nodes that a walk begins at, with their weight."""
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


def _steps(conn: Any, whole: Graph, path: list[walks.Step]) -> tuple[Step, ...]:
    """A path of nodes as steps between names; a memory without a title is called by how it begins."""
    from memkit.store import keys_json

    kinds, keys = whole.adjacency.kinds, whole.adjacency.keys
    places = [(int(kinds[step.node]), int(keys[step.node])) for step in path]
    parameters = {
        "memories": keys_json(key for kind, key in places if kind == walks.MEMORY),
        "entities": keys_json(key for kind, key in places if kind == walks.ENTITY),
    }
    names = {
        (row["kind"], row["key"]): short(row["name"], LONGEST_NAME)
        for row in conn.execute(SELECT_NODE_NAMES, parameters)
    }
    return tuple(
        Step(names.get(before, ""), TYPE_NAMES[step.type or 0] or "mention", names.get(after, ""))
        for before, after, step in zip(places, places[1:], path[1:], strict=False)
    )
