"""Row snapshots: rows saved before a change, and restored exactly when it is undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from memkit.graph import relations
from memkit.graph.version import bump
from memkit.ingestion import slots
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_rows import EVIDENCE, MENTIONS, RELATIONS, insert_rows, set_anew
from memkit.storage.store import dumps, keys_json

# Saved rows by table; under `made`, by table, the keys of rows that the change made.
Before = dict[str, Any]

OF_MEMORIES = "where memory_key in (select value from json_each(:keys))"
LINKS_OF_MEMORIES = """
where from_key in (select value from json_each(:keys)) or to_key in (select value from json_each(:keys))
"""
HANGING = ("access", "mentions", "evidence", "extractions", "fingerprints", "recall_hits", "feedback", "former")
# Memories and the rows that belong to them. `relations` are those that the evidence supports.
SELECT_ROWS = {
    "memories": "select * from memories where key in (select value from json_each(:keys))",
    "relations": f"select * from relations where key in (select relation_key from evidence {OF_MEMORIES})",
    "links": f"select * from links {LINKS_OF_MEMORIES}",
} | {table: f"select * from {table} {OF_MEMORIES}" for table in HANGING}
TABLES = tuple(SELECT_ROWS)

# Evidence may have been moved to another memory since: it is deleted there.
DELETE_ROWS = {table: f"delete from {table} {OF_MEMORIES}" for table in HANGING} | {
    "evidence": f"""
        delete from evidence {OF_MEMORIES} or key in (
            select e.key
            from json_each(:rows) as r join evidence as e
                on e.key = r.value->>'key' and (e.quote, e.said_at, e.created_at) = (
                    r.value->>'quote', r.value->>'said_at', r.value->>'created_at'
                )
        )
    """,
    "links": f"delete from links {LINKS_OF_MEMORIES}",
}
# In the order in which they can be written. A row that another one refers to may have been deleted for good.
INSERT_ROWS = {
    "access": insert_rows("access", "memory_key count last_at"),
    "mentions": insert_rows(
        "mentions",
        MENTIONS,
        """
        join entities as e on e.key = value->>'entity_key'
        where true
        on conflict (memory_key, entity_key, role) do nothing
        """,
        free_keys=True,
        entity_key="coalesce(e.merged_into, e.key)",
    ),
    "relations": insert_rows(
        "relations",
        RELATIONS,
        f"""
        where exists (select 1 from entities where key = value->>'subject_key')
            and exists (select 1 from entities where key = value->>'object_key')
            and not exists (select 1 from relations as r where r.key = value->>'key' and r.id <> value->>'id')
        on conflict (key) do update set
            {set_anew("confidence valid_from valid_until expired_at superseded_by method")}
        """,
        superseded_by="(select key from relations where key = value->>'superseded_by')",
    ),
    "evidence": insert_rows(
        "evidence",
        EVIDENCE,
        "where exists (select 1 from relations as r where r.key = value->>'relation_key')",
        free_keys=True,
    ),
    "links": insert_rows(
        "links",
        "key from_key to_key type weight why created_at",
        f"""
        where exists (select 1 from memories where key = value->>'from_key')
            and exists (select 1 from memories where key = value->>'to_key')
        on conflict (from_key, to_key, type) do update set {set_anew("weight why")}
        """,
        free_keys=True,
    ),
    "extractions": insert_rows("extractions", "memory_key extractor hash at error"),
    "fingerprints": insert_rows("fingerprints", "band memory_key"),
    "recall_hits": insert_rows(
        "recall_hits",
        "recall_key memory_key rank score channel channel_rank raw contribution boosts tokens left_out",
        "where exists (select 1 from recalls as r where r.key = value->>'recall_key')",
    ),
    "feedback": insert_rows("feedback", "key memory_key question useful at", free_keys=True),
    "former": insert_rows(
        "former",
        "memory_key relation_key entity_key word",
        """
            left join relations as r on r.key = value->>'relation_key'
            left join entities as e on e.key = value->>'entity_key'
        where coalesce(r.key, e.key, value->>'word') is not null
        """,
        relation_key="r.key",
        entity_key="e.key",
    ),
}
_OF_MEMORY = """
    document_key id position source_id kind text title speaker category tags project slot slot_key
    importance confidence happened_at created_at updated_at valid_from valid_until expires_at archived_at
    compression tokens hash text_hash meta
"""
UPSERT_MEMORY = f"""
insert into memories (key, {", ".join(_OF_MEMORY.split())})
values (
    :key, (select key from documents where key = :document_key),
    {", ".join(f":{name}" for name in _OF_MEMORY.split()[1:])}
)
on conflict (key) do update set {set_anew(_OF_MEMORY)}
"""
SELECT_DOCUMENTS = "select distinct document_key from memories where key in (select value from json_each(:keys))"
DELETE_DOCUMENTS = """
delete from documents
where key in (select value from json_each(:keys))
    and not exists (select 1 from memories as m where m.document_key = documents.key)
