"""A new database of what may be read by others, made in memory and written to its file in one piece."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import driver, schema, store, vectors
from memkit.driver import writing
from memkit.extract.case import CaseStatistics
from memkit.graph import entity_vectors
from memkit.publish.cleaning import Cleaner
from memkit.publish.ids import Ids
from memkit.publish.names import write_graph
from memkit.publish.private import cells
from memkit.publish.rows import Rows, rows, write

if TYPE_CHECKING:
    from memkit.embed import Embedder

OPTIMISE_FTS = "insert into memories_fts(memories_fts) values ('optimize')"
OPTIMISE_CJK = "insert into memories_cjk(memories_cjk) values ('optimize')"
SELECT_KEYS = "select key from memories order by key"
SELECT_SCHEMA = "select sql from sqlite_master where sql is not null"
SELECT_MODELS = "select id, version from models"
UPDATE_MIGRATIONS = "update _sqlite_migrations set applied_at = :now"
INSERT_WORD = "insert into word_cases (word, lower, upper) values (?, ?, ?)"
AT_ONCE = 1000


def build(
    conn: Any,
    keys: Sequence[int],
    file: Path,
    *,
    ids: Ids,
    clean: Cleaner,
    embedder: Embedder | None,
    now: str,
    keep: frozenset[str] = frozenset(),
) -> Rows:
    """Writes the public database of these memories to a file that is not there yet; the rows that went into it.

    Nothing is deleted on the way: no page of the file ever held anything else.
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
        _save(made, file)
    finally:
        made.close()
    return found


def _count_words(conn: Any, found: Rows) -> None:
    """How words are written in the public texts, and only there."""
    counts = CaseStatistics.of(row["text"] for row in found.memories.values()).counts
    conn.executemany(INSERT_WORD, [(word, *both) for word, both in counts.items()])


def _embed(conn: Any, embedder: Embedder, now: str) -> None:
    model_key = vectors.register(conn, embedder, now, active=True)
    keys = [row[0] for row in conn.execute(SELECT_KEYS)]
    for start in range(0, len(keys), AT_ONCE):
        vectors.write(conn, embedder, model_key, keys[start : start + AT_ONCE], fresh=True)
    entity_vectors.write_missing(conn, embedder, now)


def own_texts(embedder: Embedder | None, file: Path | None = None) -> list[str]:
    """What memkit itself writes into every such database: its schema, and the model of its vectors (or a file's)."""
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


def _save(conn: Any, file: Path) -> None:
    """Writes the database to its file: indexes in one piece, no free pages, no log beside it."""
    with writing(conn):
        conn.execute(OPTIMISE_FTS)
        conn.execute(OPTIMISE_CJK)
    conn.execute("vacuum into ?", (str(file),))
