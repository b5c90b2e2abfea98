"""A neighbourhood as a drawing: static SVG with words, laid out here, readable in light and in dark."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from html import escape
from math import sqrt

from memkit.graph.neighborhood import Edge, Neighborhood, Node
from memkit.layout import communities, positions, separated
from memkit.render import short

SIZES = ((8, 460, 300), (16, 620, 400), (30, 760, 520), (150, 1000, 760))  # nodes, width, height
FONT, LETTER = 13, 6.9  # the height of a line, and the mean width of a letter
LONGEST = 24  # letters of a name
MOST_TIES = 3  # of a name beside the middle
LABELLED = 18  # edges up to which each has its words
# Middle tones, which stand out from white and from black.
COLOURS = ("#2f81c7", "#c4611d", "#2f9157", "#a35cc4", "#b58a12", "#c2477b", "#1f9a9a", "#7d7d7d")


def drawing(found: Neighborhood, path: Collection[str] = ()) -> str:
    """The neighbourhood as an SVG whose first node is the middle; entities (ids) on the `path` are ringed.

    Without the picture, its title says what it shows, and each node and edge has its own.
    """
    found = readable(found)
    width, height = next(((w, h) for most, w, h in SIZES if len(found.nodes) <= most), SIZES[-1][1:])
    spots = _spots(found, width, height)
    groups = _groups(found)
    edges = "".join(_edge(edge, found, spots, len(found.edges) <= LABELLED) for edge in found.edges)
    nodes = "".join(_node(n, found, spots[n], groups[n], path) for n in range(len(found.nodes)))
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" style="width:100%;max-width:{width}px;height:auto" '
        f'font-family="system-ui,sans-serif" font-size="{FONT}" fill="currentColor">'
        f"<title>{escape(_title(found))}</title>{edges}{nodes}</svg>"
    )


def readable(found: Neighborhood) -> Neighborhood:
    """The ties that can be told apart on paper: all of the middle, and of each other name its strongest ones."""
    counts = [0] * len(found.nodes)
    kept = []
    for edge in sorted(found.edges, key=lambda edge: (-edge.weight, edge.source, edge.target)):
        ends = edge.source, edge.target
        if 0 in ends or max(counts[end] for end in ends) < MOST_TIES:
            kept.append(edge)
            for end in ends:
                counts[end] += 1
    return replace(found, edges=tuple(kept))


def _title(found: Neighborhood) -> str:
    names = [node.entity.name for node in found.nodes]
    around = short(", ".join(names[1:]), 300)
    return f"{names[0]}, and around it: {around or 'nothing'}" if names else "nothing"


def _spots(found: Neighborhood, width: int, height: int) -> list[tuple[float, float]]:
    ends = [edge.source for edge in found.edges], [edge.target for edge in found.edges]
    widths = [max(len(short(node.entity.name, LONGEST)) * LETTER, 30) + 12 for node in found.nodes]
    boxes = [(wide / width, (FONT + 26) / height) for wide in widths]
    if not boxes:
        return []
    places = separated(positions(len(boxes), *ends), boxes).tolist()
    return [
        (round(min(max(x * width, wide / 2), width - wide / 2), 1), round(24 + y * (height - 56), 1))
        for (x, y), wide in zip(places, widths, strict=True)
    ]


def _groups(found: Neighborhood) -> list[int]:
    """Which names belong together, apart from all being tied to the middle."""
    among = [edge for edge in found.edges if 0 not in (edge.source, edge.target)]
    ends = [edge.source for edge in among], [edge.target for edge in among]
    return communities(len(found.nodes), *ends, [edge.weight for edge in among]).tolist()


def _node(n: int, found: Neighborhood, spot: tuple[float, float], group: int, path: Collection[str]) -> str:
    node, (x, y) = found.nodes[n], spot
    radius = round(4 + min(sqrt(node.memories), 9), 1)
    ring = n == 0 or node.entity.id in path
    outline = f'<circle cx="{x}" cy="{y}" r="{radius + 3}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    weight = ' font-weight="700"' if n == 0 else ""
    return (
        f'<g data-entity="{escape(node.entity.id)}"><title>{escape(_says(node))}</title>'
        f'{outline if ring else ""}<circle cx="{x}" cy="{y}" r="{radius}" fill="{COLOURS[group % len(COLOURS)]}"/>'
        f'<text x="{x}" y="{round(y + radius + FONT + 1, 1)}" text-anchor="middle"{weight}>'
        f"{escape(short(node.entity.name, LONGEST))}</text></g>"
    )


def _says(node: Node) -> str:
    memories = f"{node.memories} {'memory' if node.memories == 1 else 'memories'}"
    return f"{node.entity.name}, {node.entity.kind}, named in {memories}"


def _edge(edge: Edge, found: Neighborhood, spots: list[tuple[float, float]], with_words: bool) -> str:
    (x1, y1), (x2, y2) = spots[edge.source], spots[edge.target]
    dashes = "" if edge.labels else ' stroke-dasharray="3 4"'
    width = round(min(1 + sqrt(edge.weight) / 3, 4), 1)
    line = (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="currentColor" stroke-opacity=".35" '
        f'stroke-width="{width}"{dashes}/>'
    )
    words = ""
    if edge.labels and with_words:
        middle = round((x1 + x2) / 2, 1), round((y1 + y2) / 2 - 3, 1)
        label = escape(short(", ".join(edge.labels), LONGEST))
        words = (
            f'<text x="{middle[0]}" y="{middle[1]}" text-anchor="middle" font-size="11" opacity=".75">{label}</text>'
        )
    return f"<g><title>{escape(tie(edge, found))}</title>{line}{words}</g>"


def tie(edge: Edge, found: Neighborhood) -> str:
    """What an edge stands for, in words: `Rosa – quince: planted, named together in 3 memories`."""
    said = list(edge.labels)
    if edge.together:
        said.append(f"named together in {edge.together} {'memory' if edge.together == 1 else 'memories'}")
    ends = (found.nodes[end].entity.name for end in (edge.source, edge.target))
    return f"{' – '.join(ends)}: {', '.join(said)}"
