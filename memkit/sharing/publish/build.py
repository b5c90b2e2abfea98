"""Public database: built from public rows only, part by part, and written to its file in one piece."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.batches import batched
from memkit.graph import entity_vectors, stored_arrays
from memkit.sharing.publish.names import PublishedNames, write_graph
from memkit.sharing.publish.private_texts import cells
from memkit.sharing.publish.rows import (
    AT_ONCE,
    PublishedRows,
    told,
    write_access,
    write_documents,
    write_memories,
)
from memkit.sharing.publish.spool import Spool
from memkit.storage import driver, reindex, schema, store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import reading, writing
from memkit.text.extract.case import CaseStatistics

if TYPE_CHECKING:
    from memkit.embedding import Embedder

SELECT_KEYS = "select key from memories order by key"
SELECT_TEXTS = "select text from memories order by key"
SELECT_SCHEMA = "select sql from sqlite_master where sql is not null"
SELECT_MODELS = "select id, version from models"
UPDATE_MIGRATIONS = "update _sqlite_migrations set applied_at = :now"
INSERT_WORD = "insert into word_cases (word, lower, upper) values (?, ?, ?)"


def build(
    conn: Connection,
    found: PublishedRows,
    file: Path,
    *,
    embedder: Embedder | None,
    said: Spool,
    report: Callable[[dict[str, Any]], None],
) -> None:
    """Writes the public database of these memories to a new file.

    It grows in a database without a name, from where it is copied as a whole: nothing is ever deleted in it, so no page
    of the new file can contain anything else. `said` gets every text that was published on purpose, and `report` each
    row.
    """
    with closing(driver.connect(driver.NAMELESS)) as made:
        schema.ensure(made, file.name)
        with reading(conn), writing(made):
            made.execute(UPDATE_MIGRATIONS, {"now": found.now})
            store.set_setting(made, "database", found.ids.new("database", file.name))
            names = _write_rows(conn, made, found, said, report)
            _count_words(made)
            write_graph(conn, made, found, names)
            if embedder is not None:
                _embed(made, embedder, found.now)
        stored_arrays.store(made)
        _save(made, file)


def _write_rows(
    source: Connection,
    target: Connection,
    found: PublishedRows,
    said: Spool,
    report: Callable[[dict[str, Any]], None],
) -> PublishedNames:
    """Writes documents and memories, and indexes their texts; returns the names of entities that are in them."""
    names = PublishedNames(source, found)
    write_documents(target, found)
    with store.index_paused(target):
        for some in told(source, found, said, report):
            write_memories(target, (public for _, public in some))
            names.read(some)
        store.reindex_text(target, range(1, len(found) + 1), fresh=True)  # now that all neighbours are there
    write_access(source, target, found)
    return names


def _count_words(conn: Connection) -> None:
    """Stores how words are capitalised, counted in the public texts only."""
    counts = CaseStatistics.of(row[0] for row in conn.execute(SELECT_TEXTS)).counts
    conn.executemany(INSERT_WORD, [(word, *both) for word, both in counts.items()])


def _embed(conn: Connection, embedder: Embedder, now: str) -> None:
    model_key = vectors.register(conn, embedder, now, active=True)
    keys = [row[0] for row in conn.execute(SELECT_KEYS)]
    for some in batched(keys, AT_ONCE):
        vectors.write(conn, embedder, model_key, some)
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
