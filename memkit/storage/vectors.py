"""Vector store: one active model per database; a float32 vector and a binary code for each memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memkit.core.errors import Busy, DiskFull, EmbedderFailed, EmbedderMismatch
from memkit.storage import sentences
from memkit.storage.caches import state_of
from memkit.storage.connection import Connection
from memkit.storage.driver import after_commit, file_of, writing
from memkit.storage.store import keys_json, neighbourhood

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder
    from memkit.embedding.sentence_words import SentenceWords

# The weight of a memory's neighbours (two before, two after) in its vector. Measured: docs/recall.md.
CONTEXT_WEIGHT = 0.15
NEIGHBOURS = (-2, -1, 1, 2)

AT_ONCE = 1000
MOST_FILLED = 2000  # missing vectors that an ingest makes by the way: a few batches of one that was ended
ROUNDING = 0.01  # how much the length of a stored vector may differ from 1

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
# Texts that the model refused, or that are blank: they are tried again.
DELETE_ZEROS = """
delete from embeddings where model_key = :model_key and vector = zeroblob(length(vector))
"""
DELETE_ALL_VECTORS = "delete from embeddings where memory_key in (select value from json_each(:keys))"
# Another process may have made it meanwhile.
INSERT_VECTOR = """
insert into embeddings (memory_key, model_key, vector, code) values (?, ?, ?, ?)
on conflict (memory_key, model_key) do nothing
"""
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
# Another program may have put text there, which need not be UTF-8.
SELECT_STORED = """
select e.key, cast(e.vector as blob) as vector, cast(e.code as blob) as code, m.dims
from embeddings as e join models as m on m.key = e.model_key
"""
DELETE_STORED = "delete from embeddings where key in (select value from json_each(:keys))"
SELECT_STORED_ENTITIES = """
select e.entity_key, cast(e.vector as blob) as vector, m.dims
from entity_embeddings as e join models as m on m.key = e.model_key
"""
DELETE_STORED_ENTITIES = "delete from entity_embeddings where entity_key in (select value from json_each(:keys))"
SET_DIMS = "update models set dims = :dims where key = :key and dims is not :dims"
SELECT_NEWEST = "select coalesce(max(key), 0) from memories"
# A quick comparison of two indexes; archived memories without text have no vector.
ARE_MISSING = """
select (select count(*) from memories) - (select count(*) from memories where archived_at is not null and text = '')
    <> (select count(*) from embeddings where model_key = :model_key)
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


def damaged(conn: Connection) -> list[int]:
    """The keys of what is stored as a vector and is none: of a wrong size, not of length 1 (or 0), or of another code.

    Another program may have changed it.
    """
    found: list[int] = []
    stored = conn.execute(SELECT_STORED)
    while rows := stored.fetchmany(AT_ONCE):
        for dims, some in groupby(rows, itemgetter("dims")):
            codes = {row["key"]: (row["vector"], row["code"]) for row in some}
            found += codes.keys() - _sound(codes, dims)
    return sorted(found)


def _sound(stored: Mapping[int, tuple[Any, Any]], dims: Any) -> set[int]:
    """The keys, among those of vectors with their codes, of the vectors that a model of `dims` dimensions can make."""
    from memkit.embedding import binary_code

    keys, matrix, fine = _of_length_1([(key, vector) for key, (vector, _) in stored.items()], dims)
    codes = binary_code(matrix)
    return {key for key, unit, code in zip(keys, fine, codes, strict=True) if unit and code.tobytes() == stored[key][1]}


def _of_length_1(rows: list[tuple[int, Any]], dims: Any) -> tuple[list[int], np.ndarray, np.ndarray]:
    """The keys and vectors of rows that are vectors of so many dimensions, and whether each has the length 1 (or 0)."""
    import numpy as np

    from memkit.embedding.vectors import from_rows

    keys, matrix = from_rows(rows, dims) if isinstance(dims, int) and dims > 0 else ([], np.zeros((0, 1), np.float32))
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(matrix, axis=1)
    return keys, matrix, (lengths == 0) | (np.abs(lengths - 1) < ROUNDING)


def damaged_entities(conn: Connection) -> list[int]:
    """The keys of the entities for which something is stored that is no vector: of a wrong size, or not of length 1."""
    found: list[int] = []
    stored = conn.execute(SELECT_STORED_ENTITIES)
    while rows := stored.fetchmany(AT_ONCE):
        for dims, some in groupby(rows, itemgetter("dims")):
            pairs = [(row[0], row[1]) for row in some]
            keys, _, fine = _of_length_1(pairs, dims)
            found += {key for key, _ in pairs} - {key for key, unit in zip(keys, fine, strict=True) if unit}
    return sorted(found)


