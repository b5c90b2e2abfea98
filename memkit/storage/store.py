"""Memory store: reads and writes memories and documents as rows, together with the full-text index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from memkit.core.errors import NotFound
from memkit.core.types import DocumentDraft, Memory
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, json_texts, json_value, or_empty
from memkit.text.composed import composed
from memkit.text.words import bigrams, characters, has_cjk

# The columns in the order of the fields: so a row makes a Memory without a dict between them, in a third of the time.
_FIELDS = tuple(field.name for field in fields(Memory))
_TAGS, _META = _FIELDS.index("tags"), _FIELDS.index("meta")
_COLUMNS = ", ".join("d.source" if name == "source" else f"m.{name}" for name in _FIELDS)
SELECT_BY_KEYS = f"""
select {_COLUMNS}
from memories as m left join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys))
"""
SELECT_BY_IDS = f"""
select {_COLUMNS}
from memories as m left join documents as d on d.key = m.document_key
where m.id in (select value from json_each(:ids))
"""
SELECT_NEWEST = "select text from memories order by key desc limit 1"
INSERT_MEMORY = """
insert into memories (
    key, id, document_key, position, source_id, kind, text, title, speaker, category, tags, project, slot, slot_key,
    importance, confidence, happened_at, created_at, updated_at, valid_from, valid_until, expires_at, tokens, hash,
    text_hash, meta
) values (
    :key, :id, :document_key, :position, :source_id, :kind, :text, :title, :speaker, :category, :tags, :project, :slot,
    :slot_key, :importance, :confidence, :happened_at, :now, :now, :valid_from, :valid_until, :expires_at, :tokens,
    :hash, :text_hash, :meta
)
"""
UPDATE_MEMORY = """
update memories set
    document_key = :document_key, position = :position, source_id = :source_id, kind = :kind, text = :text,
    title = :title, speaker = :speaker, category = :category, tags = :tags, project = :project, slot = :slot,
    slot_key = :slot_key, importance = :importance, confidence = :confidence, happened_at = :happened_at,
    updated_at = :now, valid_from = :valid_from, valid_until = :valid_until, expires_at = :expires_at, tokens = :tokens,
    hash = :hash, text_hash = :text_hash, meta = :meta, archived_at = null
where key = :key
"""
# Another program may have emptied `sqlite_sequence`, to count from the start.
NEXT_KEY = """
select 1 + max(
    (select coalesce(max(cast(seq as integer)), 0) from sqlite_sequence where name = 'memories'),
    (select coalesce(max(key), 0) from memories)
)
"""
UPSERT_DOCUMENT = """
insert into documents (id, source, kind, title, project, created_at, updated_at, meta)
values (:id, :source, :kind, :title, :project, :created_at, :updated_at, :meta)
on conflict (source) do update set
    kind = excluded.kind, title = excluded.title, project = excluded.project, created_at = excluded.created_at,
    updated_at = excluded.updated_at, meta = excluded.meta, archived_at = null
where (kind, title, project, created_at, updated_at, meta, archived_at) is not (
    excluded.kind, excluded.title, excluded.project, excluded.created_at, excluded.updated_at, excluded.meta, null
)
"""
# What a document is called is said where its memories are read: they are to be read again if it has other names now.
FORGET_NAMES = f"""
delete from extractions
where extractor like 'text %' and memory_key in (
    select m.key from documents as d join memories as m on m.document_key = d.key
    where d.source = :source and {or_empty("d.meta")}->'$.aliases' is not :meta->'$.aliases'
)
"""
SELECT_DOCUMENT_KEY = "select key from documents where source = :source"
ARCHIVE = f"""
update memories set
    archived_at = :now, position = null, meta = json_set({or_empty("meta")}, '$.archived_because', :reason)
where key in (select value from json_each(:keys)) and archived_at is null
"""
# A memory that begins later than `start` ends when it begins: it was never true.
END = """
update memories set valid_until = max(:start, coalesce(valid_from, happened_at, :start)), updated_at = :now
where key in (select value from json_each(:keys))
    and (valid_until is null or valid_until > max(:start, coalesce(valid_from, happened_at, :start)))
returning key
"""
COUNT_CURRENT = "select count(*) from current_memories"
DELETE_MEMORIES = "delete from memories where key in (select value from json_each(:keys))"

IS_INDEX_PAUSED = "select exists (select 1 from index_paused)"
PAUSE_INDEX = "insert into index_paused (reason) values (:reason)"
RESUME_INDEX = "delete from index_paused"
SELECT_NEIGHBOURHOOD = """
select distinct n.key
from memories as m join memories as n
    on n.document_key = m.document_key and n.position between m.position - 2 and m.position + 2
