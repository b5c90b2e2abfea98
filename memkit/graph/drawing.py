"""Drawing a small graph: its strongest edges, and the position of each name. Pages and widgets make SVG from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from memkit.core.formatting import counted, told_apart
from memkit.graph.neighborhood import Edge, Neighborhood, Node

FONT = 13  # the height of a line
MOST_TIES = 3  # edges of a name; more would hide each other


@dataclass(frozen=True)
class Paper:
    """The drawing area. `sizes` are (nodes, width, height) in pixels: the first with enough nodes is used.

    `letter` is the mean width of a letter in pixels, `longest` the number of letters of a name that are shown.
    """

    sizes: Sequence[tuple[int, int, int]]
    letter: float
    longest: int


@dataclass(frozen=True, slots=True)
class Dot:
    """A node with its position in pixels; nodes of the same `group` belong together."""

    node: Node
    name: str
    x: int
    y: int
    radius: float
    group: int


@dataclass(frozen=True)
class Drawing:
    """A graph with positions: its dots, in the order of its nodes, and its edges."""

    width: int
    height: int
    dots: tuple[Dot, ...]
    edges: tuple[Edge, ...]

    def ends(self, edge: Edge) -> tuple[int, int, int, int]:
        """The two ends of an edge: x1, y1, x2, y2."""
        one, other = self.dots[edge.source], self.dots[edge.target]
        return one.x, one.y, other.x, other.y


def drawn(found: Neighborhood, paper: Paper, tying: Callable[[Edge], bool] = lambda edge: True) -> Drawing:
    """A drawing of a graph. Groups are communities over the edges for which `tying` is true."""
    from memkit.graph.layout import communities, positions, separated

    nodes, edges = found.nodes, found.edges
    width, height = next((size for most, *size in paper.sizes if len(nodes) <= most), paper.sizes[-1][1:])
    if not nodes:
        return Drawing(width, height, (), ())
    names = told_apart([node.entity.name for node in nodes], paper.longest)
    boxes = [((max(len(name) * paper.letter, 30) + 10) / width, (FONT + 26) / height) for name in names]
    places = separated(positions(len(nodes), *_ends(edges)), boxes)
    among = [edge for edge in edges if tying(edge)]
    groups = communities(len(nodes), *_ends(among), [edge.weight for edge in among]).tolist()
    dots = (
        Dot(node, name, round(x * (width - 40) + 20), round(y * (height - 50) + 20), radius(node), group)
        for node, name, (x, y), group in zip(nodes, names, places, groups, strict=True)
    )
    return Drawing(width, height, tuple(dots), edges)


def _ends(edges: Iterable[Edge]) -> tuple[list[int], list[int]]:
    return [edge.source for edge in edges], [edge.target for edge in edges]


def radius(node: Node) -> float:
    """The radius of a node in pixels, from the number of memories that name it."""
    return 4 + min(sqrt(node.memories), 9)


def strongest(found: Neighborhood, middle: int | None, crowded: Callable[[Iterable[int]], int]) -> Neighborhood:
    """The graph with fewer edges, so that they can be told apart: all of the node `middle`, else the strongest ones.

    An edge is left out if its ends have MOST_TIES already: both ends with `min` for `crowded`, one end with `max`.
    """
    counts = [0] * len(found.nodes)
    kept = []
    for edge in sorted(found.edges, key=lambda edge: (-edge.weight, edge.source, edge.target)):
        ends = edge.source, edge.target
        if middle in ends or crowded(counts[end] for end in ends) < MOST_TIES:
            kept.append(edge)
            for end in ends:
                counts[end] += 1
    return replace(found, edges=tuple(kept))


def tie(edge: Edge, names: Sequence[str]) -> str:
    """The text of an edge: `Rosa – quince: planted, named together in 3 memories`."""
    said = list(edge.labels)
    if edge.together:
        said.append(f"named together in {counted(edge.together, 'memories')}")
    return f"{names[edge.source]} – {names[edge.target]}: {', '.join(said)}"
