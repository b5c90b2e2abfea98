"""A graph as an SVG needs it: where each node is and how large, computed here and not in the browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import Any

from memkit.graph.neighborhood import Edge, Neighborhood
from memkit.render import short

# Width, height and how many nodes fit into it; letters are FONT high, so larger drawings scroll on small screens.
SIZES = ((14, 400, 360), (26, 560, 470), (45, 800, 580), (80, 1060, 760), (150, 1400, 1060))
FONT = 13
LETTER = 6.6  # the mean width of a letter
LONGEST = 22  # letters of a label
PALETTE = 8
MOST_TIES = 3  # of a name; more would hide each other
MOST_LABELLED = 16  # edges that still have room for their words
LABELLED = 14  # the node count up to which edges have them


def drawing(found: Neighborhood, url: Callable[..., str], *, middle: int | None = 0) -> dict[str, Any]:
    """The SVG's values: `width`, `height`, `nodes`, `edges`, `more`, and the `communities` as lists of names."""
    from memkit.layout import communities, positions, separated

    found = _readable(found)
    nodes, edges = found.nodes, found.edges
    width, height = next(((w, h) for most, w, h in SIZES if len(nodes) <= most), SIZES[-1][1:])
    ends = [edge.source for edge in edges], [edge.target for edge in edges]
    names = [short(node.entity.name, LONGEST) for node in nodes]
    boxes = [((max(len(name) * LETTER, 30) + 10) / width, (FONT + 26) / height) for name in names]
    places = separated(positions(len(nodes), *ends), boxes) if nodes else []
    groups = communities(len(nodes), *ends, [edge.weight for edge in edges]).tolist() if nodes else []
    spots = [(round(x * (width - 40) + 20, 1), round(y * (height - 50) + 20, 1)) for x, y in places]
    return {
        "width": width,
        "height": height,
        "nodes": [
            {
                "x": spots[n][0],
                "y": spots[n][1],
                "r": round(4 + min(sqrt(node.memories), 9), 1),
                "name": names[n],
                "full": node.entity.name,
                "kind": node.entity.kind,
                "memories": node.memories,
                "group": groups[n] % PALETTE,
                "middle": n == middle,
                "url": url("entity", node.entity.id),
            }
            for n, node in enumerate(nodes)
        ],
        "edges": [
            {
                "x1": spots[edge.source][0],
                "y1": spots[edge.source][1],
                "x2": spots[edge.target][0],
                "y2": spots[edge.target][1],
                "width": round(min(1 + sqrt(edge.weight) / 2, 4), 1),
                "relation": bool(edge.labels),
                "label": short(", ".join(edge.labels), 24) if _roomy(found) else "",
                "says": _says(edge, names),
            }
            for edge in edges
        ],
        "more": found.more,
        "communities": _communities(found, groups, url),
    }


def _readable(found: Neighborhood) -> Neighborhood:
    """What can be told apart on paper: of each name its strongest ties, and only names that hang together with most."""
    count: dict[int, int] = {}
    kept = []
    for edge in sorted(found.edges, key=lambda edge: (-edge.weight, edge.source, edge.target)):
        ends = edge.source, edge.target
        if min(count.get(end, 0) for end in ends) < MOST_TIES or 0 in ends:
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
    return sorted(max(parts, key=len)) if parts else []


def _roomy(found: Neighborhood) -> bool:
    return len(found.nodes) <= LABELLED and sum(bool(edge.labels) for edge in found.edges) <= MOST_LABELLED


def _says(edge: Any, names: list[str]) -> str:
    """What an edge stands for, in words."""
    said = list(edge.labels)
    if edge.together:
        said.append(f"named together in {edge.together} {'memory' if edge.together == 1 else 'memories'}")
    return f"{names[edge.source]} – {names[edge.target]}: {', '.join(said)}"


def _communities(found: Neighborhood, groups: list[int], url: Callable[..., str]) -> list[dict[str, Any]]:
    """Who belongs together, the largest first; those who stand alone are not told."""
    members: dict[int, list[dict[str, str]]] = {}
    for node, group in zip(found.nodes, groups, strict=True):
        members.setdefault(group, []).append({"name": node.entity.name, "url": url("entity", node.entity.id)})
    return [{"group": group % PALETTE, "names": names} for group, names in sorted(members.items()) if len(names) > 1]
