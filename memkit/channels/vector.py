"""Meaning: cosine similarity to the question's vector, exact for the answer, by sign codes for the first look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from memkit.caches import cached
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


MOST_LEFT_OVER = 1.1  # rows of the codes per vector, with those of memories that were deleted or embedded anew


@dataclass(frozen=True)
class Codes:
    """The sign codes of all vectors of a model: (n, words) uint64, with the memory of each row."""

    last: int
    memory_keys: np.ndarray
    words: np.ndarray


def search(
    conn: Any, model_key: int, vector: np.ndarray, scope: Scope, *, limit: int, rescore: int = 500
) -> dict[int, float]:
    """The memories nearest to a vector, key to cosine (-1 to 1), best first.

    The `rescore` nearest by Hamming distance of the sign codes are compared exactly.
    """
    if not vector.any():
        return {}
    codes = _codes(conn, model_key)
    rows = _nearest(codes, vector, _allowed_rows(conn, codes, scope), max(rescore, 2 * limit))
    keys = codes.memory_keys[rows].tolist()
    scores = cosines(conn, model_key, vector, sorted(eligible_among(conn, keys, scope)))
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:limit])


def cosines(conn: Any, model_key: int, vector: np.ndarray, keys: list[int]) -> dict[int, float]:
    """The exact cosine of each of these memories that has a vector."""
    rows = conn.execute(SELECT_VECTORS, {"model_key": model_key, "keys": keys_json(keys)}).fetchall()
    if not rows:
        return {}
    matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f4").reshape(len(rows), -1)
    return dict(zip((row[0] for row in rows), (matrix @ vector.astype(np.float32)).tolist(), strict=True))


def _codes(conn: Any, model_key: int) -> Codes:
    """The codes of a model, read once and then only what is new. Rows of deleted memories stay until the next full
    read: they cost a place among the nearest, never a wrong answer."""
    last, count = conn.execute(LAST_VECTOR, {"model_key": model_key}).fetchone()

    def build(previous: Codes | None) -> Codes:
        if previous is not None and previous.last <= last:
            extended = _extended(previous, _read(conn, model_key, previous.last, last))
            if len(extended.memory_keys) <= MOST_LEFT_OVER * count:
                return extended
        return _read(conn, model_key, 0, last)

    return cached(conn, f"codes {model_key}", (last, count), build)


def _read(conn: Any, model_key: int, after: int, last: int) -> Codes:
    rows = conn.execute(SELECT_CODES, {"model_key": model_key, "after": after})
    keys, blobs = [], []
    for _, memory_key, code in rows:
        keys.append(memory_key)
        blobs.append(code)
    width = len(blobs[0]) if blobs else 8
    padded = -width % 8
    words = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(keys), width)
    if padded:
        words = np.pad(words, ((0, 0), (0, padded)))
    return Codes(last, np.array(keys, dtype=np.int64), np.ascontiguousarray(words).view(np.uint64))


def _extended(old: Codes, new: Codes) -> Codes:
    if not len(new.memory_keys):
        return Codes(new.last, old.memory_keys, old.words)
    if not len(old.memory_keys):
        return new
    keys = np.concatenate([old.memory_keys, new.memory_keys])
    return Codes(new.last, keys, np.concatenate([old.words, new.words]))


def _allowed_rows(conn: Any, codes: Codes, scope: Scope) -> np.ndarray | None:
    """The rows of the codes that a narrow scope lets through; None means all."""
    if not scope.narrow:
        return None
    return np.flatnonzero(np.isin(codes.memory_keys, np.array(eligible(conn, scope), dtype=np.int64)))


def _nearest(codes: Codes, vector: np.ndarray, rows: np.ndarray | None, limit: int) -> np.ndarray:
    """The rows with the fewest differing signs, at most `limit`; among equals those of the oldest memories."""
    from memkit.embed import binary_code

    code = binary_code(vector[None, :])[0]
    question = np.pad(code, (0, -len(code) % 8)).view(np.uint64)
    words = codes.words if rows is None else codes.words[rows]
    distance = np.bitwise_count(words[:, 0] ^ question[0]).astype(np.uint16)
    for i in range(1, words.shape[1]):
        distance += np.bitwise_count(words[:, i] ^ question[i])
    best = np.arange(len(distance)) if len(distance) <= limit else _smallest(distance, codes.memory_keys, rows, limit)
    return best if rows is None else rows[best]


def _smallest(distance: np.ndarray, memory_keys: np.ndarray, rows: np.ndarray | None, limit: int) -> np.ndarray:
    """The places of the `limit` smallest distances, the same ones whatever order the rows were read in."""
    last = np.partition(distance, limit - 1)[limit - 1]
    nearer, equal = np.flatnonzero(distance < last), np.flatnonzero(distance == last)
    keys = memory_keys[equal if rows is None else rows[equal]]
    return np.concatenate([nearer, equal[np.argsort(keys, kind="stable")[: limit - len(nearer)]]])
