"""Rows as they were: taken before a change, and brought back exactly when it is undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from memkit import store
from memkit.graph import relations
from memkit.graph.version import bump
from memkit.store import dumps, keys_json

# By table, the rows as they were; under `made`, by table, the keys of rows that the change made.
Before = dict[str, Any]

# What hangs on memories, in the order in which it can be written. `relations` are those that the evidence is for.
SELECT_ROWS = {
    "memories": "select * from memories where key in (select value from json_each(:keys))",
    "access": "select * from access where memory_key in (select value from json_each(:keys))",
    "mentions": "select * from mentions where memory_key in (select value from json_each(:keys))",
    "relations": """
        select * from relations
        where key in (select relation_key from evidence where memory_key in (select value from json_each(:keys)))
    """,
    "evidence": "select * from evidence where memory_key in (select value from json_each(:keys))",
    "links": """
        select * from links
        where from_key in (select value from json_each(:keys)) or to_key in (select value from json_each(:keys))
    """,
    "extractions": "select * from extractions where memory_key in (select value from json_each(:keys))",
    "fingerprints": "select * from fingerprints where memory_key in (select value from json_each(:keys))",
    "recall_hits": "select * from recall_hits where memory_key in (select value from json_each(:keys))",
    "feedback": "select * from feedback where memory_key in (select value from json_each(:keys))",
    "former": "select * from former where memory_key in (select value from json_each(:keys))",
}
TABLES = tuple(SELECT_ROWS)

# A piece of evidence may have been moved to another memory since: it is taken from there.
DELETE_ROWS = {
    "access": "delete from access where memory_key in (select value from json_each(:keys))",
    "mentions": "delete from mentions where memory_key in (select value from json_each(:keys))",
    "evidence": """
        delete from evidence
        where memory_key in (select value from json_each(:keys)) or key in (
            select e.key
            from json_each(:rows) as r join evidence as e
                on e.key = r.value->>'key' and (e.quote, e.said_at, e.created_at) = (
                    r.value->>'quote', r.value->>'said_at', r.value->>'created_at'
                )
        )
    """,
    "links": """
        delete from links
        where from_key in (select value from json_each(:keys)) or to_key in (select value from json_each(:keys))
    """,
    "extractions": "delete from extractions where memory_key in (select value from json_each(:keys))",
    "fingerprints": "delete from fingerprints where memory_key in (select value from json_each(:keys))",
    "recall_hits": "delete from recall_hits where memory_key in (select value from json_each(:keys))",
    "feedback": "delete from feedback where memory_key in (select value from json_each(:keys))",
    "former": "delete from former where memory_key in (select value from json_each(:keys))",
}
# A row keeps its key where nobody has taken it meanwhile. What it pointed to may have gone for good.
INSERT_ROWS = {
    "access": """
        insert into access (memory_key, count, last_at)
        select value->>'memory_key', value->>'count', value->>'last_at' from json_each(:rows)
    """,
    "mentions": """
        insert into mentions (key, memory_key, entity_key, role, surface, start, count, confidence)
        select
            case when not exists (select 1 from mentions as n where n.key = value->>'key') then value->>'key' end,
            value->>'memory_key', coalesce(e.merged_into, e.key), value->>'role', value->>'surface', value->>'start',
            value->>'count', value->>'confidence'
        from json_each(:rows) join entities as e on e.key = value->>'entity_key'
        where true
        on conflict (memory_key, entity_key, role) do nothing
    """,
    "relations": """
        insert into relations (
            key, id, subject_key, predicate, object_key, confidence, valid_from, valid_until, created_at, expired_at,
            superseded_by, method
        )
        select value->>'key', value->>'id', value->>'subject_key', value->>'predicate', value->>'object_key',
            value->>'confidence', value->>'valid_from', value->>'valid_until', value->>'created_at',
            value->>'expired_at', (select key from relations where key = value->>'superseded_by'), value->>'method'
        from json_each(:rows)
        where exists (select 1 from entities where key = value->>'subject_key')
            and exists (select 1 from entities where key = value->>'object_key')
            and not exists (select 1 from relations as r where r.key = value->>'key' and r.id <> value->>'id')
        on conflict (key) do update set
            confidence = excluded.confidence, valid_from = excluded.valid_from, valid_until = excluded.valid_until,
            expired_at = excluded.expired_at, superseded_by = excluded.superseded_by, method = excluded.method
    """,
    "evidence": """
        insert into evidence (
            key, relation_key, memory_key, quote, method, confidence, valid_from, valid_until, said_at, created_at
        )
        select
            case when not exists (select 1 from evidence as n where n.key = value->>'key') then value->>'key' end,
            value->>'relation_key', value->>'memory_key', value->>'quote', value->>'method', value->>'confidence',
            value->>'valid_from', value->>'valid_until', value->>'said_at', value->>'created_at'
        from json_each(:rows)
        where exists (select 1 from relations as r where r.key = value->>'relation_key')
    """,
    "links": """
        insert into links (key, from_key, to_key, type, weight, why, created_at)
        select
            case when not exists (select 1 from links as n where n.key = value->>'key') then value->>'key' end,
            value->>'from_key', value->>'to_key', value->>'type', value->>'weight', value->>'why', value->>'created_at'
        from json_each(:rows)
        where exists (select 1 from memories where key = value->>'from_key')
            and exists (select 1 from memories where key = value->>'to_key')
        on conflict (from_key, to_key, type) do update set weight = excluded.weight, why = excluded.why
    """,
    "extractions": """
        insert into extractions (memory_key, extractor, hash, at, error)
        select value->>'memory_key', value->>'extractor', value->>'hash', value->>'at', value->>'error'
        from json_each(:rows)
    """,
    "fingerprints": """
        insert into fingerprints (band, memory_key) select value->>'band', value->>'memory_key' from json_each(:rows)
    """,
    "recall_hits": """
        insert into recall_hits (
            recall_key, memory_key, rank, score, channel, channel_rank, raw, contribution, boosts, tokens, left_out
        )
        select value->>'recall_key', value->>'memory_key', value->>'rank', value->>'score', value->>'channel',
            value->>'channel_rank', value->>'raw', value->>'contribution', value->>'boosts', value->>'tokens',
            value->>'left_out'
        from json_each(:rows)
        where exists (select 1 from recalls as r where r.key = value->>'recall_key')
    """,
    "feedback": """
        insert into feedback (key, memory_key, question, useful, at)
        select
            case when not exists (select 1 from feedback as n where n.key = value->>'key') then value->>'key' end,
            value->>'memory_key', value->>'question', value->>'useful', value->>'at'
        from json_each(:rows)
    """,
    "former": """
        insert into former (memory_key, relation_key, entity_key, word)
        select value->>'memory_key', r.key, e.key, value->>'word'
        from json_each(:rows)
            left join relations as r on r.key = value->>'relation_key'
            left join entities as e on e.key = value->>'entity_key'
        where coalesce(r.key, e.key, value->>'word') is not null
    """,
}
UPSERT_MEMORY = """
insert into memories (
    key, id, document_key, position, source_id, kind, text, title, speaker, category, tags, project, slot, slot_key,
    importance, confidence, happened_at, created_at, updated_at, valid_from, valid_until, expires_at, archived_at,
    compression, tokens, hash, text_hash, meta
) values (
    :key, :id, (select key from documents where key = :document_key), :position, :source_id, :kind, :text, :title,
    :speaker, :category, :tags, :project, :slot, :slot_key, :importance, :confidence, :happened_at, :created_at,
    :updated_at, :valid_from, :valid_until, :expires_at, :archived_at, :compression, :tokens, :hash, :text_hash, :meta
)
on conflict (key) do update set
    document_key = excluded.document_key, position = excluded.position, source_id = excluded.source_id,
    kind = excluded.kind, text = excluded.text, title = excluded.title, speaker = excluded.speaker,
    category = excluded.category, tags = excluded.tags, project = excluded.project, slot = excluded.slot,
    slot_key = excluded.slot_key, importance = excluded.importance, confidence = excluded.confidence,
    happened_at = excluded.happened_at, created_at = excluded.created_at, updated_at = excluded.updated_at,
    valid_from = excluded.valid_from, valid_until = excluded.valid_until, expires_at = excluded.expires_at,
    archived_at = excluded.archived_at, compression = excluded.compression, tokens = excluded.tokens,
    hash = excluded.hash, text_hash = excluded.text_hash, meta = excluded.meta
