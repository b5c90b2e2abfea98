"""Who may read what of a store: row-level security by project, which the server itself enforces."""

from __future__ import annotations

from collections.abc import Sequence

from memkit.core.errors import BadQuestion, NotFound
from memkit.sharing.postgres import search_index, vector_index
from memkit.sharing.postgres.server import connected

HAS_READERS = "select to_regclass('memkit.readers') is not null"
# What a role may read is what `memkit.search` shows it: memories of its projects, and what these name.
MAKE = """
create table memkit.readers (role text not null, project text not null, primary key (role, project));
alter table memkit.readers enable row level security;
create policy own on memkit.readers for select using (role = current_user);
alter table memkit.search enable row level security;
create policy by_project on memkit.search for select
    using (project in (select r.project from memkit.readers as r where r.role = current_user));
alter table memkit.named enable row level security;
create policy by_memory on memkit.named for select
    using (memory in (select s.id from memkit.search as s));
alter table memkit.vectors enable row level security;
create policy by_memory on memkit.vectors for select
    using (id in (select s.id from memkit.search as s));
alter table memkit.units enable row level security;
create policy by_memory on memkit.units for select using (
    case when kind = 'memories' then id in (select s.id from memkit.search as s)
    else (kind, id) in (select n.kind, n.id from memkit.named as n) end
)
"""
SELECT_ROLE = """
select rolsuper or rolbypassrls
    or pg_has_role(oid, (select relowner from pg_class where oid = 'memkit.units'::regclass), 'member')
from pg_roles where rolname = %s
"""
DELETE_READER = "delete from memkit.readers where role = %s"
INSERT_READER = "insert into memkit.readers (role, project) values (%s, %s)"
# Not the counts of words, which are those of all projects, nor what was forgotten or exchanged.
REVOKE = "revoke all on all tables in schema memkit from {0}"
GRANT = """
grant usage on schema memkit to {0};
grant select on memkit.units, memkit.search, memkit.named, memkit.vectors, memkit.models, memkit.readers to {0}
"""


def allow(url: str, role: str, projects: Sequence[str] | str) -> None:
    """Lets a role of the server read these projects of the store at `url`, and no others; none with an empty list.

    `global` is a project like the others here. The role can ask (`MemoryDatabase("postgresql://...")`), not push. Call
    it as the owner of the store. From then on, only the owner pushes and pulls. Raises NotFound for an unknown role,
    BadQuestion for one that reads everything anyway, and as `connected` does.
    """
    from psycopg import sql

    with connected(url) as server:
        conn = server.conn
        server.lock()
        server.make()
        search_index.make(conn)
        found = conn.execute(SELECT_ROLE, (role,)).fetchone()
        if found is None:
            raise NotFound(f"The server has no role {role!r}. Its administrator makes it: create role ... login.")
        if found[0]:
            raise BadQuestion(f"The role {role!r} owns the store, or may read everything on the server.")
        if not conn.execute(vector_index.HAS_VECTORS).fetchone()[0]:
            raise BadQuestion("Rights by project need the extension pgvector on the server.")
        if not conn.execute(HAS_READERS).fetchone()[0]:
            conn.execute(MAKE)
        conn.execute(DELETE_READER, (role,))
        for project in sorted({projects} if isinstance(projects, str) else set(projects)):
            conn.execute(INSERT_READER, (role, project))
        conn.execute(sql.SQL(REVOKE).format(sql.Identifier(role)))
        conn.execute(sql.SQL(GRANT).format(sql.Identifier(role)))
