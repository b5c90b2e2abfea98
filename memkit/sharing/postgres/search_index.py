"""The search index of a store: words as the file's own full-text index has them, vectors of pgvector, and counts.

`memkit.search` has a row for each memory: its words with their columns, as a `tsvector` whose lexemes are FTS5's
tokens. `memkit.terms` counts the memories with each word, and those that name each entity; `memkit.totals` has the sums
that BM25 needs. All follow from the units, so a push brings up to date whatever differs, also what an older memkit left
behind.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from memkit.sharing.postgres.server import columns
from memkit.sharing.postgres.small_database import part_of
from memkit.sharing.postgres.units import OWNER, Name, Unit
from memkit.storage import vectors
from memkit.storage.connection import Connection
from memkit.storage.store import dumps

BATCH = 2000  # memories whose words are found at once
COUNTED = 20_000  # memories whose words are counted at once: each word's count is written once for all of them
EXACT = 50_000  # up to so many vectors of a model are compared with every question; an HNSW index has more
HNSW_DIMS = 2000  # the most that pgvector can index
# How much of the index is looked at for each vector that is added (pgvector's default is 64): of the nearest ten of
# 100,000 made-up vectors, 96 of 100 are found by an index of the default, and 99 by this one, which is made three times
# as slowly (bench/postgres.py).
CONSTRUCTION = 200
# An index that does not fit in its memory is made many times as slowly. What one vector takes besides its numbers was
# measured: 715 bytes.
BUILD_MEMORY = "set local maintenance_work_mem = '{} MB'"
OF_A_VECTOR = 1000  # bytes
LEAST_MEMORY, MOST_MEMORY = 64, 8192  # MB
# Workers share this memory, for which a container often has too little room (64 MB in Docker).
ALONE = "set local max_parallel_maintenance_workers = 0"

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
HAS_VECTORS = "select to_regclass('memkit.vectors') is not null"
MAKE_EXTENSION = "create extension if not exists vector"
MAKE_VECTORS = """
create table memkit.vectors (
    id text not null, model text not null, version text not null, hash text not null, vector vector not null,
    primary key (model, version, id)
);
create table memkit.models (
    model text not null, version text not null, dims int not null, n bigint not null, primary key (model, version)
)
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
select id from memkit.search where (%(ids)s::text[] is null or id = any(%(ids)s)) and id not in (select id from states)
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
ANALYZE_VECTORS = "analyze memkit.vectors"  # unknown to the planner, it would compare them all

SELECT_VECTORS = """
select m.id, e.vector from embeddings as e join memories as m on m.key = e.memory_key
where e.model_key = :model_key and e.memory_key > :after
order by e.memory_key limit 5000
"""
SELECT_VECTORS_OF = """
select m.id, e.vector from memories as m join embeddings as e on e.memory_key = m.key
where m.id in (select value from json_each(:ids)) and e.model_key = :model_key
"""
SELECT_KEY = "select key from memories where id = :id"

Rows = Sequence[tuple[Any, ...]]


def make(conn: Any) -> None:
    """Makes the tables of the index if they are missing; that of vectors only where pgvector is, or can be, installed.

    Raises as psycopg does.
    """
    import psycopg

    if not conn.execute(HAS_SEARCH).fetchone()[0]:
        conn.execute(MAKE)
    if not conn.execute(HAS_LATER).fetchone()[0]:
        conn.execute(MAKE_LATER)
    conn.execute(COUNT_NAMING)
    if not conn.execute(HAS_VECTORS).fetchone()[0]:
        try:
            with conn.transaction():
                conn.execute(MAKE_EXTENSION)
                conn.execute(MAKE_VECTORS)
        except psycopg.Error:
            pass  # words and connections are searched without it, and recall says so


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


# ---------------------------------------------------------------------------------------------- words


CHARACTER = "."  # before a single character of the CJK index, which has a column of their own
MAKE_WORDS = "create virtual table temp.found using fts5vocab(main, memories_fts, instance)"
MAKE_PAIRS = "create virtual table temp.found_cjk using fts5vocab(main, memories_cjk, instance)"
# Each place of each term: they come term by term, so that nothing has to be sorted.
READ_WORDS, READ_PAIRS = (f"select term, doc, col from temp.{table}" for table in ("found", "found_cjk"))
WEIGHTS = {"text": "A", "context": "D", "characters": "C"}  # of the columns; B of all others
SELECT_SIZES = "select id, sz from memories_fts_docsize"
SELECT_CJK_SIZES = "select id, sz from memories_cjk_docsize"
SELECT_IDS = "select key, id from memories"


