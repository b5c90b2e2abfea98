"""Entity page: current relations with evidence, past relations, neighbours, and the memories that mention it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Response

from memkit.core.clock import utc_now
from memkit.core.formatting import short, when_text
from memkit.frontends.datasette import reading, urls
from memkit.frontends.datasette.access import database_of, may_write, remembered
from memkit.frontends.datasette.drawing import drawing
from memkit.frontends.datasette.parameters import number
from memkit.frontends.datasette.responses import answer, page
from memkit.frontends.datasette.svg import svg
from memkit.frontends.datasette.tables import ENTITY
from memkit.graph.neighborhood import MOST
from memkit.graph.relations import DOUBT
from memkit.text.prose import unlinked

if TYPE_CHECKING:
    from memkit.core.types import Memory
    from memkit.database.memory_database import MemoryDatabase

ON_PAGE = 20  # memories
LINKED = "mentions"  # the predicate of a plain link in a note
NEAR = 25  # default nodes of the drawing, which is beside the text


@page
async def entity(datasette: Any, request: Any) -> Response:
    """/<database>/-/entity/<id or name>."""
    database = await database_of(datasette, request, ENTITY)
    depth = number(request.args, "depth", 1, 1, 3)
    place = number(request.args, "page", 1, 1, 1000)
    nodes = number(request.args, "nodes", NEAR, 1, MOST)
    name = urls.id_of(request)
    url = urls.within(datasette, database)
    shown = await remembered(
        datasette,
        database,
        ("entity", name, depth, place, nodes),
        lambda memory: _values(memory, name, depth, place, nodes, url),
    )
    shown = shown | {
        "database": database,
        "_here": url("entity", shown["id"]),
        "_recall": url("recall"),
        "_graph": url("graph"),
    }
    if await may_write(datasette, request.actor, database):
        id = shown["id"]
        merged = await remembered(datasette, database, ("merged", id), lambda memory: memory.last_merge(id))
        shown |= {"_merge": url("merge", query=f"kept={id}"), "_unmerge": url("unmerge", id) if merged else None}
    return await answer(datasette, request, "memkit_entity.html", shown)


def _values(memory: MemoryDatabase, name: str, depth: int, place: int, nodes: int, url: Any) -> dict[str, Any]:
    now = utc_now()
    card = memory.about(name)
    near = memory.neighborhood(card.id, depth, limit=nodes)
    drawn = drawing(near, url)
    first = (place - 1) * ON_PAGE
    named = card.memories[first : first + ON_PAGE]
    return {
        "id": card.id,
        "name": card.name,
        "kind": card.kind,
        "description": card.description,
        "aliases": [alias for alias in card.aliases if alias != card.name],
        "relations": [_relation(one, url) for one in card.relations if one.predicate != LINKED],
        "linked": _linked(card, url),
        "history": [_relation(one, url) for one in card.history],
        "conflicts": [[_relation(one, url) for one in pair] for pair in card.conflicts],
        "timeline": timeline([*card.relations, *card.history], now),
        "mentioned": card.mentioned,
        "memories": [
            {
                "id": one.id,
                "text": reading.begins(one.text, 280),
                **_times(memory.memory(one.id)),
                "title": one.title,
                "role": one.role,
                "url": url("memory", one.id),
            }
            for one in named
        ],
        "more": len(card.memories) > first + ON_PAGE,
        "page": place,
        "depth": depth,
        "wide": len(near.nodes) > NEAR,
        "drawing": drawn,
        "_svg": svg(drawn),
    }


def _relation(one: Any, url: Any) -> dict[str, Any]:
    return {
        "subject": {"name": one.subject, "url": url("entity", one.subject_id)},
        "predicate": one.predicate.replace("_", " "),
        "object": {"name": one.object, "url": url("entity", one.object_id)},
        "confidence": one.confidence,
        "from": day(one.valid_from),
        "until": day(one.valid_until),
        "in_doubt": one.method == DOUBT,
        "evidence": [
            {
                "quote": short(unlinked(said.quote), 240),
                "title": said.title,
                "method": said.method,
                "said": day(said.said_at),
                "url": url("memory", said.memory_id) if said.memory_id else None,
            }
            for said in one.evidence[:5]
        ],
    }


def _times(one: Memory) -> dict[str, str]:
    return {"when": when_text(one.happened_at), "until": when_text(one.valid_until)}


def _linked(card: Any, url: Any) -> list[dict[str, str]]:
    """The names that links lead to or come from, each once."""
    ends = [_end(one, card.name, url) for one in card.relations if one.predicate == LINKED]
    return list({end["url"]: end for end in ends}.values())


def _end(one: Any, name: str, url: Any) -> dict[str, str]:
    """The other end of a relation."""
    if one.subject == name:
        return {"name": one.object, "url": url("entity", one.object_id)}
    return {"name": one.subject, "url": url("entity", one.subject_id)}


def day(when: str | None) -> str:
    """The date of a time, `2024-05-31`; empty for None."""
    return (when or "")[:10]


# ---------------------------------------------------------------------------------------------- the time line


def timeline(relations: list[Any], now: str) -> dict[str, Any] | None:
    """Bars for the relations with dates: start and length in percent of the whole; None if none has a date."""
    dated = [one for one in relations if one.valid_from or one.valid_until]
    if not dated:
        return None
    known = [_years(when) for one in dated for when in (one.valid_from, one.valid_until) if when]
    last = max([*known, _years(now)])
    first = min(known)
    span = max(last - first, 1 / 12)
    bars = []
    for one in sorted(dated, key=lambda one: (one.valid_from or "", one.valid_until or "9")):
        start = _years(one.valid_from) if one.valid_from else first
        end = _years(one.valid_until) if one.valid_until else last
        left = 100 * (start - first) / span
        bars.append(
            {
                "text": f"{one.predicate.replace('_', ' ')} {one.object}",
                "subject": one.subject,
                "left": round(min(left, 97), 1),
                "width": round(max(100 * (end - start) / span, 3), 1),
                "from": day(one.valid_from),
                "until": day(one.valid_until),
                "open": not one.valid_until,
                "in_doubt": one.method == DOUBT,
            }
        )
    return {"first": f"{first:.0f}"[:4], "bars": bars[:40], "begins": _dated(first), "ends": _dated(last)}


def _years(when: str | None) -> float:
    """A time as a number of years."""
    parts = [int(part) for part in (when or "")[:10].split("-") if part.isdigit()]
    year, month, date = (*parts, 1, 1, 1)[:3] if parts else (2000, 1, 1)
    return year + (month - 1) / 12 + (date - 1) / 365


def _dated(years: float) -> str:
    return f"{int(years):04}-{int(years % 1 * 12) + 1:02}"
