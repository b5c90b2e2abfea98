"""The whole graph of a database as arrays, kept until the graph changes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from memkit import walks
from memkit.caches import cached
from memkit.graph.growth import LINK_WEIGHT, grown

# Edge types. A strategy weighs each of them, without the arrays being made anew.
MENTION, TITLE, RELATION, LINK, NEIGHBOUR, SPEAKER, NAMES, LONE = range(8)
TYPE_NAMES = ("mention", "title", "relation", "link", "neighbour", "speaker", "names", "")
# What an edge is called when it is walked from its target. The lone mention of an entity leads nowhere else.
BACKWARD_NAMES = ("mentioned", "titled", "relation", "link", "neighbour", "speaker", "named", "mentioned")

MOST_TITLED = 32  # memories that one title stands for: a long note's passages

STATE = """
select
    coalesce((select max(key) from memories), 0), coalesce((select max(key) from mentions), 0),
    coalesce((select max(key) from relations), 0), coalesce((select max(key) from links), 0),
    coalesce((select max(key) from entities), 0),
    coalesce((select value from settings where name = 'graph_version'), '0')
"""
SELECT_MEMORIES = "select key, coalesce(document_key, 0), coalesce(position, -1) from memories order by key"
SELECT_ENTITIES = "select key from entities where merged_into is null order by key"
SELECT_MENTIONS = """
select memory_key, entity_key,
    case role when 'title' then 1 when 'speaker' then 5 else 0 end,
    confidence * (1 + min(count - 1, 4) * 0.25)
from mentions order by key
"""
SELECT_RELATIONS = "select subject_key, object_key, confidence from relations where expired_at is null order by key"
SELECT_LINKS = f"select from_key, to_key, {LINK_WEIGHT} from links order by key"


@dataclass(frozen=True)
class Graph:
    """Nodes and edges of a database, `adjacency`, and what was in the database when they were read, `state`."""

    adjacency: walks.Adjacency
    state: tuple[Any, ...] = ()

    def memory_nodes(self, keys: Any) -> np.ndarray:
        """The nodes of memories, -1 where there is none."""
        return self.adjacency.nodes_of(walks.MEMORY, keys)

    def entity_nodes(self, keys: Any) -> np.ndarray:
        """The nodes of entities, -1 where there is none."""
        return self.adjacency.nodes_of(walks.ENTITY, keys)


def graph(conn: Any) -> Graph:
    """The graph of this database as it is now."""
    state = tuple(conn.execute(STATE).fetchone())
    return cached(conn, "graph", state, lambda old: _grown(conn, old, state) or _build(conn, state))


def _grown(conn: Any, old: Graph | None, state: tuple[Any, ...]) -> Graph | None:
    """The graph with the rows added since; None where it has to be built anew."""
    if old is None:
        return None
    new = grown(conn, old.adjacency, old.state, state, most_titled=MOST_TITLED, lone=LONE)
    return None if new is None else Graph(new, state)


def _columns(conn: Any, query: str, *types: Any) -> list[np.ndarray]:
    """The columns of a query of numbers as arrays. The rows are never all there as Python's objects."""
    cursor = conn.cursor()
    cursor.row_factory = None
    table = np.fromiter(chain.from_iterable(cursor.execute(query)), np.float64).reshape(-1, len(types))
    return [column.astype(dtype) for column, dtype in zip(table.T, types, strict=True)]


def _build(conn: Any, state: tuple[Any, ...] = ()) -> Graph:
    memory_keys, documents, positions = _columns(conn, SELECT_MEMORIES, np.int64, np.int64, np.int64)
    (entity_keys,) = _columns(conn, SELECT_ENTITIES, np.int64)
    named, names, roles, sure = _columns(conn, SELECT_MENTIONS, np.int64, np.int64, np.uint8, np.float32)
    subjects, objects, confidence = _columns(conn, SELECT_RELATIONS, np.int64, np.int64, np.float32)
    from_keys, to_keys, strength = _columns(conn, SELECT_LINKS, np.int64, np.int64, np.float32)

    memories = _Places(memory_keys, 0)
    entities = _Places(entity_keys, len(memory_keys))
    mention_ends = memories.of(named), entities.of(names)
    relation_ends = entities.of(subjects), entities.of(objects)
    parts = [
        (*mention_ends, sure, _with_lone(roles, mention_ends[1], relation_ends)),
        (*relation_ends, confidence, RELATION),
        (memories.of(from_keys), memories.of(to_keys), strength, LINK),
        (*_neighbours(documents, positions), 1.0, NEIGHBOUR),
        (*_names(*mention_ends, roles, sure), NAMES),
    ]
    sources, targets, weights, types = (np.concatenate(column) for column in zip(*map(_whole, parts), strict=True))
    kinds = np.repeat(np.array([walks.MEMORY, walks.ENTITY], np.uint8), [len(memory_keys), len(entity_keys)])
    keys = np.concatenate([memory_keys, entity_keys])
    return Graph(walks.build(kinds, keys, sources, targets, weights, types), state)


class _Places:
    """Where each key of a sorted array stands among the nodes."""

    def __init__(self, keys: np.ndarray, first: int):
        self.keys, self.first = keys, first

    def of(self, keys: np.ndarray) -> np.ndarray:
        """The node of each key, -1 for a key that is none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at + self.first, -1)


def _whole(part: tuple[Any, Any, Any, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The edges whose ends both exist, with their weight and type as arrays."""
    sources, targets, weights, types = part
    kept = (sources >= 0) & (targets >= 0)
    size = len(sources)
    weights = np.broadcast_to(np.asarray(weights, np.float32), size)
    types = np.broadcast_to(np.asarray(types, np.uint8), size)
    return sources[kept], targets[kept], weights[kept], types[kept]


def _with_lone(roles: np.ndarray, entities: np.ndarray, relations: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The mentions' types; those of entities that nothing else mentions or says anything of are marked."""
    ends = np.concatenate([entities, *relations])
    ways = np.bincount(ends[ends >= 0], minlength=1)
    alone = (roles == MENTION) & (entities >= 0)
    alone[alone] = ways[entities[alone]] == 1
    return np.where(alone, np.uint8(LONE), roles)


def _neighbours(documents: np.ndarray, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each memory with the one that follows it in its document."""
    order = np.lexsort((positions, documents))
    first, second = order[:-1], order[1:]
    follows = (documents[first] == documents[second]) & (positions[second] == positions[first] + 1)
    follows &= (positions[first] >= 0) & (documents[first] > 0)
    return first[follows], second[follows]


def _names(
    memories: np.ndarray, entities: np.ndarray, roles: np.ndarray, sure: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each memory with those that a name in it is the title of: the links that a person would follow."""
    titled = roles == TITLE
    owners, places = entities[titled], memories[titled]
    order = np.argsort(owners, kind="stable")
    owners, places = owners[order], places[order]
    naming = np.flatnonzero((roles == MENTION) & (entities >= 0))
    start = np.searchsorted(owners, entities[naming], "left")
    count = np.searchsorted(owners, entities[naming], "right") - start
    few = (count > 0) & (count <= MOST_TITLED)
    naming, start, count = naming[few], start[few], count[few]
    sources = np.repeat(memories[naming], count)
    at = np.repeat(start - np.cumsum(count) + count, count) + np.arange(count.sum())
    weights = np.repeat(sure[naming] / np.maximum(count, 1), count)
    return sources, places[at], weights
