"""Where a question enters the graph, as Construct looks for it: by meaning, by name, by the names in the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memkit.graph.entity_vectors import nearest_entities

LONGEST_LIKE = 60  # characters: nothing is called by a whole sentence

SELECT_LIKE = r"""
select key from entities
where merged_into is null and name like '%' || :text || '%' escape '\'
order by updated_at desc, key limit :limit
"""


def search_nodes(
    conn: Any,
    text: str,
    named: Sequence[int],
    *,
    limit: int = 10,
    vector: np.ndarray | None = None,
    model_key: int | None = None,
    threshold: float = 0.3,
) -> list[int]:
    """The entities that a question means, at most `limit`: nearest by meaning first, then those with its text in their
    name.

    A whole question is seldom a part of a name, so the entities named in it belong to the second group (C36); they
    always have their place. Without a vector, names alone (C35).
    """
    named = list(named)[:limit]
    near: list[int] = []
    if vector is not None and model_key is not None:
        near = [one.key for one, _ in nearest_entities(conn, vector, model_key, threshold=threshold, limit=limit)]
    found = list(dict.fromkeys([*near, *like(conn, text, limit)]))
    others = [key for key in found if key not in named]
    kept = set(others[: limit - len(named)]) | set(named)
    return [key for key in dict.fromkeys([*found, *named]) if key in kept]


def like(conn: Any, text: str, limit: int) -> list[int]:
    """The entities whose name contains this text, latest changed first."""
    text = text.strip().lower()
    if not text or len(text) > LONGEST_LIKE:
        return []
    escaped = text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
    return [row[0] for row in conn.execute(SELECT_LIKE, {"text": escaped, "limit": limit})]
