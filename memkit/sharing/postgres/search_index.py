"""The search index of a store: words as the file's own full-text index has them, and counts of them.

`memkit.search` has a row for each memory: its words with their columns, as a `tsvector` whose lexemes are FTS5's
tokens. `memkit.terms` counts the memories with each word, and those that name each entity; `memkit.totals` has the sums
that BM25 needs. All follow from the units, so a push brings up to date whatever differs, also what an older memkit left
behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memkit.sharing.postgres import vector_index
from memkit.sharing.postgres.lexemes import indexed
from memkit.sharing.postgres.server import columns
from memkit.sharing.postgres.units import Name, Unit

BATCH = 2000  # memories whose words are found at once
COUNTED = 20_000  # memories whose words are counted at once: each word's count is written once for all of them

MAKE = """
create table if not exists memkit.search (
    id text primary key, state text not null, document text, position bigint,
    project text not null, kind text not null, at text collate "C", archived_at text,
    expires_at text collate "C", words tsvector not null, pairs tsvector not null,
    sizes int[] not null
);
create index if not exists search_words on memkit.search using gin (words);
create index if not exists search_pairs on memkit.search using gin (pairs);
create table if not exists memkit.terms (
    part text not null, term text not null, n bigint not null, primary key (part, term)
);
create table if not exists memkit.totals (part text primary key, n bigint not null, sizes bigint[] not null);
create table if not exists memkit.named (
    memory text not null, kind text not null, id text not null, primary key (kind, id, memory)
);
create index if not exists named_memories on memkit.named (memory);
create index if not exists search_places on memkit.search (document, position);
create index if not exists search_projects on memkit.search (project, kind);
create index if not exists units_names on memkit.units
    using gin (jsonb_path_query_array((body -> 'aliases')::jsonb, '$[*].normal')) where kind = 'entities';
create index if not exists units_links on memkit.units
    using gin (jsonb_path_query_array((body -> 'links')::jsonb, '$[*].to_key')) where kind = 'memories';
