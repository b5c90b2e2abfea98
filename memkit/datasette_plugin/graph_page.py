"""The page of the whole graph, by communities, and the way between two names."""

from __future__ import annotations

from typing import Any

from datasette.utils.asgi import Response

from memkit.clock import utc_now
from memkit.datasette_plugin import addresses
from memkit.datasette_plugin.answers import answer, page
from memkit.datasette_plugin.drawing import drawing
from memkit.datasette_plugin.hits import _entity_ids
from memkit.datasette_plugin.parameters import number, text
from memkit.datasette_plugin.prose import unlinked
from memkit.datasette_plugin.reading import database_of, remembered
from memkit.datasette_plugin.svg import svg
from memkit.errors import NotFound
from memkit.graph.neighborhood import busiest
from memkit.render import short
from memkit.text import normal_name

NODES = 60
MOST_NODES = 150


@page
async def graph(datasette: Any, request: Any) -> Response:
    """/<database>/-/graph: everything, or with `from` and `to` the way between two names."""
    database = await database_of(datasette, request)
    url = addresses.within(datasette, database)
    count = number(request.args, "nodes", NODES, 1, MOST_NODES)
    start, goal = text(request.args, "from"), text(request.args, "to")
    shown = dict(await remembered(datasette, database, ("graph", count), lambda memory: _values(memory, count, url)))
    status = 200
    if start and goal:
        try:
            shown["path"] = await remembered(
                datasette, database, ("path", start, goal), lambda memory: _path(memory, start, goal, url)
            )
        except NotFound as error:
            shown["error"], status = str(error), 404
    shown = shown | {
        "database": database,
        "from": start,
        "to": goal,
        "_from": start,
        "_here": url("graph"),
        "_recall": url("recall"),
    }
    return await answer(datasette, request, "memkit_graph.html", shown, status=status)


def _values(memory: Any, count: int, url: Any) -> dict[str, Any]:
    stats = memory.graph_stats()
    drawn = drawing(busiest(memory.conn, utc_now(), limit=count), url, middle=None)
    return {
        "nodes": count,
        "drawing": drawn,
        "_svg": svg(drawn),
        "stats": {
            name: getattr(stats, name)
            for name in ("memories", "entities", "mentions", "relations", "links", "conflicts")
        },
        "names": list(stats.most_mentioned),
    }


def _path(memory: Any, start: str, goal: str, url: Any) -> dict[str, Any]:
    """The way as steps, each with the words that say so."""
    way = memory.path(start, goal)
    ids = _entity_ids(memory.conn, {way.source, way.target, *(name for s in way for name in (s.source, s.target))})

    def end(name: str) -> dict[str, Any]:
        id = ids.get(normal_name(name))
        return {"name": name, "url": url("entity", id) if id else None}

    return {
        "found": way.found,
        "source": end(way.source),
        "target": end(way.target),
        "steps": [
            {
                "source": end(step.source),
                "label": step.label,
                "forward": step.forward,
                "target": end(step.target),
                "quote": short(unlinked(step.quote), 300),
                "url": url("memory", step.memory_id) if step.memory_id else None,
            }
            for step in way
        ],
    }
