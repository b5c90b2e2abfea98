"""What somebody tells by hand, in one piece: the text, its index, its vector and what it says, or nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memkit import store
from memkit.connect import connect
from memkit.driver import writing
from memkit.errors import BadSource
from memkit.graph.likeness import KnownNames
from memkit.graph.links import supersede
from memkit.ingest import remember
from memkit.types import Draft, Memory

if TYPE_CHECKING:
    from memkit.embed import Embedder

KINDS = ("fact", "preference", "procedure", "episode", "observation", "note")  # what people tell


def remembered(conn: Any, draft: Draft, embedder: Embedder | None, now: str) -> Memory:
    """The memory that is made of a draft, read for the graph. Raises EmbedderMismatch."""
    known = KnownNames(conn, embedder)  # those of before the transaction: they are kept for the next time
    with writing(conn):
        key = remember(conn, draft, embedder, now)
        connect(conn, now, keys=[key], embedder=embedder, known=known)
        return store.memories(conn, [key])[key]


def kept_fields(old: Memory) -> dict[str, Any]:
    """The fields that a correction takes over from a memory; of a slot's value only while it holds."""
    names = ("title", "project", "tags", "importance", *(("slot", "slot_key") if old.valid_until is None else ()))
    return {"kind": old.kind if old.kind in KINDS else "fact", **{name: getattr(old, name) for name in names}}


def corrected(conn: Any, old: Memory, draft: Draft, embedder: Embedder | None, now: str, why: str) -> Memory:
    """The memory that takes the place of an old one, which stays as history; inside a transaction.

    Raises BadSource where it says the same: what differs in white space alone does.
    """
    if draft.text.split() == old.text.split():
        raise BadSource(f"That is what {old.id} says already. Change the text first.")
    new = remembered(conn, draft, embedder, now)
    supersede(conn, old, new, now, why=why)
    return new
