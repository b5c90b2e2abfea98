"""Reindexing: makes all vectors with another model, or all full-text rows again.

The new model's vectors are written in batches beside the old ones, and every recall still uses the old ones. When only
a few memories have no new vector, the new model becomes the active one, and the rest is embedded. After a few rounds it
does so in any case, even if others write fast. The model is never asked within a transaction: it may take its time, or
hang, and nobody should wait for the write lock meanwhile. After an interruption, the same call continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

from memkit.core.clock import utc_now
from memkit.core.errors import MemkitError
from memkit.core.formatting import counted, html_table
from memkit.core.frames import OneRow
from memkit.core.progress import phase
from memkit.embedding import Embedder, load_embedder
from memkit.storage import sentences, store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

BATCH = 1000
SMALLEST_BATCH = 32
ROUNDS = 3  # each embeds what was written during the one before

# If the active model embedded a memory after the new model did, the memory has changed in between. Keys only grow.
DELETE_OVERTAKEN = """
delete from embeddings as made
where made.model_key = :model_key and exists (
    select 1 from embeddings as other join models as m on m.key = other.model_key
    where other.memory_key = made.memory_key and m.active = 1 and m.key <> :model_key and other.key > made.key
)
returning memory_key
"""
SELECT_KEYS = "select key from memories where key > :after order by key limit :limit"
COUNT_KEYS = "select count(*) from memories"
REBUILD_FTS = "insert into memories_fts(memories_fts) values ('rebuild')"
REBUILD_CJK = "insert into memories_cjk(memories_cjk) values ('rebuild')"
OPTIMISE_FTS = "insert into memories_fts(memories_fts) values ('optimize')"
OPTIMISE_CJK = "insert into memories_cjk(memories_cjk) values ('optimize')"
DELETE_TEXT_BLOCKS = "delete from text_blocks"  # they repeat the lengths of rows that were wrong, perhaps
DELETE_ORPHANS_FTS = "delete from memories_fts where rowid not in (select key from memories)"
DELETE_ORPHANS_CJK = "delete from memories_cjk where rowid not in (select key from memories)"
COUNT_WRONG_TEXTS = """
select count(*)
from memories_indexed as i left join memories_fts as f on f.rowid = i.key
where f.rowid is null or f.text <> i.text or f.title <> i.title or f.speaker <> i.speaker or f.tags <> i.tags
"""
COUNT_ORPHANS = """
select (select count(*) from memories_fts where rowid not in (select key from memories))
    + (select count(*) from memories_cjk where rowid not in (select key from memories))
