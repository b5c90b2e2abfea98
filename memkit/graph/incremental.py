"""Incremental graph update: appends the new rows, instead of reading everything again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memkit.graph import random_walk
from memkit.graph.number_table import number_table
from memkit.storage.connection import Connection

# A `relates_to` link (a near-duplicate) adds little to what words and meaning find anyway: docs/recall.md.
LINK_WEIGHT = "weight * case type when 'relates_to' then 0.01 else 1 end"

MOST_TITLED = 32  # memories with one title, such as the passages of a long note; with more, the title links nothing
MOST_NEW = 0.2  # share of new nodes; with more, a rebuild is not slower

# The parts of a state: the last keys of these tables, and the version of the graph.
MEMORY, MENTION, RELATION, LINK, ENTITY, VERSION = range(6)

COUNT_NEW_TITLES_OF_OLD = """
select count(*) from mentions where key > :mention and role = 'title' and entity_key <= :entity
"""
# Another program may write a row, without foreign keys, for a memory or an entity that comes later.
ANY_AHEAD = """
select exists (select 1 from links where from_key > :memory and key <= :link)
    or exists (select 1 from links where to_key > :memory and key <= :link)
    or exists (select 1 from mentions where memory_key > :memory and key <= :mention)
    or exists (select 1 from mentions where entity_key > :entity and key <= :mention)
    or exists (select 1 from relations where subject_key > :entity and key <= :relation)
    or exists (select 1 from relations where object_key > :entity and key <= :relation)
"""
SELECT_NEW_NODES = """
select 0, key from memories where key > :memory
union all
select 1, key from entities where key > :entity and merged_into is null
order by 1, 2
"""
# Both ends as (kind, key), weight, type: the same edges that `adjacency` builds.
SELECT_NEW_EDGES = f"""
select 0, memory_key, 1, entity_key, confidence * (1 + min(count - 1, 4) * 0.25),
    case role when 'title' then 1 when 'speaker' then 5 else 0 end
from mentions where key > :mention
union all
select 1, subject_key, 1, object_key, confidence, 2 from relations where key > :relation and expired_at is null
union all
select 0, from_key, 0, to_key, {LINK_WEIGHT}, 3
from links where key > :link
union all
select 0, a.key, 0, b.key, 1.0, 4
from memories as b join memories as a on a.document_key = b.document_key and a.position = b.position - 1
where b.key > :memory
union all
select 0, a.key, 0, b.key, 1.0, 4
from memories as a join memories as b on b.document_key = a.document_key and b.position = a.position + 1
where a.key > :memory and b.key <= :memory
union all
select 0, x.memory_key, 0, t.memory_key,
    x.confidence * (1 + min(x.count - 1, 4) * 0.25) / count(*) over (partition by x.key), 6
from mentions as x join mentions as t on t.entity_key = x.entity_key and t.role = 'title'
where x.key > :mention and x.role not in ('title', 'speaker') and (
    select count(*) from mentions as n where n.entity_key = x.entity_key and n.role = 'title'
) <= :most_titled
"""


def with_new_rows(
    conn: Connection, old: random_walk.Adjacency, before: Sequence[Any], now: Sequence[Any]
) -> random_walk.Adjacency | None:
    """The graph with the rows added between two states; None if rows were changed or deleted, or many are new."""
    if before[VERSION] != now[VERSION] or any(now[i] < before[i] for i in range(VERSION)):
        return None
    if now[MEMORY] - before[MEMORY] + now[ENTITY] - before[ENTITY] > MOST_NEW * len(old):
        return None
    last = dict(zip(("memory", "mention", "relation", "link", "entity"), before, strict=False))
    if conn.execute(COUNT_NEW_TITLES_OF_OLD, last).fetchone()[0]:  # earlier mentions would need new edges
        return None
    if conn.execute(ANY_AHEAD, last).fetchone()[0]:
        return None
    about = {**last, "most_titled": MOST_TITLED}
    nodes = number_table(lambda: conn.execute(SELECT_NEW_NODES, last), 2).astype(np.int64)
    edges = number_table(lambda: conn.execute(SELECT_NEW_EDGES, about), 6)
    places = _places(old, nodes)
    sources, targets = places(edges[:, 0], edges[:, 1]), places(edges[:, 2], edges[:, 3])
    whole = (sources >= 0) & (targets >= 0)
    sources, targets, weights, types = sources[whole], targets[whole], edges[whole, 4], edges[whole, 5]
    new = random_walk.append(old, nodes[:, 0], nodes[:, 1], sources, targets, weights, types.astype(np.uint8))
    _mark_lone(new, np.unique(np.concatenate([sources, targets])), old)
    return new


def _mark_lone(graph: random_walk.Adjacency, touched: np.ndarray, old: random_walk.Adjacency) -> None:
    """Updates which mentions are LONE: those that are the only edge of their entity."""
    for node in touched[graph.kinds[touched] == random_walk.ENTITY]:
        if node < len(old) and old.degrees[node] > 1:  # none of its mentions was LONE, and none is now
            continue
        row = slice(graph.offsets[node], graph.offsets[node + 1])
        alone = graph.degrees[node] == 1
        for other in graph.targets[row]:
            if graph.degrees[other] > random_walk.LIST:  # it may be a list of another kind of mentions than before
                vars(graph).pop("specific_weights", None)
            back = slice(graph.offsets[other], graph.offsets[other + 1])
            for side, end in ((row, other), (back, node)):
                types = graph.types[side]
                kinds = types & ~np.uint8(random_walk.BACKWARD)
                here = (graph.targets[side] == end) & ((kinds == random_walk.MENTION) | (kinds == random_walk.LONE))
                types[here] = types[here] - kinds[here] + np.uint8(random_walk.LONE if alone else random_walk.MENTION)


def _places(old: random_walk.Adjacency, nodes: np.ndarray) -> Any:
    """A function from kinds and keys to old and new nodes; -1 for an unknown key."""
    new = {(int(kind), int(key)): len(old) + i for i, (kind, key) in enumerate(nodes)}

    def places(kinds: np.ndarray, keys: np.ndarray) -> np.ndarray:
        found = np.full(len(keys), -1, np.int64)
        for kind in (random_walk.MEMORY, random_walk.ENTITY):
            here = kinds == kind
            found[here] = old.nodes_of(kind, keys[here].astype(np.int64))
        for i in np.flatnonzero(found < 0):
            found[i] = new.get((int(kinds[i]), int(keys[i])), -1)
        return found

    return places
