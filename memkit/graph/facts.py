"""Breadth-first search over relations around entities, with the memories that are their evidence.

The random walk (`random_walk.py`) uses all nodes and edges, and ranks memories. The published designs instead walk over
relations only, and show these. Each step is one query for all entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any, NamedTuple

from memkit.core.classes import dataclass
from memkit.graph.entities import Entity, by_keys
from memkit.graph.walk_results import Fact, FactEvidence, WalkStep
from memkit.storage.connection import Connection
from memkit.storage.filters import ELIGIBLE, Scope
from memkit.storage.store import keys_json

ALL = 1_000_000

# A condition on `r`, a row of relations: not expired, and true in the world at `as_of`.
CURRENT = """
    r.expired_at is null and (:everything or (
        (r.valid_until is null or r.valid_until > :as_of) and (r.valid_from is null or r.valid_from <= :as_of)
    ))
"""
SELECT_AROUND = f"""
with near as (
    select r.key, e.value as entity, r.confidence
    from json_each(:entities) as e join relations as r on r.subject_key = e.value
    where r.confidence > :least and {CURRENT}
    union all
    select r.key, e.value, r.confidence
    from json_each(:entities) as e join relations as r on r.object_key = e.value
    where r.confidence > :least and {CURRENT}
), placed as (
    select key, row_number() over (partition by entity order by confidence desc, key) as place from near
)
select r.key, r.subject_key, r.predicate, r.object_key, r.confidence, r.valid_from, r.valid_until, r.method
from relations as r
where r.key in (select key from placed where place <= :fan_out)
order by r.confidence desc, r.key
"""
SELECT_RELATIONS = f"""
select r.key, r.subject_key, r.predicate, r.object_key, r.confidence, r.valid_from, r.valid_until, r.method
from relations as r
where r.key in (select value from json_each(:keys)) and {CURRENT}
order by r.key
"""
SELECT_EVIDENCE = f"""
select v.relation_key, v.memory_key, m.id, v.quote, ({ELIGIBLE}) as allowed
from evidence as v join memories as m on m.key = v.memory_key
where v.relation_key in (select value from json_each(:keys))
order by v.relation_key, coalesce(m.happened_at, m.created_at) desc, m.id
"""
SELECT_MENTIONS = """
select x.entity_key, x.memory_key, x.role
from mentions as x join (
    select entity_key, count(*) as n from mentions
    where entity_key in (select value from json_each(:keys)) group by entity_key
) as counted on counted.entity_key = x.entity_key
where counted.n <= :most
order by x.entity_key, x.memory_key
"""


class RelationRow(NamedTuple):
    """A row of relations, `depth` relations away from the start of the walk."""

    key: int
    subject_key: int
    predicate: str
    object_key: int
    confidence: float
    valid_from: str | None
    valid_until: str | None
    method: str
    depth: int = 0


@dataclass
class Around:
    """The entities and relations around some entities. `depths` has the smallest depth of each entity.

    Each relation is there once, with the depth of its nearer end. `came` maps an entity to the relation over which it
    was first reached; the entities at which the walk began are not in it.
    """

    depths: dict[int, int] = field(default_factory=dict)
    relations: dict[int, RelationRow] = field(default_factory=dict)
    came: dict[int, int] = field(default_factory=dict)

    def way(self, entity: int) -> list[tuple[RelationRow, int, int]]:
        """The path from a start to an entity: each relation with the entities it was walked from and to."""
        steps: list[tuple[RelationRow, int, int]] = []
        while entity in self.came:
            relation = self.relations[self.came[entity]]
            before = relation.object_key if relation.subject_key == entity else relation.subject_key
            steps.append((relation, before, entity))
            entity = before
        return steps[::-1]


def around(
    conn: Connection, entities: Iterable[int], scope: Scope, *, depth: int, fan_out: int = ALL, least: float = 0.0
) -> Around:
    """Everything within `depth` relations of these entities, in both directions (C30, C32, K14 to K17, M04).

    At each entity, the `fan_out` relations with the highest confidence count, if it is over `least`. The search is
    breadth first, so each depth is the smallest possible. Each entity is visited once, so that cycles end (C33), and
    each relation is found once (K20). The relations of the outermost entities are included.
    """
    found = Around(dict.fromkeys(entities, 0))
    frontier = list(found.depths)
    for level in range(depth + 1):
        if not frontier:
            break
        parameters = {**scope.parameters(), "entities": keys_json(frontier), "fan_out": fan_out, "least": least}
        begun, frontier = set(frontier), []
        for row in conn.execute(SELECT_AROUND, parameters):
            relation = _relation(row)._replace(depth=level)
            found.relations.setdefault(relation.key, relation)
            for here, there in _directions(relation):
                if here in begun and there not in found.depths and level < depth:
                    found.depths[there] = level + 1
                    found.came[there] = relation.key
                    frontier.append(there)
    return found


def _relation(row: Any) -> RelationRow:
    return RelationRow(*tuple(row))


def _directions(relation: RelationRow) -> tuple[tuple[int, int], tuple[int, int]]:
    ends = relation.subject_key, relation.object_key
    return ends, ends[::-1]


def relations(conn: Connection, keys: Iterable[int], scope: Scope) -> dict[int, RelationRow]:
    """The relations with these keys, by key, as far as they are true."""
    parameters = {**scope.parameters(), "keys": keys_json(keys)}
    return {row["key"]: _relation(row) for row in conn.execute(SELECT_RELATIONS, parameters)}


def facts(conn: Connection, found: Mapping[int, RelationRow], scope: Scope) -> dict[int, Fact]:
    """These relations as facts, by key: with the names of their entities and with their evidence.

    A relation is left out if all its evidence is memories outside the scope. A relation without any memory as evidence
    stays, unless the scope is narrow.
    """
    said: dict[int, list[FactEvidence]] = {}
    hidden: set[int] = set()
    for row in conn.execute(SELECT_EVIDENCE, {**scope.parameters(), "keys": keys_json(found)}):
        if row["allowed"]:
            said.setdefault(row["relation_key"], []).append(FactEvidence(row["id"], row["memory_key"], row["quote"]))
        else:
            hidden.add(row["relation_key"])
    names = by_keys(conn, {key for r in found.values() for key in (r.subject_key, r.object_key)})
    return {
        key: _fact(relation, names, said.get(key, []))
        for key, relation in found.items()
        if (key in said or not (key in hidden or scope.narrow))
        and relation.subject_key in names
        and relation.object_key in names
    }


def _fact(relation: RelationRow, names: Mapping[int, Entity], evidence: list[FactEvidence]) -> Fact:
    return Fact(
        relation.key,
        names[relation.subject_key].name,
        relation.predicate,
        names[relation.object_key].name,
        relation.confidence,
        relation.depth,
        evidence=tuple(evidence),
        valid_from=relation.valid_from,
        valid_until=relation.valid_until,
        method=relation.method,
    )


def scored(fact: Fact, score: float) -> Fact:
    """The same fact with a score."""
    return replace(fact, score=score)


def mentions(conn: Connection, entities: Iterable[int], most: int) -> dict[int, dict[int, str]]:
    """For each entity, the memories that name it, with the role; entities in over `most` memories are left out."""
    found: dict[int, dict[int, str]] = {}
    for row in conn.execute(SELECT_MENTIONS, {"keys": keys_json(entities), "most": most}):
        roles = found.setdefault(row["entity_key"], {})
        if roles.get(row["memory_key"]) != "title":
            roles[row["memory_key"]] = row["role"]
    return found


def steps(found: Around, facts: Mapping[int, Fact], names: Mapping[int, str], entity: int) -> tuple[WalkStep, ...]:
    """The path from a start to an entity as readable steps, in the direction of the walk."""
    return tuple(
        WalkStep(
            names.get(before, ""),
            relation.predicate,
            names.get(after, ""),
            *(
                (said[0].quote, said[0].memory_id)
                if relation.key in facts and (said := facts[relation.key].evidence)
                else ()
            ),
        )
        for relation, before, after in found.way(entity)
    )
