"""Vector search: cosine similarity to the question. Codes of two bits a number choose what is compared exactly.

The rows whose signs differ least from the question's are looked at first; of these, those whose signs agree with its
largest numbers; of these, those that are nearest when each number counts as 1 or 3, with its sign.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from memkit.core.meanwhile import meanwhile
from memkit.embedding.vectors import is_cosine
from memkit.storage import code_blocks, kept_vectors
from memkit.storage.caches import cached, unchanged
from memkit.storage.connection import Connection
from memkit.storage.driver import in_passing
from memkit.storage.filters import Scope, eligible, eligible_among
from memkit.storage.vectors import COUNT_VECTORS

SELECT_LAST = "select coalesce(max(key), 0) from embeddings where model_key = :model_key"

COUNTS = (code_blocks.COUNT_COVERED, COUNT_VECTORS)
MOST_LEFT_OVER = 1.1  # rows of codes per vector, with old rows of memories that were deleted or embedded again
EXACT, FEW = 200, 500  # vectors that are compared exactly; of so few, all are
FIRST_LOOK = 20  # rows per candidate in the first step; in a large database at least 1 % of all rows
SECOND_LOOK = 4  # and in the second step
WIDER = 4  # times as many candidates in the next look, if the scope hides too many
SAMPLED, MARGIN = 16, 1.3  # one of so many distances is looked at first, for so many times as many as are wanted
LEAST_AHEAD = 200_000  # vectors; of fewer, what a second thread saves is lost by waiting for it
BLOCK = 1 << 17  # rows compared at once: few enough for the processor's cache, and few steps to wait for another thread


class Codes(NamedTuple):
    """Two bits for each number of a model's vectors, its sign and whether it is large: (words, n) uint64 each.

    Column i belongs to the embedding with key `keys[i]`, of the memory `memory_keys[i]`.
    """

    last: int
    keys: np.ndarray
    memory_keys: np.ndarray
    signs: np.ndarray
    large: np.ndarray


class Ahead(NamedTuple):
    """The codes among which a search looks, and its first candidates, if another thread looks for them."""

    codes: Codes
    rows: Callable[[], np.ndarray] | None = None


def look_ahead(
    conn: Connection, model_key: int, vector: np.ndarray, scope: Scope, *, limit: int, rescore: int = EXACT
) -> Ahead:
    """Begins a search in another thread, while this one asks the file, unless that takes longer than it saves."""
    codes = _codes(conn, model_key, len(vector))
    if scope.narrow or len(codes.keys) < LEAST_AHEAD:
        return Ahead(codes)
    return Ahead(codes, meanwhile(partial(candidates, codes, vector, None, _most(limit, rescore))))


def search(
    conn: Connection,
    model_key: int,
    vector: np.ndarray,
    scope: Scope,
    *,
    limit: int,
    rescore: int = EXACT,
    ahead: Ahead | None = None,
) -> dict[int, float]:
    """The memories nearest to a vector, key to cosine (-1 to 1), best first.

    Candidates are chosen by their codes. The `rescore` best are compared exactly, or more if hidden and deleted
    memories leave fewer than `limit`. `bench/recall.py --agreement` measures what this misses.

    `ahead` is what `look_ahead` gave for the same search.
    """
    if not vector.any():
        return {}
    codes = ahead.codes if ahead else _codes(conn, model_key, len(vector))
    among = _allowed_rows(conn, codes, scope)
    most = _most(limit, rescore)
    while True:
        rows = ahead.rows() if ahead and ahead.rows else candidates(codes, vector, among, most)
        ahead = None
        keys, found = _compared(*_vectors(conn, model_key, codes, rows, scope, len(vector)), vector)
        if len(keys) >= limit or len(rows) < most:
            best = np.lexsort((keys, -found))[:limit]
            return dict(zip(keys[best].tolist(), found[best].tolist(), strict=True))
        most *= WIDER


def _most(limit: int, rescore: int) -> int:
    """How many are compared exactly at first."""
    return max(rescore, 2 * limit)


def _vectors(
    conn: Connection, model_key: int, codes: Codes, rows: np.ndarray, scope: Scope, dims: int
) -> kept_vectors.Found:
    """The vectors of the rows that the scope allows, by what the table says: codes only say where to look."""
    near = codes.memory_keys[rows]
    if not scope.narrow:
        rows = rows[_allowed(conn, near, scope)]
    keys, matrix = kept_vectors.of_embeddings(conn, model_key, dims, codes.keys[rows])
    asked = codes.memory_keys[rows]
    if np.array_equal(keys, asked):  # as nearly always
        return keys, matrix
    fine = np.isin(keys, asked)
    return keys[fine], matrix[fine]


def _allowed(conn: Connection, keys: np.ndarray, scope: Scope) -> np.ndarray:
    """Whether a wide scope allows each of these memories."""
    asked = keys.tolist()
    allowed = eligible_among(conn, asked, scope)
    if len(allowed) == len(asked):
        return np.ones(len(keys), bool)
    return np.fromiter((key in allowed for key in asked), bool, len(keys))


def cosines(conn: Connection, model_key: int, vector: np.ndarray, keys: list[int]) -> dict[int, float]:
    """Memory key to exact cosine (-1 to 1); memories without a vector are missing."""
    memories, found = _compared(*kept_vectors.of_memories(conn, model_key, len(vector), keys), vector)
    return dict(zip(memories.tolist(), found.tolist(), strict=True))


def _compared(keys: np.ndarray, matrix: np.ndarray, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The keys of memories and the cosine of each, for vectors of unit length (n, dims), without damaged vectors."""
    # Not `@`: its threads cost more than they save here, and the sum of a row may depend on the other rows.
    found = np.einsum("ij,j->i", matrix, vector.astype(np.float32))
    fine = is_cosine(found)
    return (keys, found) if fine.all() else (keys[fine], found[fine])


