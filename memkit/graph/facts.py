"""Relations around entities: a breadth-first walk over what is said, with the memories that say it.

The walks of `walks.py` go over everything as one graph and rank memories; the published designs walk over relations
alone, and show them. One query a step, however many entities there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memkit.graph.entities import Entity, by_keys
from memkit.results import Evidence, Fact, Step
from memkit.scope import ELIGIBLE, Scope
from memkit.store import keys_json

ALL = 1_000_000

# A condition on `r`, a row of relations: believed now, and true in the world now or at the time asked for.
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
select r.key, r.subject_key, r.predicate, r.object_key, r.confidence, r.valid_from, r.valid_until
from relations as r
where r.key in (select key from placed where place <= :fan_out)
order by r.confidence desc, r.key
"""
SELECT_RELATIONS = f"""
select r.key, r.subject_key, r.predicate, r.object_key, r.confidence, r.valid_from, r.valid_until
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
SELECT_STATED = f"""
with near as (
    select x.entity_key, m.key, m.confidence,
        row_number() over (partition by x.entity_key order by m.confidence desc, m.key) as place
    from mentions as x join memories as m on m.key = x.memory_key
    where x.entity_key in (select value from json_each(:keys)) and m.kind in ('fact', 'preference') and {ELIGIBLE}
)
select entity_key, key, confidence from near where place <= :limit order by entity_key, place
"""


@dataclass(frozen=True, slots=True)
class Relation:
    """A row of relations, `depth` relations away from where a walk began."""

    key: int
    subject_key: int
    predicate: str
    object_key: int
    confidence: float
    valid_from: str | None
    valid_until: str | None
    depth: int = 0


@dataclass
class Around:
    """What lies around some entities: each with its least depth, and each relation once, with its nearer end's.

    `came` says over which relation an entity was first met; those that the walk began at are not in it.
    """

    depths: dict[int, int] = field(default_factory=dict)
    relations: dict[int, Relation] = field(default_factory=dict)
    came: dict[int, int] = field(default_factory=dict)

    def way(self, entity: int) -> list[tuple[Relation, int, int]]:
        """The relations from a seed to an entity, each with the entities it was walked from and to."""
        steps: list[tuple[Relation, int, int]] = []
        while entity in self.came:
            relation = self.relations[self.came[entity]]
            before = relation.object_key if relation.subject_key == entity else relation.subject_key
            steps.append((relation, before, entity))
            entity = before
        return steps[::-1]


def around(
    conn: Any, entities: Iterable[int], scope: Scope, *, depth: int, fan_out: int = ALL, least: float = 0.0
) -> Around:
    """Everything within `depth` relations of these entities, in both directions (C30, C32, K14 to K17, M04).

    Of each entity the `fan_out` surest relations count, those with a confidence over `least`. Breadth first, so that a
    depth is the shortest; an entity is met once, so that cycles end (C33), and a relation once (K20). The relations of
    the outermost entities belong to it.
    """
    found = Around(dict.fromkeys(entities, 0))
    frontier = list(found.depths)
    for level in range(depth + 1):
        if not frontier:
            break
        parameters = {**scope.parameters(), "entities": keys_json(frontier), "fan_out": fan_out, "least": least}
        begun, frontier = set(frontier), []
        for row in conn.execute(SELECT_AROUND, parameters):
            relation = replace(_relation(row), depth=level)
            found.relations.setdefault(relation.key, relation)
            for here, there in _directions(relation):
                if here in begun and there not in found.depths and level < depth:
                    found.depths[there] = level + 1
                    found.came[there] = relation.key
                    frontier.append(there)
    return found


def _relation(row: Any) -> Relation:
    return Relation(*tuple(row))


def _directions(relation: Relation) -> tuple[tuple[int, int], tuple[int, int]]:
    ends = relation.subject_key, relation.object_key
    return ends, ends[::-1]


def relations(conn: Any, keys: Iterable[int], scope: Scope) -> dict[int, Relation]:
    """The relations with these keys that hold."""
    parameters = {**scope.parameters(), "keys": keys_json(keys)}
    return {row["key"]: _relation(row) for row in conn.execute(SELECT_RELATIONS, parameters)}


def facts(conn: Any, found: Mapping[int, Relation], scope: Scope) -> dict[int, Fact]:
    """These relations by name and with their evidence, best depth first.

    One whose every evidence is a memory outside the scope is left out; one that nobody's memory says stays, unless the
    scope is narrow.
    """
    said: dict[int, list[Evidence]] = {}
    hidden: set[int] = set()
    for row in conn.execute(SELECT_EVIDENCE, {**scope.parameters(), "keys": keys_json(found)}):
        if row["allowed"]:
            said.setdefault(row["relation_key"], []).append(Evidence(row["id"], row["memory_key"], row["quote"]))
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


def _fact(relation: Relation, names: Mapping[int, Entity], evidence: list[Evidence]) -> Fact:
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
    )


def scored(fact: Fact, score: float) -> Fact:
    """The same fact with a score."""
    return replace(fact, score=score)


def mentions(conn: Any, entities: Iterable[int], most: int) -> dict[int, dict[int, str]]:
    """The memories that name each entity, with the role of the name; none for one that over `most` memories name."""
    found: dict[int, dict[int, str]] = {}
    for row in conn.execute(SELECT_MENTIONS, {"keys": keys_json(entities), "most": most}):
        roles = found.setdefault(row["entity_key"], {})
        if roles.get(row["memory_key"]) != "title":
            roles[row["memory_key"]] = row["role"]
    return found


def stated(conn: Any, entities: Iterable[int], scope: Scope, limit: int = 10) -> dict[int, dict[int, float]]:
    """The facts and preferences that name each entity, with their confidence: the `limit` surest of each (K15)."""
    found: dict[int, dict[int, float]] = {}
    parameters = {**scope.parameters(), "keys": keys_json(entities), "limit": limit}
    for row in conn.execute(SELECT_STATED, parameters):
        found.setdefault(row["entity_key"], {})[row["key"]] = row["confidence"]
    return found


def steps(found: Around, facts: Mapping[int, Fact], names: Mapping[int, str], entity: int) -> tuple[Step, ...]:
    """The way from a seed to an entity as readable steps, in the direction of the walk."""
    return tuple(
        Step(
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