def delete_damaged(conn: Connection) -> None:
    """Deletes what is stored as a vector or a sentence and is none; `memkit reindex` makes it again."""
    conn.execute(DELETE_STORED, {"keys": keys_json(damaged(conn))})
    conn.execute(DELETE_STORED_ENTITIES, {"keys": keys_json(damaged_entities(conn))})
    sentences.delete_damaged(conn)


def own_text(title: str | None, speaker: str | None, text: str) -> str:
    """The text of a memory that is embedded: its title, its speaker and its words."""
    said = f"{speaker}: {text}" if speaker else text
    return f"{title}. {said}" if title else said


def drop(conn: Connection, keys: Iterable[int]) -> None:
    """Deletes the vectors of these memories, if their model is not available; `memkit reindex` makes them again."""
    # In a transaction of its own where there is none: the driver would leave one open on a borrowed connection.
    with writing(conn):
        conn.execute(DELETE_ALL_VECTORS, {"keys": keys_json(keys)})


class Unembedded(NamedTuple):
    """What the vectors of the memories with these keys are made of."""

    keys: list[int]
    rows: list[Any]  # those of the memories and of their neighbours
    state: tuple[int, int]  # of the file when the rows were read


class Embedded(NamedTuple):
    """Vectors that are not stored yet: of the memories with these keys, made of these rows of texts."""

    keys: list[int]
    rows: list[Any]  # those of the memories and of their neighbours
    vectors: np.ndarray  # one for each row
    sentences: Sequence[SentenceWords]  # of each row; empty for a model without
    state: tuple[int, int]  # of the file when the rows were read


def embedded(conn: Connection, embedder: Embedder, keys: Iterable[int]) -> Embedded:
    """The vectors of these memories, each with a small share of its neighbours.

    A model may take its time, or hang: nobody should hold the write lock meanwhile.
    """
    texts = unembedded(conn, keys)
    reader, found = sentences.reader(conn, embedder), list["SentenceWords"]()
    if reader is None:
        own = embedder.encode([own_text(*row[3:]) for row in texts.rows])
    else:
        own, found = reader.read([with_spans(*row[3:]) for row in texts.rows])
    made = mixed(texts, own, found)
    if getattr(embedder, "refused", 0):  # no vector is better than that of the texts around it
        made.vectors[~own.any(axis=1)] = 0
    return made


def unembedded(conn: Connection, keys: Iterable[int]) -> Unembedded:
    """What the vectors of these memories are made of, as it is now."""
    wanted, state = sorted(keys), state_of(conn)
    rows = conn.execute(SELECT_TEXTS, {"keys": keys_json(neighbourhood(conn, wanted))}).fetchall()
    return Unembedded(wanted, rows, state)


def mixed(texts: Unembedded, own: np.ndarray, found: Sequence[SentenceWords]) -> Embedded:
    """The vectors of memories, of the own one of each row and of those of its neighbours."""
    return Embedded(texts.keys, texts.rows, _with_neighbours(texts.rows, own), found, texts.state)


