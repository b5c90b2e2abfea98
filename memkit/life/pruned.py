"""Letting a memory go for a while: out of recall and out of the tables, whole in `pruned`, and back again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memkit import connect_relations, store, vectors
from memkit.errors import NotFound
from memkit.graph.version import bump
from memkit.life import rows
from memkit.life.ages import days_later
from memkit.life.rows import Before
from memkit.store import dumps, keys_json

INSERT_PRUNED = """
insert into pruned (memory_id, rows, why, pruned_at, kept_until) values (:id, :rows, :why, :now, :kept_until)
on conflict (memory_id) do update set
    rows = excluded.rows, why = excluded.why, pruned_at = excluded.pruned_at, kept_until = excluded.kept_until
"""
SELECT_PRUNED = "select * from pruned where memory_id = :id"
SELECT_TEXT = "select rows->>'$.memories[0].text' from pruned where memory_id = :id"
SELECT_ALL = """
select memory_id, rows->>'$.memories[0].text' as text, why, pruned_at, kept_until from pruned
order by pruned_at desc, memory_id
"""
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
    reasons: Mapping[int, str],
    now: str,
    keep_days: float,
    befores: Mapping[int, Before] | None = None,
) -> set[int]:
    """Takes memories out (key to reason), which can be restored for `keep_days`; the keys of neighbours to embed anew.

    `befores` are those that a change has begun before this call. What they alone said expires with them.
    """
    if not reasons:
        return set()
    kept_until = days_later(now, keep_days)
    in_documents = set()
    for key, why in reasons.items():
        saved = (befores or {}).get(key) or rows.as_they_are(conn, [key])
        memory = saved["memories"][0]
        row = {"id": memory["id"], "rows": dumps(saved), "why": why, "now": now, "kept_until": kept_until}
        conn.execute(INSERT_PRUNED, row)
        if memory["document_key"] is not None:
            in_documents.add(key)
    connect_relations.withdraw(conn, list(reasons), now)
    around = _empty(conn, in_documents, now) | store.delete(conn, reasons.keys() - in_documents)
    bump(conn)
    return around - reasons.keys()


def _empty(conn: Any, keys: set[int], now: str) -> set[int]:
    """Leaves the rows of memories whose source may still have them, without text and all that hung on them."""
    around = store.neighbourhood(conn, keys) - keys
    parameters = {"keys": keys_json(keys), "rows": "[]", "now": now}
    with store.index_paused(conn):
        conn.execute(EMPTY, parameters)
        store.reindex_text(conn, around | keys)
    for statement in rows.DELETE_ROWS.values():
        conn.execute(statement, parameters)
    vectors.drop(conn, keys)
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


def text(conn: Any, id: str) -> str | None:
    """What a memory says that was let go and can be restored; None if it is not there."""
    row = conn.execute(SELECT_TEXT, {"id": id}).fetchone()
    return row[0] if row else None


def restorable(conn: Any) -> list[dict[str, Any]]:
    """The memories that can be restored: memory_id, text, why, pruned_at, kept_until."""
    return [dict(row) for row in conn.execute(SELECT_ALL)]


def count_ended(conn: Any, until: str) -> int:
    """How many have been kept until then."""
    return int(conn.execute(COUNT_ENDED, {"until": until}).fetchone()[0])


def purge(conn: Any, until: str) -> list[str]:
    """Ends the time of those kept until then: they are gone for good. Their ids."""
    return [row[0] for row in conn.execute(DELETE_ENDED, {"until": until})]
