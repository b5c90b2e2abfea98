"""Slots: at any time one value for each key. A value holds until the next one begins, and stays as history.

When values begin says that alone: it is the same in whatever order they are told.
"""

from __future__ import annotations

from typing import Any

from memkit import store

# A value holds from the time it names, else from when it was said, else from when it became known.
SELECT_OTHERS = """
select key, coalesce(valid_from, happened_at, created_at) as start
from memories
where slot = :slot and slot_key = :slot_key and project = :project and key <> :key and archived_at is null
    and (valid_until is null or valid_until > coalesce(valid_from, happened_at, created_at))
order by start, key
"""
BEGIN = "update memories set valid_from = :start where key = :key and valid_from is null"


def make_room(conn: Any, row: dict[str, Any], now: str, told: str) -> list[tuple[int, int]]:
    """Ends the slot's value that holds when this row begins, and the row where the next value begins, before the row is
    written; which row supersedes which, to be linked afterwards.

    `told` is when the row became known. What began after another value says so in its `valid_from`. A row that ended
    before it was told, and names no start, takes no other value's time.
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


def link(conn: Any, row: dict[str, Any], pairs: list[tuple[int, int]], now: str) -> None:
    """Notes which value of the slot supersedes which."""
    for new, old in pairs:
        store.link(conn, new, old, "supersedes", now, why=f"a new value for {row['slot']}.{row['slot_key']}")