def indexed(given: Mapping[Name, Unit], wanted: Iterable[str]) -> dict[str, tuple[str, str, list[int | None]]]:
    """For each wanted memory: its words and its CJK terms as texts of a tsvector, and the sizes of its columns."""
    # The words are in a memory's row: what belongs to it names entities, which are not needed here.
    with part_of(given, OWNER) as conn:
        ids = {row[0]: row[1] for row in conn.execute(SELECT_IDS)}
        conn.execute(MAKE_WORDS)
        conn.execute(MAKE_PAIRS)
        words, pairs = (_lexemes(_tuples(conn, query)) for query in (READ_WORDS, READ_PAIRS))
        sizes = {row[0]: _varints(row[1]) for row in conn.execute(SELECT_SIZES)}
        cjk = {row[0]: _varints(row[1]) for row in conn.execute(SELECT_CJK_SIZES)}
    keys = {id: key for key, id in ids.items()}
    return {
        id: (words.get(key, ""), pairs.get(key, ""), [*sizes.get(key, [None] * 5), *cjk.get(key, [])])
        for id in wanted
        for key in (keys[id],)
    }


def _tuples(conn: Connection, query: str) -> Iterable[Any]:
    """The rows of a query as plain tuples: there are so many that a row which knows its columns costs."""
    cursor = conn.cursor()
    cursor.row_factory = None
    return cursor.execute(query)


def _lexemes(rows: Iterable[tuple[str, int, str]]) -> dict[int, str]:
    """The tsvector of each memory, from the places of each term."""
    found: dict[int, list[str]] = defaultdict(list)
    for term, places in groupby(rows, itemgetter(0)):
        words, characters = defaultdict[int, str](str), defaultdict[int, str](str)
        for _, doc, column in places:
            (characters if column == "characters" else words)[doc] += WEIGHTS.get(column, "B")
        for one, weights_of in ((term, words), (CHARACTER + term, characters)):
            if len(one) < 2000 and len(one.encode()) < 2000:  # PostgreSQL's limit
                quoted = lexeme(one)
                for doc, weights in weights_of.items():
                    found[doc].append(quoted + _places(weights))
    return {doc: " ".join(lexemes) for doc, lexemes in found.items()}


@lru_cache(maxsize=10_000)
def _places(weights: str) -> str:
    """The places of a lexeme, of which only the number and the weights count: at most 255, as PostgreSQL has it."""
    return ":" + ",".join(f"{n}{weight}" for n, weight in enumerate(sorted(weights)[:255], 1))


def lexeme(term: str) -> str:
    """A term as it is written in a tsvector or tsquery."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


def _varints(blob: bytes) -> list[int]:
    """SQLite's variable-length integers, as long as they stay below 2^56."""
    found, value = [], 0
    for byte in blob:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            found.append(value)
            value = 0
    return found


# ---------------------------------------------------------------------------------------------- vectors

MAKE_COPY = """
create temporary table given (id text, hash text, vector vector) on commit drop
"""
COPY_VECTORS = "copy given (id, hash, vector) from stdin (format binary)"
SELECT_VECTOR_HASHES = "select id, hash from memkit.vectors where model = %s and version = %s"
UPSERT_VECTORS = """
insert into memkit.vectors (id, model, version, hash, vector) select id, %s, %s, hash, vector from given
on conflict (model, version, id) do update set hash = excluded.hash, vector = excluded.vector
"""
DELETE_VECTORS = """
delete from memkit.vectors as v
where not exists (select 1 from memkit.units as u where u.kind = 'memories' and u.id = v.id)
"""
DELETE_OLD = "delete from memkit.vectors where id = any(%s)"
DELETE_MODELS = "delete from memkit.models"
COUNT_MODELS = """
insert into memkit.models (model, version, dims, n)
select model, version, max(vector_dims(vector)), count(*) from memkit.vectors group by 1, 2
"""
COUNT_SOME_VECTORS = """
insert into memkit.models as t (model, version, dims, n)
select model, version, max(vector_dims(vector)), %(sign)s * count(*) from memkit.vectors where id = any(%(ids)s)
group by 1, 2
on conflict (model, version) do update set n = t.n + excluded.n
"""
SELECT_COUNT = "select n from memkit.models where model = %s and version = %s"
MAKE_HNSW = """
create index if not exists {name} on memkit.vectors using hnsw ((vector::vector({dims})) vector_cosine_ops)
    with (ef_construction = {construction}) where model = {model} and version = {version}
"""


