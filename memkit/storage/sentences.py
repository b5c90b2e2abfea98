"""Stored sentences: the words of each memory's sentences, as its model reads them (`embedding.sentence_words`).

They save recall the reading of long texts. They are written with the vectors, and go with them. The text of a memory
without them is read at the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memkit.embedding.sentence_words import SentenceReader, SentenceWords, reader_of, sound
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.store import keys_json, set_setting, setting
from memkit.text import words

if TYPE_CHECKING:
    from memkit.embedding import Embedder

INSERT = """
insert into sentences (memory_key, model_key, sizes, lengths, words) values (?, ?, ?, ?, ?)
on conflict (memory_key, model_key) do nothing
"""
# Another program may have put text there.
SELECT = """
select memory_key, cast(sizes as blob), cast(lengths as blob), cast(words as blob) from sentences
where model_key = :model_key and memory_key in (select value from json_each(:keys))
"""
SETTING = "sentences"  # false: none are stored; the policy says so
SELECT_ALL = (
    "select memory_key, model_key, cast(sizes as blob), cast(lengths as blob), cast(words as blob) from sentences"
)
DELETE = "delete from sentences where memory_key = ? and model_key = ?"
DELETE_ALL = "delete from sentences"
SELECT_MISSING = """
select m.key, m.text from memories as m join embeddings as e on e.memory_key = m.key and e.model_key = :model_key
where m.key > :after and not exists (
    select 1 from sentences as s where s.memory_key = m.key and s.model_key = :model_key
)
order by m.key limit :limit
"""
AT_ONCE = 1000


def reader(conn: Connection, embedder: Embedder) -> SentenceReader | None:
    """The model that reads sentences for this file; None if it cannot, or the policy says `file.sentences = false`."""
    return reader_of(embedder) if setting(conn, SETTING, True) else None


def switch(conn: Connection, on: bool) -> None:
    """Whether sentences are stored from now on. The next upkeep makes those that are missing, or deletes all."""
    if on != setting(conn, SETTING, True):
        set_setting(conn, SETTING, on)


def store(conn: Connection, model_key: int, found: Iterable[tuple[int, SentenceWords]]) -> None:
    """Stores the sentences of memories, given by key, except of those that have some already."""
    conn.executemany(INSERT, ((key, model_key, *one) for key, one in found))


def stored(conn: Connection, model_key: int, keys: Sequence[int]) -> dict[int, SentenceWords]:
    """The stored sentences of memories, by key; whatever stands there."""
    rows = conn.execute(SELECT, {"model_key": model_key, "keys": keys_json(keys)})
    return {row[0]: SentenceWords(*row[1:]) for row in rows}


def spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence of a memory's text is."""
    return words.sentences(text)


def fill(conn: Connection, embedder: Embedder, model_key: int) -> None:
    """Stores the sentences of all memories that have a vector but none of these; deletes all if they are switched off.

    A file of before they were stored has none. Each thousand is a transaction of its own.
    """
    used = reader(conn, embedder)
    if used is None:
        with writing(conn):
            conn.execute(DELETE_ALL)
        return
    after: int | None = 0
    while after is not None:
        with writing(conn):
            after = _fill_some(conn, used, model_key, after)


def _fill_some(conn: Connection, used: SentenceReader, model_key: int, after: int) -> int | None:
    """Stores the missing sentences of the next memories; the key of the last one, or None if there is none."""
    rows = conn.execute(SELECT_MISSING, {"model_key": model_key, "after": after, "limit": AT_ONCE}).fetchall()
    found = used.read([(text, spans(text)) for _, text in rows])[1]
    store(conn, model_key, ((key, one) for (key, _), one in zip(rows, found, strict=True)))
    return rows[-1][0] if rows else None


def damaged(conn: Connection) -> list[tuple[int, int]]:
    """The keys of memory and model of what is stored as sentences and is none. Another program may have written it."""
    found: list[tuple[int, int]] = []
    rows = conn.execute(SELECT_ALL)
    while some := {(row[0], row[1]): SentenceWords(*row[2:]) for row in rows.fetchmany(AT_ONCE)}:
        found += sorted(some.keys() - sound(some).keys())
    return found


def delete_damaged(conn: Connection) -> None:
    """Deletes what is stored as sentences and is none; `memkit reindex` makes them again."""
    conn.executemany(DELETE, damaged(conn))
