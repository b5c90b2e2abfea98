"""Public database: built from public rows only, and written to its file in one piece."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memkit.graph import entity_vectors, stored_arrays
from memkit.sharing.publish.ids import Ids
from memkit.sharing.publish.names import write_graph
from memkit.sharing.publish.private_texts import cells
from memkit.sharing.publish.redaction import Cleaner
from memkit.sharing.publish.rows import PublishedRows, rows, write
from memkit.storage import driver, reindex, schema, store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.text.extract.case import CaseStatistics

if TYPE_CHECKING:
    from memkit.embedding import Embedder

SELECT_KEYS = "select key from memories order by key"
SELECT_SCHEMA = "select sql from sqlite_master where sql is not null"
SELECT_MODELS = "select id, version from models"
UPDATE_MIGRATIONS = "update _sqlite_migrations set applied_at = :now"
INSERT_WORD = "insert into word_cases (word, lower, upper) values (?, ?, ?)"
AT_ONCE = 1000


def build(
    conn: Connection,
    keys: Sequence[int],
    file: Path,
    *,
    ids: Ids,
    clean: Cleaner,
    embedder: Embedder | None,
    now: str,
    keep: frozenset[str] = frozenset(),
) -> PublishedRows:
    """Writes the public database of these memories to a new file; returns the rows in it.

    Nothing is ever deleted in it, so no page of the file can contain anything else.
    """
    found = rows(conn, keys, ids, clean, keep, now)
    made = driver.connect()
    try:
        schema.ensure(made, file.name)
        with writing(made):
            made.execute(UPDATE_MIGRATIONS, {"now": now})
            store.set_setting(made, "database", ids.new("database", file.name))
            write(made, found)
            _count_words(made, found)
            write_graph(conn, made, found, ids, clean, keep, now)
            if embedder is not None:
                _embed(made, embedder, now)
        stored_arrays.store(made)
        _save(made, file)
    finally:
        made.close()
    return found


def _count_words(conn: Connection, found: PublishedRows) -> None:
    """Stores how words are capitalised, counted in the public texts only."""
    counts = CaseStatistics.of(row["text"] for row in found.memories.values()).counts
    conn.executemany(INSERT_WORD, [(word, *both) for word, both in counts.items()])


def _embed(conn: Connection, embedder: Embedder, now: str) -> None:
    model_key = vectors.register(conn, embedder, now, active=True)
    keys = [row[0] for row in conn.execute(SELECT_KEYS)]
    for start in range(0, len(keys), AT_ONCE):
        vectors.write(conn, embedder, model_key, keys[start : start + AT_ONCE])
    entity_vectors.write_missing(conn, embedder, now)


def own_texts(embedder: Embedder | None, file: Path | None = None) -> list[str]:
    """The texts that memkit writes into every public database: its schema, and the model of `embedder` or in `file`."""
    conn = driver.connect()
    try:
        schema.ensure(conn, "own")
        if embedder is not None:
            vectors.register(conn, embedder, "", active=True)
        found = [*(cell.text for cell in cells(conn)), *(row[0] for row in conn.execute(SELECT_SCHEMA))]
    finally:
        conn.close()
    if file is None:
        return found
    conn = driver.connect(file, read_only=True, immutable=True)
    try:
        return [*found, *(text for row in conn.execute(SELECT_MODELS) for text in row)]
    finally:
        conn.close()


def _save(conn: Connection, file: Path) -> None:
    """Writes the database to its file, with optimised indexes, without free pages and write-ahead log."""
    reindex.optimise(conn)
    conn.execute("vacuum into ?", (str(file),))
