"""Letting a memory go for a while: out of recall and out of the tables, whole in `pruned`, and back again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memkit import connect_relations, store, vectors
from memkit.errors import NotFound
from memkit.graph.version import bump
from memkit.life import rows
from memkit.life.ages import days_later
from memkit.store import dumps, keys_json

INSERT_PRUNED = """
insert into pruned (memory_id, rows, why, pruned_at, kept_until) values (:id, :rows, :why, :now, :kept_until)
on conflict (memory_id) do update set
    rows = excluded.rows, why = excluded.why, pruned_at = excluded.pruned_at, kept_until = excluded.kept_until
"""
SELECT_PRUNED = "select * from pruned where memory_id = :id"
SELECT_ALL = (
    "select memory_id, rows->>'$.memories[0].text' as text, why, pruned_at, kept_until from pruned order by 4, 1"
)
DELETE_PRUNED = "delete from pruned where memory_id = :id"
DELETE_ENDED = "delete from pruned where kept_until <= :until returning memory_id"
COUNT_ENDED = "select count(*) from pruned where kept_until <= :until"
# What its source still has would come again with the next ingest: a row without text stays, which knows it.
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


def let_go(
    conn: Any,
    key: int,
    now: str,
    *,
    why: str,
    keep_days: float,
    before: Mapping[str, Any] | None = None,
) -> set[int]:
    """Takes a memory out, which can be restored for `keep_days`; the keys of its neighbours, to embed anew.

    `before` is what it was, where the change began before this call. What it alone said expires with it.
    """
    saved = {**rows.as_they_are(conn, [key]), **(before or {})}
    row = {
        "id": saved["memories"][0]["id"],
        "rows": dumps(saved),
        "why": why,
        "now": now,
        "kept_until": days_later(now, keep_days),
    }
    conn.execute(INSERT_PRUNED, row)
    connect_relations.withdraw(conn, [key], now)
    around = _empty(conn, key, now) if saved["memories"][0]["document_key"] is not None else store.delete(conn, [key])
    bump(conn)
    return around


def _empty(conn: Any, key: int, now: str) -> set[int]:
    """Leaves the row of a memory whose source may still have it, without text and all that hung on it."""
    around = store.neighbourhood(conn, [key]) - {key}
    parameters = {"keys": keys_json([key]), "rows": "[]", "now": now}
    with store.index_paused(conn):
        conn.execute(EMPTY, parameters)
        store.reindex_text(conn, around | {key})
    for name in rows.DELETE_ROWS:
        conn.execute(rows.DELETE_ROWS[name], parameters)
    vectors.drop(conn, [key])
    return around


def restore(conn: Any, id: str, now: str) -> set[int]:
    """Brings a memory back with its mentions, evidence, links and access; keys of memories to embed anew.

    Only what would hide it is taken off: an `expires_at` in the past. The value of a slot that has another one by now
    comes back as history. Raises NotFound for one that was not pruned, or is gone for good.
    """
    row = conn.execute(SELECT_PRUNED, {"id": id}).fetchone()
    if row is None:
        raise NotFound(f"No memory with the id {id!r} can be restored. `memkit restore DATABASE` lists those that can.")
    saved = json.loads(row["rows"])
    memory = saved["memories"][0]
    if memory["expires_at"] and memory["expires_at"] <= now:
        memory["expires_at"] = None
    if memory["valid_until"] is None and conn.execute(SELECT_TAKEN_SLOT, memory).fetchone():
        memory["valid_until"] = now
    conn.execute(DELETE_PRUNED, {"id": id})
    return rows.bring_back(conn, saved, now) | {memory["key"]}


def restorable(conn: Any) -> Sequence[dict[str, Any]]:
    """The memories that can be restored: memory_id, text, why, pruned_at, kept_until."""
    return [dict(row) for row in conn.execute(SELECT_ALL)]


def purge(conn: Any, until: str) -> list[str]:
    """Ends the time of those kept until then: they are gone for good. Their ids."""
    return [row[0] for row in conn.execute(DELETE_ENDED, {"until": until})]