def write_vectors(server: Any, conn: Connection, same: set[str], changed: set[str]) -> None:
    """Sends the file's vectors of the memories that the store has just so (`same`), where it has others.

    Vectors of `changed` memories that are not sent are deleted, and so are those of memories that are gone.
    """
    if not server.execute(HAS_VECTORS).fetchone()[0]:
        return
    server.execute(DELETE_VECTORS)
    model = vectors.active_model(conn)
    if changed:
        server.execute(DELETE_OLD, (sorted(changed),))
    if model is None:
        return
    which = (model["id"], model["version"])
    there = dict(server.execute(SELECT_VECTOR_HASHES, which).fetchall())
    found = ((id, blob, _hash(blob)) for id, blob in _stored(conn, model["key"]) if len(blob) == 4 * model["dims"])
    _send(server, which, ((id, hash, blob) for id, blob, hash in found if id in same and there.get(id) != hash))
    server.execute(DELETE_MODELS)
    server.execute(COUNT_MODELS)
    _index_vectors(server, which, int(model["dims"]))


def stored_vectors(conn: Connection, model_key: int, ids: Iterable[str]) -> dict[str, bytes]:
    """The vectors of these memories in a file, by a model's key."""
    asked = {"model_key": model_key, "ids": dumps(list(ids))}
    return dict(tuple(row) for row in conn.execute(SELECT_VECTORS_OF, asked))


def update_vectors(
    server: Any, model: Any, sent: Mapping[str, bytes], dropped: Sequence[str], *, index: bool = True
) -> None:
    """Writes these vectors of a model (`id`, `version`, `dims`) by memory, and deletes those of the dropped ones.

    With `index`, many vectors get their index; without it, a later call makes it.
    """
    if not (sent or dropped) or not server.execute(HAS_VECTORS).fetchone()[0]:
        return
    ids = sorted({*sent, *dropped})
    server.execute(COUNT_SOME_VECTORS, {"sign": -1, "ids": ids})
    server.execute(DELETE_OLD, (ids,))
    if model is not None:
        which = (model.id, model.version)
        _send(server, which, ((id, _hash(blob), blob) for id, blob in sent.items() if len(blob) == 4 * model.dims))
        server.execute(COUNT_SOME_VECTORS, {"sign": 1, "ids": ids})
    if model is not None and index:
        _index_vectors(server, which, model.dims)


def _send(server: Any, which: tuple[str, str], rows: Iterable[tuple[str, str, bytes]]) -> None:
    server.execute(MAKE_COPY)
    with server.cursor() as cursor, cursor.copy(COPY_VECTORS) as copy:
        for id, hash, blob in rows:
            copy.write_row((id, hash, _binary(blob)))
    if server.execute(UPSERT_VECTORS, which).rowcount > BATCH:
        server.execute(ANALYZE_VECTORS)
    server.execute("drop table given")


def _index_vectors(server: Any, which: tuple[str, str], dims: int) -> None:
    (count,) = server.execute(SELECT_COUNT, which).fetchone() or (0,)
    if dims <= HNSW_DIMS and count > EXACT:
        _make_hnsw(server, which, dims, count)


def _stored(conn: Connection, model_key: int) -> Iterator[tuple[str, bytes]]:
    after = 0
    while rows := conn.execute(SELECT_VECTORS, {"model_key": model_key, "after": after}).fetchall():
        yield from ((row[0], row[1]) for row in rows)
        after = conn.execute(SELECT_KEY, {"id": rows[-1][0]}).fetchone()[0]


def _hash(blob: bytes) -> str:
    import hashlib

    return hashlib.blake2b(blob, digest_size=8).hexdigest()


def _binary(blob: bytes) -> bytes:
    """A vector as pgvector reads it: the number of dimensions, two empty bytes, and big-endian float32."""
    import numpy as np

    return struct.pack(">HH", len(blob) // 4, 0) + np.frombuffer(blob, "<f4").astype(">f4").tobytes()


def _make_hnsw(server: Any, which: tuple[str, str], dims: int, count: int) -> None:
    from psycopg import errors, sql

    model, version = which
    megabytes = count * (4 * dims + OF_A_VECTOR) // 1_000_000
    server.execute(BUILD_MEMORY.format(max(LEAST_MEMORY, min(megabytes, MOST_MEMORY))))
    statement = sql.SQL(MAKE_HNSW).format(
        name=sql.Identifier(f"vectors_{_hash(repr(which).encode())}"),
        dims=sql.Literal(dims),
        construction=sql.Literal(CONSTRUCTION),
        model=sql.Literal(model),
        version=sql.Literal(version),
    )
    try:
        with server.transaction():
            server.execute(statement)
    except (errors.DiskFull, errors.OutOfMemory):
        server.execute(ALONE)
        server.execute(statement)
