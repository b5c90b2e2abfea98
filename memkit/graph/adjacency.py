"""Graph in memory: the nodes and edges of a whole database as arrays, cached until the graph changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from memkit.graph import graph_arrays, random_walk
from memkit.graph.incremental import ENTITY, LINK_WEIGHT, MEMORY, MOST_TITLED, VERSION, with_new_rows
from memkit.graph.number_table import number_table
from memkit.graph.random_walk import LINK, LONE, MENTION, NAMES, NEIGHBOUR, RELATION, TITLE
from memkit.graph.whole_counts import naming
from memkit.storage.caches import cached, state_of, unchanged
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

# A strategy gives each edge type a weight by this name; the arrays stay the same. "" has none: it is the mention that
# is the only edge of an entity (LONE), and an entity that is entered by it leads nowhere else.
TYPE_NAMES = ("mention", "title", "relation", "link", "neighbour", "speaker", "names", "")
# The names of edges that are walked from target to source.
BACKWARD_NAMES = ("mentioned", "titled", "relation", "link", "neighbour", "speaker", "named", "mentioned")

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

LEAST_STORED = 2000  # nodes; fewer are read as quickly from their rows
MOST_BEHIND = 0.05  # share of nodes that were added since the graph was stored
ROWS = 8192  # that are read at once: of millions, each array of all is large


class MemoryGraph(NamedTuple):
    """The nodes and edges of a database (`adjacency`), and the state of the database that they were read from."""

    adjacency: random_walk.Adjacency
    state: tuple[Any, ...] = ()

    def memory_nodes(self, keys: Any) -> np.ndarray:
        """The nodes of these memories; -1 for a memory without a node."""
        return self.adjacency.nodes_of(random_walk.MEMORY, keys)

    def entity_nodes(self, keys: Any) -> np.ndarray:
        """The nodes of these entities; -1 for an entity without a node."""
        return self.adjacency.nodes_of(random_walk.ENTITY, keys)

    def titled(self, entity: int) -> list[int]:
        """The memories whose title is this entity, by key. A name that many mention has many edges to look through."""
        node = int(self.entity_nodes([entity])[0])
        if node < 0:
            return []
        edges = slice(*self.adjacency.offsets[node : node + 2])
        memories = self.adjacency.targets[edges][self.adjacency.types[edges] == TITLE | random_walk.BACKWARD]
        keys: list[int] = np.sort(self.adjacency.keys[memories]).tolist()
        return keys


def graph(conn: Connection) -> MemoryGraph:
    """The current graph of this database."""
    state = unchanged(conn, "graph", lambda: tuple(conn.execute(STATE).fetchone()))
    return cached(
        conn, "graph", state, lambda old: _grown(conn, old, state) or _stored(conn, state) or _build(conn, state)
    )


def store(conn: Connection) -> None:
    """Stores the graph for new processes, unless it is small, or nearly the one that is stored.

    It is made outside of a transaction; if somebody writes meanwhile, it is left to the next call.
    """
    state, before = tuple(conn.execute(STATE).fetchone()), graph_arrays.state(conn)
    nodes = state[MEMORY] + state[ENTITY]
    if before and before[VERSION] == state[VERSION] and nodes - before[MEMORY] - before[ENTITY] <= MOST_BEHIND * nodes:
        return
    if nodes < LEAST_STORED:
        return
    seen, (plan, _) = state_of(conn), _planned(conn)
    with writing(conn):
        if state_of(conn) == seen:
            graph_arrays.write(conn, plan, state)


def _stored(conn: Connection, state: tuple[Any, ...]) -> MemoryGraph | None:
    """The graph that is stored, with the rows added since; None without one, or if it has to be rebuilt."""
    stored = graph_arrays.read(conn)
    return stored and _grown(conn, MemoryGraph(*stored), state)


def _grown(conn: Connection, old: MemoryGraph | None, state: tuple[Any, ...]) -> MemoryGraph | None:
    """The old graph with the rows added since; None if the graph has to be rebuilt."""
    if old is None or old.state == state:
        return old
    new = with_new_rows(conn, old.adjacency, old.state, state)
    return None if new is None else MemoryGraph(new, state)


def _build(conn: Connection, state: tuple[Any, ...] = ()) -> MemoryGraph:
    plan, outside = _planned(conn)
    return MemoryGraph(plan.whole() if outside is None else replace(plan.whole(), outside=outside), state)


def _planned(conn: Connection) -> tuple[random_walk.Plan, np.ndarray | None]:
    """The graph of all rows, whose edges are not laid out yet, and what `_outside` returns."""
    memory_keys, neighbours = _memories(conn)
    (entity_keys,) = _joined(_columns(conn, SELECT_ENTITIES, np.int64), np.int64)
    kinds = np.repeat(
        np.array([random_walk.MEMORY, random_walk.ENTITY], np.uint8), [len(memory_keys), len(entity_keys)]
    )
    keys = np.concatenate([memory_keys, entity_keys])
    memory_keys, entity_keys = np.split(keys, [len(memory_keys)])  # of millions of rows, what was copied is let go
    parts, outside = _edges(conn, memory_keys, entity_keys, neighbours)
    del neighbours
    edges = _joined(parts, np.int32, np.int32, np.float32, np.uint8)
    return random_walk.plan(kinds, keys, *edges), outside


def _columns(conn: Connection, query: str, *types: Any) -> Iterator[list[np.ndarray]]:
    """The columns of a query of numbers as arrays, of some rows after the other."""
    cursor = conn.cursor()
    cursor.row_factory = None
    cursor.execute(query)
    while rows := cursor.fetchmany(ROWS):
        table = number_table(partial(iter, rows), len(types))
        yield [column.astype(dtype) for column, dtype in zip(table.T, types, strict=True)]


def _joined(parts: Iterable[Sequence[np.ndarray]], *types: Any) -> list[np.ndarray]:
    """Columns of these types, one part after the other. Each is let go when it is copied."""
    columns = list(zip(*parts, strict=True)) or [()] * len(types)
    return [np.concatenate([np.empty(0, dtype), *columns.pop(0)]) for dtype in types]


def _memories(conn: Connection) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The keys of all memories, and which of them (by node) follows which in its document."""
    types = np.int64, np.int64, np.int64
    keys, documents, positions = _joined(_columns(conn, SELECT_MEMORIES, *types), *types)
    return keys, _neighbours(documents, positions)


