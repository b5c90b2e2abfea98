"""Reading the graph: who somebody is, who is near, and how one gets from one to another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memkit.cards import EntityCard, GraphStats, Mentioned, Neighbour, Path, PathStep
from memkit.errors import MemkitError
from memkit.graph import entities, relations
from memkit.graph.entities import Entity
from memkit.graph.relations import Relation
from memkit.store import keys_json

CONFIDENT = 0.3  # relations that are less sure lead nowhere (Kira, K16)
FAN_OUT = 10  # relations that are followed from one entity, the surest (K16)
DEPTH = 2  # of neighbours (K14)
MOST_DEPTH = 6
MOST_MEMORIES = 50  # on a card
CROWD = 12  # entities in a memory that says nothing about any two of them any more
MOST_FRONTIER = 500  # entities from which a way is looked for at once: what is nearest and surest comes first
MEETINGS = 50  # memories of one entity through which a way is looked for

SELECT_MEMORIES = """
select m.id, m.text, coalesce(m.happened_at, m.created_at) as "when", x.role, x.surface, x.confidence, m.title,
    m.source_id
from mentions as x join memories as m on m.key = x.memory_key
where x.entity_key = :key and m.archived_at is null
group by m.key
order by coalesce(m.happened_at, m.created_at) desc, m.key desc
limit :limit
"""
COUNT_MEMORIES = """
select count(distinct x.memory_key) from mentions as x join memories as m on m.key = x.memory_key
where x.entity_key = :key and m.archived_at is null
"""
# The surest relations of each entity, as seen from it.
SELECT_EDGES = """
with ends(own, other, key, forward, confidence, predicate) as (
    select subject_key, object_key, key, 1, confidence, predicate from relations
    where subject_key in (select value from json_each(:keys)) and expired_at is null and confidence > :least
        and (:as_of is null or (
            (valid_from is null or valid_from <= :as_of) and (valid_until is null or valid_until > :as_of)))
    union all
    select object_key, subject_key, key, 0, confidence, predicate from relations
    where object_key in (select value from json_each(:keys)) and expired_at is null and confidence > :least
        and (:as_of is null or (
            (valid_from is null or valid_from <= :as_of) and (valid_until is null or valid_until > :as_of)))
), ranked as (
    select *, row_number() over (
        partition by own order by predicate = 'mentions', confidence desc, key
    ) as place
    from ends
)
select own, other, key, forward, confidence, predicate from ranked where place <= :fan_out order by own, place
"""
SELECT_MEETINGS = """
with near as (
    select x.entity_key as own, x.memory_key, x.confidence, row_number() over (
        partition by x.entity_key order by x.confidence desc, x.memory_key desc
    ) as place
    from mentions as x join memories as m on m.key = x.memory_key
    where x.entity_key in (select value from json_each(:keys)) and m.archived_at is null and x.confidence > :least
), small as (
    select n.own, n.memory_key, n.confidence from near as n
    where n.place <= :meetings and (select count(*) from mentions where memory_key = n.memory_key) <= :crowd
)
select s.own, x.entity_key as other, s.memory_key as key, min(s.confidence, x.confidence) as confidence
from small as s
    join mentions as x on x.memory_key = s.memory_key and x.entity_key <> s.own and x.confidence > :least
    join entities as e on e.key = x.entity_key and e.merged_into is null
order by s.own, confidence desc, s.memory_key
"""
SELECT_MEMORY = "select id, source_id, text from memories where key = :key"
COUNTS = """
select (select count(*) from memories where archived_at is null) as memories,
    (select count(*) from entities where merged_into is null) as entities,
    (select count(*) from aliases where source not in ('bare', 'plural')) as aliases,
    (select count(*) from mentions) as mentions,
    (select count(*) from relations where expired_at is null) as relations,
    (select count(*) from links) as links, (select count(*) from conflicts) as conflicts
