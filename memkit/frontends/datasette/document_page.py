"""Document page: a whole note, a conversation as turns, a table row by row; and the images that lie beside a note."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from datasette import Forbidden
from datasette.utils.asgi import NotFound, Response

from memkit.core.formatting import when_text
from memkit.core.types import Memory
from memkit.frontends.datasette import reading, urls, vault
from memkit.frontends.datasette.access import database_of, may_write, read, remembered
from memkit.frontends.datasette.headers import NOT_FRAMED, PRIVATE
from memkit.frontends.datasette.parameters import number, text
from memkit.frontends.datasette.responses import answer, page
from memkit.frontends.datasette.tables import MEMORY
from memkit.text.markdown_html import Around, headings
from memkit.text.prose import section

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

MOST_PAGES = 100_000
WORDS = {"chat": "conversation", "log": "conversation"}
# An image may do nothing but be seen, whatever a browser takes it for.
IMAGE = {**PRIVATE, "content-security-policy": f"{NOT_FRAMED['content-security-policy']}; default-src 'none'; sandbox"}


@page
async def document(datasette: Any, request: Any) -> Response:
    """/<database>/-/document/<id>: all memories of a document; `memory` is the one to mark."""
    database = await database_of(datasette, request, MEMORY)
    id = urls.id_of(request)
    marked, number_of = text(request.args, "memory"), number(request.args, "page", 0, 1, MOST_PAGES)
    url = urls.within(datasette, database)
    owner = await may_write(datasette, request.actor, database)
    question = ("document", id, marked, number_of, owner)
    shown = await remembered(
        datasette, database, question, lambda memory: _values(memory, id, marked, number_of or None, url, owner)
    )
    near = {name: url("document", id, urlencode({"page": n})) for name, n in shown["_near"].items()}
    extra = {"database": database, "_near": near, "_here": url("document", id)}
    origin = vault.origin(shown["document"]["source"]) if owner else None
    return await answer(datasette, request, "memkit_document.html", shown | extra | {"_origin": origin})


def _values(
    memory: MemoryDatabase, id: str, marked: str, number_of: int | None, url: Any, owner: bool
) -> dict[str, Any]:
    found = memory.document(id, memory=marked or None, page=number_of)
    about = found.about
    folders = cache(lambda: vault.folders(memory))
    names = reading.by_name({name: url("entity", id) for name, id in _named(memory, found.memories).items()})
    around = Around(link=lambda target: reading.named(target, names), below=1)

    def images(one: Memory) -> Around:
        return replace(around, image=vault.images(one, folders, url)) if owner else around

    title = about["title"] or reading.file_name(about["source"])
    near = {"previous": found.page - 1, "next": found.page + 1}
    return {
        "document": {**about, "source": about["source"] if owner else None},
        "title": title,
        "what": WORDS.get(about["kind"], about["kind"]),
        "when": when_text(about["created_at"]),
        "page": found.page,
        "pages": found.pages,
        "turns": any(one.speaker for one in found.memories),
        "parts": list(_parts(found.memories, title, marked, url, images)),
        "_near": {name: n for name, n in near.items() if 1 <= n <= found.pages},
    }


def _parts(
    memories: Iterable[Memory], title: str, marked: str, url: Any, around: Callable[[Memory], Around]
) -> Iterator[dict[str, Any]]:
    """The memories as parts of one page: a heading of a note also stands above its next memories, one of a turn not."""
    above: tuple[int, ...] = ()
    for one in memories:
        whole = section(one.text)[0] != title
        above = () if one.speaker else above
        yield {
            "id": one.id,
            "url": url("memory", one.id),
            "speaker": one.speaker,
            "when": when_text(one.happened_at),
            "marked": one.id == marked,
            "html": reading.text(one, replace(around(one), above=above), whole=whole),
        }
        above = headings(reading.shown(one, whole=whole), above)


def _named(memory: MemoryDatabase, memories: tuple[Memory, ...]) -> dict[str, str]:
    """The ids of the names that the wikilinks of these memories lead to."""
    return memory.entity_ids({name for one in memories for name in reading.targets(one.text)})


@page
async def image(datasette: Any, request: Any) -> Response:
    """/<database>/-/image/<memory>?name=...: an image that lies beside the note of a memory, for its owner."""
    database = await database_of(datasette, request, MEMORY)
    if not await may_write(datasette, request.actor, database):
        raise Forbidden("Images lie beside the notes of the owner.")
    id, name = urls.id_of(request), text(request.args, "name")

    def found(memory: MemoryDatabase) -> tuple[bytes, str] | None:
        path = vault.image_of(memory.memory(id), name, vault.folders(memory))
        return vault.content(path) if path else None

    loaded = await read(datasette, database, found)
    if loaded is None:
        raise NotFound("There is no such image beside this note.")
    body, kind = loaded
    return Response(body, headers=dict(IMAGE), content_type=kind)
