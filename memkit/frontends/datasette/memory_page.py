"""Memory page: the text between its neighbours, mentions, links, facts from it, and similar memories."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from datasette.utils.asgi import Response

from memkit.core.errors import NotFound
from memkit.core.formatting import short, when_text
from memkit.core.types import Memory
from memkit.frontends.datasette import reading, urls, vault
from memkit.frontends.datasette.access import database_of, is_owner, may_write, remembered
from memkit.frontends.datasette.entity_page import day
from memkit.frontends.datasette.hits import describe
from memkit.frontends.datasette.responses import answer, page
from memkit.frontends.datasette.tables import MEMORY
from memkit.retrieval.registry import strategy
from memkit.retrieval.surroundings import Surroundings
from memkit.text.markdown_html import Around
from memkit.text.prose import unlinked

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

LONGEST = 20_000  # characters of the text on the page
ASKED = 600  # characters of it that are used to find similar memories
ALIKE = 6
MEANING = strategy("memkit").replace(fulltext=None, graph=None, bridge=None, sentence=None, time=None, name="alike")
WORDS = strategy("memkit").replace(vector=None, graph=None, bridge=None, sentence=None, time=None, name="alike")


@page
async def memory(datasette: Any, request: Any) -> Response:
    """/<database>/-/memory/<id>."""
    database = await database_of(datasette, request, MEMORY)
    id = urls.id_of(request)
    url = urls.within(datasette, database)
    owner = await may_write(datasette, request.actor, database)
    question = ("memory", id, owner)
    try:
        shown = await remembered(datasette, database, question, lambda memory: _values(memory, id, url, owner))
    except NotFound:
        if await remembered(datasette, database, ("is name", id), lambda memory: _is_name(memory, id)):
            return Response.redirect(url("entity", id))
        raise
    row = datasette.urls.row(database, "memories", str(shown["key"]))
    shown = shown | {"database": database, "_recall": url("recall"), "_row": row}
    shown["_owner"] = await is_owner(datasette, request.actor, [database])
    if shown["document"]:
        shown["_whole"] = url("document", shown["document"]["id"], urlencode({"memory": id})) + "#here"
    if owner:
        shown |= {"_correct": url("correct", id), "_forget": url("forget", id), "_feedback": url("feedback", id)}
        shown["_origin"] = vault.origin(shown["document"] and shown["document"]["source"])
        shown["_bring_back"] = url("bring-back", id) if shown["forgotten"] else None
    return await answer(datasette, request, "memkit_memory.html", shown)


def _is_name(memory: MemoryDatabase, id: str) -> bool:
    """Whether this is the id of a name, as in the result of a query about names."""
    try:
        return memory.about(id).id == id
    except NotFound:
        return False


def _values(memory: MemoryDatabase, id: str, url: Any, owner: bool) -> dict[str, Any]:
    one = memory.memory(id)
    around = memory.surroundings(id)
    names = addresses(around, url)
    links = reading.by_name(names)
    surfaces = {m["surface"]: names[m["surface"]] for m in around.mentions if m["surface"]}
    shown = Around(names=surfaces, link=lambda target: reading.named(target, links), below=1)
    if owner:
        shown = replace(shown, image=vault.images(one, lambda: vault.folders(memory), url))
    return {
        **describe(one, url),
        "id": one.id,
        "key": one.key,
        "source_id": one.source_id,
        "forgotten": one.archived_at is not None and one.meta.get("archived_because") == "forgotten",
        "category": one.category,
        "slot": one.slot,
        "slot_key": one.slot_key,
        "text": one.text[:LONGEST],
        "cut": max(len(one.text) - LONGEST, 0),
        "heading": reading.headed(one),
        "html": reading.text(replace(one, text=one.text[:LONGEST]), shown),
        "valid_from": when_text(one.valid_from),
        "document": around.document,
        "before": [_brief(other, url) for other in around.before],
        "after": [_brief(other, url) for other in around.after],
        "mentions": [{"name": m["name"], "kind": m["kind"], "url": url("entity", m["id"])} for m in _each(around)],
        "links": [{"label": link.label, "why": link.why, **_brief(link.memory, url)} for link in around.links],
        "facts": [_fact(fact, url) for fact in around.facts],
        "read": around.read,
        "last_read": when_text(around.last_read),
        "alike": _alike(memory, one, url),
    }


def addresses(around: Surroundings, url: Any) -> dict[str, str]:
    """The page of each name that a memory mentions, by the name, and as it is written in the text."""
    mentions = [(word, m["id"]) for m in reversed(around.mentions) for word in (m["name"], m["surface"]) if word]
    return {word: url("entity", id) for word, id in mentions}


def _each(around: Surroundings) -> list[dict[str, Any]]:
    """The mentioned entities without duplicates, at most 60."""
    return list({mention["id"]: mention for mention in reversed(around.mentions)}.values())[::-1][:60]


def _brief(other: Memory, url: Any) -> dict[str, Any]:
    return {
        "id": other.id,
        "text": reading.begins(other.text, 240),
        "speaker": other.speaker,
        "title": other.title,
        "when": when_text(other.happened_at),
        "url": url("memory", other.id),
    }


def _fact(fact: dict[str, Any], url: Any) -> dict[str, Any]:
    return {
        "subject": {"name": fact["subject"], "url": url("entity", fact["subject_id"])},
        "predicate": fact["predicate"].replace("_", " "),
        "object": {"name": fact["object"], "url": url("entity", fact["object_id"])},
        "quote": short(unlinked(fact["quote"]), 240),
        "from": day(fact["valid_from"]),
        "until": day(fact["valid_until"]),
        "holds": bool(fact["holds"]),
    }


def _alike(memory: MemoryDatabase, one: Memory, url: Any) -> list[dict[str, Any]]:
    """Memories with a similar meaning, or, without vectors, with similar words."""
    asked = f"{one.title or ''} {one.text[:ASKED]}"
    found = memory.recall(asked, ALIKE + 1, strategy=MEANING) or memory.recall(asked, ALIKE + 1, strategy=WORDS)
    return [_brief(hit.memory, url) for hit in found if hit.memory.key != one.key][:ALIKE]
