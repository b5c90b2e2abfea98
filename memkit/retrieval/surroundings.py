"""Filter choices and memory details, for pages: what there is to choose from, and everything about one memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memkit.core.errors import NotFound
from memkit.core.types import Memory
from memkit.graph.entities import IS_SHOWN
from memkit.storage.connection import Connection
from memkit.storage.store import memories

BESIDE = 3  # memories before and after, in its document

COUNT_MEMORIES = "select count(*) from current_memories"
SELECT_KINDS = """
select kind, count(*) as n from memories where archived_at is null group by kind order by n desc, kind limit 12
"""
SELECT_PROJECTS = """
select project, count(*) as n from memories where archived_at is null group by project order by n desc, project limit 50
"""
# Whether any memory is hidden, now or at another time: the partial index holds only those.
HIDES = """
select exists (
    select 1 from memories indexed by memories_hidden
    where archived_at is not null or valid_from is not null or valid_until is not null or expires_at is not null
)
"""
SELECT_NAMES = """
select e.name, e.id from entities as e join mentions as x on x.entity_key = e.key
    join memories as m on m.key = x.memory_key
where e.merged_into is null and m.archived_at is null and e.kind not in ('concept', 'value')
group by e.key order by count(*) desc, e.key limit 12
"""
# What happened last, as far as it is dated and has not yet to come: of each document what came last, or of a note that
# has one date its beginning.
SELECT_RECENT = """
with last as (
    select key, document_key, happened_at from memories
    where archived_at is null and kind <> 'summary' and happened_at <= strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
    order by happened_at desc, key desc limit 200
), of_documents as (
    select key, happened_at,
        row_number() over (partition by coalesce(document_key, -key) order by happened_at desc, key) as place
    from last
)
select key from of_documents where place = 1 order by happened_at desc, key desc limit 5
"""
# What came in last, if nothing is dated: a document by its first memory.
SELECT_LATEST = """
select key from memories as m
where archived_at is null and kind <> 'summary' and not exists (
    select 1 from memories as before
    where before.document_key = m.document_key and before.archived_at is null and before.key < m.key
)
order by key desc limit 5
"""
# Names and documents for a menu to jump to: a document by its first memory. The parameters are addresses that end in /.
SELECT_TO_JUMP = f"""
select 'name' as type, e.name as label, e.kind as description, :entity || e.id as url,
    e.name || coalesce((select ' ' || group_concat(alias, ' ') from aliases where entity_key = e.key), '')
        as search_text,
    null as display_name
from entities as e
where e.merged_into is null and e.kind <> 'value' and {IS_SHOWN}
union all
select 'document', coalesce(d.title, d.source), d.kind, :memory || m.id, coalesce(d.title || ' ', '') || d.source, null
from documents as d
    join memories as m on m.key = (
        select key from memories
        where document_key = d.key and archived_at is null
        order by position is null, position limit 1
    )
"""
SELECT_BESIDE = """
select n.key, n.position - m.position as offset
from memories as m join memories as n
    on n.document_key = m.document_key and n.position between m.position - :beside and m.position + :beside
where m.key = :key and n.key <> m.key and n.archived_at is null
order by n.position
"""
SELECT_DOCUMENT = "select id, source, title, kind, project, created_at from documents where key = :key"
SELECT_MENTIONS = """
select e.id, e.name, e.kind, x.role, x.surface, x.start, x.count
from mentions as x join entities as e on e.key = x.entity_key
where x.memory_key = :key and e.merged_into is null
order by x.role <> 'title', x.start, e.name
"""
SELECT_LINKS = """
select l.type, 1 as forward, l.why, l.to_key as other from links as l where l.from_key = :key
union all
select l.type, 0, l.why, l.from_key from links as l where l.to_key = :key
order by 1, 2, 4
limit 60
"""
SELECT_FACTS = """
select s.name as subject, s.id as subject_id, r.predicate, o.name as object, o.id as object_id, v.quote, v.method,
    v.confidence, r.valid_from, r.valid_until, r.expired_at is null and (
        r.valid_until is null or r.valid_until > strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) as holds
from evidence as v
    join relations as r on r.key = v.relation_key
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where v.memory_key = :key and r.expired_at is null
order by v.key
limit 60
"""
SELECT_ACCESS = "select count, last_at from access where memory_key = :key"

# The memories of a document in their order; `before` counts those that stand before a memory.
SELECT_PARTS = """
select m.key from memories as m join documents as d on d.key = m.document_key
where d.id = :id and m.archived_at is null
order by m.position is null, m.position, m.key
limit :most offset :first
"""
SELECT_WHOLE = """
select d.id, d.source, d.title, d.kind, d.project, d.created_at,
    (select count(*) from memories where document_key = d.key and archived_at is null) as parts,
    (
        select count(*) from memories as m join memories as b on b.document_key = m.document_key
        where m.id = :memory and m.document_key = d.key and b.archived_at is null
            and (b.position is null, coalesce(b.position, 0), b.key)
                < (m.position is null, coalesce(m.position, 0), m.key)
    ) as before
