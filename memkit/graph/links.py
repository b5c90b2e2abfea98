"""Links from memory to memory, of six types, and what follows when one memory takes another's place."""

from __future__ import annotations

from typing import Any

from memkit import store
from memkit.errors import MemkitError, one_of
from memkit.graph.version import bump
from memkit.store import keys_json
from memkit.types import Memory

TYPES = ("part_of", "supersedes", "contradicts", "relates_to", "derived_from", "summarized_by")

SELECT_FOLLOWERS = """
with recursive followers(key) as (
    select :key
    union
    select l.from_key from links as l join followers as f on l.to_key = f.key where l.type = 'supersedes'
)
select key from followers
"""
DELETE_DERIVED = """
delete from links where from_key in (select value from json_each(:keys)) and why = :why returning key
"""


def link(conn: Any, one: Memory, other: Memory, type: str, now: str, *, weight: float = 1.0, why: str = "") -> None:
    """A link from one memory to another; the same one again only changes its weight and reason.

    Raises MemkitError for an unknown type, a link to itself, and a `supersedes` that would go in a circle.
    """
    if type not in TYPES:
        raise MemkitError(one_of("type of link", type, TYPES))
    if one.key == other.key:
        raise MemkitError(f"The memory {one.id} cannot be linked to itself.")
    if not 0 <= weight <= 1:
        raise MemkitError(f"The weight of a link is between 0 and 1, not {weight!r}.")
    if type == "supersedes" and other.key in {row[0] for row in conn.execute(SELECT_FOLLOWERS, {"key": one.key})}:
        raise MemkitError(f"{other.id} supersedes {one.id} already: it cannot be the other way round as well.")
    store.link(conn, one.key, other.key, type, now, weight=weight, why=why)


def supersede(conn: Any, old: Memory, new: Memory, now: str, *, why: str = "") -> None:
    """The new memory takes the old one's place, which holds until the new one begins and stays as history."""
    link(conn, new, old, "supersedes", now, why=why or "by hand")
    store.end(conn, [old.key], new.valid_from or new.happened_at or now, now)


def drop_derived(conn: Any, keys: list[int], why: str) -> None:
    """Takes back the links from these memories that were made for this reason."""
    if conn.execute(DELETE_DERIVED, {"keys": keys_json(keys), "why": why}).fetchall():
        bump(conn)
