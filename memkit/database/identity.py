"""Who the user is: writes the setting `me`, names the entity, and reads the user's own words again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memkit.core.errors import MemkitError
from memkit.graph import entities
from memkit.graph.me import FORGET_OWN, SETTING, me
from memkit.ingestion.entity_linking import connect
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

if TYPE_CHECKING:
    from memkit.embedding import Embedder


def set_me(conn: Connection, names: Sequence[str], now: str, embedder: Embedder | None) -> str:
    """Says who the user is, by one or more names of one person; returns the main one. Raises MemkitError."""
    for name in names:
        if not entities.valid_name(name):
            raise MemkitError(f"{name[:40]!r} is not a name: it has no letter, or is too long.")
    with writing(conn):
        before = me(conn)
        store.set_setting(conn, SETTING, names[0])
        key = entities.ensure(conn, {names[0]: entities.PERSON}, now, source="hand")[names[0]]
        for other in names[1:]:
            entities.add_alias(conn, key, other, "hand")
        if before != names[0]:
            conn.execute(FORGET_OWN)
    connect(conn, now, embedder=embedder)
    return names[0]
