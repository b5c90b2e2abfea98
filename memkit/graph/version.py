"""The graph's version: what changed in it without leaving a newer row behind."""

from __future__ import annotations

from typing import Any

from memkit.store import BUMP_GRAPH


def bump(conn: Any) -> None:
    """Says that something in the graph was changed or taken away, so that what was built from it is built anew."""
    conn.execute(BUMP_GRAPH)
