"""The SQL functions of a connection of Datasette: memkit's own, and sqlite-vec's as far as they are needed."""

from __future__ import annotations

from typing import Any

from memkit.bounded import Bounded
from memkit.datasette_plugin.permissions import limits
from memkit.driver import load_vec
from memkit.sql_functions import register_sql_functions


def add_functions(conn: Any, datasette: Any, database: str) -> None:
    """Adds them, within the owner's limits.

    Where sqlite-vec cannot be loaded, its cosine distance is computed in Python: slower, and the same.
    """
    register_sql_functions(conn, Bounded(conn, **limits(datasette, database), whole_statements=True))
    if not load_vec(conn):
        conn.create_function("vec_distance_cosine", 2, cosine_distance, deterministic=True)


def cosine_distance(one: bytes | None, other: bytes | None) -> float | None:
    """1 - cosine of two float32 vectors, as sqlite-vec says it; NULL for vectors that cannot be compared."""
    import numpy as np

    if not isinstance(one, bytes) or not isinstance(other, bytes) or len(one) != len(other) or len(one) % 4:
        return None
    a, b = np.frombuffer(one, "<f4").astype(float), np.frombuffer(other, "<f4").astype(float)
    length = np.sqrt((a @ a) * (b @ b))
    return float(1 - a @ b / length) if length else None