where m.key in (select value from json_each(:keys))
"""
UNINDEX_FTS = "delete from memories_fts where rowid in (select value from json_each(:keys))"
UNINDEX_CJK = "delete from memories_cjk where rowid in (select value from json_each(:keys))"
INDEX_FTS = """
insert into memories_fts (rowid, text, title, speaker, tags)
select key, text, title, speaker, tags
from memories_indexed
where key in (select value from json_each(:keys))
"""
SELECT_INDEXED = """
select key, text, title from memories_indexed where key in (select value from json_each(:keys))
"""
INDEX_CJK = "insert into memories_cjk (rowid, text, title, characters) values (?, ?, ?, ?)"

INSERT_LINK = """
insert into links (from_key, to_key, type, weight, why, created_at)
values (:from_key, :to_key, :type, :weight, :why, :now)
on conflict (from_key, to_key, type) do nothing
"""
UPDATE_LINK = """
update links set weight = :weight, why = :why
where from_key = :from_key and to_key = :to_key and type = :type and (weight, why) is not (:weight, :why)
"""
MARK_READ = """
insert into extractions (memory_key, extractor, hash, at, error) values (:key, :extractor, :hash, :now, :error)
on conflict (memory_key, extractor) do update set hash = excluded.hash, at = excluded.at, error = excluded.error
"""
READ_AGAIN = """
delete from extractions where memory_key in (select value from json_each(:keys)) and extractor = :extractor
"""
SELECT_SETTING = "select value from settings where name = :name"
UPSERT_SETTING = """
insert into settings (name, value) values (:name, :value)
on conflict (name) do update set value = excluded.value
"""
COUNT_UP = """
insert into settings (name, value) values (:name, '1')
on conflict (name) do update set value = cast(value + 1 as text)
returning value
"""
GRAPH_VERSION = "graph_version"  # a setting that counts (`graph/version.py`)


def keys_json(keys: Iterable[int]) -> str:
    """Keys as one JSON parameter. Their number is not limited, as that of `?, ?, ...` is."""
    return json.dumps([int(key) for key in keys])


def _memory(row: Any) -> Memory:
    values = list(row)
    if bytes in map(type, values):  # another program may have stored anything
        values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in values]
    values[_TAGS] = tuple(json_texts(values[_TAGS]))
    values[_META] = json_object(values[_META])
    return Memory(*values)


def memories(conn: Connection, keys: Sequence[int]) -> dict[int, Memory]:
    """The memories with these keys, by key and in their order; missing ones are left out."""
    found = {row[0]: _memory(row) for row in conn.execute(SELECT_BY_KEYS, {"keys": keys_json(keys)})}
    return {key: found[key] for key in keys if key in found}


def memory(conn: Connection, id: str) -> Memory:
    """The memory with this id. Raises NotFound for an unknown id."""
    row = conn.execute(SELECT_BY_IDS, {"ids": json.dumps([id])}).fetchone()
    if row is None:
        raise NotFound(
            f'There is no memory with the id {id!r}. To see ids: memkit recall FILE "a question" --format ids'
        )
    return _memory(row)


def count_current(conn: Connection) -> int:
    """The number of current memories."""
    return int(conn.execute(COUNT_CURRENT).fetchone()[0])


def upsert_document(conn: Connection, draft: DocumentDraft, id: str, project: str) -> int:
    """Writes or updates the document with this source; returns its key."""
    meta = {"fields": dict(draft.fields), "aliases": list(draft.aliases), "tags": list(draft.tags), **draft.meta}
    row = {
        "id": id,
        "source": draft.source,
        "kind": draft.kind,
        "title": draft.title,
        "project": project,
        "created_at": draft.created_at,
        "updated_at": draft.updated_at,
        "meta": json.dumps({name: value for name, value in meta.items() if value}, ensure_ascii=False, default=str),
    }
    conn.execute(FORGET_NAMES, row)
    conn.execute(UPSERT_DOCUMENT, row)
    key: int = conn.execute(SELECT_DOCUMENT_KEY, {"source": draft.source}).fetchone()[0]
    return key


def neighbourhood(conn: Connection, keys: Iterable[int]) -> set[int]:
    """These memories and their neighbours (two before, two after), to whose vectors they contribute."""
    keys = set(keys)
    return keys | {row[0] for row in conn.execute(SELECT_NEIGHBOURHOOD, {"keys": keys_json(keys)})}


@contextmanager
def index_paused(conn: Connection) -> Iterator[None]:
    """Switches the full-text triggers off within this block of a transaction: the caller writes the index itself.

    A nested block is part of the outer one. After an error, the rollback of the transaction switches them on again.
    """
    if conn.execute(IS_INDEX_PAUSED).fetchone()[0]:
        yield
        return
    conn.execute(PAUSE_INDEX, {"reason": "memkit writes the index itself"})
    yield
    conn.execute(RESUME_INDEX)


def reindex_text(conn: Connection, keys: Iterable[int], *, fresh: bool = False) -> None:
    """Rewrites the full-text rows of these memories; `fresh` means that they have none yet."""
    parameter = {"keys": keys_json(sorted(keys))}
    if not fresh:
        conn.execute(UNINDEX_FTS, parameter)
        conn.execute(UNINDEX_CJK, parameter)
    conn.execute(INDEX_FTS, parameter)
    rows = (row for row in conn.execute(SELECT_INDEXED, parameter) if has_cjk("\n".join(row[1:])))
    # The triggers of the schema spread the same, but SQL cannot compose letters.
    spread = ((row[0], [composed(text) for text in row[1:]]) for row in rows)
    conn.executemany(INDEX_CJK, ((key, *map(bigrams, said), characters(said[0])) for key, said in spread))


def end(conn: Connection, keys: Iterable[int], start: str, now: str) -> list[int]:
    """Ends memories at `start`, but never later than they end already; returns the keys of those that it ended."""
    return sorted(row[0] for row in conn.execute(END, {"keys": keys_json(keys), "start": start, "now": now}).fetchall())


def archive(conn: Connection, keys: Iterable[int], now: str, reason: str) -> set[int]:
    """Archives memories, which hides them from recall.

    Returns the keys of the memories whose neighbours have changed, to be embedded again.
    """
    keys = list(keys)
    around = neighbourhood(conn, keys)
    with index_paused(conn):
        conn.execute(ARCHIVE, {"keys": keys_json(keys), "now": now, "reason": reason})
        reindex_text(conn, keys)
    return around


def delete(conn: Connection, keys: Iterable[int]) -> set[int]:
    """Deletes memories and every row that refers to them.

    Returns the keys of their former neighbours, to be embedded again.
    """
    keys = list(keys)
    around = neighbourhood(conn, keys) - set(keys)
    parameter = {"keys": keys_json(keys)}
    with index_paused(conn):
        conn.execute(UNINDEX_FTS, parameter)
        conn.execute(UNINDEX_CJK, parameter)
        conn.execute(DELETE_MEMORIES, parameter)
    return around


def link(
    conn: Connection, from_key: int, to_key: int, type: str, now: str, *, weight: float = 1.0, why: str = ""
) -> None:
    """Writes a link from one memory to another, such as `supersedes`; updates it if it exists."""
    row = {"from_key": from_key, "to_key": to_key, "type": type, "weight": weight, "why": why, "now": now}
    if not conn.execute(INSERT_LINK, row).rowcount and conn.execute(UPDATE_LINK, row).rowcount:
        count_up(conn, GRAPH_VERSION)


def mark_read(
    conn: Connection, extractor: str, hashes: Mapping[int, str], now: str, *, error: str | None = None
) -> None:
    """Stores that an extractor has read memories, given as key to hash of what it read; `error` if it has failed."""
    same = {"extractor": extractor, "now": now, "error": error}
    conn.executemany(MARK_READ, [{"key": key, "hash": hash, **same} for key, hash in hashes.items()])


def read_again(conn: Connection, keys: Iterable[int], extractor: str) -> None:
    """Makes these memories some that an extractor has not read. Call it in a transaction."""
    conn.execute(READ_AGAIN, {"keys": keys_json(keys), "extractor": extractor})


def newest_text(conn: Connection) -> str:
    """The text of the memory that was stored last; empty if there is none."""
    row = conn.execute(SELECT_NEWEST).fetchone()
    return row[0] if row else ""


def setting(conn: Connection, name: str, default: Any = None) -> Any:
    """The value of a setting of this database, or `default`, also where the stored value is of another shape."""
    row = conn.execute(SELECT_SETTING, {"name": name}).fetchone()
    value = json_value(row[0]) if row is not None else None
    shape = {tuple: list}.get(type(default), type(default))
    return value if value is not None and (default is None or isinstance(value, shape)) else default


def texts_in_setting(conn: Connection, name: str) -> list[str]:
    """The texts in a setting of this database that is a list of them; empty if there are none."""
    return [one for one in setting(conn, name, ()) if isinstance(one, str)]


def set_setting(conn: Connection, name: str, value: Any) -> None:
    """Writes a setting of this database."""
    conn.execute(UPSERT_SETTING, {"name": name, "value": json.dumps(value, ensure_ascii=False)})


def count_up(conn: Connection, name: str) -> int:
    """Increments a setting that is a counter; returns the new number, from 1."""
    return int(float(conn.execute(COUNT_UP, {"name": name}).fetchall()[0][0]))


_encoded = json.JSONEncoder(ensure_ascii=False, default=str).encode


def dumps(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """JSON as memkit stores it: without escapes for other scripts, dates as text."""
    if not value:  # as most tags and notes of a source
        return "{}" if isinstance(value, Mapping) else "[]"
    return _encoded(value)
