"""Vector store: one active model per database; a float32 vector and a binary code for each memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.errors import EmbedderFailed, EmbedderMismatch
from memkit.storage.connection import Connection
from memkit.storage.driver import file_of
from memkit.storage.store import keys_json, neighbourhood

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder

# The weight of a memory's neighbours (two before, two after) in its vector. Measured: docs/recall.md.
CONTEXT_WEIGHT = 0.15

SELECT_ACTIVE = "select key, id, version, dims from models where active = 1"
SELECT_MODEL = "select key from models where id = :id and version = :version"
INSERT_MODEL = """
insert into models (id, version, dims, active, created_at) values (:id, :version, :dims, :active, :now)
returning key
"""
DEACTIVATE = "update models set active = 0 where active = 1"
ACTIVATE = "update models set active = 1 where key = :key"
SELECT_TEXTS = """
select key, document_key, position, title, speaker, text
from memories
where key in (select value from json_each(:keys))
order by key
"""
DELETE_VECTORS = """
delete from embeddings where model_key = :model_key and memory_key in (select value from json_each(:keys))
"""
DELETE_ALL_VECTORS = "delete from embeddings where memory_key in (select value from json_each(:keys))"
INSERT_VECTOR = "insert into embeddings (memory_key, model_key, vector, code) values (?, ?, ?, ?)"
SELECT_WITHOUT_VECTOR = """
select m.key from memories as m
where m.key > :after and (m.archived_at is null or m.text <> '') and not exists (
    select 1 from embeddings as e where e.memory_key = m.key and e.model_key = :model_key
)
order by m.key limit :limit
"""
# An archived row without text is what is left of a deleted memory: there is nothing to embed.
COUNT_WITHOUT_VECTOR = """
select count(*), coalesce(max(m.key), 0) from memories as m
where (m.archived_at is null or m.text <> '') and not exists (
    select 1 from embeddings as e where e.memory_key = m.key and e.model_key = :model_key
)
"""
COUNT_DAMAGED = """
select count(*) from embeddings as e join models as m on m.key = e.model_key
where length(e.vector) <> 4 * m.dims or length(e.code) <> (m.dims + 7) / 8
"""
DELETE_OTHER_MODELS = "delete from models where key <> :key"
COUNT_VECTORS = "select count(*) from embeddings where model_key = :model_key"


def active_model(conn: Connection) -> Any:
    """The row (key, id, version, dims) of the model that embeds the questions of this database, or None."""
    return conn.execute(SELECT_ACTIVE).fetchone()


def check(conn: Connection, embedder: Embedder) -> int | None:
    """The key of the database's model, or None if it has none yet. Raises EmbedderMismatch if it is another model."""
    row = active_model(conn)
    if row is None:
        return None
    if (row["id"], row["version"]) != (embedder.id, embedder.version):
        name = Path(file_of(conn) or ":memory:").name  # no path: strangers may read the message
        raise EmbedderMismatch(
            f"{name} holds vectors of the model {row['id']!r} (version {row['version']}, {row['dims']} dimensions), "
            f"not of {embedder.id!r} (version {embedder.version}, {embedder.dims} dimensions). "
            f"Leave the model out, or run: memkit reindex {name} --model {embedder.id}"
        )
    key: int = row["key"]
    return key


def register(conn: Connection, embedder: Embedder, now: str, *, active: bool) -> int:
    """The key of this model in the database; a new model is written.

    `active` means that it embeds the questions: raises EmbedderMismatch if another model is active.
    """
    if active and (key := check(conn, embedder)) is not None:
        return key
    row = conn.execute(SELECT_MODEL, {"id": embedder.id, "version": embedder.version}).fetchone()
    if row is None:
        parameters = {
            "id": embedder.id,
            "version": embedder.version,
            "dims": embedder.dims,
            "active": active,
            "now": now,
        }
        row = conn.execute(INSERT_MODEL, parameters).fetchone()
    new: int = row[0]
    return new


def own_text(title: str | None, speaker: str | None, text: str) -> str:
    """The text of a memory that is embedded: its title, its speaker and its words."""
    said = f"{speaker}: {text}" if speaker else text
    return f"{title}. {said}" if title else said


def drop(conn: Connection, keys: Iterable[int]) -> None:
    """Deletes the vectors of these memories, if their model is not available; `memkit reindex` makes them again."""
    conn.execute(DELETE_ALL_VECTORS, {"keys": keys_json(keys)})


def write(conn: Connection, embedder: Embedder, model_key: int, keys: Iterable[int], *, fresh: bool = False) -> None:
    """Embeds these memories, each with a small share of its neighbours, and stores vectors and codes.

    `fresh` means that none of them has a vector of this model yet.
    """
    wanted = sorted(keys)
    rows = conn.execute(SELECT_TEXTS, {"keys": keys_json(neighbourhood(conn, wanted))}).fetchall()
    vectors = _with_neighbours(rows, embedder.encode([own_text(*row[3:]) for row in rows]))
    place = {row["key"]: i for i, row in enumerate(rows)}
    _store(conn, model_key, [key for key in wanted if key in place], place, vectors, fresh)


def follow(conn: Connection, embedder: Embedder | None, keys: Iterable[int], now: str, *, fresh: bool = False) -> None:
    """Makes the vectors of memories that were written. Without an embedder, or if it fails, they have none.

    A memory is never lost for its vector, and no vector is better than that of another text. `memkit reindex` makes
    the missing ones. Raises EmbedderMismatch for another model than that of this database.
    """
    try:
        if embedder is not None:
            write(conn, embedder, register(conn, embedder, now, active=True), keys, fresh=fresh)
            return
    except EmbedderFailed:
        pass  # the embedder knows it, and whoever made it tells
    if not fresh:
        drop(conn, keys)


def refresh(conn: Connection, embedder: Embedder | None, keys: Iterable[int]) -> None:
    """Makes new vectors for memories whose text or neighbours changed. A database without vectors gets none."""
    if active_model(conn) is not None:
        follow(conn, embedder, keys, now="")  # its model is registered


def _with_neighbours(rows: Sequence[Any], own: np.ndarray) -> np.ndarray:
    """Unit vectors (n, dims): each memory's own vector plus CONTEXT_WEIGHT times the mean of its neighbours' own."""
    import numpy as np

    at = {(row["document_key"], row["position"]): i for i, row in enumerate(rows) if row["position"] is not None}
    mixed = own.copy()
    for (document, position), i in at.items():
        around = [at[near] for step in (-2, -1, 1, 2) if (near := (document, position + step)) in at]
        if around:
            mixed[i] += CONTEXT_WEIGHT * own[around].mean(axis=0)
    length = np.linalg.norm(mixed, axis=1, keepdims=True)
    units: np.ndarray = np.divide(mixed, length, out=np.zeros_like(mixed), where=length > 0)
    return units


def _store(
    conn: Connection, model_key: int, keys: list[int], place: dict[int, int], vectors: np.ndarray, fresh: bool
) -> None:
    from memkit.embedding import binary_code

    if not fresh:
        conn.execute(DELETE_VECTORS, {"model_key": model_key, "keys": keys_json(keys)})
    codes = binary_code(vectors)
    conn.executemany(
        INSERT_VECTOR,
        (
            (key, model_key, vectors[i].astype("<f4").tobytes(), codes[i].tobytes())
            for key in keys
            for i in (place[key],)
        ),
    )
