"""SQL functions on Datasette's connections: memkit's own, and those of sqlite-vec that memkit needs."""

from __future__ import annotations

from typing import Any

from memkit.frontends.datasette.permissions import limits
from memkit.frontends.sql_functions import register_sql_functions
from memkit.retrieval.limits import Bounded
from memkit.storage.connection import Connection
from memkit.storage.driver import load_vec


def add_functions(conn: Connection, datasette: Any, database: str) -> None:
    """Adds the functions, with the owner's limits.

    If sqlite-vec cannot be loaded, its cosine distance is computed in Python, with the same result but slower.
    """
    register_sql_functions(conn, Bounded(conn, **limits(datasette, database), whole_statements=True))
    if not load_vec(conn):
        conn.create_function("vec_distance_cosine", 2, cosine_distance, deterministic=True)


def cosine_distance(one: bytes | None, other: bytes | None) -> float | None:
    """1 - cosine of two float32 vectors, as in sqlite-vec; None (NULL) for vectors that cannot be compared."""
    import numpy as np

    if not isinstance(one, bytes) or not isinstance(other, bytes) or len(one) != len(other) or len(one) % 4:
        return None
    a, b = np.frombuffer(one, "<f4").astype(float), np.frombuffer(other, "<f4").astype(float)
    length = np.sqrt((a @ a) * (b @ b))
    return float(1 - a @ b / length) if length else None