def with_spans(title: str | None, speaker: str | None, text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text that is embedded, and the spans of the sentences in it."""
    whole = own_text(title, speaker, text)
    before = len(whole) - len(text)
    return whole, [(before + start, before + end) for start, end in sentences.spans(text)]


def store(conn: Connection, model_key: int, made: Embedded) -> None:
    """Stores vectors and codes, except of memories that were changed or deleted meanwhile, or have a vector already."""
    from memkit.embedding import binary_code

    place = {row["key"]: i for i, row in enumerate(made.rows)}
    keys = [key for key in made.keys if key in place]
    if state_of(conn) != made.state:
        keys = _unchanged(conn, keys, made.rows)
    codes = binary_code(made.vectors)
    conn.executemany(
        INSERT_VECTOR,
        (
            (key, model_key, made.vectors[i].astype("<f4").tobytes(), codes[i].tobytes())
            for key in keys
            for i in (place[key],)
        ),
    )
    if made.sentences:
        sentences.store(conn, model_key, ((key, made.sentences[place[key]]) for key in keys))


def _unchanged(conn: Connection, keys: list[int], rows: Iterable[Any]) -> list[int]:
    """The memories whose text, and that of each of their neighbours, is still the one that was read."""
    before = {row["key"]: tuple(row) for row in rows}
    now = conn.execute(SELECT_TEXTS, {"keys": keys_json({*before, *neighbourhood(conn, keys)})}).fetchall()
    changed = before.items() ^ {row["key"]: tuple(row) for row in now}.items()
    if not changed:
        return keys
    return sorted(set(keys).difference(neighbourhood(conn, {key for key, _ in changed})))


def write(conn: Connection, embedder: Embedder, model_key: int, keys: Iterable[int]) -> None:
    """Embeds these memories, which have no vector of this model, and stores the vectors in a transaction of its own."""
    made = embedded(conn, embedder, keys)
    with writing(conn):
        store(conn, model_key, made)


def follow(conn: Connection, embedder: Embedder | None, keys: Iterable[int], now: str, *, fresh: bool = False) -> None:
    """Makes the vectors of memories that were written, as soon as their transaction is committed.

    `fresh` means that they have none yet. Without an embedder, or if it fails, they have none: a memory is never lost
    for its vector, and no vector is better than that of another text. `memkit reindex` and the next ingest make the
    missing ones. Raises EmbedderMismatch for another model than that of this database.
    """
    keys = list(keys)
    if not fresh:
        drop(conn, keys)
    if embedder is None or not keys:
        return
    with suppress(EmbedderFailed):  # the embedder knows it, and whoever made it tells
        check(conn, embedder)
        after_commit(conn, partial(_make, conn, embedder, keys, now))


def _make(conn: Connection, embedder: Embedder, keys: list[int], now: str) -> None:
    with suppress(EmbedderFailed, EmbedderMismatch, Busy, DiskFull):  # the memories are stored: nothing failed but this
        made = embedded(conn, embedder, keys)
        with writing(conn):
            store(conn, register(conn, embedder, now, active=True), made)


def fill(conn: Connection, embedder: Embedder | None, now: str, *, newest: int | None = None) -> None:
    """Makes the vectors that a process had no time for before it ended; many of them are left to `memkit reindex`.

    Only those of the `newest` memories, if that is given: a look at them takes no time.
    """
    if embedder is None or conn.in_transaction:  # what this transaction wrote gets its vectors at its end
        return
    row = active_model(conn)  # none, if the process ended before its first vectors
    after = 0 if newest is None else conn.execute(SELECT_NEWEST).fetchone()[0] - newest
    about = {"model_key": row and row["key"], "after": after, "limit": MOST_FILLED + 1}
    if newest is not None or conn.execute(ARE_MISSING, about).fetchone()[0]:
        keys = [row[0] for row in conn.execute(SELECT_WITHOUT_VECTOR, about)]
        if len(keys) <= MOST_FILLED:
            follow(conn, embedder, keys, now, fresh=True)


def fill_sentences(conn: Connection, embedder: Embedder | None) -> None:
    """Stores the sentences that are missing, such as those of a file of before they were stored."""
    if embedder is not None and not conn.in_transaction:
        with suppress(EmbedderFailed, EmbedderMismatch, Busy, DiskFull):  # they only save time
            if (model_key := check(conn, embedder)) is not None:
                sentences.fill(conn, embedder, model_key)


def refresh(conn: Connection, embedder: Embedder | None, keys: Iterable[int]) -> None:
    """Makes new vectors for memories whose text or neighbours changed. A database without vectors gets none."""
    if active_model(conn) is not None:
        follow(conn, embedder, keys, now="")  # its model is registered


def _with_neighbours(rows: Sequence[Any], own: np.ndarray) -> np.ndarray:
    """Unit vectors (n, dims): each memory's own vector plus CONTEXT_WEIGHT times the mean of its neighbours' own."""
    import numpy as np

    at = {(row["document_key"], row["position"]): i for i, row in enumerate(rows) if row["position"] is not None}
    places = list(at.values())
    # Row -1 stands for a neighbour that is not there.
    near = np.array([[at.get((document, position + step), -1) for step in NEIGHBOURS] for document, position in at])
    if places and (near >= 0).any():
        around = np.zeros((len(places), own.shape[1]), own.dtype)
        for column in near.T:
            around[column >= 0] += own[column[column >= 0]]
        mixed = own.copy()
        mixed[places] += CONTEXT_WEIGHT * around / np.maximum((near >= 0).sum(axis=1), 1, dtype=own.dtype)[:, None]
    else:
        mixed = own
    length = np.linalg.norm(mixed, axis=1, keepdims=True)
    units: np.ndarray = np.divide(mixed, length, out=np.zeros_like(mixed), where=length > 0)
    return units