"""
COUNT_PAUSED = "select count(*) from index_paused"

# Called after each batch with the number of memories done in it, and the number of all.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ReindexReport(OneRow):
    """The result of a reindex: the counts of new vectors and full-text rows, the `model`, and the one before it.

    `refused` texts have no vector, because the model fails on them alone: they are found by words and connections.
    """

    model: str | None = None
    previous: str | None = None
    vectors: int = 0
    texts: int = 0
    refused: int = 0

    @property
    def sentence(self) -> str:
        """What was made, in words."""
        parts = []
        if self.model is not None:
            switched = f" in place of {self.previous!r}" if self.previous not in (None, self.model) else ""
            parts.append(f"{counted(self.vectors, 'vectors')} of {self.model!r}{switched}")
        if self.refused:
            parts.append(f"none for {counted(self.refused, 'texts')} that it refuses")
        if self.texts:
            parts.append(counted(self.texts, "full-text rows"))
        return ", ".join(parts) or "nothing to do"

    def __repr__(self) -> str:
        return f"<ReindexReport {self.sentence}>"

    def _repr_html_(self) -> str:
        return html_table("Reindexed", ("made",), [[self.sentence]])


def reindex_vectors(
    conn: Connection, embedder: Embedder, now: str, *, progress: Progress | None = None
) -> ReindexReport:
    """Makes a vector of this model for every memory, then embeds questions with it; returns a report.

    If the model is active already, only missing and damaged vectors are made.
    """
    before = vectors.active_model(conn)
    with writing(conn):
        model_key = vectors.register(conn, embedder, now, active=before is None)
        with store.index_paused(conn):  # another program may have changed what is said of the model
            conn.execute(vectors.SET_DIMS, {"key": model_key, "dims": embedder.dims})
        vectors.delete_damaged(conn)
        if not getattr(embedder, "instant", False):
            conn.execute(vectors.DELETE_ZEROS, {"model_key": model_key})
    made = 0
    phase("making vectors")
    for at_once in (*[SMALLEST_BATCH] * (ROUNDS - 1), None):
        made += _fill(conn, embedder, model_key, progress)
        if _switch(conn, model_key, at_once):
            break
    made += _fill(conn, embedder, model_key, None)
    phase("tidying")
    sentences.fill(conn, embedder, model_key)
    with writing(conn):
        conn.execute(vectors.DELETE_OTHER_MODELS, {"key": model_key})
    refused = getattr(embedder, "refused", 0)
    return ReindexReport(
        model=embedder.id, previous=before["id"] if before else None, vectors=made - refused, refused=refused
    )


def _fill(conn: Connection, embedder: Embedder, model_key: int, progress: Progress | None) -> int:
    """Embeds the memories without a vector of this model, and stores them in batches; returns their number.

    Memories that others add meanwhile wait for the next round.
    """
    total, end = conn.execute(vectors.COUNT_WITHOUT_VECTOR, {"model_key": model_key}).fetchone()
    made, last, size = 0, 0, SMALLEST_BATCH
    while last < end:
        started = perf_counter()
        keys = _without_vector(conn, model_key, size, last, end)
        if keys:
            vectors.write(conn, embedder, model_key, keys)
        made, last = made + len(keys), keys[-1] if keys else end
        size = _next_size(size, perf_counter() - started)
        if progress and keys:
            progress(len(keys), total)
    return made


def _next_size(size: int, seconds: float) -> int:
    """The size of the next batch: smaller after a slow one, because others wait for the write lock meanwhile."""
    return min(2 * size, BATCH) if seconds < 0.25 else max(size // 2, SMALLEST_BATCH) if seconds > 1 else size


def _without_vector(conn: Connection, model_key: int, limit: int, after: int = 0, end: int | None = None) -> list[int]:
    parameters = {"model_key": model_key, "after": after, "limit": limit}
    keys = [row[0] for row in conn.execute(vectors.SELECT_WITHOUT_VECTOR, parameters)]
    return keys if end is None else [key for key in keys if key <= end]


def _switch(conn: Connection, model_key: int, at_once: int | None) -> bool:
    """Makes the model the active one, unless more than `at_once` memories have no vector of it; whether it did."""
    with writing(conn):
        conn.execute(DELETE_OVERTAKEN, {"model_key": model_key}).fetchall()
        if at_once is not None and len(_without_vector(conn, model_key, at_once + 1)) > at_once:
            return False
        conn.execute(vectors.DEACTIVATE)
        conn.execute(vectors.ACTIVATE, {"key": model_key})
        return True


def reindex_texts(conn: Connection, *, progress: Progress | None = None) -> ReindexReport:
    """Makes the full-text rows of every memory again, and deletes rows without a memory; returns a report."""
    phase("emptying the index")
    with writing(conn):
        conn.execute(store.RESUME_INDEX)
        conn.execute(DELETE_TEXT_BLOCKS)
        conn.execute(REBUILD_FTS)
        conn.execute(REBUILD_CJK)
        conn.execute(DELETE_ORPHANS_FTS)
        conn.execute(DELETE_ORPHANS_CJK)
    total = conn.execute(COUNT_KEYS).fetchone()[0]
    made = 0
    phase("indexing words", total)
    for keys in _all_keys(conn):
        with writing(conn):
            store.reindex_text(conn, keys)
        made += len(keys)
        if progress:
            progress(len(keys), total)
    phase("tidying")
    optimise(conn)
    return ReindexReport(texts=made)


def wrong_texts(conn: Connection) -> tuple[int, int, int]:
    """The memories with a wrong full-text row or none, the rows without a memory, and whether the triggers are off."""
    wrong, orphans, paused = (
        conn.execute(query).fetchone()[0] for query in (COUNT_WRONG_TEXTS, COUNT_ORPHANS, COUNT_PAUSED)
    )
    return wrong, orphans, paused


def mend_indexes(conn: Connection) -> Iterator[str]:
    """Makes the full-text rows and the vectors that are missing or wrong; says how many. Vectors need their model."""
    if any(wrong_texts(conn)):
        yield f"made {reindex_texts(conn).sentence}"
    row = vectors.active_model(conn)
    if row is None:
        return
    lacking = conn.execute(vectors.COUNT_WITHOUT_VECTOR, {"model_key": row["key"]}).fetchone()[0]
    if lacking or vectors.damaged(conn) or vectors.damaged_entities(conn) or sentences.damaged(conn):
        try:
            report = reindex_vectors(conn, load_embedder(row["id"], download=False), utc_now())
        except MemkitError:  # the check of the model says why
            return
        yield f"made {report.sentence}"


def optimise(conn: Connection) -> None:
    """Merges each full-text index into one segment, which removes the last traces of deleted text."""
    with writing(conn):
        conn.execute(OPTIMISE_FTS)
        conn.execute(OPTIMISE_CJK)


def _all_keys(conn: Connection) -> Iterator[list[int]]:
    last = 0
    while keys := [row[0] for row in conn.execute(SELECT_KEYS, {"after": last, "limit": BATCH})]:
        yield keys
        last = keys[-1]
