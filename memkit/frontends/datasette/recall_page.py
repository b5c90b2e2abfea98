"""Recall page: a question, answered from one memory database or from all that the actor may see."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

from datasette.utils.asgi import Response

from memkit.core.errors import BadQuestion, MemkitError, NotFound
from memkit.frontends.datasette import saved_page, urls
from memkit.frontends.datasette.access import database_of, is_owner, may_write, remembered, visible
from memkit.frontends.datasette.compat import allowed
from memkit.frontends.datasette.feed import feed, newest_first
from memkit.frontends.datasette.hits import MOST_TOLD, found, merged_facets, told
from memkit.frontends.datasette.home import in_turn
from memkit.frontends.datasette.parameters import BUDGETS, MOST_PAGES, SIZES, Asked, text, values, yes
from memkit.frontends.datasette.recall_csv import table
from memkit.frontends.datasette.responses import answer, is_json, page
from memkit.frontends.datasette.tables import RECALL
from memkit.retrieval.recall import WEAK
from memkit.retrieval.registry import STRATEGIES, strategy
from memkit.retrieval.surroundings import Choices
from memkit.storage.filter_warnings import NOTHING_YET

TEMPLATE = "memkit_recall.html"
MOST_COMPLETING = 3  # databases that are asked for names while somebody types


@page
async def everywhere(datasette: Any, request: Any) -> Response:
    """/recall: the recall page for all memory databases."""
    return await _recall(datasette, request, None, await visible(datasette, request.actor, RECALL))


@page
async def in_one(datasette: Any, request: Any) -> Response:
    """/<database>/-/recall: the recall page for one database."""
    name = await database_of(datasette, request, RECALL)
    return await _recall(datasette, request, name, [name])


@page
async def names(datasette: Any, request: Any) -> Response:
    """/<database>/-/names.json?q=...: names and titles that begin with what was typed.

    With `question=1` they complete the last words of a question.
    """
    database = await database_of(datasette, request, RECALL)
    typed = text(request.args, "q")
    if yes(request.args, "question"):
        found = await remembered(datasette, database, ("typed", typed), lambda memory: memory.completions(typed))
    else:
        found = await remembered(datasette, database, ("names", typed), lambda memory: memory.names_beginning(typed))
    return await answer(datasette, request, TEMPLATE, {"database": database, "names": found})


async def _recall(datasette: Any, request: Any, database: str | None, names: list[str]) -> Response:
    shown: dict[str, Any] = {"database": database, "databases": names}
    start = perf_counter()
    try:
        asked = Asked.of(request.args, json=is_json(request))
        strategies = [strategy(one or None) for one in (asked.strategy, asked.compare)]
        form = request.url_vars.get("format")
        if form == "atom" and asked.q:
            return await _feed(datasette, request, database, asked, names)
        if asked.q:
            shown |= await _answers(datasette, request, asked, names)
            if form == "csv":
                return table(shown["hits"])
    except (BadQuestion, NotFound) as error:
        empty = await _form(datasette, request, database, names, Asked())
        shown |= {"error": str(error), "_given": values(request.args), **empty}
        return await answer(datasette, request, TEMPLATE, shown, status=400)
    if form in ("atom", "csv"):
        raise BadQuestion("A feed and a table need a question: ?q=...")
    shown |= {
        "question": asked.q,
        "strategy": strategies[0].name,
        **await _form(datasette, request, database, names, asked),
    }
    shown["total_ms"] = round(1000 * (perf_counter() - start), 1)
    return await answer(datasette, request, TEMPLATE, shown)


async def _feed(datasette: Any, request: Any, database: str | None, asked: Asked, names: list[str]) -> Response:
    """The feed of a question: the answers of all databases, the newest first."""
    cards = []
    for name in names:
        owner = await may_write(datasette, request.actor, name)
        work = partial(told, asked=asked, url=urls.within(datasette, name), owner=owner)
        try:
            cards += await remembered(datasette, name, ("told", asked, owner), work)
        except MemkitError as error:
            if isinstance(error, BadQuestion | NotFound) or len(names) == 1:
                raise
    page = urls.page(datasette, database, "recall", query=asked.query())
    return feed(datasette, request, asked.q, page, newest_first(cards)[:MOST_TOLD])


# ---------------------------------------------------------------------------------------------- answers


async def _answers(datasette: Any, request: Any, asked: Asked, names: list[str]) -> dict[str, Any]:
    """The hits of all databases by score, with facets and more; with `compare` also those of a second strategy."""
    owned = {name for name in names if await may_write(datasette, request.actor, name)}
    one = await _by(datasette, asked, names, asked.strategy, owned)
    if asked.compare:
        other = await _by(datasette, asked, names, asked.compare, owned)
        _differences(one["hits"], other["hits"])
        one["compared"] = other
    return one


async def _by(datasette: Any, asked: Asked, names: list[str], strategy_name: str, owned: set[str]) -> dict[str, Any]:
    parts: dict[str, dict[str, Any]] = {}
    problems = []
    for name in names:
        url, owner, several = urls.within(datasette, name), name in owned, len(names) > 1
        try:
            parts[name] = await remembered(
                datasette,
                name,
                (asked, strategy_name, several, owner),
                partial(found, asked=asked, name=strategy_name, url=url, pages_before=several, owner=owner),
            )
        except MemkitError as error:
            if isinstance(error, BadQuestion | NotFound) or len(names) == 1:
                raise
            problems.append(str(error))
    hits = [hit | {"database": name} for name, part in parts.items() for hit in part["hits"]]
    if len(parts) > 1:
        before = (asked.page - 1) * asked.k
        hits = sorted(hits, key=lambda hit: (-hit["score"], hit["id"]))[before : before + asked.k]
        hits = [hit | {"place": place} for place, hit in enumerate(hits, before + 1)]
    first = next(iter(parts.values()), {})
    weak = bool(hits) and all(part["weak"] for part in parts.values())
    warnings = dict.fromkeys(w for part in parts.values() for w in part["warnings"])
    if hits and not weak:  # what one database has nothing of, another answers
        for sentence in (WEAK, NOTHING_YET):
            warnings.pop(sentence, None)
    counted, matching = (sum(part[name] for part in parts.values()) for name in ("counted", "matching"))
    return {
        "strategy_name": first.get("strategy", strategy_name),
        "count": len(hits),
        "hits": hits,
        "more": matching > asked.page * asked.k and asked.page < MOST_PAGES,
        "facets": merged_facets((part["facets"] for part in parts.values()), counted),
        "counted": counted,
        "matching": matching,
        "channels": first.get("channels", []),
        "left_out": [left for part in parts.values() for left in part["left_out"]][:10],
        "ms": _sums(part["ms"] for part in parts.values()),
        "context": "\n\n".join(part["context"] for part in parts.values() if part["context"]) or None,
        "interval": first.get("interval"),
        "confidence": max((part["confidence"] for part in parts.values()), default=0.0),
        "weak": weak,
        "warnings": [*problems, *warnings],
    }


def _sums(parts: Any) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for stage, ms in part.items():
            total[stage] = round(total.get(stage, 0.0) + ms, 1)
    return total


def _differences(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    """Adds to each hit its place with the other strategy; None if that did not find it."""
    for hits, others in ((one, other), (other, one)):
        places = {(hit["database"], hit["id"]): hit["place"] for hit in others}
        for hit in hits:
            hit["elsewhere"] = places.get((hit["database"], hit["id"]))


# ---------------------------------------------------------------------------------------------- the form around them


async def _form(datasette: Any, request: Any, database: str | None, names: list[str], asked: Asked) -> dict[str, Any]:
    """The values for the template besides the answers; of these, only the address of the next page is in the JSON."""
    here = urls.page(datasette, database, "recall")

    def to(**changes: Any) -> str:
        query = asked.query(**changes)
        return f"{here}?{query}" if query else here

    about = {} if is_json(request) else await _about(datasette, request, database, names, asked)
    return {
        "next_url": to(page=asked.page + 1) if asked.q else None,
        "_previous": to(page=asked.page - 1) if asked.page > 1 else None,
        "_asked": asked,
        "_to": to,
        "_here": here,
        "_hidden": parse_qsl(asked.query(budget=0)),
        "_json": f"{here}.json" + (f"?{asked.query(page=asked.page)}" if asked.q else ""),
        "_csv": f"{here}.csv?{asked.query(page=asked.page)}" if asked.q else None,
        "_feed": f"{here}.atom?{asked.query()}" if asked.q else None,
        "_strategies": list(STRATEGIES),
        "_sizes": SIZES,
        "_budgets": BUDGETS,
        **about,
    }


async def _about(datasette: Any, request: Any, database: str | None, names: list[str], asked: Asked) -> dict[str, Any]:
    """The choices of the form (kinds, projects, names), and links to other pages."""
    known = await _choices(datasette, names)
    sql = []
    for name in names:
        if asked.q and await allowed_sql(datasette, request, name):
            options = asked.options() | ({"strategy": asked.strategy} if asked.strategy else {})
            sql.append({"database": name, "url": urls.recall_sql(datasette, name, asked.q, asked.k, options)})
    return {
        "_empty": len(known) == len(names) and not any(one.memories for one in known.values()),
        "_memories": sum(one.memories for one in known.values()),
        "_kinds": list(dict.fromkeys(kind for one in known.values() for kind in one.kinds)),
        "_projects": list(dict.fromkeys(project for one in known.values() for project in one.projects)),
        "_names": in_turn(
            [
                [{"name": name, "url": urls.page(datasette, where, "entity", id)} for name, id in one.names]
                for where, one in known.items()
            ]
        )[:12],
        "_hides": any(one.hides for one in known.values()),
        "_links": [{"database": name, "url": urls.page(datasette, name, "recall")} for name in names],
        "_owner": await is_owner(datasette, request.actor, names),
        "_sql": sql,
        "_begins": json.dumps([urls.page(datasette, name, "names.json") for name in names[:MOST_COMPLETING]]),
        **await _saved(datasette, request, names[0] if len(names) == 1 else None, asked),
        "_graph": urls.page(datasette, database, "graph") if database else None,
        "_remember": urls.page(datasette, database, "remember")
        if database and await may_write(datasette, request.actor, database)
        else None,
    }


async def _saved(datasette: Any, request: Any, database: str | None, asked: Asked) -> dict[str, Any]:
    """The saved questions, and for this one the forms to save it or to give it up; empty for those who may not."""
    known = await saved_page.known(datasette, request, database) if database else None
    if database is None or known is None:
        return {}
    here = replace(asked, page=1, k=Asked.k, budget=0, compare="")
    return {
        "_saved": known,
        "_saved_as": next((one for one in known if one["asked"] == here), None),
        "_save": urls.page(datasette, database, "save-question"),
        "_unsave": urls.page(datasette, database, "unsave-question"),
        "_address": here.query(),
    }


async def allowed_sql(datasette: Any, request: Any, database: str) -> bool:
    """Whether the actor may run their own SQL."""
    return await allowed(datasette, request.actor, "execute-sql", database)


async def _choices(datasette: Any, names: list[str]) -> dict[str, Choices]:
    """The choices of each database; if there are several, one that cannot be read at the moment is left out."""
    known = {}
    for name in names:
        try:
            known[name] = await remembered(datasette, name, "choices", lambda memory: memory.choices())
        except MemkitError:
            if len(names) == 1:
                raise
    return known
