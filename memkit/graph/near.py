"""Entities by meaning: the vectors of "name: description", nearest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from memkit.caches import cached

STATE = """
select coalesce(max(entity_key), 0), count(*),
    coalesce((select value from settings where name = 'graph_version'), '0')
from entity_embeddings where model_key = :model_key
"""
SELECT_VECTORS = """
select v.entity_key, v.vector from entity_embeddings as v join entities as e on e.key = v.entity_key
where v.model_key = :model_key and e.merged_into is null
order by v.entity_key
"""


@dataclass(frozen=True)
class _Matrix:
    keys: np.ndarray  # n
    rows: np.ndarray  # n x dims


def nearest_entities(
    conn: Any, vector: np.ndarray, model_key: int, threshold: float = 0.3, limit: int = 10
) -> list[tuple[int, float]]:
    """The entities whose vector has at least this cosine with the given one: (key, cosine), best first."""
    state = tuple(conn.execute(STATE, {"model_key": model_key}).fetchone())
    matrix = cached(conn, f"entity vectors {model_key}", state, lambda _: _read(conn, model_key))
    if not len(matrix.keys):
        return []
    cosines = matrix.rows @ vector.astype(np.float32)
    good = np.flatnonzero(cosines >= threshold)
    best = good[np.lexsort((matrix.keys[good], -cosines[good]))][:limit]
    return [(int(matrix.keys[i]), float(cosines[i])) for i in best]


def _read(conn: Any, model_key: int) -> _Matrix:
    rows = conn.execute(SELECT_VECTORS, {"model_key": model_key}).fetchall()
    vectors = (
        np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(len(rows), -1) if rows else np.empty((0, 0))
    )
    return _Matrix(np.array([row[0] for row in rows], np.int64), vectors)
