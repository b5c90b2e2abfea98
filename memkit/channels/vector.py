"""Meaning: cosine similarity to the question's vector, exact for the answer, by sign codes for the first look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from memkit.caches import cached, unchanged
from memkit.scope import Scope, eligible, eligible_among
from memkit.store import keys_json

LAST_VECTOR = """
select coalesce((select max(key) from embeddings where model_key = :model_key), 0),
    (select count(*) from embeddings where model_key = :model_key)
"""
SELECT_CODES = "select key, memory_key, code from embeddings where model_key = :model_key and key > :after order by key"
SELECT_VECTORS = """
select memory_key, vector from embeddings
where model_key = :model_key and memory_key in (select value from json_each(:keys))
"""
SELECT_VECTORS_BY_KEY = "select memory_key, vector from embeddings where key in (select value from json_each(:keys))"

MOST_LEFT_OVER = 1.1  # rows of the codes per vector, with those of memories that were deleted or embedded anew
FIRST_LOOK = 8  # times as many as are compared exactly; of a large database at least a hundredth
WIDER = 4  # times as many are looked at where what is hidden has left too few
BLOCK = 1 << 15  # rows compared at once: what is in between stays in the processor's cache


@dataclass(frozen=True)
class Codes:
    """The sign codes of a model's vectors, (words, n) uint64: column i is row `keys[i]`, of memory `memory_keys[i]`."""

    last: int
    keys: np.ndarray
    memory_keys: np.ndarray
    words: np.ndarray


def search(
    conn: Any, model_key: int, vector: np.ndarray, scope: Scope, *, limit: int, rescore: int = 500
) -> dict[int, float]:
    """The memories nearest to a vector, key to cosine (-1 to 1), best first.

    The codes are looked at twice: what differs in the fewest signs from the question, and of these, what its numbers
    speak for most. The `rescore` best are compared exactly, and more where what is hidden or deleted leaves fewer than
    `limit` of them. `bench/recall.py --agreement` says what that misses.
    """
    if not vector.any():
        return {}
    codes = _codes(conn, model_key)
    among = _allowed_rows(conn, codes, scope)
    most = max(rescore, 2 * limit)
    while True:
        rows = candidates(codes, vector, among, most)
        scores = _compared(_vectors(conn, codes, rows, scope), vector)
        if len(scores) >= limit or len(rows) < most:
            return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit])
        most *= WIDER


def _vectors(conn: Any, codes: Codes, rows: np.ndarray, scope: Scope) -> list[Any]:
    """The (memory key, vector) of those of the rows that the scope lets through."""
    if not scope.narrow:
        allowed = eligible_among(conn, codes.memory_keys[rows].tolist(), scope)
        rows = rows[[key in allowed for key in codes.memory_keys[rows].tolist()]]
    return conn.execute(SELECT_VECTORS_BY_KEY, {"keys": keys_json(np.sort(codes.keys[rows]).tolist())}).fetchall()


def cosines(conn: Any, model_key: int, vector: np.ndarray, keys: list[int]) -> dict[int, float]:
    """The exact cosine of each of these memories that has a vector."""
    return _compared(conn.execute(SELECT_VECTORS, {"model_key": model_key, "keys": keys_json(keys)}).fetchall(), vector)


def _compared(rows: list[Any], vector: np.ndarray) -> dict[int, float]:
    """The cosine of each (memory key, vector) of unit length."""
    if not rows:
        return {}
    matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f4").reshape(len(rows), -1)
    # Not `@`: its threads cost more than they save here, and may add up a row differently beside other rows.
    found = np.einsum("ij,j->i", matrix, vector.astype(np.float32))
    return dict(zip((row[0] for row in rows), found.tolist(), strict=True))


# ---------------------------------------------------------------------------------------------- the codes


def _codes(conn: Any, model_key: int) -> Codes:
    """The codes of a model, read once and then only what is new. Rows of deleted memories stay until the next full
    read: they cost a place among the nearest, never a wrong answer."""
    name = f"codes {model_key}"
    last, count = unchanged(conn, name, lambda: tuple(conn.execute(LAST_VECTOR, {"model_key": model_key}).fetchone()))

    def build(previous: Codes | None) -> Codes:
        if previous is not None and previous.last <= last:
            extended = _extended(previous, _read(conn, model_key, previous.last, last))
            if len(extended.memory_keys) <= MOST_LEFT_OVER * count:
                return extended
        return _read(conn, model_key, 0, last)

    return cached(conn, name, (last, count), build)