"""
DELETE_LINKS = "delete from links where key in (select value from json_each(:keys))"


def as_they_are(conn: Any, keys: Iterable[int], tables: Collection[str] = TABLES) -> Before:
    """The rows of these memories as they are now, and of all that hangs on them, by table."""
    parameter = {"keys": keys_json(keys)}
    return {name: [dict(row) for row in conn.execute(SELECT_ROWS[name], parameter)] for name in tables}


def columns(conn: Any, keys: Iterable[int], names: Collection[str]) -> Before:
    """Some columns of these memories as they are now: undoing the change brings back only these."""
    whole = as_they_are(conn, keys, ("memories",))["memories"]
    return {"memories": [{name: row[name] for name in ("key", "id", *names)} for row in whole]}


def touched(before: Mapping[str, Any]) -> set[str]:
    """The ids of the memories that bringing this back would change."""
    return {row["id"] for row in before.get("memories", ())}


def bring_back(conn: Any, before: Mapping[str, Any], now: str) -> set[int]:
    """Makes the rows as they were, and takes away those that the change had made; inside a transaction.

    Gives the keys of the memories whose text or neighbours changed, whose vectors have to be made anew.
    """
    keys, made = [row["key"] for row in before.get("memories", ())], before.get("made", {})
    new = made.get("memories", ())
    said = as_they_are(conn, [*(keys if "evidence" in before else ()), *new], ("relations",))["relations"]
    around = _bring_memories_back(conn, before.get("memories", ()))
    for name in INSERT_ROWS:
        if name in before:
            _bring_rows_back(conn, name, before[name], keys)
    conn.execute(DELETE_LINKS, {"keys": keys_json(made.get("links", ()))})
    around = (around | store.delete(conn, new)) - set(new)
    _let_relations_follow(conn, [*before.get("relations", ()), *said], now)
    bump(conn)
    return around


def _bring_memories_back(conn: Any, saved: Sequence[Mapping[str, Any]]) -> set[int]:
    keys = [row["key"] for row in saved]
    current = {row["key"]: row for row in as_they_are(conn, keys, ("memories",))["memories"]}
    saved = [{**current.get(row["key"], {}), **row} for row in saved if row["key"] in current or "text" in row]
    if all(current.get(row["key"], {}).get(name) == row[name] for row in saved for name in ("text", "position")):
        conn.executemany(UPSERT_MEMORY, saved)  # nothing that the indexes hold is another one
        return set()
    around = store.neighbourhood(conn, keys)
    with store.index_paused(conn):
        conn.executemany(UPSERT_MEMORY, saved)
        around |= store.neighbourhood(conn, keys)
        store.reindex_text(conn, around)
    return around


def _bring_rows_back(conn: Any, name: str, saved: Sequence[Mapping[str, Any]], keys: Sequence[int]) -> None:
    parameters = {"rows": dumps(saved), "keys": keys_json(keys)}
    if name in DELETE_ROWS:
        conn.execute(DELETE_ROWS[name], parameters)
    conn.execute(INSERT_ROWS[name], parameters)


def _let_relations_follow(conn: Any, saved: Sequence[Mapping[str, Any]], now: str) -> None:
    """Relations follow from their evidence: others may have spoken while these were away."""
    triples = [(row["subject_key"], row["predicate"], row["object_key"]) for row in saved]
    relations.recompute(conn, triples, now)
