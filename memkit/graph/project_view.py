"""Project-scoped graph: the graph as the memories of one project, and of `global`, state it.

Within the block, temporary views of this connection hide the tables. So everything that reads the graph reads only what
this project may know, and needs no filter. A relation that was stated by hand belongs to no project, and is visible. An
entity has its name and the aliases that these memories use; its description has no known source, and is left out. The
confidence and the period of a relation are those from all its sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memkit.core.types import GLOBAL
from memkit.storage.connection import Connection
from memkit.storage.store import dumps

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
def view_of_project(conn: Connection, project: str | None) -> Iterator[Connection]:
    """The connection, which within the block sees only the graph of this project and of `global`; None: everything."""
    if project is None:
        yield conn
        return
    conn.execute("savepoint narrowed")
    try:
        conn.execute(CHOOSE, {"projects": dumps([project, GLOBAL])})
        for view in VIEWS.values():
            conn.execute(view)
        yield conn
    finally:  # the rollback drops the views
        conn.execute("rollback to narrowed")
        conn.execute("release narrowed")
