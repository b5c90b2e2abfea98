"""SVG of a graph in a notebook: static, readable in light and dark themes, in a wide column and in a narrow one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from html import escape
from math import sqrt

from memkit.core.formatting import counted, short
from memkit.graph.drawing import FONT, Dot, Drawing, Paper, drawn, strongest, tie
from memkit.graph.neighborhood import Edge, Neighborhood

# A drawing that is shrunk to less than this share of its width has letters that nobody can read.
LEAST = 0.8
WIDE = Paper(((8, 460, 300), (16, 620, 400), (30, 760, 520), (150, 1000, 760)), letter=7.1, longest=24)
NARROW = Paper(((8, 360, 320), (16, 360, 520), (30, 360, 860), (150, 360, 1200)), letter=7.1, longest=20)
LABELLED = 18  # edges are labelled if there are at most so many
SMALL, BELOW = 11, 3  # the height of the label of an edge, and of what is below its line
ALONG = (0.5, 0.4, 0.6, 0.3, 0.7)  # where on its edge a label may stand
# Medium tones, which are visible on white and on black.
COLOURS = ("#2f81c7", "#c4611d", "#2f9157", "#a35cc4", "#b58a12", "#c2477b", "#1f9a9a", "#7d7d7d")
# A name is told from a line that crosses it by a seam in the colour of the page, whatever shows the notebook.
SEAM = "paint-order:stroke;stroke:var(--jp-layout-color0,var(--vscode-editor-background,Canvas));stroke-width:4px"

Box = tuple[float, float, float, float]  # left, top, right, bottom


def drawing(found: Neighborhood, path: Collection[str] = ()) -> str:
    """The neighbourhood as SVG with the first node in the middle; entities (ids) on the `path` have a ring.

    It is drawn twice, and the width of the column decides which drawing is seen: the wide one where there is no
    stylesheet. For screen readers, the picture and each node and edge have a title.
    """
    clear = strongest(found, 0, max)
    wide, narrow = laid_out(clear, WIDE), laid_out(clear, NARROW)
    name = f"memkit-{wide.width}"
    drawings = _svg(wide, WIDE, path, f'class="{name}"') + _svg(narrow, NARROW, path, 'display="none"', 1.25)
    switch = f".{name} {{ display: none; }} .{name} + svg {{ display: block; }}"
    style = f"<style>@container memkit-graph (max-width: {round(LEAST * wide.width)}px) {{ {switch} }}</style>"
    return f'<div style="container:memkit-graph/inline-size;width:100%">{style}{drawings}</div>'


def laid_out(found: Neighborhood, paper: Paper) -> Drawing:
    # Groups are found without the edges of the node in the middle, which is connected to all.
    return drawn(found, paper, lambda edge: 0 not in (edge.source, edge.target))


def _svg(made: Drawing, paper: Paper, path: Collection[str], attribute: str, grown: float = 1) -> str:
    names = [dot.node.entity.name for dot in made.dots]
    places = labels(made, paper) if len(made.edges) <= LABELLED else {}
    edges = "".join(_edge(edge, names, made, _label(edge, places, paper)) for edge in made.edges)
    dots = "".join(_dot(dot, n == 0, n == 0 or dot.node.entity.id in path) for n, dot in enumerate(made.dots))
    around = short(", ".join(names[1:]), 300) or "nothing"
    title = f"{names[0]}, and around it: {around}" if names else "nothing"
    return (
        f'<svg {attribute} viewBox="0 0 {made.width} {made.height}" role="img" '
        f'style="width:100%;max-width:{round(made.width * grown)}px;height:auto" '
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
        f'<text x="{dot.x}" y="{round(dot.y + radius + FONT + 1, 1)}" text-anchor="middle"{weight} style="{SEAM}">'
        f"{escape(dot.name)}</text></g>"
    )


def _edge(edge: Edge, names: list[str], made: Drawing, label: str) -> str:
    x1, y1, x2, y2 = made.ends(edge)
    dashes = "" if edge.labels else ' stroke-dasharray="3 4"'
    width = round(min(1 + sqrt(edge.weight) / 3, 4), 1)
    line = (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="currentColor" stroke-opacity=".35" '
        f'stroke-width="{width}"{dashes}/>'
    )
    return f"<g><title>{escape(tie(edge, names))}</title>{line}{label}</g>"


def _label(edge: Edge, places: Mapping[Edge, Box], paper: Paper) -> str:
    if (place := places.get(edge)) is None:
        return ""
    left, _, right, bottom = place
    return (
        f'<text x="{(left + right) / 2:.1f}" y="{bottom - BELOW:.1f}" text-anchor="middle" font-size="{SMALL}" '
        f'opacity=".75" style="{SEAM}">{escape(_words(edge, paper))}</text>'
    )


def labels(made: Drawing, paper: Paper) -> dict[Edge, Box]:
    """Where labels of edges hide no name, no dot and no other label. An edge without such a place has none."""
    taken = [box for dot in made.dots for box in boxes(dot, paper)]
    placed = {}
    for edge in (one for one in made.edges if one.labels):
        free = (box for box in _along(edge, made, paper) if not any(overlap(box, other) for other in taken))
        if (place := next(free, None)) is not None:
            taken.append(place)
            placed[edge] = place
    return placed


def _along(edge: Edge, made: Drawing, paper: Paper) -> Iterator[Box]:
    """The boxes that a label may have on its edge, the best first."""
    x1, y1, x2, y2 = made.ends(edge)
    half = len(_words(edge, paper)) * paper.letter * SMALL / FONT / 2
    for share in ALONG:
        x, y = x1 + (x2 - x1) * share, y1 + (y2 - y1) * share
        yield x - half, y - SMALL - BELOW, x + half, y


def _words(edge: Edge, paper: Paper) -> str:
    return short(", ".join(edge.labels), paper.longest)


def boxes(dot: Dot, paper: Paper) -> tuple[Box, Box]:
    """What a node covers: its dot and its name."""
    half, below = len(dot.name) * paper.letter / 2 + 4, dot.y + dot.radius
    around = (dot.x - dot.radius, dot.y - dot.radius, dot.x + dot.radius, below)
    return around, (dot.x - half, below, dot.x + half, below + FONT + 4)


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes have a point in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
