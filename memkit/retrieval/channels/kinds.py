"""Check for empty kinds: if no memory has a kind, the list of that kind is not searched."""

from __future__ import annotations

from collections.abc import Iterable

from memkit.storage.connection import Connection
from memkit.storage.store import dumps

# There are few projects and many memories. So the query goes from project to project by the index, and looks for the
# kinds in each.
EXISTS = """
with recursive projects(name) as (
    select min(project) from memories
    union all
    select (select min(m.project) from memories as m where m.project > projects.name)
    from projects where projects.name is not null
)
select exists (
    select 1 from projects join memories as m on m.project = projects.name
    where m.kind in (select value from json_each(:kinds))
)
"""


def has_any(conn: Connection, kinds: Iterable[str]) -> bool:
    """Whether any memory, hidden or not, is of one of these kinds."""
    return bool(conn.execute(EXISTS, {"kinds": dumps(sorted(kinds))}).fetchone()[0])
