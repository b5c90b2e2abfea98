"""The newest memories, whatever the question."""

from __future__ import annotations

from typing import Any

from memkit.scope import ELIGIBLE, Scope

NEWEST = f"""
select m.key from memories as m
where coalesce(m.happened_at, m.created_at) <= :as_of and {ELIGIBLE}
order by coalesce(m.happened_at, m.created_at) desc, m.key desc
limit :limit
"""


def search(conn: Any, scope: Scope, *, limit: int) -> list[int]:
    """The keys of the memories that happened last, up to the question's own time, newest first (C03)."""
    return [row[0] for row in conn.execute(NEWEST, {**scope.parameters(), "limit": limit})]
