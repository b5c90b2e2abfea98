"""Superseded and contradicted memories: the other memories to show beside them."""

from __future__ import annotations

from collections.abc import Iterable

from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

SELECT_FOLLOWERS = """
select l.to_key, l.from_key from links as l join memories as m on m.key = l.from_key
where l.type = 'supersedes' and l.to_key in (select value from json_each(:keys)) and m.archived_at is null
order by l.to_key, coalesce(m.happened_at, m.created_at), l.from_key
"""
SELECT_OPPOSITES = """
select l.from_key, l.to_key from links as l join memories as m on m.key = l.to_key
where l.type = 'contradicts' and l.from_key in (select value from json_each(:keys)) and m.archived_at is null
union
select l.to_key, l.from_key from links as l join memories as m on m.key = l.from_key
where l.type = 'contradicts' and l.to_key in (select value from json_each(:keys)) and m.archived_at is null
order by 1, 2
"""


def followers(conn: Connection, keys: Iterable[int]) -> dict[int, int]:
    """For each superseded memory, the newest memory that supersedes it (keys)."""
    rows = conn.execute(SELECT_FOLLOWERS, {"keys": keys_json(keys)})
    return {row["to_key"]: row["from_key"] for row in rows}


def opposites(conn: Connection, keys: Iterable[int]) -> dict[int, list[int]]:
    """For each contradicted memory, the memories that contradict it (keys)."""
    found: dict[int, list[int]] = {}
    for one, other in conn.execute(SELECT_OPPOSITES, {"keys": keys_json(keys)}):
        found.setdefault(one, []).append(other)
    return found