# ---------------------------------------------------------------------------------------------- the codes


def _codes(conn: Connection, model_key: int, dims: int) -> Codes:
    """The codes of a model of `dims` dimensions, cached: later calls read only new rows.

    Rows of deleted memories stay until the next full read. They take a place among the candidates, but never give a
    wrong answer.
    """
    name, about = f"codes {model_key}", {"model_key": model_key}
    last = unchanged(conn, name, lambda: conn.execute(SELECT_LAST, about).fetchone()[0])

    def build(previous: Codes | None) -> Codes:
        if previous is not None and previous.last <= last:
            old = code_blocks.CodeRows(*previous[1:])
            new = code_blocks.read(conn, model_key, dims, previous.last, last)
            rows = len(old.keys) + len(new.keys)
            # Blocks are of vectors that are there, and quickly counted; usually they are nearly all.
            if any(rows <= MOST_LEFT_OVER * conn.execute(count, about).fetchone()[0] for count in COUNTS):
                return Codes(last, *code_blocks.joined([old, new], dims, rows))
        with in_passing(conn):
            return Codes(last, *code_blocks.read(conn, model_key, dims, 0, last))

    return cached(conn, name, last, build)


def codes_of(memory_keys: np.ndarray, vectors: np.ndarray) -> Codes:
    """Codes for the search among vectors (n, dims); that of a memory has the memory's key."""
    return Codes(0, memory_keys, memory_keys, *code_blocks.codes_of(vectors))


def _allowed_rows(conn: Connection, codes: Codes, scope: Scope) -> np.ndarray | None:
    """The rows of the codes that a narrow scope allows; None for a wide scope means all."""
    if not scope.narrow:
        return None
    return np.flatnonzero(np.isin(codes.memory_keys, eligible(conn, scope)))


# ---------------------------------------------------------------------------------------------- the scan


