"""Entity cards, read from the database: what is known about an entity, its neighbours, and the size of the graph."""

from __future__ import annotations

from typing import Any

from memkit.core.errors import MemkitError
from memkit.graph import entities, relations
from memkit.graph.cards import EntityCard, Mentioned, Neighbour
from memkit.graph.edges import Tie, related
from memkit.graph.entities import Entity
from memkit.graph.paths import PathStep
from memkit.graph.relations import Relation
from memkit.graph.stats import GraphStats
from memkit.storage.connection import Connection
from memkit.storage.filters import WHEN

FAN_OUT = 10  # relations followed from one entity, those with the highest confidence (K16)
DEPTH = 2  # of neighbours (K14)
MOST_DEPTH = 6
MOST_MEMORIES = 50  # on a card

SELECT_MEMORIES = f"""
select m.id, m.text, coalesce({WHEN}, '') as "when", x.role, x.surface, x.confidence, m.title,
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
COUNTS = f"""
select (select count(*) from current_memories) as memories,
    (select count(*) from entities as e where merged_into is null and {entities.IS_SHOWN}) as entities,
    (select count(*) from aliases where source not in ('bare', 'file', 'plural')) as aliases,
    (
        select count(*) from mentions as x join memories as m on m.key = x.memory_key where m.archived_at is null
    ) as mentions,
    (select count(*) from relations where expired_at is null) as relations,
    (select count(*) from links) as links, (select count(*) from conflicts) as conflicts
"""
GROUPED = {
    "kinds": f"""
        select kind, count(*) from entities as e
        where merged_into is null and {entities.IS_SHOWN} group by 1 order by 2 desc, 1 limit :most
    """,
    "predicates": """
        select predicate, count(*) from relations where expired_at is null group by 1 order by 2 desc, 1 limit :most
    """,
    "link_types": "select type, count(*) from links group by 1 order by 2 desc, 1 limit :most",
    "most_mentioned": """
        select e.name, count(distinct x.memory_key) from mentions as x
            join entities as e on e.key = x.entity_key
            join memories as m on m.key = x.memory_key
        where m.archived_at is null
        group by e.key order by 2 desc, 1 limit :most
    """,
}


def about(
    conn: Connection, name: str, *, as_of: str, known_at: str | None = None, limit: int = MOST_MEMORIES
) -> EntityCard:
    """The card of an entity, by name, alias or id. Raises NotFound, with the most similar names.

    `as_of` asks for what was true at that time, `known_at` for what this database knew at that time. Both are canonical
    times.
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


# ---------------------------------------------------------------------------------------------- neighbours


def neighbours(
    conn: Connection, entity: Entity, *, depth: int = DEPTH, fan_out: int = FAN_OUT, as_of: str | None = None
) -> tuple[Neighbour, ...]:
    """The entities within `depth` relations, nearest first, then by confidence (Kira, K14 to K17).

    The search is breadth first, so each depth is the smallest possible, and no entity is visited twice. At each entity,
    the `fan_out` relations with the highest confidence are followed. Raises MemkitError for a negative depth.
    """
    if depth < 0:
        raise MemkitError(f"depth must be 0 or more, not {depth}.")
    seen, frontier = {entity.key}, [entity.key]
    found: list[tuple[int, Tie]] = []
    for hop in range(1, min(depth, MOST_DEPTH) + 1):
        ties = [tie for tie in related(conn, frontier, fan_out, as_of) if tie.other not in seen]
        frontier = []
        for tie in sorted(ties, key=lambda tie: (-tie.confidence, tie.other)):
            if tie.other not in seen:
                seen.add(tie.other)
                frontier.append(tie.other)
                found.append((hop, tie))
    known = entities.by_keys(conn, seen)
    return tuple(
        Neighbour(
            known[tie.other].id,
            known[tie.other].name,
            known[tie.other].kind,
            hop,
            tie.confidence,
            str(PathStep(known[tie.own].name, tie.label, known[tie.other].name, tie.forward)),
        )
        for hop, tie in found
        if tie.other in known and tie.own in known
    )


# ---------------------------------------------------------------------------------------------- statistics


def stats(conn: Connection, most: int = 10) -> GraphStats:
    """The size of the graph, and its `most` frequent kinds, predicates, link types and names."""
    row = conn.execute(COUNTS).fetchone()
    grouped: dict[str, Any] = {
        name: dict(tuple(r) for r in conn.execute(query, {"most": most})) for name, query in GROUPED.items()
    }
    return GraphStats(**dict(row), **grouped)
