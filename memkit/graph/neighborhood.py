"""Neighbourhood of an entity, or the most mentioned entities: nodes and edges, few enough to be drawn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memkit.graph.entities import Entity, by_keys
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

MOST = 150  # nodes of a drawing
MOST_TOGETHER = 40  # a memory that names more entities is a list, and connects nothing

# An edge between two entities is a relation that is true, or the memories that name both.
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
    and (:since is null or m.happened_at >= :since) and (:until is null or m.happened_at < :until)
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
    and (:kinds is null or e.kind in (select value from json_each(:kinds)))
    and (:dates or not (e.name glob '[12][0-9][0-9][0-9]' or e.name glob '[12][0-9][0-9][0-9]-[01][0-9]*'))
    and (:since is null or m.happened_at >= :since) and (:until is null or m.happened_at < :until)
group by x.entity_key
order by memories desc, x.entity_key
limit :limit
"""
COUNT_ENTITIES = """
select count(*) from entities as e
where e.merged_into is null and (:kinds is null or e.kind in (select value from json_each(:kinds)))
"""
COUNT_MEMORIES_OF = """
select x.entity_key, count(distinct x.memory_key)
from mentions as x join memories as m on m.key = x.memory_key
where x.entity_key in (select value from json_each(:keys)) and m.archived_at is null
group by x.entity_key
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """Which entities a drawing of the whole graph shows.

    Only memories from `since` to before `until` count. Without `dates`, names such as `2025`, `2025-03` and
    `2025-03-14` are left out. The entities `also` are always there.
    """

    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    dates: bool = True
    also: tuple[int, ...] = ()

    def parameters(self) -> dict[str, Any]:
        """The values that the queries take."""
        kinds = json.dumps(self.kinds) if self.kinds else None
        return {"kinds": kinds, "since": self.since, "until": self.until, "dates": self.dates}


EVERYTHING = Shown()


@dataclass(frozen=True, slots=True)
class Node:
    """An entity of a drawing: `depth` steps from the middle, named by `memories` memories."""

    entity: Entity
    depth: int = 0
    memories: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes (positions), with the labels of relations; `together` memories name both."""

    source: int
    target: int
    labels: tuple[str, ...] = ()
    together: int = 0
    weight: float = 1.0


@dataclass(frozen=True)
class Neighborhood:
    """Nodes, nearest first, and the edges between them; `more` counts the nodes that were left out."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    more: int = 0

    def ties(self) -> dict[int, Edge]:
        """The edges of the first node, by the position of the other node."""
        return {max(edge.source, edge.target): edge for edge in self.edges if 0 in (edge.source, edge.target)}

    def to_dicts(self) -> list[dict[str, Any]]:
        """All nodes but the first, as JSON-able dicts: `{id, name, kind, depth, labels, together}`.

        The last two are those of the edge to the first node, if there is one.
        """
        ties = self.ties()
        return [
            {
                "id": node.entity.id,
                "name": node.entity.name,
                "kind": node.entity.kind,
                "depth": node.depth,
                "labels": list(ties[n].labels) if n in ties else [],
                "together": ties[n].together if n in ties else 0,
            }
            for n, node in enumerate(self.nodes)
            if n
        ]


def neighborhood(conn: Connection, entity_key: int, now: str, *, depth: int = 1, limit: int = MOST) -> Neighborhood:
    """An entity and its neighbours within `depth` steps: first over relations, then over memories that name both."""
    depths = {entity_key: 0}
    left_out: set[int] = set()
    for level in range(1, depth + 1):
        frontier = [key for key, at in depths.items() if at == level - 1]
        if not frontier:
            break
        for row in _ties(conn, frontier, now, 10 * limit):
            for near, far in ((row["a"], row["b"]), (row["b"], row["a"])):
                if depths.get(near) == level - 1 and far not in depths:
                    if len(depths) < limit:
                        depths[far] = level
                    else:
                        left_out.add(far)
    return _among(conn, depths, now, len(left_out))


def busiest(conn: Connection, now: str, *, limit: int, shown: Shown) -> Neighborhood:
    """The most mentioned of the entities that are to be shown, and the edges between them."""
    filters = shown.parameters()
    keys = [row["entity_key"] for row in conn.execute(SELECT_BUSIEST, {**filters, "limit": limit})]
    known = conn.execute(COUNT_ENTITIES, filters).fetchone()[0]
    chosen = dict.fromkeys((*shown.also, *keys), 0)
    return _among(conn, chosen, now, max(known - len(chosen), 0), shown)


def _ties(conn: Connection, keys: Sequence[int], now: str, limit: int, shown: Shown = EVERYTHING) -> list[Any]:
    """The relations of these entities, and then the entities that they are named together with."""
    filters = {"since": shown.since, "until": shown.until}
    parameters = {"keys": keys_json(keys), "now": now, "limit": limit, "most_together": MOST_TOGETHER, **filters}
    related = conn.execute(SELECT_RELATED, parameters).fetchall()
    return related + conn.execute(SELECT_TOGETHER, parameters).fetchall()


def _among(conn: Connection, depths: dict[int, int], now: str, more: int, shown: Shown = EVERYTHING) -> Neighborhood:
    entities = by_keys(conn, depths)
    keys = [key for key in depths if key in entities]
    counts = dict(tuple(row) for row in conn.execute(COUNT_MEMORIES_OF, {"keys": keys_json(keys)}))
    nodes = tuple(Node(entities[key], depths[key], counts.get(key, 0)) for key in keys)
    place = {key: n for n, key in enumerate(keys)}
    return Neighborhood(nodes, tuple(_edges(_ties(conn, keys, now, 40 * MOST, shown), place)), more)


def _edges(ties: Iterable[Any], place: dict[int, int]) -> Iterable[Edge]:
    """One edge for each connected pair of nodes, made of all their relations and memories."""
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
        elif pair not in together:  # each pair is found from both ends
            together[pair] = row["weight"]
            weights[pair] = weights.get(pair, 0) + row["weight"]
    return (
        Edge(*pair, labels=tuple(said), together=together.get(pair, 0), weight=weights[pair])
        for pair, said in labels.items()
    )