def _read(conn: Any, model_key: int, after: int, last: int) -> Codes:
    rows = conn.execute(SELECT_CODES, {"model_key": model_key, "after": after})
    keys, memory_keys, blobs = [], [], []
    for key, memory_key, code in rows:
        keys.append(key)
        memory_keys.append(memory_key)
        blobs.append(code)
    width = len(blobs[0]) if blobs else 8
    codes = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(keys), width)
    return codes_of(np.array(memory_keys, dtype=np.int64), codes, np.array(keys, dtype=np.int64), last)


def codes_of(memory_keys: np.ndarray, codes: np.ndarray, keys: np.ndarray | None = None, last: int = 0) -> Codes:
    """Codes (n, bytes) of uint8 as they are searched: in words of 64 bits, the first words of all together."""
    padded = -codes.shape[1] % 8
    if padded:
        codes = np.pad(codes, ((0, 0), (0, padded)))
    words = np.ascontiguousarray(np.ascontiguousarray(codes).view(np.uint64).T)
    return Codes(last, memory_keys if keys is None else keys, memory_keys, words)


def _extended(old: Codes, new: Codes) -> Codes:
    if not len(new.keys):
        return Codes(new.last, old.keys, old.memory_keys, old.words)
    if not len(old.keys):
        return new
    pairs = ((old.keys, new.keys), (old.memory_keys, new.memory_keys), (old.words, new.words))
    return Codes(new.last, *(np.concatenate(pair, axis=-1) for pair in pairs))


def _allowed_rows(conn: Any, codes: Codes, scope: Scope) -> np.ndarray | None:
    """The rows of the codes that a narrow scope lets through; None means all."""
    if not scope.narrow:
        return None
    return np.flatnonzero(np.isin(codes.memory_keys, np.array(eligible(conn, scope), dtype=np.int64)))


# ---------------------------------------------------------------------------------------------- the scan


def candidates(codes: Codes, vector: np.ndarray, rows: np.ndarray | None, limit: int) -> np.ndarray:
    """The rows (among these, if given) that may be nearest to a vector, at most `limit`; equal ones by memory."""
    from memkit.embed import binary_code

    code = binary_code(vector[None, :])[0]
    question = np.pad(code, (0, -len(code) % 8)).view(np.uint64)
    distance = _distances(codes.words if rows is None else codes.words[:, rows], question)
    if len(distance) <= limit:
        return np.arange(len(distance)) if rows is None else rows
    looked_at = max(FIRST_LOOK * limit, len(distance) // 100)
    near = np.arange(len(distance)) if len(distance) <= looked_at else _smallest(distance, codes, rows, looked_at)
    near = near if rows is None else rows[near]
    agreed = _agreement(codes.words[:, near], vector)
    return near[np.lexsort((codes.memory_keys[near], -agreed))[:limit]]


def _agreement(words: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """For each column of signs the sum of the vector's numbers that they agree with: one look-up for every eight."""
    octets = np.ascontiguousarray(words.T).view(np.uint8)
    numbers = np.pad(vector.astype(np.float32), (0, 8 * octets.shape[1] - len(vector))).reshape(-1, 8)
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    sums = np.einsum("ob,nb->no", bits.astype(np.float32), numbers)  # of each octet that a code may have
    return sums[np.arange(octets.shape[1]), octets].sum(axis=1)


def _distances(words: np.ndarray, question: np.ndarray) -> np.ndarray:
    """How many signs of each column differ from the question's."""
    distance = np.empty(words.shape[1], np.uint16)
    for start in range(0, words.shape[1], BLOCK):
        here = distance[start : start + BLOCK]
        here[:] = np.bitwise_count(words[0, start : start + BLOCK] ^ question[0])
        for row, word in zip(words[1:], question[1:], strict=True):
            here += np.bitwise_count(row[start : start + BLOCK] ^ word)
    return distance


def _smallest(distance: np.ndarray, codes: Codes, rows: np.ndarray | None, limit: int) -> np.ndarray:
    """The places of the `limit` smallest distances, the same ones whatever order the rows were read in."""
    last = int(np.searchsorted(np.cumsum(np.bincount(distance)), limit))  # the distance of the last one
    near = np.flatnonzero(distance <= last)
    equal = near[distance[near] == last]
    nearer = near[distance[near] < last]
    keys = codes.memory_keys[equal if rows is None else rows[equal]]
    return np.concatenate([nearer, equal[np.argsort(keys, kind="stable")[: limit - len(nearer)]]])