def candidates(codes: Codes, vector: np.ndarray, rows: np.ndarray | None, limit: int) -> np.ndarray:
    """The rows that may be nearest to a vector, ascending: at most `limit` or FEW, all among `rows` if given.

    Of rows that are equally near, those of the lower memory keys are taken.
    """
    n = len(codes.keys) if rows is None else len(rows)
    if n <= max(limit, FEW):
        return np.arange(n) if rows is None else rows
    question = code_blocks.codes_of(vector[None, :])[0][:, 0]
    distance = _distances(codes.signs if rows is None else codes.signs[:, rows], question)
    looked_at = max(FIRST_LOOK * limit, n // 100)
    near = np.arange(n) if n <= looked_at else _smallest(distance, codes, rows, looked_at)
    near = near if rows is None else rows[near]
    sums = _sums(vector)
    agreed = _agreement(_columns(codes.signs, near), sums)
    near, agreed = _greatest(near, agreed, codes, SECOND_LOOK * limit)
    likeness = _likeness(_columns(codes.signs, near), _columns(codes.large, near), agreed, vector, sums)
    return np.sort(_greatest(near, likeness, codes, limit)[0])


def _columns(words: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Some columns of codes (words, n), row by row: `take` on an axis would copy all codes if they are a view."""
    return np.stack([row.take(near) for row in words])


def _greatest(near: np.ndarray, numbers: np.ndarray, codes: Codes, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows with the `limit` greatest numbers, and these; of equal ones those of the lower memory keys."""
    if len(near) <= limit:
        return near, numbers
    enough = np.flatnonzero(numbers >= np.partition(numbers, -limit)[-limit])  # with all that are equal to the last one
    if len(enough) > limit:
        enough = enough[np.lexsort((codes.memory_keys[near[enough]], -numbers[enough]))[:limit]]
    return near[enough], numbers[enough]


def _likeness(
    signs: np.ndarray, large: np.ndarray, agreed: np.ndarray, vector: np.ndarray, sums: np.ndarray
) -> np.ndarray:
    """About the cosine of a vector of length 1 with each column, in which small numbers are 1 and large ones 3.

    `agreed` is the agreement of its `signs`.
    """
    of_all = 2 * agreed - vector.sum()
    of_large = 2 * _agreement(signs & large, sums) - _agreement(large, sums)
    many = np.bitwise_count(large).sum(axis=0, dtype=np.int64)
    likeness: np.ndarray = (of_all + 2 * of_large) / np.sqrt(len(vector) + 8 * many)
    return likeness


def _agreement(words: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """For each column of bits, the sum of a vector's numbers at those that are set, by its `_sums` of each octet."""
    octets = words.view(np.uint8).reshape(*words.shape, 8)
    agreed = np.zeros(words.shape[1], np.float32)
    for place, of_octet in enumerate(sums):  # a table of each is quicker than one of all
        agreed += of_octet.take(octets[place // 8, :, place % 8], mode="clip")  # no octet is outside
    return agreed


def _sums(vector: np.ndarray) -> np.ndarray:
    """For each eight numbers of a vector, the sums of those at the set bits of all octets, 0 to 255: (octets, 256)."""
    octets = np.pad(vector.astype(np.float32), (0, -len(vector) % 64)).reshape(-1, 8)
    sums = np.zeros((len(octets), 1), np.float32)
    for bit in octets.T[:, :, None]:
        sums = np.concatenate([sums, sums + bit], axis=1)
    return sums


def _distances(words: np.ndarray, question: np.ndarray) -> np.ndarray:
    """The number of signs in each column that differ from the question's."""
    distance = np.empty(words.shape[1], np.uint16)
    for start in range(0, words.shape[1], BLOCK):
        here = distance[start : start + BLOCK]
        here[:] = np.bitwise_count(words[0, start : start + BLOCK] ^ question[0])
        for row, word in zip(words[1:], question[1:], strict=True):
            here += np.bitwise_count(row[start : start + BLOCK] ^ word)
    return distance


def _smallest(distance: np.ndarray, codes: Codes, rows: np.ndarray | None, limit: int) -> np.ndarray:
    """The places of the `limit` smallest distances; ties by memory key, so that the order of rows does not matter."""
    # Counting all distances takes longer than comparing them with one. A sample says which one has enough below it.
    near = np.flatnonzero(distance <= _at(distance[::SAMPLED], int(MARGIN * limit / SAMPLED)))
    if len(near) < limit:
        near = np.arange(len(distance))
    found = distance[near]
    last = _at(found, limit)
    equal, nearer = near[found == last], near[found < last]
    keys = codes.memory_keys[equal if rows is None else rows[equal]]
    chosen = np.concatenate([nearer, equal[np.argsort(keys, kind="stable")[: limit - len(nearer)]]])
    return np.sort(chosen)  # what lies together is read together


def _at(distance: np.ndarray, place: int) -> int:
    """The distance that so many are not above: that of the last one of the `place` smallest."""
    return int(np.searchsorted(np.cumsum(np.bincount(distance)), place))
