"""Saved questions: a question of the recall page is kept under a name, as a link, a feed and a query; or given up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from datasette.utils.asgi import Response

from memkit.core.formatting import short
from memkit.frontends.datasette import compat, urls
from memkit.frontends.datasette.access import check_may_write, database_of, hidden, may_write, remembered, written
from memkit.frontends.datasette.parameters import Asked, form_text
from memkit.frontends.datasette.responses import done, page
from memkit.frontends.datasette.tables import SAVED
from memkit.retrieval.saved_questions import SavedQuestion

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

TEMPLATE = "memkit_recall.html"
QUERY = "saved"  # the canned query that answers them


@page
async def save(datasette: Any, request: Any) -> Response:
    """/<database>/-/save-question: keeps the question of an address under a name."""

    def work(memory: MemoryDatabase, asked: Asked, name: str) -> str:
        options = asked.options() | ({"strategy": asked.strategy} if asked.strategy else {})
        has = {facet: list(values) for facet, values in asked.chosen.items() if values}
        if asked.speaker:
            has["speaker"] = [asked.speaker]
        return memory.save_question(asked.q, name=name, has=has, **options).name

    return await _write(datasette, request, work, "Saved: {}")


@page
async def unsave(datasette: Any, request: Any) -> Response:
    """/<database>/-/unsave-question: gives up the saved question of this name; its words are asked once more."""
    return await _write(
        datasette, request, lambda memory, asked, name: memory.unsave_question(name).name, "No longer saved: {}"
    )


async def _write(datasette: Any, request: Any, work: Any, says: str) -> Response:
    from datasette.utils import MultiParams

    database = await database_of(datasette, request, SAVED)
    await check_may_write(datasette, request.actor, database)
    here = urls.page(datasette, database, "recall")
    if request.method != "POST":
        return Response.redirect(here)
    fields = await compat.form(request)
    asked = Asked.of(MultiParams(parse_qs(form_text(fields, "asked"))))
    name = " ".join(form_text(fields, "name").split())
    kept, warnings = await written(datasette, database, lambda memory: work(memory, asked, name))
    values = {"name": kept, "message": says.format(short(kept, 100)), "warnings": warnings}
    return await done(datasette, request, TEMPLATE, values, f"{here}?{asked.query()}" if asked.q else here)


async def known(datasette: Any, request: Any, database: str) -> list[dict[str, Any]] | None:
    """The saved questions of a database with their addresses, for those who may save one; None for everybody else."""
    if not await may_write(datasette, request.actor, database):
        return None
    if await hidden(datasette, request.actor, database, SAVED):
        return None
    questions = await remembered(datasette, database, "saved questions", lambda memory: memory.saved_questions())
    return [_shown(datasette, database, one) for one in questions]


def _shown(datasette: Any, database: str, one: SavedQuestion) -> dict[str, Any]:
    here, asked = urls.page(datasette, database, "recall"), _asked(one)
    return {
        "name": one.name,
        "asked": asked,
        "url": f"{here}?{asked.query()}",
        "feed": f"{here}.atom?{asked.query()}",
        "query": f"{datasette.urls.query(database, QUERY)}?{urlencode({'name': one.name})}",
    }


def _asked(one: SavedQuestion) -> Asked:
    """The recall of a page that asks a saved question."""
    options = one.options
    given, depth = options.get("strategy") or "", options.get("depth")
    return Asked(
        q=one.question,
        strategy=given if isinstance(given, str) else json.dumps(given),
        project=str(options.get("project") or ""),
        only=bool(options.get("only_project")),
        kind=tuple(options.get("kinds") or ()),
        since=str(options.get("since") or ""),
        until=str(options.get("until") or ""),
        as_of=str(options.get("as_of") or ""),
        everything=bool(options.get("everything")),
        depth=depth if isinstance(depth, int) else -1,
        has=tuple(f"{facet}:{value}" for facet, values in one.has.items() for value in values),
    )
