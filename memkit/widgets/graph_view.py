"""GraphView: browse the knowledge graph from entity to entity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets as W

from memkit.core.formatting import counted, short, told_apart
from memkit.graph.cards import EntityCard
from memkit.graph.drawing import tie
from memkit.graph.neighborhood import Edge, Neighborhood, Node
from memkit.graph.paths import Path
from memkit.widgets.base import ROOM, WIDE, Asking, hint, in_a_row, number, text_input
from memkit.widgets.drawing import drawing
from memkit.widgets.opened import AnyDatabase, opened
from memkit.widgets.picture import picture

NODES = 30  # most nodes of a drawing
DOORS = 12  # most buttons for neighbours
LABEL = 30  # characters on a button
NOW = "now"
NO_NAME = "Type a name."
NO_NAMES = "No names are known yet. They are found in what is ingested."
ON_THE_PATH = 100.0  # the weight of an edge on the path: no other hides it


@dataclass(frozen=True)
class Seen:
    """What a view shows: the card of the entity in the middle, its neighbourhood, and the path to another entity."""

    card: EntityCard
    around: Neighborhood
    path: Path | None = None


class GraphView(Asking):
    """The neighbourhood of an entity: choose a neighbour, go back, see the path to another entity.

    `selected` is the EntityCard of the entity in the middle, `path` the path from it to `goal`. The inputs are `name`,
    `goal`, `depth` and `as_of`, a slider over the days on which a relation began or ended. `walk(name)` does the same
    as the button of a neighbour. Everything can be used with Tab and Enter. The picture is plain SVG; with anywidget
    (the extra `graph`), its names can be clicked or chosen with Enter.
    """

    def __init__(self, db: AnyDatabase, name: str | None = None, *, goal: str = "", depth: int = 1):
        self.db = db = opened(db, self)
        self.visited: list[str] = []
        known = list(db.graph_stats(most=200).most_mentioned)
        start = name if name is not None else next(iter(known), "")
        self.name = W.Combobox(
            value=start,
            options=known,
            description="Name",
            tooltip="Who or what stands in the middle of the picture",
            ensure_option=False,
            continuous_update=False,
            style=WIDE,
        )
        self.goal = text_input("Path to", goal, "another name", "A second name, to see how both are connected")
        self.goal.continuous_update = False
        self.depth = number("Steps", depth, 1, 2, "How many connections away from the middle to go: 1 or 2")
        self.as_of = W.SelectionSlider(
            options=[*db.turning_days(), NOW],
            value=NOW,
            description="As of",
            tooltip="Shows what was true on that day",
            style=WIDE,
            layout={"width": "30em", "max_width": ROOM},
        )
        self.doors = W.HBox(layout={"flex_flow": "row wrap"})
        self.picture = picture(self._chosen)
        rows = (in_a_row(self.name, self.depth), self.goal, self.as_of, self.doors, self.picture)
        super().__init__(rows, (self.name, self.goal, self.depth, self.as_of))

    @property
    def selected(self) -> EntityCard | None:
        """The card of the entity in the middle; None after an error."""
        return self.value.card if self.value else None

    @property
    def path(self) -> Path | None:
        """The path from the entity in the middle to `goal`; None if `goal` is empty."""
        return self.value.path if self.value else None

    @property
    def drawn(self) -> Neighborhood | None:
        """The nodes and edges of the drawing."""
        return self.value.around if self.value else None

    def walk(self, name: str) -> EntityCard | None:
        """The card of another entity, which is now in the middle; None after an error."""
        if (here := self.selected) is not None and here.name != name:
            self.visited.append(here.name)
        self.name.value = name
        return self.selected

    def back(self) -> EntityCard | None:
        """The card of the previous entity, which is in the middle again."""
        if self.visited:
            self.name.value = self.visited.pop()
        return self.selected

    # ------------------------------------------------------------------------------------------ what is shown

    def _answer(self) -> Seen | None:
        if not self.name.value.strip():
            return None
        as_of = None if self.as_of.value == NOW else f"{self.as_of.value}T23:59:59Z"
        goal = self.goal.value.strip()
        card = self.db.about(self.name.value, as_of=as_of)
        around = self.db.neighborhood(card.id, self.depth.value, limit=NODES, as_of=as_of)
        path = self.db.path(card.id, goal, as_of=as_of) if goal else None
        return Seen(card, with_path(around, path, self._node), path)

    def _node(self, name: str) -> Node:
        return self.db.neighborhood(name, 1, limit=1).nodes[0]

    def _shown(self, answer: tuple[Any, str | None]) -> None:
        super()._shown(answer)
        seen = answer[0]
        self.picture.value = drawing(seen.around, _on(seen.path, seen.around)) if seen else ""
        self.doors.children = self._doors(seen.around if seen else None)

    def _chosen(self, id: str) -> None:
        """Walks to an entity in the picture, by its id."""
        for node in self.drawn.nodes if self.drawn else ():
            if node.entity.id == id:
                self.walk(node.entity.name)
                return

    @property
    def still(self) -> str:
        """The picture and the card below it as HTML that needs no kernel."""
        return f"{self.picture.value}{super().still}"

    def _doors(self, around: Neighborhood | None) -> tuple[W.Widget, ...]:
        """A button to go back, and one for each neighbour, those with the strongest edges first."""
        ways = [self._button("← back", lambda _: self.back(), "to the name before")] if self.visited else []
        if around is not None:
            ties = around.ties()
            names = [node.entity.name for node in around.nodes]
            nearest = sorted(ties, key=lambda n: (-ties[n].weight, n))[:DOORS]
            for n, label in zip(nearest, told_apart([names[n] for n in nearest], LABEL), strict=True):
                ways.append(self._button(label, lambda _, name=names[n]: self.walk(name), tie(ties[n], names)))
        return tuple(ways)

    @staticmethod
    def _button(label: str, go: Any, said: str) -> W.Button:
        button = W.Button(description=label, tooltip=short(said, 200), layout={"width": "auto"})
        button.on_click(go)
        return button

    def _html(self, value: Seen | None) -> str:
        if value is None:
            return hint(NO_NAME if self.name.options else NO_NAMES)
        way = "" if value.path is None else value.path._repr_html_()
        more = hint(f"{value.around.more:,} more are not drawn.") if value.around.more else ""
        return more + way + value.card._repr_html_()

    def _summary(self, value: Seen | None) -> str:
        if value is None:
            return NO_NAME
        names = [node.entity.name for node in value.around.nodes[1:6]]
        relations = counted(len(value.card.relations), "relations")
        return f"{value.card.name!r}: {relations}, next to {', '.join(names) or 'nothing'}"


def with_path(around: Neighborhood, path: Path | None, node_of: Callable[[str], Node]) -> Neighborhood:
    """The neighbourhood with all that is on the path, to its end; `node_of` has the node of a name outside it."""
    nodes = list(around.nodes)
    places = {node.entity.name: n for n, node in enumerate(nodes)}
    edges = {(edge.source, edge.target): edge for edge in around.edges}
    for depth, step in enumerate(path or (), 1):
        for name in (step.source, step.target):
            if name not in places:
                places[name] = len(nodes)
                nodes.append(replace(node_of(name), depth=depth))
        ends = min(places[step.source], places[step.target]), max(places[step.source], places[step.target])
        edges[ends] = replace(edges.get(ends, Edge(*ends, (step.label,))), weight=ON_THE_PATH)
    return replace(around, nodes=tuple(nodes), edges=tuple(edges.values()))


def _on(path: Path | None, around: Neighborhood) -> set[str]:
    """The ids of the drawn entities that are on the path."""
    names = {name for step in path or () for name in (step.source, step.target)}
    return {node.entity.id for node in around.nodes if node.entity.name in names}
