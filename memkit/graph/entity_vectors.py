"""Entity embeddings: a vector of "name: description" each, so that `my dentist` finds `Reed's dentist`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memkit.core.errors import EmbedderFailed
from memkit.embedding.vectors import from_rows, is_cosine, to_blob
from memkit.graph.entities import IS_SHOWN, Entity, by_keys
from memkit.graph.project_view import whole
from memkit.storage import vectors
from memkit.storage.caches import cached, state_of
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder

AT_ONCE = 2000
FAILURES = 5  # in a row, after which the model is not asked again
THRESHOLD = 0.3  # Construct's (C36)

# Only entities with a description and concepts have vectors: a bare name has no meaning, and is found by name.
SELECT_MISSING = """
select e.key, e.name || case when e.description is null then '' else ': ' || e.description end as text
from entities as e
where e.merged_into is null and (e.description is not null or e.kind = 'concept') and not exists (
    select 1 from entity_embeddings as v where v.entity_key = e.key and v.model_key = :model_key
)
    and e.key > :after
order by e.key limit :limit
"""
INSERT_VECTOR = """
insert into entity_embeddings (entity_key, model_key, vector) values (?, ?, ?)
on conflict (entity_key, model_key) do nothing
"""
SELECT_VECTORS = f"""
select v.entity_key, cast(v.vector as blob) from entity_embeddings as v join entities as e on e.key = v.entity_key
where v.model_key = :model_key and e.merged_into is null and {IS_SHOWN}
order by v.entity_key
"""
SELECT_STATE = """
select count(*), max(updated_at), (select value from settings where name = 'graph_version')
from entity_embeddings as v join entities as e on e.key = v.entity_key where v.model_key = :model_key
"""


def write_missing(conn: Connection, embedder: Embedder, now: str) -> int:
    """Makes the missing vectors of described entities and of concepts with this model; returns their number.

    The model is asked outside of a transaction, because it may take its time. A text that it fails on stays without a
    vector until the next call, and stops no other (C37). Raises EmbedderFailed if it fails on all of FAILURES in a row.
    """
    made = after = 0
    with writing(conn):
        model_key = vectors.register(conn, embedder, now, active=True)
    while rows := _missing(conn, model_key, after):
        state, found = state_of(conn), _embedded(embedder, rows)
        with writing(conn):
            there = set(rows if state_of(conn) == state else _missing(conn, model_key, after))
            blobs = [(row[0], model_key, to_blob(one)) for row, one in found if row in there]
            conn.executemany(INSERT_VECTOR, blobs)
        made, after = made + len(blobs), rows[-1][0]
    return made


def _missing(conn: Connection, model_key: int, after: int) -> list[tuple[int, str]]:
    """The keys and texts of the next entities without a vector, whose keys are above `after`."""
    own = {"model_key": model_key, "after": after, "limit": AT_ONCE}
    return [tuple(row) for row in conn.execute(SELECT_MISSING, own).fetchall()]


def _embedded(embedder: Embedder, rows: Sequence[tuple[int, str]]) -> list[tuple[tuple[int, str], np.ndarray]]:
    """The rows with their vectors: all at once, or, if the model fails, one by one without those that it fails on."""
    try:
        return list(zip(rows, embedder.encode([text for _, text in rows]), strict=True))
    except EmbedderFailed:
        if len(rows) == 1:
            raise
    found, failures = [], 0
    for row in rows:
        try:
            found.append((row, embedder.encode([row[1]])[0]))
            failures = 0
        except EmbedderFailed:
            failures += 1
            if failures >= min(FAILURES, len(rows)):  # not a text of these: the model
                raise
    return found


def nearest_entities(
    conn: Connection, vector: np.ndarray, model_key: int, *, threshold: float = THRESHOLD, limit: int = 10
) -> list[tuple[Entity, float]]:
    """The entities whose "name: description" is nearest to a unit vector, with their cosine, best first."""
    import numpy as np

    all = whole(conn)
    state = (model_key, *all.execute(SELECT_STATE, {"model_key": model_key}).fetchone())
    keys, table = cached(all, "entity vectors", state, lambda _: _table(all, model_key, len(vector)))
    with np.errstate(all="ignore"):
        cosines = table @ np.asarray(vector, np.float32)
    cosines[~is_cosine(cosines)] = 0  # of a vector that another program has changed
    best = [int(i) for i in np.lexsort((keys, -cosines))[:limit] if cosines[i] >= threshold]
    entities = by_keys(conn, [int(keys[i]) for i in best])
    return [(found, float(cosines[i])) for i in best if (found := entities.get(int(keys[i])))]


def _table(conn: Connection, model_key: int, dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Entity keys (n) and their vectors (n x dims)."""
    import numpy as np

    keys, table = from_rows(conn.execute(SELECT_VECTORS, {"model_key": model_key}), dims)
    return np.array(keys, np.int64), table
