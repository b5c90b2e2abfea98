"""The graph as the memories of one project (and of none) tell it: the same tables, seen through that project.

For as long as it lasts, views that only this connection has stand before the tables, so that everything that reads the
graph reads what it may know, and nothing has to be filtered afterwards. What somebody said by hand belongs to no
project. An entity is known by its name and by what these memories call it; what has no source here, its description,
is left out. How sure a relation is and when it held is what all of its sources say together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memkit.store import dumps
from memkit.types import GLOBAL

CHOOSE = "create temp table narrowed as select value as project from json_each(:projects)"
# In a view of temp, `main.` is the table behind; a name alone is the view.
VIEWS = {
    "memories": """
        create temp view memories as
        select m.* from main.memories as m where m.project in (select project from temp.narrowed)
    """,
    "mentions": """
        create temp view mentions as
        select x.* from main.mentions as x
        where exists (select 1 from temp.memories as m where m.key = x.memory_key)
    """,
    "evidence": """
        create temp view evidence as
        select e.* from main.evidence as e
        where e.memory_key is null or exists (select 1 from temp.memories as m where m.key = e.memory_key)
    """,
    "relations": """
        create temp view relations as
        select r.* from main.relations as r
        where exists (select 1 from temp.evidence as e where e.relation_key = r.key)
    """,
    "conflicts": """
        create temp view conflicts as
        select c.* from main.conflicts as c
        where exists (select 1 from temp.relations as r where r.key = c.relation_key)
            and exists (select 1 from temp.relations as r where r.key = c.other_key)
    """,
    "entities": """
        create temp view entities as
        select n.key, n.id, n.name, n.normal, n.kind, null as description, n.merged_into, n.created_at, n.updated_at
        from main.entities as n
        where exists (select 1 from temp.mentions as x where x.entity_key = n.key)
            or exists (select 1 from temp.relations as r where r.subject_key = n.key)
            or exists (select 1 from temp.relations as r where r.object_key = n.key)
    """,
    "aliases": """
        create temp view aliases as
        select a.* from main.aliases as a join temp.entities as n on n.key = a.entity_key
        where a.normal = n.normal or exists (
            select 1 from temp.mentions as x where x.entity_key = n.key and x.surface = a.alias collate nocase
        )
    """,
}


@contextmanager
def narrowed(conn: Any, project: str | None) -> Iterator[Any]:
    """The connection, which meanwhile knows only what memories of this project and of none say; None is everything."""
    if project is None:
        yield conn
        return
    conn.execute("savepoint narrowed")
    try:
        conn.execute(CHOOSE, {"projects": dumps([project, GLOBAL])})
        for view in VIEWS.values():
            conn.execute(view)
        yield conn
    finally:  # what is rolled back is the views
        conn.execute("rollback to narrowed")
        conn.execute("release narrowed")
