"""Counts of a whole of which a database holds a part: how many memories of the whole name an entity.

A recall on a server runs in such a part. Without these counts a name that stands everywhere would look rare there.
"""

from __future__ import annotations

from collections.abc import Mapping

from memkit.storage.connection import Connection

NAMING = "naming"  # in a connection's cache


def set_naming(conn: Connection, counts: Mapping[int, int]) -> None:
    """Says how many memories of the whole name each entity (by key). Needs one of memkit's own connections."""
    conn.memkit_cache[NAMING] = counts  # type: ignore[attr-defined]


def naming(conn: Connection) -> Mapping[int, int]:
    """How many memories of the whole name each entity; empty for a database that is a whole itself."""
    found: Mapping[int, int] = getattr(conn, "memkit_cache", {}).get(NAMING, {})
    return found
