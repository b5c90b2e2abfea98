"""Project-scoped graph: the graph as the memories of one project, and of `global`, state it.

A narrowed connection puts the tables below before each query, under the names of the real ones, which they hide there.
So everything that reads through it reads only what this project may know, and needs no filter of its own. Nothing is
written, not even a temporary table: it also works inside a statement that runs, and in a file that is only read.

- An entity belongs to a project if one of its memories mentions it, or states a relation of it.
- It has the name, the aliases and the kind that these memories use. Its description has no known source.
- A relation belongs to the projects of the memories that are its evidence. One that was stated by hand, without a
  memory, belongs to no project that is known, and is left out.

The confidence and the period of a relation are those from all its sources.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit.core.patterns import pattern
from memkit.core.types import GLOBAL

if TYPE_CHECKING:
    from memkit.storage.connection import Connection, Cursor
    from memkit.storage.filters import Scope

# Whether no memory of another project knows an entity: then all about it comes from this one.
_OWN = """(
    not exists (
        select 1 from main.mentions as f join main.memories as w on w.key = f.memory_key
        where f.entity_key = n.key and w.project not in {projects}
    ) and not exists (
        select 1 from main.evidence as f join main.memories as w on w.key = f.memory_key
        where w.project not in {projects} and f.relation_key in (
            select key from main.relations where subject_key = n.key
            union all select key from main.relations where object_key = n.key
        )
    )
)"""
# Whether this project knows an entity by its name: if it has no other name, everybody does.
_NAMED = f"""(
    not exists (
        select 1 from main.aliases as b
        where b.entity_key = n.key and b.normal <> n.normal and b.source not in ('bare', 'file', 'plural')
    ) or {_OWN}
)"""
# In these, `main.` is the table behind; a name alone is the narrowed one. A query that uses a name twice would make it
# twice as a whole, if it were not for `not materialized`.
TABLES = {
    "memories": "select m.* from main.memories as m where m.project in {projects}",
    # The mention of a relation's end has the name of the entity, also if the memory has another one for it.
    "mentions": f"""
        select x.* from main.mentions as x
        where (select m.project from main.memories as m where m.key = x.memory_key) in {{projects}} and (
            x.role <> 'relation'
            or (select instr(lower(m.text), lower(x.surface)) from main.memories as m where m.key = x.memory_key)
            or exists (
                select 1 from main.evidence as e
                where e.memory_key = x.memory_key and instr(lower(e.quote), lower(x.surface))
            )
            or exists (select 1 from main.entities as n where n.key = x.entity_key and {_NAMED})
        )
    """,
    "evidence": """
        select e.* from main.evidence as e
        where (select m.project from main.memories as m where m.key = e.memory_key) in {projects}
    """,
    "relations": """
        select r.* from main.relations as r where exists (select 1 from evidence as e where e.relation_key = r.key)
    """,
    "entities": f"""
        select n.key, n.id, iif(
            exists (select 1 from mentions as x where x.entity_key = n.key and x.surface = n.name collate nocase)
                or {_NAMED},
            n.name,
            coalesce((select x.surface from mentions as x where x.entity_key = n.key order by x.key), n.id)
        ) as name, n.normal,
        iif(n.kind in ('person', 'place', 'concept', 'value') or {_OWN}, n.kind, 'thing') as kind,
        null as description, n.merged_into, n.created_at, n.updated_at
        from main.entities as n
        where exists (select 1 from mentions as x where x.entity_key = n.key)
            or exists (select 1 from relations as r where r.subject_key = n.key)
            or exists (select 1 from relations as r where r.object_key = n.key)
    """,
    "conflicts": """
        select c.* from main.conflicts as c
        where exists (select 1 from relations as r where r.key = c.relation_key)
            and exists (select 1 from relations as r where r.key = c.other_key)
    """,
    "aliases": """
        select a.* from main.aliases as a join entities as n on n.key = a.entity_key
        where a.source in ('bare', 'file', 'plural') or a.alias = n.name collate nocase or exists (
            select 1 from mentions as x where x.entity_key = n.key and x.surface = a.alias collate nocase
        )
    """,
    "links": """
        select l.* from main.links as l
        where exists (select 1 from memories as m where m.key = l.from_key)
            and exists (select 1 from memories as m where m.key = l.to_key)
    """,
}
AS_TEXT = "select '(' || quote(:project) || ', ' || quote(:global) || ')'"
_WITH = pattern(r"\s*with\s+(?:recursive\s+)?", re.IGNORECASE)
_READS = pattern(r"\s*(?:with|select)\b", re.IGNORECASE)


class Narrowed:
    """A connection that reads what one project and `global` may know. It only reads, and nothing is cached for it."""

    def __init__(self, conn: Connection, project: str):
        self.whole = conn
        projects = conn.execute(AS_TEXT, {"project": project, "global": GLOBAL}).fetchone()[0]
        tables = (
            f"{name} as not materialized ({query.replace('{projects}', projects)})" for name, query in TABLES.items()
        )
        self._tables = "with recursive " + ", ".join(tables)

    def execute(self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Cursor:
        """A cursor with the rows of a query. Raises ValueError for a statement that is none."""
        if not _READS.match(statement):
            raise ValueError("A connection that is narrowed to a project only reads.")
        own = _WITH.match(statement)
        query = f"{self._tables}, {statement[own.end() :]}" if own else f"{self._tables} {statement}"
        return self.whole.execute(query, parameters)


def view_of_project(conn: Connection, project: str | None) -> Connection:
    """The connection narrowed to a project and `global`; None: the connection itself."""
    return conn if project is None else Narrowed(conn, project)  # type: ignore[return-value]


def view_of_scope(conn: Connection, scope: Scope) -> Connection:
    """The connection as a recall with these filters may see the graph: narrowed if it leaves other projects out."""
    return view_of_project(conn, scope.project if scope.only_project else None)


def whole(conn: Connection) -> Connection:
    """The connection behind a narrowed one, for values of the whole database that are cached and never shown."""
    return conn.whole if isinstance(conn, Narrowed) else conn
