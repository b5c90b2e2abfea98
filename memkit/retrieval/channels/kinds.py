"""Check for empty kinds: if no memory has a kind, the list of that kind is not searched."""

from __future__ import annotations

from collections.abc import Iterable

from memkit.storage.connection import Connection
from memkit.storage.store import dumps

PROCEDURE = "procedure"

# There are few projects and many memories. So a query for a kind goes from project to project by the index, and looks
# for the kind in each. `cross join` keeps this order: SQLite's planner may read all memories of each project.
_PROJECTS = """
recursive projects(name) as (
    select min(project) from memories
    union all
    select (select min(m.project) from memories as m where m.project > projects.name)
    from projects where projects.name is not null
)
"""
_OF_KINDS = """
from projects cross join json_each(:kinds) as k
    cross join memories as m on m.project = projects.name and m.kind = k.value
"""
EXISTS = f"with {_PROJECTS} select exists (select 1 {_OF_KINDS})"
SELECT_KEYS = f"with {_PROJECTS} select m.key {_OF_KINDS}"


def has_any(conn: Connection, kinds: Iterable[str]) -> bool:
    """Whether any memory, hidden or not, is of one of these kinds."""
    return bool(conn.execute(EXISTS, {"kinds": dumps(sorted(kinds))}).fetchone()[0])


def keys_of(conn: Connection, kinds: Iterable[str]) -> list[int]:
    """The keys of all memories, hidden or not, of these kinds."""
    return [row[0] for row in conn.execute(SELECT_KEYS, {"kinds": dumps(sorted(kinds))})]
