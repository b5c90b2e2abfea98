"""Recency channel: the newest memories, for any question."""

from __future__ import annotations

from memkit.storage.connection import Connection
from memkit.storage.filters import ELIGIBLE, WHEN, Scope

NEWEST = f"""
select m.key from memories as m
where coalesce(m.happened_at, m.created_at) <= :as_of and {ELIGIBLE} and ({WHEN} is null) = :undated
order by coalesce(m.happened_at, m.created_at) desc, m.key desc
limit :limit
"""


def search(conn: Connection, scope: Scope, *, limit: int) -> list[int]:
    """The keys of the memories that happened last, newest first, up to `as_of` or else now (C03); then undated ones."""
    found: list[int] = []
    for undated in (False, True):
        parameters = {**scope.parameters(), "undated": undated, "limit": limit - len(found)}
        found += [row[0] for row in conn.execute(NEWEST, parameters)]
    return found