def _edges(
    conn: Connection, memory_keys: np.ndarray, entity_keys: np.ndarray, neighbours: tuple[np.ndarray, np.ndarray]
) -> tuple[Iterator[Sequence[np.ndarray]], np.ndarray | None]:
    """The edges in parts (sources, targets, weights and types), and what `_outside` returns."""
    memories = _Places(memory_keys, 0)
    entities = _Places(entity_keys, len(memory_keys))
    named, names, roles, sure = _between(conn, SELECT_MENTIONS, memories, entities, np.uint8, np.float32)
    subjects, objects, confidence = _between(conn, SELECT_RELATIONS, entities, entities, np.float32)
    starts, ends, strength = _between(conn, SELECT_LINKS, memories, memories, np.float32)
    outside = _outside(naming(conn), memory_keys, entity_keys, named, names, roles)
    parts = [
        (named, names, sure, _with_lone(roles, names, (subjects, objects), outside)),
        (subjects, objects, confidence, RELATION),
        (starts, ends, strength, LINK),
        (*neighbours, 1.0, NEIGHBOUR),
        (*_names(named, names, roles, sure), NAMES),
    ]
    return map(_whole, parts), outside


def _between(conn: Connection, query: str, sources: _Places, targets: _Places, *types: Any) -> list[np.ndarray]:
    """The columns of a query of edges, whose first two are keys, with the nodes of these."""
    parts = _columns(conn, query, np.int64, np.int64, *types)
    return _joined(
        ((sources.of(one), targets.of(other), *more) for one, other, *more in parts), np.int32, np.int32, *types
    )


class _Places:
    """The nodes of a sorted array of keys; the first key has the node number `first`."""

    def __init__(self, keys: np.ndarray, first: int):
        self.keys, self.first = keys, first

    def of(self, keys: np.ndarray) -> np.ndarray:
        """The node of each key; -1 for an unknown key."""
        if not len(self.keys):
            return np.full(len(keys), -1, np.int32)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at + self.first, -1).astype(np.int32)


