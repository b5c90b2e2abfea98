"""Entity embeddings: a vector of "name: description" each, so that `my dentist` finds `Reed's dentist`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit.graph.entities import Entity, by_keys
from memkit.graph.project_view import whole
from memkit.storage import vectors
from memkit.storage.caches import cached
from memkit.storage.connection import Connection

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder

AT_ONCE = 2000
THRESHOLD = 0.3  # Construct's (C36)

# Only entities with a description and concepts have vectors: a bare name has no meaning, and is found by name.
SELECT_MISSING = """
select e.key, e.name || case when e.description is null then '' else ': ' || e.description end as text
from entities as e
where e.merged_into is null and (e.description is not null or e.kind = 'concept') and not exists (
    select 1 from entity_embeddings as v where v.entity_key = e.key and v.model_key = :model_key
)
order by e.key limit :limit
"""
INSERT_VECTOR = "insert into entity_embeddings (entity_key, model_key, vector) values (?, ?, ?)"
SELECT_VECTORS = """
select v.entity_key, v.vector from entity_embeddings as v join entities as e on e.key = v.entity_key
where v.model_key = :model_key and e.merged_into is null
order by v.entity_key
"""
SELECT_STATE = """
select count(*), max(updated_at), (select value from settings where name = 'graph_version')
from entity_embeddings as v join entities as e on e.key = v.entity_key where v.model_key = :model_key
"""


def write_missing(conn: Connection, embedder: Embedder, now: str) -> int:
    """Makes the missing vectors of described entities and of concepts with this model; returns their number."""
    model_key = vectors.register(conn, embedder, now, active=True)
    made = 0
    while rows := conn.execute(SELECT_MISSING, {"model_key": model_key, "limit": AT_ONCE}).fetchall():
        found = embedder.encode([row["text"] for row in rows])
        blobs = [vector.astype("<f4").tobytes() for vector in found]
        conn.executemany(INSERT_VECTOR, [(row["key"], model_key, blob) for row, blob in zip(rows, blobs, strict=True)])
        made += len(rows)
    return made


def nearest_entities(
    conn: Connection, vector: np.ndarray, model_key: int, *, threshold: float = THRESHOLD, limit: int = 10
) -> list[tuple[Entity, float]]:
    """The entities whose "name: description" is nearest to a unit vector, with their cosine, best first."""
    import numpy as np

    all = whole(conn)
    state = (model_key, *all.execute(SELECT_STATE, {"model_key": model_key}).fetchone())
    keys, table = cached(all, "entity vectors", state, lambda _: _table(all, model_key))
    if not len(keys):
        return []
    cosines = table @ np.asarray(vector, np.float32)
    best = [int(i) for i in np.lexsort((keys, -cosines))[:limit] if cosines[i] >= threshold]
    entities = by_keys(conn, [int(keys[i]) for i in best])
    return [(found, float(cosines[i])) for i in best if (found := entities.get(int(keys[i])))]


def _table(conn: Connection, model_key: int) -> tuple[np.ndarray, np.ndarray]:
    """Entity keys (n) and their vectors (n x dims)."""
    import numpy as np

    rows = conn.execute(SELECT_VECTORS, {"model_key": model_key}).fetchall()
    if not rows:
        return np.empty(0, np.int64), np.empty((0, 0), np.float32)
    table = np.frombuffer(b"".join(row["vector"] for row in rows), "<f4").reshape(len(rows), -1)
    return np.array([row["entity_key"] for row in rows], np.int64), table
