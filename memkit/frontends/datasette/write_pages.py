"""Forms that write: remember, correct, forget, merge, and what takes these back.

Each makes one write in Datasette's queue, then shows a message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Response

from memkit.core.errors import BadQuestion, BadSource, Busy, MemkitError
from memkit.core.formatting import short
from memkit.frontends.datasette import compat, reading, urls
from memkit.frontends.datasette.access import check_may_write, database_of, read, remembered, written
from memkit.frontends.datasette.graph_page import pairs
from memkit.frontends.datasette.parameters import LONGEST_FIELD, form_text
from memkit.frontends.datasette.responses import answer, done, page
from memkit.frontends.datasette.tables import WRITING
from memkit.text.markdown_html import Around

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

TEMPLATE = "memkit_write.html"


@page
async def remember(datasette: Any, request: Any) -> Response:
    """/<database>/-/remember: adds a memory."""
    from memkit.ingestion.remember import KINDS

    def work(memory: MemoryDatabase, fields: Mapping[str, str]) -> tuple[str, str]:
        kept = memory.remember(_text(fields), **_given(fields))
        return f"Remembered: {short(kept.text, 80)} To take it back: Forget, below.", kept.id

    return await _write(datasette, request, {"title": "Remember", "doing": "remember", "kinds": KINDS}, work)


@page
async def correct(datasette: Any, request: Any) -> Response:
    """/<database>/-/correct/<id>: replaces a memory by a new one; the old one stays as history."""

    id = urls.id_of(request)

    def work(memory: MemoryDatabase, fields: Mapping[str, str]) -> tuple[str, str]:
        times = _given({name: value for name, value in fields.items() if name in ("happened_at", "valid_from")})
        new = memory.correct(id, _text(fields), why=form_text(fields, "why"), **times)
        said = (
            f"Corrected. It now says: {short(new.text, 80)} To take it back: correct it to what it said before, below."
        )
        return said, new.id

    return await _write(datasette, request, {"title": "Correct a memory", "doing": "correct"}, work, id)


@page
async def forget(datasette: Any, request: Any) -> Response:
    """/<database>/-/forget/<id>: hides a memory from recall."""

    id = urls.id_of(request)

    def work(memory: MemoryDatabase, fields: Mapping[str, str]) -> tuple[str, str]:
        gone = memory.forget(id)
        return f"Forgotten: {short(gone.text, 80)} You can bring it back on this page.", gone.id

    return await _write(datasette, request, {"title": "Forget a memory", "doing": "forget"}, work, id)


@page
async def bring_back(datasette: Any, request: Any) -> Response:
    """/<database>/-/bring-back/<id>: takes back that a memory was forgotten."""

    id = urls.id_of(request)

    def work(memory: MemoryDatabase, fields: Mapping[str, str]) -> tuple[str, str]:
        return f"It is back: {short(memory.unprune(id).text, 80)}", id

    return await _write(datasette, request, {"title": "Bring a memory back", "doing": "bring-back"}, work, id)


@page
async def merge(datasette: Any, request: Any) -> Response:
    """/<database>/-/merge: asks for two names, then with both cards whether they are one, and merges them."""

    def work(memory: MemoryDatabase, fields: Mapping[str, str]) -> tuple[str, str]:
        kept, merged = form_text(fields, "kept"), form_text(fields, "merged")
        if not (kept and merged):
            raise BadQuestion("Give the two names that are the same entity.")
        gone = memory.about(merged).name
        card = memory.merge(kept, merged)
        return f"{short(gone, 60)} is {card.name} now. To take it back: Undo a merge, below.", card.id

    return await _write(datasette, request, {"title": "Two names, one entity", "doing": "merge"}, work)


@page
async def unmerge(datasette: Any, request: Any) -> Response:
    """/<database>/-/unmerge/<id>: takes the last merge of an entity back."""

    id = urls.id_of(request)

    def work(memory: MemoryDatabase, fields: Mapping[str, str]) -> tuple[str, str]:
        one, other = memory.unmerge(id)
        return f"{one.name} and {other.name} are two again.", id

    database = await database_of(datasette, request, WRITING)
    url = urls.within(datasette, database)
    card, parted = await read(datasette, database, lambda memory: (_card(memory, id, url), memory.last_merge(id)))
    shown = {"title": "Undo a merge", "doing": "unmerge", "card": card, "parted": parted, "_back": card["url"]}
    return await _write(datasette, request, shown, work)


def _card(memory: MemoryDatabase, name: str, url: Callable[..., str]) -> dict[str, Any]:
    """What is needed of an entity to tell whether it is the same as another one."""
    card = memory.about(name)
    return {
        "id": card.id,
        "name": card.name,
        "kind": card.kind,
        "aliases": [alias for alias in card.aliases if alias != card.name][:20],
        "description": card.description,
        "mentioned": card.mentioned,
        "relations": [f"{one.subject} {one.predicate.replace('_', ' ')} {one.object}" for one in card.relations[:8]],
        "memories": [reading.begins(one.text, 160) for one in card.memories[:3]],
        "url": url("entity", card.id),
    }


# ---------------------------------------------------------------------------------------------- shared parts


Work = Callable[["MemoryDatabase", Mapping[str, str]], tuple[str, str]]


async def _write(datasette: Any, request: Any, shown: dict[str, Any], work: Work, id: str = "") -> Response:
    """The form; after it was sent, a message on the page of the written memory or entity, or the form with an error."""
    database = await database_of(datasette, request, WRITING)
    await check_may_write(datasette, request.actor, database)
    url = urls.within(datasette, database)
    shown = {
        **shown,
        "database": database,
        "_here": url(shown["doing"], id or shown.get("card", {}).get("id", "")),
        "_recall": url("recall"),
        "_begins": json.dumps([url("names.json")]),
    }
    if id:
        old = await read(datasette, database, lambda memory: memory.memory(id))
        text = old.text[:LONGEST_FIELD]
        said = {
            "html": reading.text(replace(old, text=text), Around(below=1), whole=True),
            "said": reading.begins(text, 200),
        }
        shown |= {"id": old.id, "text": text, **said, "_back": url("memory", old.id)}
    if request.method != "POST":
        given = {name: (request.args.get(name) or "").strip()[:300] for name in ("kept", "merged")}
        if shown["doing"] == "merge" and all(given.values()):
            ends = list(given.values())
            shown["cards"] = await read(datasette, database, lambda memory: [_card(memory, one, url) for one in ends])
        elif shown["doing"] == "merge":
            shown["_alike"] = await remembered(datasette, database, "alike names", lambda memory: pairs(memory, url))
        return await answer(datasette, request, TEMPLATE, {**shown, "given": given})
    fields = await compat.form(request)
    try:
        (message, made), warnings = await written(datasette, database, lambda memory: work(memory, fields))
    except MemkitError as error:
        status = 503 if isinstance(error, Busy) else 400
        given = {name: value[:LONGEST_FIELD] for name, value in fields.items() if name != "csrftoken"}
        return await answer(datasette, request, TEMPLATE, {**shown, "error": str(error), "given": given}, status=status)
    where = url("entity" if shown["doing"] in ("merge", "unmerge") else "memory", made)
    return await done(datasette, request, TEMPLATE, {"id": made, "message": message, "warnings": warnings}, where)


def _text(fields: Mapping[str, str]) -> str:
    text = form_text(fields, "text")
    if not text:
        raise BadSource("There is nothing to remember: the text is empty.")
    return text


def _given(fields: Mapping[str, str]) -> dict[str, Any]:
    """The other fields of a memory that were filled in. Raises BadQuestion for a wrong importance."""
    names = ("kind", "title", "project", "speaker", "happened_at", "valid_from", "importance")
    given: dict[str, Any] = {name: said for name in names if (said := form_text(fields, name))}
    if tags := form_text(fields, "tags"):
        given["tags"] = [tag.strip() for tag in tags.split(",") if tag.strip()]
    if "importance" in given:
        try:
            given["importance"] = float(given["importance"])
        except ValueError as error:
            raise BadQuestion(f"importance must be a number from 1 to 10, not {given['importance']!r}.") from error
    return given
