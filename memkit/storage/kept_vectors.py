"""Kept vectors: those of whole code blocks, held by a process that asks often, so that recall reads no rows.

Triggers drop a block as soon as any program changes one of its embeddings (`code_blocks`). So vectors that were read
under a block that is still there are as the table has them. All others are read from the table when a question needs
them; some are kept until anything is written. So a small file, which has no block, is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from threading import Lock
from typing import Any
from weakref import WeakSet

import numpy as np

from memkit.core.classes import dataclass
from memkit.storage import vector_rows
from memkit.storage.caches import cached, is_kept, unchanged
from memkit.storage.connection import Connection
from memkit.storage.driver import in_passing
from memkit.storage.store import keys_json

MOST_BYTES = 1 << 27  # of all files together: 131,000 vectors of 256 numbers
# Searches that read rows, before all are read at once (.1 s for 100,000): a process that asks once,
# as a hook does, or a few times, needs no more vectors than these.
PATIENCE = 4
MOST_READ = 2000  # vectors of no block that are kept: a file has a block for each thousand

# A block that was dropped and written again has another key.
SELECT_BLOCKS = """
select key, first_key, last_key, length(keys) / 8 from code_blocks where model_key = :model_key order by first_key
"""

Range = tuple[int, int, int, int]  # a row of SELECT_BLOCKS
Found = tuple[np.ndarray, np.ndarray]  # the keys of memories (n) int64, and the vector of each (n, dims)


@dataclass(frozen=True, eq=False)
class Block:
    """The vectors (n, dims) of the embeddings with these keys, ascending, and the memory of each."""

    keys: np.ndarray
    memory_keys: np.ndarray
    vectors: np.ndarray


class Held:
    """Blocks as one table, in the order of their keys."""

    def __init__(self, blocks: Sequence[Block] = ()):
        self.blocks = sorted((block for block in blocks if len(block.keys)), key=lambda block: int(block.keys[0]))
        none = np.zeros(0, np.int64)
        self.keys = np.concatenate([none, *(block.keys for block in self.blocks)])
        self.memory_keys = np.concatenate([none, *(block.memory_keys for block in self.blocks)])
        self.ends = np.cumsum([len(block.keys) for block in self.blocks])

    def of_embeddings(self, keys: np.ndarray) -> tuple[list[Found], np.ndarray]:
        """What is here of these embeddings, and the keys of the others."""
        return self._found(self.keys, keys)

    def of_memories(self, keys: np.ndarray) -> tuple[list[Found], np.ndarray]:
        """The same for the keys of memories."""
        order, ascending = self._by_memory
        return self._found(ascending, keys, order)

    @cached_property
    def _by_memory(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.memory_keys, kind="stable")
        return order, self.memory_keys[order]

    def _found(
        self, ascending: np.ndarray, wanted: np.ndarray, order: np.ndarray | None = None
    ) -> tuple[list[Found], np.ndarray]:
        if not len(ascending):
            return [], wanted
        places = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
        here = ascending[places] == wanted
        rows = places[here]
        if not len(rows):
            return [], wanted
        return [self._rows(rows if order is None else order[rows])], wanted[~here]

    def _rows(self, rows: np.ndarray) -> Found:
        rows = np.sort(rows)
        vectors = np.empty((len(rows), self.blocks[0].vectors.shape[1]), np.float32)
        start = first = 0
        for block, end in zip(self.blocks, np.searchsorted(rows, self.ends).tolist(), strict=True):
            if end > start:
                np.take(block.vectors, rows[start:end] - first, axis=0, out=vectors[start:end], mode="clip")
            start, first = end, first + len(block.keys)
        return self.memory_keys[rows], vectors


@dataclass
class Read:
    """Vectors of no block, of a file in which nothing was written since they were read."""

    held: Held = field(default_factory=Held)

    def add(self, block: Block) -> None:
        """Keeps these, too, if there is room."""
        blocks = [*self.held.blocks, block]
        keys = np.concatenate([one.keys for one in blocks])
        if len(keys) <= MOST_READ:
            order = np.argsort(keys)
            memory_keys = np.concatenate([one.memory_keys for one in blocks])[order]
            vectors = np.concatenate([one.vectors for one in blocks])[order]
            self.held = Held([Block(keys[order], memory_keys, vectors)])


_blocks: WeakSet[Block] = WeakSet()  # those of all files


@dataclass
class Kept:
    """The blocks of a file that are held, of those that it has in one state."""

    ranges: tuple[Range, ...]
    blocks: dict[Range, Block] = field(default_factory=dict)
    searches: int = 0
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.held = Held(list(self.blocks.values()))

    def grow(self, conn: Connection, model_key: int, dims: int) -> None:
        """Reads the missing blocks, if there is room for all, and unless another thread does that now."""
        missing = [one for one in self.ranges if one not in self.blocks]
        if not missing or not self.lock.acquire(blocking=False):
            return
        try:
            self.searches += 1
            if self.searches > PATIENCE and _size() + sum(4 * dims * rows for *_, rows in missing) <= MOST_BYTES:
                with in_passing(conn):
                    self.blocks |= {one: _read(conn, model_key, dims, one) for one in missing}
                _blocks.update(self.blocks.values())
                self.held = Held(list(self.blocks.values()))
        finally:
            self.lock.release()


def _size() -> int:
    return sum(block.vectors.nbytes for block in list(_blocks))


def _read(conn: Connection, model_key: int, dims: int, wanted: Range) -> Block:
    _, first, last, _ = wanted
    about = {"model_key": model_key, "first": first, "last": last}
    return Block(*vector_rows.read(conn, vector_rows.IN_RANGE, dims, about))


def _kept(conn: Connection, model_key: int) -> Kept:
    """What is kept for the file as it is: nothing inside a transaction, or for a view of one project."""
    if not is_kept(conn):
        return Kept(())
    name, about = f"vectors {model_key}", {"model_key": model_key}
    ranges = unchanged(conn, name, lambda: tuple(map(tuple, conn.execute(SELECT_BLOCKS, about).fetchall())))

    def build(previous: Kept | None) -> Kept:
        if previous is None:
            return Kept(ranges)
        blocks = dict(previous.blocks)
        return Kept(ranges, {one: blocks[one] for one in ranges if one in blocks}, previous.searches)

    return cached(conn, name, ranges, build)


def of_embeddings(conn: Connection, model_key: int, dims: int, keys: np.ndarray) -> Found:
    """The memories of these embeddings, and their vectors of `dims` numbers; what is no vector is left out.

    A process that asks often holds the file's vectors.
    """
    _kept(conn, model_key).grow(conn, model_key, dims)
    return _found(conn, model_key, dims, keys, Held.of_embeddings, vector_rows.BY_KEY)


def of_memories(conn: Connection, model_key: int, dims: int, keys: Sequence[int]) -> Found:
    """The same for the keys of memories."""
    return _found(conn, model_key, dims, np.array(keys, np.int64), Held.of_memories, vector_rows.BY_MEMORY)


def _found(conn: Connection, model_key: int, dims: int, keys: np.ndarray, of: Callable[..., Any], query: str) -> Found:
    read = unchanged(conn, f"read vectors {model_key}", Read)
    parts, left = of(_kept(conn, model_key).held, keys)
    more, left = of(read.held, left)
    parts += more
    if len(left):
        about = {"model_key": model_key, "keys": keys_json(np.sort(left).tolist())}
        block = Block(*vector_rows.read(conn, query, dims, about))
        read.add(block)
        parts.append((block.memory_keys, block.vectors))
    return _joined(parts, dims)


def _joined(parts: list[Found], dims: int) -> Found:
    if len(parts) == 1:
        return parts[0]
    none = np.zeros(0, np.int64), np.zeros((0, dims), np.float32)
    keys, vectors = zip(none, *parts, strict=True)
    return np.concatenate(keys), np.concatenate(vectors)
