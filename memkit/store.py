"""Memories and documents as rows: reading them, writing them, and keeping the index beside them right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from memkit.errors import NotFound
from memkit.text import bigrams, characters, has_cjk
from memkit.types import DocumentDraft, Memory

_COLUMNS = """
    m.key, m.id, m.text, m.kind, m.title, m.speaker, m.category, m.tags, m.project, m.slot, m.slot_key, m.importance,
    m.confidence, m.source_id, m.document_key, m.position, m.happened_at, m.created_at, m.updated_at, m.valid_from,
    m.valid_until, m.expires_at, m.archived_at, m.compression, m.tokens, m.meta, d.source
"""
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
NEXT_KEY = "select coalesce(max(seq), 0) + 1 from sqlite_sequence where name = 'memories'"
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
SELECT_DOCUMENT_KEY = "select key from documents where source = :source"
ARCHIVE = """
update memories set archived_at = :now, position = null, meta = json_set(meta, '$.archived_because', :reason)
where key in (select value from json_each(:keys)) and archived_at is null
"""
# One that begins later itself never held.
END = """
update memories set valid_until = max(:start, coalesce(valid_from, happened_at, :start)), updated_at = :now
where key in (select value from json_each(:keys))
    and (valid_until is null or valid_until > max(:start, coalesce(valid_from, happened_at, :start)))
returning key
"""
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
insert into memories_fts (rowid, text, title, speaker, tags, context)
select key, text, title, speaker, tags, context
from memories_indexed
where key in (select value from json_each(:keys))
"""
SELECT_INDEXED = """
select key, text, title, context from memories_indexed where key in (select value from json_each(:keys))
"""
INDEX_CJK = "insert into memories_cjk (rowid, text, title, context, characters) values (?, ?, ?, ?, ?)"

INSERT_LINK = """
insert into links (from_key, to_key, type, weight, why, created_at)
values (:from_key, :to_key, :type, :weight, :why, :now)
on conflict (from_key, to_key, type) do nothing
"""
UPDATE_LINK = """
update links set weight = :weight, why = :why
where from_key = :from_key and to_key = :to_key and type = :type and (weight, why) is not (:weight, :why)
"""
# The graph's version (`graph/version.py`).
BUMP_GRAPH = """
insert into settings (name, value) values ('graph_version', '1')
on conflict (name) do update set value = cast(value + 1 as text)
"""
SELECT_SETTING = "select value from settings where name = :name"
UPSERT_SETTING = """
insert into settings (name, value) values (:name, :value)
on conflict (name) do update set value = excluded.value
"""


def keys_json(keys: Iterable[int]) -> str:
    """Keys as one JSON parameter: any number of them, where `?, ?, ...` has a limit."""
    return json.dumps([int(key) for key in keys])


def _memory(row: Any) -> Memory:
    values = dict(row)
    values["tags"] = tuple(json.loads(values["tags"]))
    values["meta"] = json.loads(values["meta"])
    return Memory(**values)


def memories(conn: Any, keys: Sequence[int]) -> dict[int, Memory]:
    """The memories with these keys, by key, in this order; missing ones are left out."""
    found = {row["key"]: _memory(row) for row in conn.execute(SELECT_BY_KEYS, {"keys": keys_json(keys)})}
    return {key: found[key] for key in keys if key in found}


def memory(conn: Any, id: str) -> Memory:
    """The memory with this id. Raises NotFound."""
    row = conn.execute(SELECT_BY_IDS, {"ids": json.dumps([id])}).fetchone()
    if row is None:
        raise NotFound(f"There is no memory with the id {id!r}. `memkit recall` shows ids with --format ids.")
    return _memory(row)


def texts(conn: Any, ids: Iterable[str]) -> dict[str, str]:
    """What the memories with these ids say, by id; those that have gone are missing."""
    return {row["id"]: row["text"] for row in conn.execute(SELECT_BY_IDS, {"ids": json.dumps(list(ids))})}


