"""Public rows: the chosen memories and their documents after redaction, with every column named explicitly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memkit.sharing.publish.ids import Ids
from memkit.sharing.publish.redaction import Cleaner
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.words import est_tokens, text_hash

SELECT_MEMORIES = """
select m.key, m.id, m.document_key, m.position, m.source_id, m.kind, m.text, m.title, m.speaker, m.category, m.tags,
    m.project, m.slot, m.slot_key, m.importance, m.confidence, m.happened_at, m.created_at, m.updated_at, m.valid_from,
    m.valid_until, m.expires_at, m.archived_at, m.compression, m.meta
from memories as m
where m.key in (select value from json_each(:keys))
order by m.key
"""
SELECT_DOCUMENTS = """
select d.key, d.id, d.source, d.kind, d.title, d.created_at, d.updated_at, d.archived_at, d.meta,
    min(m.project) as project
from documents as d join memories as m on m.document_key = d.key
where m.key in (select value from json_each(:keys))
group by d.key
order by min(m.key)
"""
SELECT_ACCESS = "select memory_key, count from access where memory_key in (select value from json_each(:keys))"
INSERT_DOCUMENT = """
insert into documents (key, id, source, kind, title, project, created_at, updated_at, archived_at, meta)
values (:key, :id, :source, :kind, :title, :project, :created_at, :updated_at, :archived_at, :meta)
"""
INSERT_MEMORY = """
insert into memories (
    key, id, document_key, position, source_id, kind, text, title, speaker, category, tags, project, slot, slot_key,
    importance, confidence, happened_at, created_at, updated_at, valid_from, valid_until, expires_at, archived_at,
    compression, tokens, hash, text_hash, meta
) values (
    :key, :id, :document_key, :position, :source_id, :kind, :text, :title, :speaker, :category, :tags, :project, :slot,
    :slot_key, :importance, :confidence, :happened_at, :created_at, :updated_at, :valid_from, :valid_until, :expires_at,
    :archived_at, :compression, :tokens, :hash, :text_hash, :meta
)
"""
INSERT_ACCESS = "insert into access (memory_key, count) values (:key, :count)"

SOURCE = "published:"  # replaces the path of a document
APART = 3  # positions; passages so far apart are not indexed as neighbours (`memories_indexed`)
_SAID = ("text", "title", "speaker", "category", "kind", "project", "slot", "slot_key")
_HASHED = (*_SAID, "tags", "happened_at")


@dataclass(slots=True)
class PublishedRows:
    """The memories and documents as they are published, by their keys in the private database."""

    memories: dict[int, dict[str, Any]] = field(default_factory=dict)
    documents: dict[int, dict[str, Any]] = field(default_factory=dict)
    access: dict[int, int] = field(default_factory=dict)
    private: dict[int, dict[str, Any]] = field(default_factory=dict)  # memories before redaction


def rows(
    conn: Connection, keys: Sequence[int], ids: Ids, clean: Cleaner, keep: frozenset[str], now: str
) -> PublishedRows:
    """The rows to publish for these memories. `now` replaces the times when they were added, unless these are kept."""
    parameters = {"keys": keys_json(keys)}
    found = PublishedRows()
    for number, row in enumerate(conn.execute(SELECT_DOCUMENTS, parameters).fetchall(), 1):
        found.documents[row["key"]] = _document(dict(row), number, ids, clean, keep)
    for number, row in enumerate(conn.execute(SELECT_MEMORIES, parameters).fetchall(), 1):
        found.private[row["key"]] = dict(row)
        document = found.documents.get(row["document_key"])
        found.memories[row["key"]] = _memory(dict(row), number, document, ids, clean, keep, now)
    _move_together(found)
    _tell_apart(found.documents.values(), "source")
    current = (row for row in found.memories.values() if row["valid_until"] is None and row["archived_at"] is None)
    _tell_apart(current, "slot", "project", "slot_key")
    if "access" in keep:
        found.access = {row["memory_key"]: row["count"] for row in conn.execute(SELECT_ACCESS, parameters)}
    return found


def _move_together(found: PublishedRows) -> None:
    """Gives each passage a new position. Neighbours stay neighbours; the size of a gap between passages is hidden."""
    placed = [row for row in found.memories.values() if row["position"] is not None]
    old: tuple[Any, int] = (None, 0)
    new = 0
    for row in sorted(placed, key=lambda row: (row["document_key"] or 0, row["position"])):
        this = row["document_key"], row["position"]
        new = new + min(this[1] - old[1], APART) if this[0] == old[0] else 0
        old, row["position"] = this, new


def _tell_apart(each: Iterable[dict[str, Any]], *names: str) -> None:
    """Numbers the last of these columns if redaction has made the values of different rows equal."""
    seen: Counter[tuple[Any, ...]] = Counter()
    for row in each:
        said = tuple(row[name] for name in names)
        if None not in said:
            seen[said] += 1
            row[names[-1]] += f" ({seen[said]})" if seen[said] > 1 else ""


def _document(row: dict[str, Any], key: int, ids: Ids, clean: Cleaner, keep: frozenset[str]) -> dict[str, Any]:
    id = ids.new("document", row["id"])
    at = ("documents", row["id"])
    times = {name: row[name] if "times" in keep else None for name in ("created_at", "updated_at", "archived_at")}
    return {
        **times,
        "key": key,
        "id": id,
        "source": clean.text(row["source"], at[0], "source", at[1]) if "sources" in keep else f"{SOURCE}{id}",
        "kind": clean.text(row["kind"], at[0], "kind", at[1]),
        "title": clean.maybe(row["title"], at[0], "title", at[1]),
        "project": clean.text(row["project"], at[0], "project", at[1]),
        "meta": clean.json(row["meta"], at[0], "meta", at[1]) if "meta" in keep else "{}",
    }


def _memory(
    row: dict[str, Any],
    key: int,
    document: dict[str, Any] | None,
    ids: Ids,
    clean: Cleaner,
    keep: frozenset[str],
    now: str,
) -> dict[str, Any]:
    id = row["id"]
    said = {name: clean.maybe(row[name], "memories", name, id) for name in _SAID}
    public = {
        **row,
        **said,
        "key": key,
        "id": ids.new("memory", id),
        "document_key": document and document["key"],
        "source_id": clean.maybe(row["source_id"], "memories", "source_id", id) if "sources" in keep else None,
        "tags": clean.json(row["tags"], "memories", "tags", id),
        "created_at": row["created_at"] if "times" in keep else now,
        "updated_at": row["updated_at"] if "times" in keep else now,
        "valid_until": row["valid_until"],
        "expires_at": row["expires_at"] if "history" in keep else None,
        "tokens": est_tokens(said["text"] or ""),
        "text_hash": text_hash(said["text"]),
        "meta": clean.json(row["meta"], "memories", "meta", id) if "meta" in keep else "{}",
    }
    return {**public, "hash": text_hash(*(public[name] for name in _HASHED))}


def write(conn: Connection, found: PublishedRows) -> None:
    """Writes documents and memories into a new database, and indexes their texts."""
    conn.executemany(INSERT_DOCUMENT, found.documents.values())
    with store.index_paused(conn):
        conn.executemany(INSERT_MEMORY, found.memories.values())
        store.reindex_text(conn, [row["key"] for row in found.memories.values()], fresh=True)
    counts = [{"key": found.memories[key]["key"], "count": count} for key, count in found.access.items()]
    conn.executemany(INSERT_ACCESS, counts)


SELECT_SAID_OF = """
select distinct r.predicate as said from evidence as v join relations as r on r.key = v.relation_key
where v.memory_key in (select value from json_each(:keys))
"""


def texts(conn: Connection, found: PublishedRows, clean: Cleaner) -> list[str]:
    """Every text in these rows, and the predicates of their relations."""
    every = [value for row in (*found.memories.values(), *found.documents.values()) for value in row.values()]
    predicates = conn.execute(SELECT_SAID_OF, {"keys": keys_json(found.memories)})
    return [*(value for value in every if isinstance(value, str)), *(clean.name(row[0]) for row in predicates)]
