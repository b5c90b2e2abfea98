"""Vectors of memories: made with one model per database, stored as float32 rows with their sign codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.caches import FILE
from memkit.errors import EmbedderMismatch
from memkit.store import keys_json, neighbourhood

if TYPE_CHECKING:
    import numpy as np

    from memkit.embed import Embedder

# How much a turn's neighbours (two before, two after) say about it, beside its own words. Measured: docs/recall.md.
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
# An archived row without text is what is left of a memory that went: there is nothing to embed.
COUNT_WITHOUT_VECTOR = """
select count(*), coalesce(max(m.key), 0) from memories as m
where (m.archived_at is null or m.text <> '') and not exists (
    select 1 from embeddings as e where e.memory_key = m.key and e.model_key = :model_key
)
"""
DELETE_OTHER_MODELS = "delete from models where key <> :key"
COUNT_VECTORS = "select count(*) from embeddings where model_key = :model_key"


def active_model(conn: Any) -> Any:
    """The row (key, id, version, dims) of the model that this database's questions are embedded with, or None."""
    return conn.execute(SELECT_ACTIVE).fetchone()


def check(conn: Any, embedder: Embedder) -> int | None:
    """The key of the database's model if it is this one, None if it has none yet. Raises EmbedderMismatch."""
    row = active_model(conn)
    if row is None:
        return None
    if (row["id"], row["version"]) != (embedder.id, embedder.version):
        name = Path(conn.execute(FILE).fetchone()[0] or ":memory:").name  # it may be told to strangers: no path
        raise EmbedderMismatch(
            f"{name} holds vectors of the model {row['id']!r} (version {row['version']}, {row['dims']} dimensions), "
            f"but was asked to use {embedder.id!r} (version {embedder.version}, {embedder.dims} dimensions). "
            f"Leave the model out, or run: memkit reindex {name} --model {embedder.id}"
        )
    return row["key"]


def register(conn: Any, embedder: Embedder, now: str, *, active: bool) -> int:
    """The key of this model in the database, written if it is new.

    `active` says that the database's questions are embedded with it: raises EmbedderMismatch where another's are.
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
    return row[0]


def own_text(title: str | None, speaker: str | None, text: str) -> str:
    """What of a memory is embedded: its title, who said it, and its words."""
    said = f"{speaker}: {text}" if speaker else text
    return f"{title}. {said}" if title else said


def drop(conn: Any, keys: Iterable[int]) -> None:
    """Removes what these memories have of vectors, for nobody is there to make them anew: `memkit reindex` will."""
    conn.execute(DELETE_ALL_VECTORS, {"keys": keys_json(keys)})


def write(conn: Any, embedder: Embedder, model_key: int, keys: Iterable[int], *, fresh: bool = False) -> None:
    """Embeds these memories, each with a little of its neighbours, and stores vectors and codes.

    `fresh` says that none of them has a vector of this model yet.
    """
    wanted = sorted(keys)
    rows = conn.execute(SELECT_TEXTS, {"keys": keys_json(neighbourhood(conn, wanted))}).fetchall()
    vectors = _with_neighbours(rows, embedder.encode([own_text(*row[3:]) for row in rows]))
    place = {row["key"]: i for i, row in enumerate(rows)}
    _store(conn, model_key, [key for key in wanted if key in place], place, vectors, fresh)


def _with_neighbours(rows: Sequence[Any], own: np.ndarray) -> np.ndarray:
    """(n, dims) unit rows: each own vector plus CONTEXT_WEIGHT times the mean of its neighbours' own vectors."""
    import numpy as np

    at = {(row["document_key"], row["position"]): i for i, row in enumerate(rows) if row["position"] is not None}
    mixed = own.copy()
    for (document, position), i in at.items():
        around = [at[near] for step in (-2, -1, 1, 2) if (near := (document, position + step)) in at]
        if around:
            mixed[i] += CONTEXT_WEIGHT * own[around].mean(axis=0)
    length = np.linalg.norm(mixed, axis=1, keepdims=True)
    return np.divide(mixed, length, out=np.zeros_like(mixed), where=length > 0)


def _store(conn: Any, model_key: int, keys: list[int], place: dict[int, int], vectors: np.ndarray, fresh: bool) -> None:
    from memkit.embed import binary_code

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
