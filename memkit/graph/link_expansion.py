"""Link expansion: the links that a recall follows from its hits, and the newest memory of a `supersedes` chain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

# Joined with the memory at the other end, because another program may have left a link to none.
SELECT_LINKS = """
select l.from_key as here, m.key as there, l.type, 1 as outwards, l.weight
from links as l join memories as m on m.key = l.to_key
where l.from_key in (select value from json_each(:keys))
union all
select l.to_key, m.key, l.type, 0, l.weight
from links as l join memories as m on m.key = l.from_key
where l.to_key in (select value from json_each(:keys))
order by here, weight desc, there, type
"""
SELECT_NEWER = """
select l.to_key as old, m.key as new
from links as l join memories as m on m.key = l.from_key
where l.type = 'supersedes' and l.to_key in (select value from json_each(:keys))
order by l.created_at desc, l.key desc
"""


class Link(NamedTuple):
    """A link as seen from one of its ends (`here`). `outwards`: it begins there, as from a part to its hub."""

    here: int
    there: int
    type: str
    outwards: bool


def links_of(conn: Connection, keys: Iterable[int]) -> list[Link]:
    """All links of these memories, as seen from each of them, the strongest first."""
    rows = conn.execute(SELECT_LINKS, {"keys": keys_json(keys)})
    return [Link(row["here"], row["there"], row["type"], bool(row["outwards"])) for row in rows]


def latest(conn: Connection, keys: Iterable[int]) -> dict[int, int]:
    """For each superseded memory, the last memory of its `supersedes` chain (keys). A circle ends where it closes."""
    ends = {key: key for key in keys}
    seen = {key: {key} for key in ends}
    moving = set(ends)
    while moving:
        newer: dict[int, int] = {}
        for row in conn.execute(SELECT_NEWER, {"keys": keys_json({ends[key] for key in moving})}):
            newer.setdefault(row["old"], row["new"])
        moving = {key for key in moving if ends[key] in newer and newer[ends[key]] not in seen[key]}
        for key in moving:
            ends[key] = newer[ends[key]]
            seen[key].add(ends[key])
    return {key: end for key, end in ends.items() if end != key}
