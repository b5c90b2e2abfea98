"""SVG of a graph in a notebook: static, without a stylesheet, readable in light and dark themes."""

from __future__ import annotations

from collections.abc import Collection
from html import escape
from math import sqrt

from memkit.core.formatting import counted, short
from memkit.graph.drawing import FONT, Dot, Drawing, Paper, drawn, strongest, tie
from memkit.graph.neighborhood import Edge, Neighborhood

PAPER = Paper(((8, 460, 300), (16, 620, 400), (30, 760, 520), (150, 1000, 760)), letter=7.1, longest=24)
LABELLED = 18  # edges are labelled if there are at most so many
# Medium tones, which are visible on white and on black.
COLOURS = ("#2f81c7", "#c4611d", "#2f9157", "#a35cc4", "#b58a12", "#c2477b", "#1f9a9a", "#7d7d7d")


def drawing(found: Neighborhood, path: Collection[str] = ()) -> str:
    """The neighbourhood as an SVG with the first node in the middle; entities (ids) on the `path` have a ring.

    For screen readers, the picture and each node and edge have a title.
    """
    # Groups are found without the edges of the node in the middle, which is connected to all.
    made = drawn(strongest(found, 0, max), PAPER, lambda edge: 0 not in (edge.source, edge.target))
    names = [dot.node.entity.name for dot in made.dots]
    edges = "".join(_edge(edge, names, made) for edge in made.edges)
    dots = "".join(_dot(dot, n == 0, n == 0 or dot.node.entity.id in path) for n, dot in enumerate(made.dots))
    around = short(", ".join(names[1:]), 300) or "nothing"
    title = f"{names[0]}, and around it: {around}" if names else "nothing"
    return (
        f'<svg viewBox="0 0 {made.width} {made.height}" role="img" '
        f'style="width:100%;max-width:{made.width}px;height:auto" '
        f'font-family="system-ui,sans-serif" font-size="{FONT}" fill="currentColor">'
        f"<title>{escape(title)}</title>{edges}{dots}</svg>"
    )


def _dot(dot: Dot, middle: bool, ringed: bool) -> str:
    entity, radius = dot.node.entity, round(dot.radius, 1)
    at = f'cx="{dot.x}" cy="{dot.y}"'
    ring = f'<circle {at} r="{radius + 3}" fill="none" stroke="currentColor" stroke-width="1.5"/>' if ringed else ""
    says = f"{entity.name}, {entity.kind}, named in {counted(dot.node.memories, 'memories')}"
    weight = ' font-weight="700"' if middle else ""
    return (
        f'<g data-entity="{escape(entity.id)}"><title>{escape(says)}</title>'
        f'{ring}<circle {at} r="{radius}" fill="{COLOURS[dot.group % len(COLOURS)]}"/>'
        f'<text x="{dot.x}" y="{round(dot.y + radius + FONT + 1, 1)}" text-anchor="middle"{weight}>'
        f"{escape(dot.name)}</text></g>"
    )


def _edge(edge: Edge, names: list[str], made: Drawing) -> str:
    x1, y1, x2, y2 = made.ends(edge)
    dashes = "" if edge.labels else ' stroke-dasharray="3 4"'
    width = round(min(1 + sqrt(edge.weight) / 3, 4), 1)
    line = (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="currentColor" stroke-opacity=".35" '
        f'stroke-width="{width}"{dashes}/>'
    )
    words = ""
    if edge.labels and len(made.edges) <= LABELLED:
        label = escape(short(", ".join(edge.labels), PAPER.longest))
        words = (
            f'<text x="{(x1 + x2) / 2}" y="{(y1 + y2) / 2 - 3}" text-anchor="middle" font-size="11" opacity=".75">'
            f"{label}</text>"
        )
    return f"<g><title>{escape(tie(edge, names))}</title>{line}{words}</g>"