"""
# Pages whose names were taken from them meanwhile (`former_page_names`): their texts and front matter give them again.
READ_PAGES_AGAIN = """
delete from extractions
where (extractor like 'text %' or extractor like 'fields %') and memory_key in (
    select x.memory_key from mentions as x
    where x.memory_key in (select value from json_each(:keys)) and x.role = 'title' and not exists (
        select 1 from aliases as a
        where a.entity_key = x.entity_key and a.source not in ('text', 'wikilink', 'alike', 'bare', 'plural')
    )
)
"""
DELETE_LINKS = "delete from links where key in (select value from json_each(:keys))"


def saved_rows(conn: Connection, keys: Iterable[int], tables: Collection[str] = TABLES) -> Before:
    """The present rows of these memories, and all rows that belong to them, by table."""
    parameter = {"keys": keys_json(keys)}
    return {name: [dict(row) for row in conn.execute(SELECT_ROWS[name], parameter)] for name in tables}


def columns(conn: Connection, keys: Iterable[int], names: Collection[str]) -> Before:
    """The present values of some columns of these memories. Undo then restores only these columns."""
    whole = saved_rows(conn, keys, ("memories",))["memories"]
    return {"memories": [{name: row[name] for name in ("key", "id", *names)} for row in whole]}


def changed_ids(before: Mapping[str, Any]) -> set[str]:
    """The ids of the memories that `restore_rows` would change."""
    return {row["id"] for row in before.get("memories", ())}


def restore_rows(conn: Connection, before: Mapping[str, Any], now: str) -> set[int]:
    """The keys of memories that need new vectors, after saved rows were restored. Call it inside a transaction.

    Rows that the change had made are deleted, and a document in which nothing else stands.
    """
    keys, made = [row["key"] for row in before.get("memories", ())], before.get("made", {})
    new = made.get("memories", ())
    said = saved_rows(conn, [*(keys if "evidence" in before else ()), *new], ("relations",))["relations"]
    places = slots.places(conn, new)
    documents = [row[0] for row in conn.execute(SELECT_DOCUMENTS, {"keys": keys_json(new)}) if row[0] is not None]
    gone = store.delete(conn, new)  # first, because a slot has one value at a time
    slots.reopen(conn, places, now)
    around = _bring_memories_back(conn, before.get("memories", ()))
    for name in INSERT_ROWS:
        if name in before:
            _bring_rows_back(conn, name, before[name], keys)
    conn.execute(DELETE_LINKS, {"keys": keys_json(made.get("links", ()))})
    conn.execute(DELETE_DOCUMENTS, {"keys": keys_json(documents)})
    around = (around | gone) - set(new)
    _let_relations_follow(conn, [*before.get("relations", ()), *said], now)
    conn.execute(READ_PAGES_AGAIN, {"keys": keys_json(keys)})
    bump(conn)
    return around


def _bring_memories_back(conn: Connection, saved: Sequence[Mapping[str, Any]]) -> set[int]:
    keys = [row["key"] for row in saved]
    current = {row["key"]: row for row in saved_rows(conn, keys, ("memories",))["memories"]}
    whole = [row for row in saved if "text" in row]
    parts = [{**current[row["key"]], **row} for row in saved if "text" not in row and row["key"] in current]
    saved = [{**current.get(row["key"], {}), **row} for row in whole] + [slots.fitted(conn, row) for row in parts]
    if all(current.get(row["key"], {}).get(name) == row[name] for row in saved for name in ("text", "position")):
        conn.executemany(UPSERT_MEMORY, saved)  # the full-text index is not affected
        return set()
    around = store.neighbourhood(conn, keys)
    with store.index_paused(conn):
        conn.executemany(UPSERT_MEMORY, saved)
        around |= store.neighbourhood(conn, keys)
        store.reindex_text(conn, keys)
    return around


def _bring_rows_back(conn: Connection, name: str, saved: Sequence[Mapping[str, Any]], keys: Sequence[int]) -> None:
    parameters = {"rows": dumps(saved), "keys": keys_json(keys)}
    if name in DELETE_ROWS:
        conn.execute(DELETE_ROWS[name], parameters)
    conn.execute(INSERT_ROWS[name], parameters)


def _let_relations_follow(conn: Connection, saved: Sequence[Mapping[str, Any]], now: str) -> None:
    """Computes these relations again from their evidence, which may have changed in the meantime."""
    triples = [(row["subject_key"], row["predicate"], row["object_key"]) for row in saved]
    relations.recompute(conn, triples, now)
