"""The graph after some rows were added: what is new is appended, instead of reading everything again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memkit import walks

# What only resembles something says little that words and meaning do not say: docs/recall.md.
LINK_WEIGHT = "weight * case type when 'relates_to' then 0.01 else 1 end"

MOST_NEW = 0.2  # of the nodes: beyond that, building anew costs no more

# What may be appended: a state is (last memory, last mention, last relation, last link, last entity, version).
MEMORY, MENTION, RELATION, LINK, ENTITY, VERSION = range(6)

COUNT_NEW_TITLES_OF_OLD = """
select count(*) from mentions where key > :mention and role = 'title' and entity_key <= :entity
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


def grown(
    conn: Any, old: walks.Adjacency, before: Sequence[Any], now: Sequence[Any], *, most_titled: int, lone: int
) -> walks.Adjacency | None:
    """The graph with what was added between two states; None if something was changed or taken away, or much is new."""
    if before[VERSION] != now[VERSION] or any(now[i] < before[i] for i in range(VERSION)):
        return None
    if now[MEMORY] - before[MEMORY] + now[ENTITY] - before[ENTITY] > MOST_NEW * len(old):
        return None
    last = dict(zip(("memory", "mention", "relation", "link", "entity"), before, strict=False))
    if conn.execute(COUNT_NEW_TITLES_OF_OLD, last).fetchone()[0]:  # what named it before leads there now as well
        return None
    nodes = np.array([tuple(row) for row in conn.execute(SELECT_NEW_NODES, last)], np.int64).reshape(-1, 2)
    rows = [tuple(row) for row in conn.execute(SELECT_NEW_EDGES, {**last, "most_titled": most_titled})]
    edges = np.array(rows, np.float64).reshape(-1, 6)
    places = _places(old, nodes)
    sources, targets = places(edges[:, 0], edges[:, 1]), places(edges[:, 2], edges[:, 3])
    whole = (sources >= 0) & (targets >= 0)
    sources, targets, weights, types = sources[whole], targets[whole], edges[whole, 4], edges[whole, 5]
    new = walks.append(old, nodes[:, 0], nodes[:, 1], sources, targets, weights, types.astype(np.uint8))
    _mark_lone(new, np.unique(np.concatenate([sources, targets])), lone)
    return new


def _mark_lone(graph: walks.Adjacency, touched: np.ndarray, lone: int) -> None:
    """Marks the mention of an entity that has no other edge, and no longer marks one that has another one now."""
    for node in touched[graph.kinds[touched] == walks.ENTITY]:
        row = slice(graph.offsets[node], graph.offsets[node + 1])
        alone = graph.degrees[node] == 1
        for edge, other in zip(graph.edges[row], graph.targets[row], strict=True):
            back = slice(graph.offsets[other], graph.offsets[other + 1])
            for side in (row, back):
                types = graph.types[side]
                kinds = types & ~np.uint8(walks.BACKWARD)
                here = (graph.edges[side] == edge) & ((kinds == walks.MENTION) | (kinds == lone))
                types[here] = types[here] - kinds[here] + np.uint8(lone if alone else walks.MENTION)


def _places(old: walks.Adjacency, nodes: np.ndarray) -> Any:
    """A function from kinds and keys to nodes, of old and new ones; -1 for what is none."""
    new = {(int(kind), int(key)): len(old) + i for i, (kind, key) in enumerate(nodes)}

    def places(kinds: np.ndarray, keys: np.ndarray) -> np.ndarray:
        found = np.full(len(keys), -1, np.int64)
        for kind in (walks.MEMORY, walks.ENTITY):
            here = kinds == kind
            found[here] = old.nodes_of(kind, keys[here].astype(np.int64))
        for i in np.flatnonzero(found < 0):
            found[i] = new.get((int(kinds[i]), int(keys[i])), -1)
        return found

    return places
