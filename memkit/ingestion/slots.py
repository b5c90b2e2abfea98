"""Slots, single-valued keys: one value at a time. It ends when the next one begins, and is kept as history.

The periods depend only on when the values begin, not on the order in which they are ingested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

# A value begins at its valid_from, else when it was said, else when it was stored.
SELECT_OTHERS = """
select key, coalesce(valid_from, happened_at, created_at) as start
from memories
where slot = :slot and slot_key = :slot_key and project = :project and key <> :key and archived_at is null
    and (valid_until is null or valid_until > coalesce(valid_from, happened_at, created_at))
order by start, key
"""
SELECT_NEXT = """
select min(coalesce(valid_from, happened_at, created_at)) from memories
where slot = :slot and slot_key = :slot_key and project = :project and key <> :key and archived_at is null
    and (coalesce(valid_from, happened_at, created_at), key) > (:start, :key)
"""
SELECT_PLACES = """
select slot, slot_key, project, coalesce(valid_from, happened_at, created_at) as start from memories
where key in (select value from json_each(:keys)) and slot is not null and slot_key is not null
"""
REOPEN = """
update memories set updated_at = :now, valid_until = (
    select min(coalesce(n.valid_from, n.happened_at, n.created_at)) from memories as n
    where n.slot = :slot and n.slot_key = :slot_key and n.project = :project and n.archived_at is null
        and coalesce(n.valid_from, n.happened_at, n.created_at) >= :start and n.key <> memories.key
)
where slot = :slot and slot_key = :slot_key and project = :project and archived_at is null and valid_until = :start
"""
BEGIN = "update memories set valid_from = :start where key = :key and valid_from is null"


def make_room(conn: Connection, row: dict[str, Any], now: str, told: str) -> list[tuple[int, int]]:
    """Fits a new row between the other values of its slot; call it before the row is written.

    The earlier value ends when this row begins, and this row ends when the next value begins. If there is an earlier
    value, the start is written to `valid_from`. A row without a start that ended before it was stored changes no other
    value. `told` is when the row was stored. Returns pairs (new key, old key) for `link`.
    """
    start, end = row["valid_from"] or row["happened_at"] or told, row["valid_until"]
    if not (row["slot"] and row["slot_key"]) or (end and end <= start):
        return []
    names = ("key", "slot", "slot_key", "project")
    others = conn.execute(SELECT_OTHERS, {name: row[name] for name in names}).fetchall()
    earlier = [one["key"] for one in others if one["start"] <= start]
    following = next((one for one in others if one["start"] > start), None)
    superseded = [(row["key"], key) for key in store.end(conn, earlier, start, now)]
    if earlier:
        row["valid_from"] = start
    if following:
        conn.execute(BEGIN, {"key": following["key"], "start": following["start"]})
        if not end or end > following["start"]:
            row["valid_until"] = following["start"]
            superseded.append((following["key"], row["key"]))
    return superseded


def fitted(conn: Connection, row: dict[str, Any]) -> dict[str, Any]:
    """The row of a memory that comes back, with an end not later than the value of its slot that follows by now."""
    if not (row["slot"] and row["slot_key"]) or row["archived_at"]:
        return row
    start = row["valid_from"] or row["happened_at"] or row["created_at"]
    place = {name: row[name] for name in ("key", "slot", "slot_key", "project")}
    after = conn.execute(SELECT_NEXT, {**place, "start": start}).fetchone()[0]
    ends = [end for end in (row["valid_until"], after) if end]
    return {**row, "valid_until": min(ends, default=None)}


def places(conn: Connection, keys: Iterable[int]) -> list[dict[str, Any]]:
    """Where these memories stand in their slots: slot, key, project and start; for `reopen`, once they are gone."""
    return [dict(row) for row in conn.execute(SELECT_PLACES, {"keys": keys_json(keys)})]


def reopen(conn: Connection, gone: Iterable[Mapping[str, Any]], now: str) -> None:
    """Lets the values that ended where deleted ones began go on, until the next value of their slot begins."""
    conn.executemany(REOPEN, [{**place, "now": now} for place in gone])


def link(conn: Connection, row: dict[str, Any], pairs: list[tuple[int, int]], now: str) -> None:
    """Writes the `supersedes` links between values of a slot."""
    for new, old in pairs:
        store.link(conn, new, old, "supersedes", now, why=f"a new value for {row['slot']}.{row['slot_key']}")
