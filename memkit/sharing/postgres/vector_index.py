"""The vectors of a store, by pgvector: a table of them, how many each model has, and an HNSW index of many."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memkit.storage import vectors
from memkit.storage.connection import Connection
from memkit.storage.store import dumps

MANY = 2000  # vectors, after which the planner has to look at the table again
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


def make(conn: Any) -> None:
    """Makes the tables of vectors if they are missing, where pgvector is, or can be, installed.

    Raises as psycopg does.
    """
    import psycopg

    if not conn.execute(HAS_VECTORS).fetchone()[0]:
        try:
            with conn.transaction():
                conn.execute(MAKE_EXTENSION)
                conn.execute(MAKE_VECTORS)
        except psycopg.Error:
            pass  # words and connections are searched without it, and recall says so


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
    if server.execute(UPSERT_VECTORS, which).rowcount > MANY:
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
