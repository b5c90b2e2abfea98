"""Slots that fill themselves: what the user says of himself becomes the value of a slot, with its date and source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memkit.core.types import Memory
from memkit.graph.me import me
from memkit.ingestion.own_voice import voices, who_says_i
from memkit.ingestion.remember import draft_of, remembered
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.text.extract.own_slots import SlotValue, find_slots

if TYPE_CHECKING:
    from memkit.embedding import Embedder

PREFERENCES = frozenset(("style",))

SELECT_SAID = """
select m.key, m.text, m.speaker, m.title, m.meta, coalesce(d.source, '') as source,
    coalesce(d.kind, '') as document_kind,
    coalesce(m.happened_at, m.created_at) as said_at
from memories as m left join documents as d on d.key = m.document_key
where m.archived_at is null and m.slot is null and m.compression = 'raw'
order by said_at, m.key
"""
SELECT_KNOWN = """
select 1 from memories
where slot = 'user' and slot_key = :key and text = :value
    and (coalesce(happened_at, created_at) >= :said or (valid_until is null and archived_at is null))
"""


def fill(conn: Connection, embedder: Embedder | None, now: str) -> list[Memory]:
    """Writes the slots that the user's own words fill, each dated by when it was said; returns those that are new.

    A value that was written before is not written again, also if somebody has archived it since.
    """
    name, own = me(conn), voices(conn)
    said = [row for row in conn.execute(SELECT_SAID).fetchall() if who_says_i(row, name, own) == name]
    found = [(row, one) for row in said for one in find_slots(row["text"])]
    return [_written(conn, one, row, embedder, now) for row, one in found if not _is_known(conn, one, row["said_at"])]


def _is_known(conn: Connection, one: SlotValue, said: str) -> bool:
    return conn.execute(SELECT_KNOWN, {"key": one.key, "value": one.value, "said": said}).fetchone() is not None


def _written(conn: Connection, one: SlotValue, row: Any, embedder: Embedder | None, now: str) -> Memory:
    kind = "preference" if one.key in PREFERENCES else "fact"
    fields = {"slot": "user", "key": one.key, "kind": kind, "happened_at": row["said_at"]}
    with writing(conn):
        new = remembered(conn, draft_of(one.value, fields), embedder, now)
        store.link(conn, new.key, row["key"], "derived_from", now, why=one.quote)
    return new
