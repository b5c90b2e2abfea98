"""Soft delete: a memory is removed from recall and its tables. All its rows are kept in `pruned` for restore."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memkit.core.errors import MemkitError, NotFound
from memkit.graph.version import bump
from memkit.ingestion import relation_extraction
from memkit.maintenance import snapshots
from memkit.maintenance.dates import days_later
from memkit.maintenance.snapshots import Before
from memkit.storage import store, vectors
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.row_rules import problem
from memkit.storage.store import dumps, keys_json

INSERT_PRUNED = """
insert into pruned (memory_id, rows, why, pruned_at, kept_until) values (:id, :rows, :why, :now, :kept_until)
on conflict (memory_id) do update set
    rows = excluded.rows, why = excluded.why, pruned_at = excluded.pruned_at, kept_until = excluded.kept_until
"""
SELECT_PRUNED = "select * from pruned where memory_id = :id"
SELECT_TEXT = f"select {or_empty('rows')}->>'$.memories[0].text' from pruned where memory_id = :id"
SELECT_ALL = f"""
select memory_id, coalesce({or_empty("rows")}->>'$.memories[0].text', '') as text, why, pruned_at, kept_until
from pruned
order by pruned_at desc, memory_id
"""
DELETE_PRUNED = "delete from pruned where memory_id = :id"
DELETE_ENDED = "delete from pruned where kept_until <= :until returning memory_id"
COUNT_ENDED = "select count(*) from pruned where kept_until <= :until"
# If the source still has the memory, ingest would add it again. So a row without text stays, which ingest recognises.
EMPTY = """
update memories set
    text = '', tokens = 0, position = null, archived_at = :now,
    meta = json_object('archived_because', 'pruned')
where key in (select value from json_each(:keys))
"""
SELECT_TAKEN_SLOT = """
select 1 from memories
where slot = :slot and slot_key = :slot_key and project = :project and key <> :key
    and valid_until is null and archived_at is null
"""


def prune_memories(
    conn: Connection,
    reasons: Mapping[int, str],
    now: str,
    keep_days: float,
    befores: Mapping[int, Before] | None = None,
) -> set[int]:
    """The keys of neighbours that need new vectors, after these memories (key to reason) were pruned.

    They can be restored for `keep_days`. `befores` are the saved rows of memories that the same change has already
    modified. Relations without other evidence expire.
    """
    if not reasons:
        return set()
    kept_until = days_later(now, keep_days)
    in_documents = set()
    for key, why in reasons.items():
        saved = (befores or {}).get(key) or snapshots.saved_rows(conn, [key])
        memory = saved["memories"][0]
        row = {"id": memory["id"], "rows": dumps(saved), "why": why, "now": now, "kept_until": kept_until}
        conn.execute(INSERT_PRUNED, row)
        if memory["document_key"] is not None:
            in_documents.add(key)
    relation_extraction.withdraw(conn, list(reasons), now)
    around = _empty(conn, in_documents, now) | store.delete(conn, reasons.keys() - in_documents)
    bump(conn)
    return around - reasons.keys()


def _empty(conn: Connection, keys: set[int], now: str) -> set[int]:
    """Empties the rows of memories whose source may still have them, and deletes the rows that belong to them."""
    around = store.neighbourhood(conn, keys) - keys
    parameters = {"keys": keys_json(keys), "rows": "[]", "now": now}
    with store.index_paused(conn):
        conn.execute(EMPTY, parameters)
        store.reindex_text(conn, keys)
    for statement in snapshots.DELETE_ROWS.values():
        conn.execute(statement, parameters)
    vectors.drop(conn, keys)
    return around


def restore(conn: Connection, id: str, now: str) -> set[int]:
    """Restores a memory with its mentions, evidence, links and access counts.

    An `expires_at` in the past is removed, because it would hide the memory. If its slot key has a newer value, the
    restored one becomes history. Returns the keys of memories that need new vectors. Raises NotFound for a memory that
    was not pruned, or is deleted for good.
    """
    row = conn.execute(SELECT_PRUNED, {"id": id}).fetchone()
    if row is None:
        raise NotFound(f"No memory with the id {id!r} can be restored. `memkit unprune DATABASE` lists those that can.")
    if problem("pruned", dict(row)):
        raise MemkitError(f"The memory {id!r} cannot be restored: its saved rows are damaged.")
    saved = json.loads(row["rows"])
    memory = saved["memories"][0]
    if memory["expires_at"] and memory["expires_at"] <= now:
        memory["expires_at"] = None
    if memory["valid_until"] is None and conn.execute(SELECT_TAKEN_SLOT, memory).fetchone():
        memory["valid_until"] = now
    conn.execute(DELETE_PRUNED, {"id": id})
    return snapshots.restore_rows(conn, saved, now) | {memory["key"]}


def text(conn: Connection, id: str) -> str | None:
    """The text of a pruned memory; None if there is none with this id."""
    row = conn.execute(SELECT_TEXT, {"id": id}).fetchone()
    return row[0] if row else None


def restorable(conn: Connection) -> list[dict[str, Any]]:
    """The memories that can be restored: memory_id, text, why, pruned_at, kept_until."""
    return [dict(row) for row in conn.execute(SELECT_ALL)]


def count_ended(conn: Connection, until: str) -> int:
    """The number of pruned memories that were kept until this time at most."""
    return int(conn.execute(COUNT_ENDED, {"until": until}).fetchone()[0])


def purge(conn: Connection, until: str) -> list[str]:
    """The ids of pruned memories that were kept until this time at most; they are now deleted for good."""
    return [row[0] for row in conn.execute(DELETE_ENDED, {"until": until})]
