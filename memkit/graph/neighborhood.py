"""What lies around an entity, and the graph of all of them: nodes and edges, few enough to be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memkit.graph.entities import Entity, by_keys
from memkit.store import keys_json

MOST = 150  # nodes of a drawing
MOST_TOGETHER = 40  # memories that name more entities than this are lists, and connect nothing

# Two entities are tied by the relations between them that hold, or by the memories that name both.
SELECT_RELATED = """
select r.subject_key as a, r.object_key as b, r.predicate as label, r.confidence as weight, 1 as relation
from relations as r
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where r.expired_at is null and (r.valid_until is null or r.valid_until > :now)
    and (r.valid_from is null or r.valid_from <= :now)
    and s.merged_into is null and o.merged_into is null and r.subject_key <> r.object_key
    and (r.subject_key in (select value from json_each(:keys)) or r.object_key in (select value from json_each(:keys)))
order by r.confidence desc, r.key
limit :limit
"""
SELECT_TOGETHER = """
select near.entity_key as a, far.entity_key as b, '' as label, count(distinct near.memory_key) as weight, 0 as relation
from mentions as near
    join mentions as far on far.memory_key = near.memory_key and far.entity_key <> near.entity_key
    join memories as m on m.key = near.memory_key
    join entities as e on e.key = far.entity_key
where near.entity_key in (select value from json_each(:keys))
    and m.archived_at is null and (m.valid_until is null or m.valid_until > :now) and e.merged_into is null
    and (select count(*) from mentions as x where x.memory_key = near.memory_key) <= :most_together
group by near.entity_key, far.entity_key
order by weight desc, near.entity_key, far.entity_key
limit :limit
"""
SELECT_BUSIEST = """
select x.entity_key, count(distinct x.memory_key) as memories
from mentions as x
    join entities as e on e.key = x.entity_key
    join memories as m on m.key = x.memory_key
where e.merged_into is null and m.archived_at is null
group by x.entity_key
order by memories desc, x.entity_key
limit :limit
"""
COUNT_ENTITIES = "select count(*) from entities where merged_into is null"
COUNT_MEMORIES_OF = """
select x.entity_key, count(distinct x.memory_key)
from mentions as x join memories as m on m.key = x.memory_key
where x.entity_key in (select value from json_each(:keys)) and m.archived_at is null
group by x.entity_key
"""


@dataclass(frozen=True, slots=True)
class Node:
    """An entity in a drawing: `depth` steps from the middle, named by so many memories."""

    entity: Entity
    depth: int = 0
    memories: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A tie of two nodes, by their places: relations have labels, and `together` counts the memories that name both."""

    source: int
    target: int
    labels: tuple[str, ...] = ()
    together: int = 0
    weight: float = 1.0


@dataclass(frozen=True)
class Neighborhood:
    """Nodes, nearest first, and the edges among them; `more` counts the nodes that were left out."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    more: int = 0


def neighborhood(conn: Any, entity_key: int, now: str, *, depth: int = 1, limit: int = MOST) -> Neighborhood:
    """An entity and what it is tied to within `depth` steps, by relations first and then by being named together."""
    depths = {entity_key: 0}
    left_out: set[int] = set()
    for level in range(1, depth + 1):
        frontier = [key for key, at in depths.items() if at == level - 1]
        for row in _ties(conn, frontier, now, 10 * limit):
            for near, far in ((row["a"], row["b"]), (row["b"], row["a"])):
                if depths.get(near) == level - 1 and far not in depths:
                    if len(depths) < limit:
                        depths[far] = level
                    else:
                        left_out.add(far)
    return _among(conn, depths, now, len(left_out))


def busiest(conn: Any, now: str, *, limit: int = MOST) -> Neighborhood:
    """The entities that most memories name, and the ties among them."""
    keys = [row["entity_key"] for row in conn.execute(SELECT_BUSIEST, {"limit": limit})]
    known = conn.execute(COUNT_ENTITIES).fetchone()[0]
    return _among(conn, dict.fromkeys(keys, 0), now, max(known - len(keys), 0))


def _ties(conn: Any, keys: Sequence[int], now: str, limit: int) -> list[Any]:
    """The relations of these entities, and then whom they are named together with."""
    parameters = {"keys": keys_json(keys), "now": now, "limit": limit, "most_together": MOST_TOGETHER}
    related = conn.execute(SELECT_RELATED, parameters).fetchall()
    return related + conn.execute(SELECT_TOGETHER, parameters).fetchall()


def _among(conn: Any, depths: dict[int, int], now: str, more: int) -> Neighborhood:
    entities = by_keys(conn, depths)
    keys = [key for key in depths if key in entities]
    counts = dict(tuple(row) for row in conn.execute(COUNT_MEMORIES_OF, {"keys": keys_json(keys)}))
    nodes = tuple(Node(entities[key], depths[key], counts.get(key, 0)) for key in keys)
    place = {key: n for n, key in enumerate(keys)}
    return Neighborhood(nodes, tuple(_edges(_ties(conn, keys, now, 40 * MOST), place)), more)


def _edges(ties: Iterable[Any], place: dict[int, int]) -> Iterable[Edge]:
    """One edge for every two nodes that are tied, whatever ties them."""
    labels: dict[tuple[int, int], list[str]] = {}
    together: dict[tuple[int, int], int] = {}
    weights: dict[tuple[int, int], float] = {}
    for row in ties:
        if row["a"] not in place or row["b"] not in place:
            continue
        pair = (min(place[row["a"]], place[row["b"]]), max(place[row["a"]], place[row["b"]]))
        said = labels.setdefault(pair, [])
        if row["relation"]:
            weights[pair] = weights.get(pair, 0) + 3 * row["weight"]
            if (label := row["label"].replace("_", " ")) not in said:
                said.append(label)
        elif pair not in together:  # the same pair comes from both of its ends
            together[pair] = row["weight"]
            weights[pair] = weights.get(pair, 0) + row["weight"]
    return (
        Edge(*pair, labels=tuple(said), together=together.get(pair, 0), weight=weights[pair])
        for pair, said in labels.items()
    )


def near_names(conn: Any, entity: Entity, now: str, depth: int) -> list[dict[str, Any]]:
    """What an entity is tied to, as JSON-able values, nearest first: `{id, name, kind, depth, labels, together}`."""
    found = neighborhood(conn, entity.key, now, depth=depth)
    ties = {max(edge.source, edge.target): edge for edge in found.edges if 0 in (edge.source, edge.target)}
    return [
        {
            "id": node.entity.id,
            "name": node.entity.name,
            "kind": node.entity.kind,
            "depth": node.depth,
            "labels": list(ties[n].labels) if n in ties else [],
            "together": ties[n].together if n in ties else 0,
        }
        for n, node in enumerate(found.nodes)
        if n
    ]