"""
GROUPED = {
    "kinds": """
        select kind, count(*) from entities where merged_into is null group by 1 order by 2 desc, 1 limit :most
    """,
    "predicates": """
        select predicate, count(*) from relations where expired_at is null group by 1 order by 2 desc, 1 limit :most
    """,
    "link_types": "select type, count(*) from links group by 1 order by 2 desc, 1 limit :most",
    "most_mentioned": """
        select e.name, count(distinct x.memory_key) from mentions as x join entities as e on e.key = x.entity_key
        group by e.key order by 2 desc, 1 limit :most
    """,
}


def about(conn: Any, name: str, *, as_of: str, known_at: str | None = None, limit: int = MOST_MEMORIES) -> EntityCard:
    """The card of an entity, by name, alias or id. Raises NotFound, with the names that are most like it.

    `as_of` asks for what held then, `known_at` for what one would have said of it then (both canonical times).
    """
    entity = entities.find(conn, name)
    current = relations.current(conn, entity.key, as_of=as_of, known_at=known_at)
    past = relations.history(conn, entity.key, as_of=as_of, known_at=known_at)
    rows = conn.execute(SELECT_MEMORIES, {"key": entity.key, "limit": limit})
    return EntityCard(
        id=entity.id,
        name=entity.name,
        kind=entity.kind,
        as_of=as_of,
        known_at=known_at,
        description=entity.description,
        aliases=tuple(entities.aliases(conn, entity.key)),
        relations=tuple(current),
        history=tuple(past),
        conflicts=_conflicts([*current, *past]),
        memories=tuple(Mentioned(**dict(row)) for row in rows),
        mentioned=conn.execute(COUNT_MEMORIES, {"key": entity.key}).fetchone()[0],
        neighbours=neighbours(conn, entity, depth=1, as_of=as_of),
    )


def _conflicts(known: list[Relation]) -> tuple[tuple[Relation, Relation], ...]:
    by_id = {one.id: one for one in known}
    return tuple(
        (one, by_id[other]) for one in known for other in one.conflicts if other in by_id and one.key < by_id[other].key
    )


# ---------------------------------------------------------------------------------------------- who is near


@dataclass(frozen=True, slots=True)
class _Edge:
    own: int
    other: int
    relation: int | None
    memory: int | None
    forward: bool
    confidence: float
    label: str


def neighbours(
    conn: Any, entity: Entity, *, depth: int = DEPTH, fan_out: int = FAN_OUT, as_of: str | None = None
) -> tuple[Neighbour, ...]:
    """The entities within `depth` relations, nearest and surest first: of each the surest `fan_out` are followed.

    Breadth first, so that the depth is the least there is; a circle ends where it began (Kira, K14 to K17).
    """
    if depth < 0:
        raise MemkitError(f"A depth is 0 or more, not {depth}.")
    seen, frontier = {entity.key}, [entity.key]
    found: list[tuple[int, _Edge]] = []
    for hop in range(1, min(depth, MOST_DEPTH) + 1):
        edges = [edge for edge in _related(conn, frontier, fan_out, as_of) if edge.other not in seen]
        frontier = []
        for edge in sorted(edges, key=lambda edge: (-edge.confidence, edge.other)):
            if edge.other not in seen:
                seen.add(edge.other)
                frontier.append(edge.other)
                found.append((hop, edge))
    known = entities.by_keys(conn, seen)
    return tuple(
        Neighbour(
            known[edge.other].id,
            known[edge.other].name,
            known[edge.other].kind,
            hop,
            edge.confidence,
            str(_step(edge, known)),
        )
        for hop, edge in found
        if edge.other in known and edge.own in known
    )


def _related(conn: Any, keys: Iterable[int], fan_out: int, as_of: str | None) -> list[_Edge]:
    parameters = {"keys": keys_json(keys), "least": CONFIDENT, "fan_out": fan_out, "as_of": as_of}
    return [
        _Edge(
            row["own"],
            row["other"],
            row["key"],
            None,
            bool(row["forward"]),
            row["confidence"],
            row["predicate"].replace("_", " "),
        )
        for row in conn.execute(SELECT_EDGES, parameters)
    ]


def _met(conn: Any, keys: Iterable[int]) -> list[_Edge]:
    parameters = {"keys": keys_json(keys), "least": CONFIDENT, "meetings": MEETINGS, "crowd": CROWD}
    return [
        _Edge(row["own"], row["other"], None, row["key"], True, row["confidence"], "named with")
        for row in conn.execute(SELECT_MEETINGS, parameters)
    ]


# ---------------------------------------------------------------------------------------------- from one to another


def path(conn: Any, a: str, b: str, *, max_depth: int = 4, as_of: str | None = None) -> Path:
    """The shortest way between two entities through confident edges, each step with its quote.

    A step is a relation, or else a memory that names both ends and not many more. Raises NotFound for unknown names.
    """
    if max_depth < 0:
        raise MemkitError(f"A depth is 0 or more, not {max_depth}.")
    start, goal = entities.find(conn, a), entities.find(conn, b)
    came: dict[int, _Edge | None] = {start.key: None}
    frontier = [start.key]
    for _ in range(min(max_depth, MOST_DEPTH)):
        if goal.key in came or not frontier:
            break
        edges = _related(conn, frontier, 1000, as_of)
        if not any(edge.other == goal.key for edge in edges):
            edges += _met(conn, frontier)
        frontier = []
        for edge in edges:
            if edge.other not in came:
                came[edge.other] = edge
                frontier.append(edge.other)
        frontier = frontier[:MOST_FRONTIER]
    if goal.key not in came:
        return Path(start.name, goal.name, found=False, max_depth=max_depth)
    return Path(start.name, goal.name, _way(conn, came, goal.key), max_depth=max_depth)


def _way(conn: Any, came: dict[int, _Edge | None], goal: int) -> tuple[PathStep, ...]:
    edges: list[_Edge] = []
    while (edge := came[goal]) is not None:
        edges.append(edge)
        goal = edge.own
    known = entities.by_keys(conn, {key for edge in edges for key in (edge.own, edge.other)})
    return tuple(_proved(conn, edge, known) for edge in reversed(edges))


def _step(edge: _Edge, known: dict[int, Entity]) -> PathStep:
    source, target = known[edge.own].name, known[edge.other].name
    return PathStep(source, edge.label, target, edge.forward, edge.confidence)


def _proved(conn: Any, edge: _Edge, known: dict[int, Entity]) -> PathStep:
    """A step with the words that say so."""
    source, target = known[edge.own].name, known[edge.other].name
    plain = (source, edge.label, target, edge.forward, edge.confidence)
    if edge.relation is not None:
        proof = relations.of_keys(conn, [edge.relation])[0].evidence
        best = next((one for one in proof if one.quote), proof[0] if proof else None)
        return PathStep(*plain, best.quote, best.memory_id, best.source_id) if best else PathStep(*plain)
    from memkit.graph.quotes import quote_for

    row = conn.execute(SELECT_MEMORY, {"key": edge.memory}).fetchone()
    return PathStep(*plain, quote_for(row["text"], source, target) or row["text"][:200], row["id"], row["source_id"])


def stats(conn: Any, most: int = 10) -> GraphStats:
    """The graph's size, and the commonest kinds, predicates, types of link and names."""
    row = conn.execute(COUNTS).fetchone()
    grouped: dict[str, Any] = {
        name: dict(tuple(r) for r in conn.execute(query, {"most": most})) for name, query in GROUPED.items()
    }
    return GraphStats(**dict(row), **grouped)
