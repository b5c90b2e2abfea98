"""A graph as an SVG needs it: where each node is and how large, computed here and not in the browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import Any

from memkit.graph.neighborhood import Edge, Neighborhood, Node
from memkit.render import short

# Width, height and how many nodes fit into it; letters are FONT high, so larger drawings scroll on small screens.
SIZES = ((14, 400, 360), (26, 560, 470), (45, 800, 580), (80, 1060, 760), (150, 1400, 1060))
FONT = 13
LETTER = 6.6  # the mean width of a letter
LONGEST = 22  # letters of a label
PALETTE = 8
MOST_TIES = 3  # of a name; more would hide each other
MOST_TOLD = 60  # edges that say what they are when they are pointed at
MOST_LABELLED = 16  # edges that still have room for their words
LABELLED = 14  # the node count up to which edges have them


def drawing(found: Neighborhood, url: Callable[..., str], *, middle: int | None = 0) -> dict[str, Any]:
    """The SVG's values: `width`, `height`, `nodes`, `edges`, `more`, and the `communities` as lists of names.

    Edges without words are two paths, `relations` and `together`: one element, however many they are.
    """
    from memkit.layout import communities, positions, separated

    found = _readable(found, middle)
    nodes, edges = found.nodes, found.edges
    width, height = next(((w, h) for most, w, h in SIZES if len(nodes) <= most), SIZES[-1][1:])
    ends = [edge.source for edge in edges], [edge.target for edge in edges]
    names = [short(node.entity.name, LONGEST) for node in nodes]
    boxes = [((max(len(name) * LETTER, 30) + 10) / width, (FONT + 26) / height) for name in names]
    places: Any = separated(positions(len(nodes), *ends), boxes) if nodes else []
    groups = communities(len(nodes), *ends, [edge.weight for edge in edges]).tolist() if nodes else []
    spots = [(round(x * (width - 40) + 20), round(y * (height - 50) + 20)) for x, y in places]
    told = [edge for edge in edges if edge.labels][: MOST_TOLD if len(edges) <= 2 * MOST_TOLD else 0]
    return {
        "width": width,
        "height": height,
        "nodes": [
            _node(node, name, spot, group) | {"middle": n == middle, "url": url("entity", node.entity.id)}
            for n, (node, name, spot, group) in enumerate(zip(nodes, names, spots, groups, strict=True))
        ],
        "edges": [_edge(edge, names, spots) | {"label": _label(edge, found)} for edge in told],
        "relations": _path([edge for edge in edges if edge.labels and edge not in told], spots),
        "together": _path([edge for edge in edges if not edge.labels], spots),
        "more": found.more,
        "communities": _communities(found, groups, url),
    }


def _node(node: Node, name: str, spot: tuple[int, int], group: int) -> dict[str, Any]:
    return {
        "x": spot[0],
        "y": spot[1],
        "r": round(4 + min(sqrt(node.memories), 9)),
        "name": name,
        "full": node.entity.name,
        "kind": node.entity.kind,
        "memories": node.memories,
        "group": group % PALETTE,
    }


def _edge(edge: Edge, names: list[str], spots: list[tuple[int, int]]) -> dict[str, Any]:
    (x1, y1), (x2, y2) = spots[edge.source], spots[edge.target]
    said = list(edge.labels)
    if edge.together:
        said.append(f"named together in {edge.together} {'memory' if edge.together == 1 else 'memories'}")
    says = f"{names[edge.source]} – {names[edge.target]}: {', '.join(said)}"
    return {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "says": says}


def _label(edge: Edge, found: Neighborhood) -> str:
    """The words beside an edge, in a drawing that has room for them."""
    related = sum(bool(other.labels) for other in found.edges)
    roomy = len(found.nodes) <= LABELLED and related <= MOST_LABELLED
    return short(", ".join(edge.labels), 24) if roomy else ""


def _path(edges: list[Edge], spots: list[tuple[int, int]]) -> str:
    """Edges as the one `d` of an SVG path."""
    lines = ((*spots[edge.source], *spots[edge.target]) for edge in edges)
    return "".join(f"M{x1} {y1}L{x2} {y2}" for x1, y1, x2, y2 in lines)


def _readable(found: Neighborhood, middle: int | None) -> Neighborhood:
    """What can be told apart on paper: of each name its strongest ties, and only names that hang together with most."""
    count: dict[int, int] = {}
    kept = []
    for edge in sorted(found.edges, key=lambda edge: (-edge.weight, edge.source, edge.target)):
        ends = edge.source, edge.target
        if min(count.get(end, 0) for end in ends) < MOST_TIES or middle in ends:
            kept.append(edge)
            for end in ends:
                count[end] = count.get(end, 0) + 1
    drawn = _largest_part(len(found.nodes), kept)
    place = {node: n for n, node in enumerate(drawn)}
    edges = [replace(e, source=place[e.source], target=place[e.target]) for e in kept if e.source in place]
    alone = len(found.nodes) - len(drawn)
    return Neighborhood(tuple(found.nodes[n] for n in drawn), tuple(edges), found.more + alone)


def _largest_part(count: int, edges: list[Edge]) -> list[int]:
    """The nodes of the largest connected part, in their order."""
    near: dict[int, list[int]] = {n: [] for n in range(count)}
    for edge in edges:
        near[edge.source].append(edge.target)
        near[edge.target].append(edge.source)
    parts: list[set[int]] = []
    seen: set[int] = set()
    for start in range(count):
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
    largest: set[int] = max(parts, key=len, default=set())  # type: ignore[arg-type]
    return sorted(largest)


def _communities(found: Neighborhood, groups: list[int], url: Callable[..., str]) -> list[dict[str, Any]]:
    """Who belongs together, the largest first; those who stand alone are not told."""
    members: dict[int, list[dict[str, str]]] = {}
    for node, group in zip(found.nodes, groups, strict=True):
        members.setdefault(group, []).append({"name": node.entity.name, "url": url("entity", node.entity.id)})
    return [{"group": group % PALETTE, "names": names} for group, names in sorted(members.items()) if len(names) > 1]