create index if not exists units_subject on memkit.units ((body #>> '{row,subject_key}')) where kind = 'relations';
create index if not exists units_object on memkit.units ((body #>> '{row,object_key}')) where kind = 'relations';
"""
HAS_SEARCH = "select to_regclass('memkit.totals') is not null"
# What writing looks up, and finding paths: stores of before do not have it.
MAKE_LATER = """
create index if not exists units_sources on memkit.units ((body #>> '{row,source}') collate "C")
    where kind = 'documents';
create index if not exists units_documents on memkit.units ((body #>> '{row,document_key}')) where kind = 'memories';
create index if not exists units_source_ids on memkit.units ((body #>> '{row,source_id}')) where kind = 'memories';
create index if not exists units_slots on memkit.units ((body #>> '{row,slot_key}'))
    where kind = 'memories' and body #>> '{row,slot_key}' is not null;
create index if not exists terms_gone on memkit.terms (n) where n <= 0;
create index if not exists units_places on memkit.units (kind, place);
"""
HAS_LATER = "select to_regclass('memkit.units_places') is not null"
# Stores of before do not count the memories that name an entity.
COUNT_NAMING = """
insert into memkit.terms (part, term, n)
select 'naming', id, count(*) from memkit.named
where kind = 'entities' and not exists (select 1 from memkit.terms where part = 'naming') group by id
"""

# A row of the index says what a memory and its neighbours are; `state` changes with any of them.
MAKE_STATES = """
create temporary table states on commit drop as
select id, document, position, hash || sum(('x' || left(hash, 15))::bit(60)::bigint) over (
    partition by document, case when document is null or position is null then id end
    order by position range between 2 preceding and 2 following
) as state
from (
    select id, hash, body #>> '{row,document_key}' as document, (body #>> '{row,position}')::bigint as position
    from memkit.units where kind = 'memories' {of}
) as memories
"""
# Of some memories: those of their documents, as they were indexed and as they are now.
OF_SOME = """
and (id = any(%(ids)s) or body #>> '{row,document_key}' in (
    select document from memkit.search where id = any(%(ids)s)
    union
    select u.body #>> '{row,document_key}' from memkit.units as u where u.kind = 'memories' and u.id = any(%(ids)s)
))
"""
INDEX_STATES = "create index on states (document, position); create index on states (id); analyze states"
SELECT_GONE = """
select x.id from memkit.search as x left join states as s on s.id = x.id
where s.id is null and (%(ids)s::text[] is null or x.id = any(%(ids)s))
"""
SELECT_STALE = """
select s.id, s.state from states as s left join memkit.search as x on x.id = s.id
where x.state is distinct from s.state order by s.document, s.position, s.id
"""
SELECT_AROUND = """
select u.kind, u.id, u.place, u.body::text from memkit.units as u
where u.kind = 'memories' and u.id in (
    select n.id from states as s join states as n on n.document = s.document
        and n.position between s.position - 2 and s.position + 2
    where s.id = any(%(ids)s)
    union select unnest(%(ids)s::text[])
)
union all
select u.kind, u.id, u.place, u.body::text from memkit.units as u
where u.kind = 'documents' and u.id in (select document from states where id = any(%(ids)s))
"""
# Before rows are deleted or written again, and after: what they add to the counts.
COUNT_TERMS = """
insert into memkit.terms as t (part, term, n)
select part, term, %(sign)s * count(*) from (
    select 'fts' as part, unnest(tsvector_to_array(words)) as term from memkit.search where id = any(%(ids)s)
    union all
    select 'cjk', unnest(tsvector_to_array(pairs)) from memkit.search where id = any(%(ids)s)
    union all
    select 'naming', id from memkit.named where kind = 'entities' and memory = any(%(ids)s)
) as found
group by part, term
on conflict (part, term) do update set n = t.n + excluded.n
"""
DELETE_TERMS = "delete from memkit.terms where n <= 0"
DELETE_ROWS = "delete from memkit.search where id = any(%(ids)s)"
INSERT_ROWS = """
insert into memkit.search
    (id, state, document, position, project, kind, at, archived_at, expires_at, words, pairs, sizes)
select u.id, x.state, u.body #>> '{row,document_key}', (u.body #>> '{row,position}')::bigint,
    u.body #>> '{row,project}', u.body #>> '{row,kind}',
    coalesce(u.body #>> '{row,happened_at}',
        case when u.body #>> '{row,document_key}' is null then u.body #>> '{row,created_at}' end),
    u.body #>> '{row,archived_at}', u.body #>> '{row,expires_at}', x.words::tsvector, x.pairs::tsvector, x.sizes::int[]
from unnest(%b::text[], %b::text[], %b::text[], %b::text[], %b::text[]) as x(id, state, words, pairs, sizes)
    join memkit.units as u on u.kind = 'memories' and u.id = x.id
"""
# What a memory names: its document, its entities, the relations that it states, and their entities.
DELETE_NAMED = "delete from memkit.named where memory = any(%(ids)s)"
INSERT_NAMED = """
with memories as (select id, body from memkit.units where kind = 'memories' and id = any(%(ids)s)),
    stated as (
        select m.id as memory, r.id, r.body
        from memories as m cross join json_array_elements(m.body -> 'evidence') as e
            join memkit.units as r on r.kind = 'relations' and r.id = e ->> 'relation_key'
    )
insert into memkit.named (memory, kind, id)
select id, 'documents', body #>> '{row,document_key}' from memories where body #>> '{row,document_key}' is not null
union select id, 'entities', e ->> 'entity_key' from memories cross join json_array_elements(body -> 'mentions') as e
union select memory, 'relations', id from stated
union select memory, 'entities', body #>> '{row,subject_key}' from stated
union select memory, 'entities', body #>> '{row,object_key}' from stated
"""
SUM_TOTALS, SUM_SOME = (
    """
select 'fts', count(*), array[{0}]::bigint[] from memkit.search where sizes[1] is not null {2}
union all
select 'cjk', count(*), array[{1}]::bigint[] from memkit.search where sizes[6] is not null {2}
""".format(*(", ".join(f"coalesce(sum(sizes[{n}]), 0)" for n in range(*at)) for at in ((1, 6), (6, 10))), some)
    for some in ("", "and id = any(%(ids)s)")
)
COUNT_TOTALS = f"""
insert into memkit.totals as t (part, n, sizes)
select part, %(sign)s * n, array(select %(sign)s * size from unnest(sizes) with ordinality as u(size, i) order by i)
from ({SUM_SOME}) as found(part, n, sizes)
on conflict (part) do update set n = t.n + excluded.n, sizes = array(
    select a + b from unnest(t.sizes, excluded.sizes) with ordinality as u(a, b, i) order by i
)
"""
ANALYZE = "analyze memkit.search, memkit.terms, memkit.units, memkit.named"


def make(conn: Any) -> None:
    """Makes the tables of the index and of vectors if they are missing. Raises as psycopg does."""
    if not conn.execute(HAS_SEARCH).fetchone()[0]:
        conn.execute(MAKE)
    if not conn.execute(HAS_LATER).fetchone()[0]:
        conn.execute(MAKE_LATER)
    conn.execute(COUNT_NAMING)
    vector_index.make(conn)


def refresh(conn: Any, ids: Iterable[str] | None = None) -> None:
    """Brings the index of words up to date with the units, or with those of these memories and of their neighbours.

    Raises BadSource for units that memkit did not write.
    """
    some = None if ids is None else list(ids)
    conn.execute(MAKE_STATES.replace("{of}", "" if some is None else OF_SOME), None if some is None else {"ids": some})
    conn.execute(INDEX_STATES)
    gone = [row[0] for row in conn.execute(SELECT_GONE, {"ids": some})]
    stale = conn.execute(SELECT_STALE).fetchall()
    _uncount(conn, gone)
    for start in range(0, len(stale), COUNTED):
        _index(conn, stale[start : start + COUNTED])
    if gone or stale:
        conn.execute(DELETE_TERMS)
    if len(stale) > BATCH:
        conn.execute(ANALYZE)  # the planner cannot wait for autovacuum
    conn.execute("drop table states")


def _index(conn: Any, stale: Sequence[tuple[str, str]]) -> None:
    """Writes the rows of these memories, which come with their states, anew, and counts them."""
    ids = [id for id, _ in stale]
    _uncount(conn, ids)
    for start in range(0, len(stale), BATCH):
        _write_rows(conn, dict(stale[start : start + BATCH]))
    conn.execute(INSERT_NAMED, {"ids": ids})
    conn.execute(COUNT_TERMS, {"sign": 1, "ids": ids})
    conn.execute(COUNT_TOTALS, {"sign": 1, "ids": ids})


def _write_rows(conn: Any, states: Mapping[str, str]) -> None:
    asked = {"ids": list(states)}
    around = {Name(kind, id): Unit(place, body) for kind, id, place, body in conn.execute(SELECT_AROUND, asked)}
    rows = [
        (id, states[id], words, pairs, _array(sizes)) for id, (words, pairs, sizes) in indexed(around, states).items()
    ]
    if rows:
        conn.execute(INSERT_ROWS, columns(rows))


def _array(values: Iterable[int | None]) -> str:
    """Whole numbers as PostgreSQL writes an array: it has none of arrays of several lengths."""
    return "{" + ",".join("null" if one is None else str(one) for one in values) + "}"


def _uncount(conn: Any, ids: list[str]) -> None:
    if ids:
        conn.execute(COUNT_TERMS, {"sign": -1, "ids": ids})
        conn.execute(COUNT_TOTALS, {"sign": -1, "ids": ids})
        conn.execute(DELETE_ROWS, {"ids": ids})
        conn.execute(DELETE_NAMED, {"ids": ids})