from documents as d where d.id = :id
"""

# The label of a link: on the page of the memory that it starts from, and on the page of the one that it leads to.
LINKS = {
    "part_of": ("is part of", "has the part"),
    "supersedes": ("replaces", "is replaced by"),
    "contradicts": ("contradicts", "is contradicted by"),
    "relates_to": ("is related to", "is related to"),
    "derived_from": ("was made from", "is the source of"),
    "summarized_by": ("is summarized by", "summarizes"),
}


@dataclass(frozen=True)
class Choices:
    """The values to filter by: kinds, projects and the entities named most (name, id), most frequent first.

    `memories` is the number of those that hold now; `hides` says whether any is hidden, now or at another time.
    `recent` are those that happened last, or where none has a date, those that came in last.
    """

    memories: int
    kinds: tuple[str, ...]
    projects: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    hides: bool
    recent: tuple[Memory, ...] = ()


PARTS = 100  # memories of a document at once


@dataclass(frozen=True)
class Document:
    """A document with its memories in their order, page by page: `about` has its title, source, kind and more."""

    about: dict[str, Any]
    memories: tuple[Memory, ...]
    page: int
    pages: int


def document(conn: Connection, id: str, memory: str | None, page: int | None) -> Document:
    """The document with this id, at a page of it, or at the page with a memory. Raises NotFound."""
    row = conn.execute(SELECT_WHOLE, {"id": id, "memory": memory}).fetchone()
    if row is None:
        raise NotFound(f"There is no document with the id {id[:100]!r}.")
    about = dict(row)
    at, count = about.pop("before"), about["parts"]
    pages = max(1, -(-count // PARTS))
    page = min(page or at // PARTS + 1, pages)
    asked = {"id": id, "most": PARTS, "first": (page - 1) * PARTS}
    keys = [row["key"] for row in conn.execute(SELECT_PARTS, asked)]
    return Document(about, tuple(memories(conn, keys).values()), page, pages)


def choices(conn: Connection) -> Choices:
    """The values that a database can be filtered by."""
    recent = conn.execute(SELECT_RECENT).fetchall() or conn.execute(SELECT_LATEST).fetchall()
    return Choices(
        conn.execute(COUNT_MEMORIES).fetchone()[0],
        tuple(row["kind"] for row in conn.execute(SELECT_KINDS)),
        tuple(row["project"] for row in conn.execute(SELECT_PROJECTS)),
        tuple((row["name"], row["id"]) for row in conn.execute(SELECT_NAMES)),
        bool(conn.execute(HIDES).fetchone()[0]),
        tuple(memories(conn, [row["key"] for row in recent]).values()),
    )


@dataclass(frozen=True)
class Linked:
    """A memory at the other end of a link, the link's label (`replaces`), and its reason."""

    label: str
    memory: Memory
    why: str = ""


@dataclass(frozen=True)
class Surroundings:
    """Everything about one memory: its document, its neighbours there, its entities, links and facts, and its reads."""

    document: dict[str, Any] | None
    before: tuple[Memory, ...]
    after: tuple[Memory, ...]
    mentions: tuple[dict[str, Any], ...]
    links: tuple[Linked, ...]
    facts: tuple[dict[str, Any], ...]
    read: int
    last_read: str | None


def surroundings(conn: Connection, memory: Memory) -> Surroundings:
    """Everything about one memory."""
    key = {"key": memory.key}
    offsets = {row["key"]: row["offset"] for row in conn.execute(SELECT_BESIDE, {**key, "beside": BESIDE})}
    beside = memories(conn, list(offsets))
    ties = conn.execute(SELECT_LINKS, key).fetchall()
    others = memories(conn, [row["other"] for row in ties])
    document = conn.execute(SELECT_DOCUMENT, {"key": memory.document_key}).fetchone()
    access = conn.execute(SELECT_ACCESS, key).fetchone()
    return Surroundings(
        dict(document) if document else None,
        tuple(one for n, one in beside.items() if offsets[n] < 0),
        tuple(one for n, one in beside.items() if offsets[n] > 0),
        tuple(dict(row) for row in conn.execute(SELECT_MENTIONS, key)),
        tuple(
            Linked(LINKS[row["type"]][0 if row["forward"] else 1], others[row["other"]], row["why"])
            for row in ties
            if row["other"] in others
        ),
        tuple(dict(row) for row in conn.execute(SELECT_FACTS, key)),
        access["count"] if access else 0,
        access["last_at"] if access else None,
    )
