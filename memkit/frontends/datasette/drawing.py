"""Graph drawing as JSON for a page: places and sizes of the nodes, computed here and not in the browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from memkit.core.formatting import short
from memkit.graph.drawing import Dot, Drawing, Paper, drawn, strongest, tie
from memkit.graph.neighborhood import Edge, Neighborhood

# Larger drawings scroll on small screens.
PAPER = Paper(((14, 400, 360), (26, 560, 470), (45, 800, 580), (80, 1060, 760), (150, 1400, 1060)), 6.6, 22)
PALETTE = 8
MOST_TOLD = 60  # most edges with a tooltip
MOST_LABELLED = 16  # edges are labelled if there are at most so many
LABELLED = 14  # and at most so many nodes


def drawing(
    found: Neighborhood, url: Callable[..., str], *, middle: int | None = 0, way: Sequence[str] = ()
) -> dict[str, Any]:
    """The values for the SVG: `width`, `height`, `nodes`, `edges`, `more`, and `communities` as lists of names.

    Edges without text are drawn as two paths, `relations` and `together`, so that many edges are one element. Only the
    largest connected part of the graph is drawn, or that with the `way`, a path as the ids of its names. It is drawn in
    full and marked: its edges are the path `way`.
    """
    found = _part_of(_with_way(strongest(found, middle, min), way), way)
    made = drawn(found, PAPER)
    names = [dot.name for dot in made.dots]
    related = [edge for edge in made.edges if edge.labels]
    told = related[: MOST_TOLD if len(made.edges) <= 2 * MOST_TOLD else 0]
    roomy = len(names) <= LABELLED and len(related) <= MOST_LABELLED
    return {
        "width": made.width,
        "height": made.height,
        "nodes": [
            _node(dot)
            | {"middle": n == middle, "way": dot.node.entity.id in way, "url": url("entity", dot.node.entity.id)}
            for n, dot in enumerate(made.dots)
        ],
        "edges": [
            dict(zip(("x1", "y1", "x2", "y2"), made.ends(edge), strict=True))
            | {"says": tie(edge, names), "label": short(", ".join(edge.labels), 24) if roomy else ""}
            for edge in told
        ],
        "relations": _path(related[len(told) :], made),
        "together": _path([edge for edge in made.edges if not edge.labels], made),
        "way": _path([Edge(*step) for step in _steps(found, way)], made),
        "more": found.more,
        "communities": _communities(made.dots, url),
    }


def _node(dot: Dot) -> dict[str, Any]:
    return {
        "x": dot.x,
        "y": dot.y,
        "r": round(dot.radius),
        "name": dot.name,
        "full": dot.node.entity.name,
        "kind": dot.node.entity.kind,
        "memories": dot.node.memories,
        "group": dot.group % PALETTE,
    }


def _path(edges: list[Edge], made: Drawing) -> str:
    """Edges as the attribute `d` of one SVG path."""
    return "".join("M{} {}L{} {}".format(*made.ends(edge)) for edge in edges)


def _with_way(found: Neighborhood, way: Sequence[str]) -> Neighborhood:
    """The graph with an edge for each step of the way, also where the two are too rarely named together to have one."""
    drawn = {frozenset((edge.source, edge.target)) for edge in found.edges}
    lacking = tuple(
        Edge(min(step), max(step), together=1) for step in _steps(found, way) if frozenset(step) not in drawn
    )
    return replace(found, edges=found.edges + lacking)


def _steps(found: Neighborhood, way: Sequence[str]) -> list[tuple[int, int]]:
    """The steps of a way, as pairs of places among the nodes."""
    places = {node.entity.id: n for n, node in enumerate(found.nodes)}
    return [(places[a], places[b]) for a, b in pairwise(way) if a in places and b in places]


def _part_of(found: Neighborhood, way: Sequence[str]) -> Neighborhood:
    """The connected part with the way, or the largest one, with its nodes in order; the others are added to `more`."""
    near: dict[int, list[int]] = {n: [] for n in range(len(found.nodes))}
    for edge in found.edges:
        near[edge.source].append(edge.target)
        near[edge.target].append(edge.source)
    parts: list[set[int]] = []
    seen: set[int] = set()
    for start in near:
        if start in seen:
            continue
        part, waiting = {start}, [start]
        while waiting:
            for other in near[waiting.pop()]:
                if other not in part:
                    part.add(other)
                    waiting.append(other)
        seen |= part
        parts.append(part)
    wanted = {n for n, node in enumerate(found.nodes) if node.entity.id in way}
    best: set[int] = max(parts, key=lambda part: (len(part & wanted), len(part)), default=set())
    kept = sorted(best)
    place = {node: n for n, node in enumerate(kept)}
    edges = [replace(e, source=place[e.source], target=place[e.target]) for e in found.edges if e.source in place]
    return Neighborhood(tuple(found.nodes[n] for n in kept), tuple(edges), found.more + len(found.nodes) - len(kept))


def _communities(dots: tuple[Dot, ...], url: Callable[..., str]) -> list[dict[str, Any]]:
    """The communities with their names, the largest first; entities without a community are left out."""
    members: dict[int, list[dict[str, str]]] = {}
    for dot in dots:
        entity = dot.node.entity
        members.setdefault(dot.group, []).append({"name": entity.name, "url": url("entity", entity.id)})
    return [{"group": group % PALETTE, "names": names} for group, names in sorted(members.items()) if len(names) > 1]
