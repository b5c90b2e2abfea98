"""Links from memory to memory: six types. A memory that supersedes another one also ends it."""

from __future__ import annotations

from memkit.core.errors import MemkitError, one_of
from memkit.core.types import Memory
from memkit.graph.version import bump
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

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


def link(
    conn: Connection, one: Memory, other: Memory, type: str, now: str, *, weight: float = 1.0, why: str = ""
) -> None:
    """Writes a link from one memory to another; the same link again only changes its weight and reason.

    Raises MemkitError for an unknown type, a link of a memory to itself, a weight outside of 0 to 1, and a `supersedes`
    that would close a circle.
    """
    if type not in TYPES:
        raise MemkitError(one_of("type of link", type, TYPES))
    if one.key == other.key:
        raise MemkitError(f"The memory {one.id} cannot be linked to itself.")
    if not 0 <= weight <= 1:
        raise MemkitError(f"The weight of a link must be between 0 and 1, not {weight!r}.")
    if type == "supersedes" and other.key in {row[0] for row in conn.execute(SELECT_FOLLOWERS, {"key": one.key})}:
        raise MemkitError(f"{one.id} cannot supersede {other.id}: {other.id} supersedes {one.id} already.")
    store.link(conn, one.key, other.key, type, now, weight=weight, why=why)


def supersede(conn: Connection, old: Memory, new: Memory, now: str, *, why: str = "") -> None:
    """Links the new memory as superseding the old one, which ends when the new one begins and is kept as history."""
    link(conn, new, old, "supersedes", now, why=why or "by hand")
    store.end(conn, [old.key], new.valid_from or new.happened_at or now, now)


def drop_derived(conn: Connection, keys: list[int], why: str) -> None:
    """Deletes the links from these memories that were made for this reason."""
    if conn.execute(DELETE_DERIVED, {"keys": keys_json(keys), "why": why}).fetchall():
        bump(conn)