def upsert_document(conn: Any, draft: DocumentDraft, id: str, project: str) -> int:
    """The key of the document with this source, written or brought up to date."""
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
    conn.execute(UPSERT_DOCUMENT, row)
    return conn.execute(SELECT_DOCUMENT_KEY, {"source": draft.source}).fetchone()[0]


def neighbourhood(conn: Any, keys: Iterable[int]) -> set[int]:
    """These memories and the ones whose indexed context they are part of."""
    keys = set(keys)
    return keys | {row[0] for row in conn.execute(SELECT_NEIGHBOURHOOD, {"keys": keys_json(keys)})}


@contextmanager
def index_paused(conn: Any) -> Iterator[None]:
    """Within this block, in a transaction, the triggers rest: the caller indexes what it wrote, all at once.

    A block within another one is part of it. An error leaves the block to the transaction, which undoes it.
    """
    if conn.execute(IS_INDEX_PAUSED).fetchone()[0]:
        yield
        return
    conn.execute(PAUSE_INDEX, {"reason": "memkit writes the index itself"})
    yield
    conn.execute(RESUME_INDEX)


def reindex_text(conn: Any, keys: Iterable[int], *, fresh: bool = False) -> None:
    """Writes the full-text rows of these memories anew; `fresh` says that they have none yet."""
    parameter = {"keys": keys_json(sorted(keys))}
    if not fresh:
        conn.execute(UNINDEX_FTS, parameter)
        conn.execute(UNINDEX_CJK, parameter)
    conn.execute(INDEX_FTS, parameter)
    rows = conn.execute(SELECT_INDEXED, parameter)
    conn.executemany(
        INDEX_CJK,
        ((row[0], *map(bigrams, row[1:]), characters(row[1])) for row in rows if any(map(has_cjk, row[1:]))),
    )


def end(conn: Any, keys: Iterable[int], start: str, now: str) -> list[int]:
    """Lets memories hold only until another one begins, and never longer than they did; those that held then."""
    return sorted(row[0] for row in conn.execute(END, {"keys": keys_json(keys), "start": start, "now": now}).fetchall())


def archive(conn: Any, keys: Iterable[int], now: str, reason: str) -> set[int]:
    """Hides memories from recall without losing them; the keys of all whose neighbours that changed, to embed anew."""
    keys = list(keys)
    around = neighbourhood(conn, keys)
    with index_paused(conn):
        conn.execute(ARCHIVE, {"keys": keys_json(keys), "now": now, "reason": reason})
        reindex_text(conn, around)
    return around


def delete(conn: Any, keys: Iterable[int]) -> set[int]:
    """Removes memories and every row that hangs on them; the keys of their former neighbours, to embed anew."""
    keys = list(keys)
    around = neighbourhood(conn, keys) - set(keys)
    parameter = {"keys": keys_json(keys)}
    with index_paused(conn):
        conn.execute(UNINDEX_FTS, parameter)
        conn.execute(UNINDEX_CJK, parameter)
        conn.execute(DELETE_MEMORIES, parameter)
        reindex_text(conn, around)
    return around


def link(conn: Any, from_key: int, to_key: int, type: str, now: str, *, weight: float = 1.0, why: str = "") -> None:
    """A link from one memory to another, e.g. the new one `supersedes` the old one; there already, it is changed."""
    row = {"from_key": from_key, "to_key": to_key, "type": type, "weight": weight, "why": why, "now": now}
    if not conn.execute(INSERT_LINK, row).rowcount and conn.execute(UPDATE_LINK, row).rowcount:
        conn.execute(BUMP_GRAPH)


def setting(conn: Any, name: str, default: Any = None) -> Any:
    """A setting of this database."""
    row = conn.execute(SELECT_SETTING, {"name": name}).fetchone()
    return default if row is None else json.loads(row[0])


def set_setting(conn: Any, name: str, value: Any) -> None:
    """Writes a setting of this database."""
    conn.execute(UPSERT_SETTING, {"name": name, "value": json.dumps(value, ensure_ascii=False)})


def dumps(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """JSON as it is stored: readable, dates as text."""
    return json.dumps(value, ensure_ascii=False, default=str)
