"""Slots: one current value for each key. A new value closes the one before it, which stays as history."""

from __future__ import annotations

from typing import Any

from memkit import store
from memkit.store import keys_json

# A value holds from the time it names, else from when it was said, else from when it became known.
SELECT_CURRENT = """
select key, coalesce(valid_from, happened_at, created_at) as start
from memories
where slot = :slot and slot_key = :slot_key and project = :project and key <> :key
    and archived_at is null and (valid_until is null or valid_until > :now)
order by start desc, key desc
"""
CLOSE = """
update memories set valid_until = :until, updated_at = :now where key in (select value from json_each(:keys))
"""


def make_room(conn: Any, row: dict[str, Any], now: str) -> list[tuple[int, int]]:
    """Closes the slot's current value before this row is written; which row supersedes which, to be linked afterwards.

    A value that began before the current one was only told late: then the row itself is closed where that one began.
    """
    if not (row["slot"] and row["slot_key"]) or (row["valid_until"] or now) < now:
        return []
    names = ("key", "slot", "slot_key", "project")
    current = conn.execute(SELECT_CURRENT, {**{name: row[name] for name in names}, "now": now}).fetchall()
    start = row["valid_from"] or row["happened_at"] or now
    if current and start < current[0]["start"]:
        row["valid_until"] = min(filter(None, (row["valid_until"], current[0]["start"])))
        return [(current[0]["key"], row["key"])]
    closed = [old["key"] for old in current]
    conn.execute(CLOSE, {"keys": keys_json(closed), "until": start, "now": now})
    return [(row["key"], key) for key in closed]


def link(conn: Any, row: dict[str, Any], pairs: list[tuple[int, int]], now: str) -> None:
    """Notes which value of the slot supersedes which."""
    for new, old in pairs:
        store.link(conn, new, old, "supersedes", now, why=f"a new value for {row['slot']}.{row['slot_key']}")