def _whole(part: Sequence[Any]) -> list[np.ndarray]:
    """The edges whose two ends exist, with weights and types as arrays."""
    sources, targets, weights, types = part
    kept = (sources >= 0) & (targets >= 0)
    weights = np.broadcast_to(np.asarray(weights, np.float32), len(kept))
    types = np.broadcast_to(np.asarray(types, np.uint8), len(kept))
    columns = [sources, targets, weights, types]
    return columns if kept.all() else [column[kept] for column in columns]


def _outside(
    counts: Mapping[int, int],
    memory_keys: np.ndarray,
    entity_keys: np.ndarray,
    named: np.ndarray,
    names: np.ndarray,
    roles: np.ndarray,
) -> np.ndarray | None:
    """For each node, the mentions of an entity, or of a memory's title, that are not in this part of a whole.

    `counts` says how many memories of the whole name an entity; without any, the graph is a whole. `named` and `names`
    are the two ends of the mentions.
    """
    if not counts:
        return None
    size = len(memory_keys) + len(entity_keys)
    known = (named >= 0) & (names >= 0)
    pairs = np.sort(names[known].astype(np.int64) * size + named[known])  # not np.unique, which loads numpy.ma
    here = pairs[np.diff(pairs, prepend=-1) != 0] // size
    outside: np.ndarray = np.zeros(size, np.int64)
    outside[len(memory_keys) :] = [counts.get(key, 0) for key in entity_keys.tolist()]
    outside = np.maximum(outside - np.bincount(here, minlength=size), 0)
    titled = known & (roles == TITLE)
    np.maximum.at(outside, named[titled], outside[names[titled]])
    return outside


def _with_lone(
    roles: np.ndarray,
    entities: np.ndarray,
    relations: tuple[np.ndarray, np.ndarray],
    outside: np.ndarray | None,
) -> np.ndarray:
    """The types of the mentions, with LONE for a mention that is the only edge of its entity."""
    ends = np.concatenate([entities, *relations])
    ways = np.bincount(ends[ends >= 0], minlength=1 if outside is None else len(outside))
    if outside is not None:
        ways += outside
    alone = (roles == MENTION) & (entities >= 0)
    alone[alone] = ways[entities[alone]] == 1
    return np.where(alone, np.uint8(LONE), roles)


def _neighbours(documents: np.ndarray, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a memory and the next one in its document."""
    order = np.lexsort((positions, documents)).astype(np.int32)

    def pairs(some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first, second = some[:-1], some[1:]
        follows = (documents[first] == documents[second]) & (positions[second] == positions[first] + 1)
        follows &= (positions[first] >= 0) & (documents[first] > 0)
        return first[follows], second[follows]

    parts = (pairs(order[at : at + ROWS + 1]) for at in range(0, len(order) - 1, ROWS))
    earlier, later = _joined(parts, np.int32, np.int32)
    return earlier, later


def _names(
    memories: np.ndarray, entities: np.ndarray, roles: np.ndarray, sure: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges from a memory to the memories whose title it names: the links that a person would follow."""
    titled = roles == TITLE
    owners, places = entities[titled], memories[titled]
    order = np.argsort(owners, kind="stable")
    owners, places = owners[order], places[order]
    has_title = np.zeros(entities.max(initial=0) + 1, bool)  # -1, an unknown name, is a place, too
    has_title[owners[owners >= 0]] = True
    naming = np.flatnonzero((roles == MENTION) & (entities >= 0) & has_title[entities])
    start = np.searchsorted(owners, entities[naming], "left")
    count = np.searchsorted(owners, entities[naming], "right") - start
    few = (count > 0) & (count <= MOST_TITLED)
    naming, start, count = naming[few], start[few], count[few]
    sources = np.repeat(memories[naming], count)
    at = np.repeat(start - np.cumsum(count) + count, count) + np.arange(count.sum())
    weights = np.repeat(sure[naming] / np.maximum(count, 1), count)
    return sources, places[at], weights
