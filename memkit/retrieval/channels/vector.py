"""Vector search: cosine similarity to the question. Binary codes choose candidates; exact cosines rank them."""

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
FIRST_LOOK = 8  # rows per candidate in the first step; in a large database at least 1 % of all rows
WIDER = 4  # times as many candidates in the next look, if the scope hides too many
SAMPLED, MARGIN = 16, 1.3  # one of so many distances is looked at first, for so many times as many as are wanted
LEAST_AHEAD = 200_000  # vectors; of fewer, what a second thread saves is lost by waiting for it
BLOCK = 1 << 15  # rows compared at once, so that intermediate results stay in the processor's cache


class Codes(NamedTuple):
    """The sign codes of a model's vectors. `words` is (words, n) uint64.

    Column i belongs to the embedding with key `keys[i]`, of the memory `memory_keys[i]`.
    """

    last: int
    keys: np.ndarray
    memory_keys: np.ndarray
    words: np.ndarray


class Ahead(NamedTuple):
    """The codes among which a search looks, and its first candidates, if another thread looks for them."""

    codes: Codes
    rows: Callable[[], np.ndarray] | None = None


def look_ahead(
    conn: Connection, model_key: int, vector: np.ndarray, scope: Scope, *, limit: int, rescore: int = 500
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
    rescore: int = 500,
    ahead: Ahead | None = None,
) -> dict[int, float]:
    """The memories nearest to a vector, key to cosine (-1 to 1), best first.

    Candidates are chosen by their codes in two steps: first the rows whose signs differ least from the question's, then
    those of them whose signs agree with its largest numbers. The `rescore` best are compared exactly, or more if hidden
    and deleted memories leave fewer than `limit`. `bench/recall.py --agreement` measures what this misses.

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
    name, width, about = f"codes {model_key}", (dims + 7) // 8, {"model_key": model_key}
    last = unchanged(conn, name, lambda: conn.execute(SELECT_LAST, about).fetchone()[0])

    def build(previous: Codes | None) -> Codes:
        if previous is not None and previous.last <= last:
            old = code_blocks.CodeRows(previous.keys, previous.memory_keys, previous.words)
            new = code_blocks.read(conn, model_key, width, previous.last, last)
            rows = len(old.keys) + len(new.keys)
            # Blocks are of vectors that are there, and quickly counted; usually they are nearly all.
            if any(rows <= MOST_LEFT_OVER * conn.execute(count, about).fetchone()[0] for count in COUNTS):
                return Codes(last, *code_blocks.joined([old, new], width))
        with in_passing(conn):
            return Codes(last, *code_blocks.read(conn, model_key, width, 0, last))

    return cached(conn, name, last, build)


def codes_of(memory_keys: np.ndarray, codes: np.ndarray) -> Codes:
    """Codes for the search, from an (n, bytes) uint8 array; those of a memory have the memory's key."""
    return Codes(0, memory_keys, memory_keys, code_blocks.words_of(codes))


def _allowed_rows(conn: Connection, codes: Codes, scope: Scope) -> np.ndarray | None:
    """The rows of the codes that a narrow scope allows; None for a wide scope means all."""
    if not scope.narrow:
        return None
    return np.flatnonzero(np.isin(codes.memory_keys, eligible(conn, scope)))


# ---------------------------------------------------------------------------------------------- the scan


def candidates(codes: Codes, vector: np.ndarray, rows: np.ndarray | None, limit: int) -> np.ndarray:
    """The rows that may be nearest to a vector, ascending: at most `limit`, all among `rows` if given.

    Of rows that are equally near, those of the lower memory keys are taken.
    """
    from memkit.embedding import binary_code

    question = code_blocks.words_of(binary_code(vector[None, :]))[:, 0]
    distance = _distances(codes.words if rows is None else codes.words[:, rows], question)
    if len(distance) <= limit:
        return np.arange(len(distance)) if rows is None else rows
    looked_at = max(FIRST_LOOK * limit, len(distance) // 100)
    near = np.arange(len(distance)) if len(distance) <= looked_at else _smallest(distance, codes, rows, looked_at)
    near = near if rows is None else rows[near]
    agreed = _agreement(codes.words.take(near, axis=1), vector)
    enough = agreed >= np.partition(agreed, -limit)[-limit]  # with all that are equal to the last one
    near, agreed = near[enough], agreed[enough]
    return np.sort(near[np.lexsort((codes.memory_keys[near], -agreed))[:limit]])


def _agreement(words: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """For each column of signs, the sum of the vector's numbers at its set bits: one look-up for every eight bits."""
    octets = words.view(np.uint8).reshape(*words.shape, 8)
    numbers = np.zeros(64 * len(words), np.float32)
    numbers[: len(vector)] = vector
    agreed = np.zeros(words.shape[1], np.float32)
    for place, sums in enumerate(_sums(numbers.reshape(-1, 8))):  # a table of each is quicker than one of all
        agreed += sums.take(octets[place // 8, :, place % 8])
    return agreed


def _sums(numbers: np.ndarray) -> np.ndarray:
    """For each row of eight numbers, the sums at the set bits of all octets, 0 to 255: (rows, 256)."""
    sums = np.zeros((len(numbers), 1), numbers.dtype)
    for bit in numbers.T[:, :, None]:
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
