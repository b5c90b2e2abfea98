"""Memories made by hand: a transaction writes the text, its index and its part of the graph; its vector follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadArgument, BadSource, one_of
from memkit.core.types import DocumentDraft, Draft, Memory
from memkit.graph import relations
from memkit.graph.links import supersede
from memkit.graph.name_similarity import KnownNames
from memkit.ingestion.entity_linking import connect
from memkit.ingestion.writer import remember
from memkit.sources.tables.rows import FIELDS
from memkit.storage import store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

if TYPE_CHECKING:
    from memkit.embedding import Embedder

NEWEST = 100  # memories that are looked through for one without a vector: a process may have ended before it was made
KINDS = ("fact", "preference", "procedure", "episode", "observation", "note")  # the kinds that people state


def draft_of(text: str, fields: dict[str, Any]) -> Draft:
    """A draft of a memory made by hand, without a document. Its fields are checked as those of a JSONL row are.

    Raises BadSource for an empty text or an invalid value, BadArgument for an unknown field.
    """
    fields = {"kind": "fact", **fields, "slot_key": fields.get("key", fields.get("slot_key"))}
    fields.pop("key", None)
    if trigger := fields.pop("trigger", None):
        fields["meta"] = {**(fields.get("meta") or {}), "trigger": str(trigger)}
    given = {name: value for name, value in {"text": text, **fields}.items() if value is not None}
    if not text.strip():
        raise BadSource("There is nothing to remember: the text is empty.")
    for name in given:
        if name not in FIELDS:
            raise BadArgument(f"remember(): {one_of('field of a memory', name, FIELDS)}")
    try:
        checked = {name: FIELDS[name](value, name) for name, value in given.items()}
    except ValueError as error:
        raise BadSource(f"This cannot be remembered: {error}.") from error
    return Draft(document=DocumentDraft(source="memory:remembered"), sequential=False, **checked)


def remembered(conn: Connection, draft: Draft, embedder: Embedder | None, now: str) -> Memory:
    """Writes a draft and connects it to the graph; returns the memory. Raises EmbedderMismatch."""
    vectors.fill(conn, embedder, now, newest=NEWEST)
    known = KnownNames(conn, embedder)  # read before the transaction, so that they can be cached
    with writing(conn):
        key = remember(conn, draft, embedder, now)
        connect(conn, now, keys=[key], embedder=embedder, known=known)
        return store.memories(conn, [key])[key]


def kept_fields(old: Memory) -> dict[str, Any]:
    """The fields that a correction takes from the old memory; slot and key only if its value is still current.

    The speaker is one of them: in what somebody else said, `I` stays that person.
    """
    names = (
        "title",
        "speaker",
        "project",
        "tags",
        "importance",
        *(("slot", "slot_key") if old.valid_until is None else ()),
    )
    return {"kind": old.kind if old.kind in KINDS else "fact", **{name: getattr(old, name) for name in names}}


def correct(conn: Connection, old: Memory, draft: Draft, embedder: Embedder | None, now: str, why: str) -> Memory:
    """Writes a memory that supersedes an old one, and returns it; in a transaction. The old one is kept as history.

    It proves nothing any more, but for what a person related by hand.
    Raises BadSource if the texts differ in white space only.
    """
    if draft.text.split() == old.text.split():
        raise BadSource(f"The memory {old.id} says this already. Change the text first.")
    new = remembered(conn, draft, embedder, now)
    supersede(conn, old, new, now, why=why)
    relations.replace_evidence(conn, [old.key], (), now, keep=lambda evidence: evidence["method"] == relations.BY_HAND)
    return new
