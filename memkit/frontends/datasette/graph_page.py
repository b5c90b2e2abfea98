"""Graph page: the whole graph with its communities, and the path between two names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Response

from memkit.core.errors import NotFound
from memkit.core.formatting import short
from memkit.frontends.datasette import urls
from memkit.frontends.datasette.access import database_of, remembered
from memkit.frontends.datasette.drawing import drawing
from memkit.frontends.datasette.parameters import number, text
from memkit.frontends.datasette.responses import answer, page
from memkit.frontends.datasette.svg import svg
from memkit.frontends.datasette.tables import GRAPH
from memkit.text.prose import unlinked

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

NODES = 60
MOST_NODES = 150


@page
async def graph(datasette: Any, request: Any) -> Response:
    """/<database>/-/graph: the whole graph; with `from` and `to` also the path between two names."""
    database = await database_of(datasette, request, GRAPH)
    url = urls.within(datasette, database)
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


def _values(memory: MemoryDatabase, count: int, url: Any) -> dict[str, Any]:
    stats = memory.graph_stats()
    drawn = drawing(memory.neighborhood(limit=count), url, middle=None)
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


def _path(memory: MemoryDatabase, start: str, goal: str, url: Any) -> dict[str, Any]:
    """The path as steps, each with the quote that states it."""
    way = memory.path(start, goal)
    ids = memory.entity_ids({way.source, way.target, *(name for s in way for name in (s.source, s.target))})

    def end(name: str) -> dict[str, Any]:
        id = ids.get(name)
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
