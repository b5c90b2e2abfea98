"""Graph page: the whole graph with its communities, and the path between two names."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from datasette.utils.asgi import Response

from memkit.core.errors import NotFound
from memkit.core.formatting import short
from memkit.frontends.datasette import urls
from memkit.frontends.datasette.access import database_of, may_write, remembered
from memkit.frontends.datasette.drawing import drawing
from memkit.frontends.datasette.parameters import LONGEST, number, text
from memkit.frontends.datasette.responses import answer, page, similar
from memkit.frontends.datasette.svg import svg
from memkit.frontends.datasette.tables import GRAPH
from memkit.text.prose import unlinked

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

NODES = 60
MOST_NODES = 150
MOST_KINDS = 20
MOST_ALIKE = 8


@dataclass(frozen=True)
class Drawn:
    """What an address says is to be drawn; `start` and `goal` are the ends of a way that is drawn and marked."""

    nodes: int = NODES
    kinds: tuple[str, ...] = ()
    project: str = ""
    since: str = ""
    until: str = ""
    undated: bool = False
    start: str = ""
    goal: str = ""

    @classmethod
    def of(cls, args: Any) -> Drawn:
        """What the arguments of a request say. Raises BadQuestion."""
        kinds = tuple(dict.fromkeys(kind[:LONGEST] for kind in args.getlist("kind")[:MOST_KINDS] if kind.strip()))
        given = {name: text(args, name) for name in ("project", "since", "until")}
        ends = {"start": text(args, "from"), "goal": text(args, "to")}
        nodes = number(args, "nodes", NODES, 1, MOST_NODES)
        return cls(nodes=nodes, kinds=kinds, undated=text(args, "undated") == "1", **given, **ends)

    def query(self, **changes: Any) -> str:
        """The query string of the same drawing with these changes; default values are left out."""
        one = replace(self, **changes)
        names = {"kinds": "kind", "start": "from", "goal": "to", "undated": "undated"}
        given = {names.get(name, name): value for name, value in vars(one).items() if value != getattr(Drawn, name)}
        return urlencode(given | ({"undated": 1} if one.undated else {}), doseq=True)


@page
async def graph(datasette: Any, request: Any) -> Response:
    """/<database>/-/graph: the graph, narrowed by filters; with `from` and `to` also the path between two names."""
    database = await database_of(datasette, request, GRAPH)
    url = urls.within(datasette, database)
    asked = Drawn.of(request.args)
    status, way = 200, None
    error: NotFound | None = None
    if asked.start and asked.goal:
        try:
            way = await remembered(
                datasette,
                database,
                ("path", asked.start, asked.goal, asked.project),
                lambda memory: _path(memory, asked, url),
            )
        except NotFound as unknown:
            error, status = unknown, 404
    ids = tuple(way["ids"]) if way else ()
    shown = await remembered(
        datasette, database, ("graph", asked, ids), lambda memory: _values(memory, asked, ids, url)
    )
    known = await remembered(datasette, database, "choices", lambda memory: memory.choices())
    shown = shown | {
        "database": database,
        "from": asked.start,
        "to": asked.goal,
        "_asked": asked,
        "_projects": known.projects,
        "_sizes": [(n, url("graph", query=asked.query(nodes=n))) for n in (30, 60, 100, 150)],
        "_here": url("graph"),
        "_begins": json.dumps([url("names.json")]),
        "_json": f"{url('graph')}.json?{asked.query()}".rstrip("?"),
        "_recall": url("recall"),
    }
    if way:
        shown["path"] = {name: value for name, value in way.items() if name != "ids"}
    if error:
        shown |= {"error": str(error), "_near": similar(datasette, request, error.near)}
    if await may_write(datasette, request.actor, database):
        shown["_alike"] = await remembered(datasette, database, "alike names", lambda memory: pairs(memory, url))
    return await answer(datasette, request, "memkit_graph.html", shown, status=status)


def pairs(memory: MemoryDatabase, url: Any) -> list[dict[str, str]]:
    """Pairs of names that may mean the same, each with the address where both are shown before they are merged."""
    return [
        {
            "kept": one.name,
            "merged": other.name,
            "url": url("merge", query=urlencode({"kept": one.id, "merged": other.id})),
        }
        for one, other in memory.alike_names(MOST_ALIKE)
    ]


def _values(memory: MemoryDatabase, asked: Drawn, way: tuple[str, ...], url: Any) -> dict[str, Any]:
    stats = memory.graph_stats(MOST_KINDS)
    found = memory.neighborhood(
        limit=asked.nodes,
        kinds=asked.kinds,
        project=asked.project or None,
        since=asked.since or None,
        until=asked.until or None,
        dates=not asked.undated,
        also=way,
    )
    drawn = drawing(found, url, middle=None, way=way)
    return {
        "nodes": asked.nodes,
        "drawing": drawn,
        "_svg": svg(drawn),
        "stats": {
            name: getattr(stats, name)
            for name in ("memories", "entities", "mentions", "relations", "links", "conflicts")
        },
        "names": list(stats.most_mentioned),
        "_kinds": list(dict.fromkeys((*stats.kinds, *asked.kinds))),
    }


def _path(memory: MemoryDatabase, asked: Drawn, url: Any) -> dict[str, Any]:
    """The path as steps, each with the quote that states it, and the ids of the names on it."""
    way = memory.path(asked.start, asked.goal, project=asked.project or None)
    ids = memory.entity_ids({way.source, way.target, *(name for s in way for name in (s.source, s.target))})

    def end(name: str) -> dict[str, Any]:
        id = ids.get(name)
        return {"name": name, "url": url("entity", id) if id else None}

    return {
        "found": way.found,
        "ids": [ids[name] for name in dict.fromkeys((way.source, *(step.target for step in way))) if name in ids],
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
