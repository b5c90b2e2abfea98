"""Forgotten merges: what the undoing of a merge keeps of memories and names that are deleted for good.

Such a merge can still be undone: the rows of a memory that is gone could not be brought back anyway.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, list_in, object_in
from memkit.storage.store import dumps, keys_json

SELECT_MERGES = """
select m.key, m.moved from merges as m
where m.kept_key in (select value from json_each(:entities)) or exists (
    select 1 from json_each(m.moved, '$.before.evidence') as e
    where e.value->>'memory_key' in (select value from json_each(:memories))
) or exists (
    select 1 from json_each(m.moved, '$.before.mentions') as x
    where x.value->>'memory_key' in (select value from json_each(:memories))
)
"""
UPDATE_MERGE = "update merges set moved = :moved where key = :key and moved <> :moved"


def strip(conn: Connection, memories: Collection[int], entities: Collection[int], names: Collection[str]) -> None:
    """Takes the rows of these memories, and these names of the entities (keys), out of what is kept of merges."""
    about = {"memories": keys_json(memories), "entities": keys_json(entities)}
    for row in conn.execute(SELECT_MERGES, about).fetchall():
        moved = json_object(row["moved"])
        before = object_in(moved, "before")
        for table in ("evidence", "mentions"):
            before[table] = [one for one in list_in(before, table) if one["memory_key"] not in memories]
        before["aliases"] = [one for one in list_in(before, "aliases") if one["alias"] not in names]
        before["entities"] = [_unnamed(one, names) for one in list_in(before, "entities")]
        conn.execute(UPDATE_MERGE, {"key": row["key"], "moved": dumps(moved)})


def _unnamed(row: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    """An entity as it was, without its name if that is one of these: undoing a merge does not need it."""
    return {**row, "name": "", "normal": ""} if row["name"] in names else row
