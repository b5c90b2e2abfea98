"""GraphView: walk the graph from name to name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ipywidgets as W

from memkit.cards import EntityCard, Path
from memkit.clock import utc_now
from memkit.graph import entities
from memkit.graph.neighborhood import Neighborhood, neighborhood
from memkit.render import counted, short
from memkit.widgets.asking import WIDE, Asking, hint, text_input
from memkit.widgets.drawing import drawing, tie
from memkit.widgets.opened import opened
from memkit.widgets.picture import picture

NODES = 30  # of a drawing
DOORS = 12  # neighbours to walk to
NOW = "now"

# When the graph of what holds changes.
SELECT_TURNS = """
select valid_from as at from relations where expired_at is null and valid_from is not null
union
select valid_until from relations where expired_at is null and valid_until is not null
order by at
"""


@dataclass(frozen=True)
class Seen:
    """What a view shows: the card of the entity in the middle, what is drawn around it, and the way to another name."""

    card: EntityCard
    around: Neighborhood
    path: Path | None = None


class GraphView(Asking):
    """The neighbourhood of a name, to walk through: choose a neighbour, go back, see the way to another name.

    `selected` is the EntityCard of the name in the middle, `path` the way from it to the name in `goal`. Inputs are
    `name`, `goal`, `depth` and `as_of`, a slider over the days on which something began or ceased to hold. `walk(name)`
    does what a neighbour's button does. Everything is reached with Tab and Enter. The picture is plain SVG, made here;
    with anywidget (the extra `graph`) its names can be clicked, and chosen with Enter.
    """

    def __init__(self, db: Any, name: str | None = None, *, goal: str = "", depth: int = 1):
        self.db = db = opened(db, self)
        self.visited: list[str] = []
        known = list(db.graph_stats(most=200).most_mentioned)
        start = name if name is not None else next(iter(known), "")
        self.name = W.Combobox(
            value=start, options=known, description="Name", ensure_option=False, continuous_update=False, style=WIDE
        )
        self.goal = text_input("Way to", goal, "another name")
        self.goal.continuous_update = False
        self.depth = W.IntSlider(depth, 1, 2, description="Steps", style=WIDE)
        self.as_of = W.SelectionSlider(
            options=self._days(), value=NOW, description="As of", style=WIDE, layout={"width": "30em"}
        )
        self.doors = W.HBox(layout={"flex_flow": "row wrap"})
        self.picture = picture(self._chosen)
        rows = (W.HBox([self.name, self.depth]), self.goal, self.as_of, self.doors, self.picture)
        super().__init__(rows, (self.name, self.goal, self.depth, self.as_of))

    @property
    def selected(self) -> EntityCard | None:
        """The card of the name in the middle; None where there was an error."""
        return self.value.card if self.value else None

    @property
    def path(self) -> Path | None:
        """The way from the name in the middle to the one in `goal`; None where that is empty."""
        return self.value.path if self.value else None

    @property
    def drawn(self) -> Neighborhood | None:
        """The nodes and edges of the drawing."""
        return self.value.around if self.value else None

    def walk(self, name: str) -> EntityCard | None:
        """Goes to another name; its card."""
        if (here := self.selected) is not None and here.name != name:
            self.visited.append(here.name)
        self.name.value = name
        return self.selected

    def back(self) -> EntityCard | None:
        """Goes back to where one came from."""
        if self.visited:
            self.name.value = self.visited.pop()
        return self.selected

    # ------------------------------------------------------------------------------------------ what is shown

    def _days(self) -> list[str]:
        with self.db._turn() as conn:
            return [*dict.fromkeys(row["at"][:10] for row in conn.execute(SELECT_TURNS)), NOW]

    def _answer(self) -> Seen:
        as_of = None if self.as_of.value == NOW else f"{self.as_of.value}T23:59:59Z"
        goal = self.goal.value.strip()
        card = self.db.about(self.name.value, as_of=as_of)
        with self.db._turn() as conn:
            key = entities.find(conn, card.id).key
            around = neighborhood(conn, key, as_of or utc_now(), depth=self.depth.value, limit=NODES)
        return Seen(card, around, self.db.path(card.id, goal, as_of=as_of) if goal else None)

    def _shown(self, answer: tuple[Any, str | None]) -> None:
        super()._shown(answer)
        seen = answer[0]
        self.picture.value = drawing(seen.around, _on(seen.path, seen.around)) if seen else ""
        self.doors.children = self._doors(seen.around if seen else None)

    def _chosen(self, id: str) -> None:
        """Walks to one of the names in the picture, by its id."""
        for node in self.drawn.nodes if self.drawn else ():
            if node.entity.id == id:
                self.walk(node.entity.name)
                return

    @property
    def still(self) -> str:
        """The picture, and what stands below it."""
        return self.picture.value + super().still

    def _doors(self, around: Neighborhood | None) -> tuple[W.Widget, ...]:
        """A button for the way back, and one for each neighbour, those that most ties lead to first."""
        ways = [self._button("← back", lambda _: self.back(), "where you came from")] if self.visited else []
        if around is not None:
            ties = {max(edge.source, edge.target): edge for edge in around.edges if 0 in (edge.source, edge.target)}
            for n in sorted(ties, key=lambda n: (-ties[n].weight, n))[:DOORS]:
                name = around.nodes[n].entity.name
                ways.append(self._button(name, lambda _, name=name: self.walk(name), tie(ties[n], around)))
        return tuple(ways)

    @staticmethod
    def _button(label: str, go: Any, said: str) -> W.Button:
        button = W.Button(description=short(label, 30), tooltip=short(said, 200), layout={"width": "auto"})
        button.on_click(go)
        return button

    def _html(self, value: Seen) -> str:
        from memkit.render_graph import card_html, path_html

        way = "" if value.path is None else path_html(value.path)
        more = hint(f"{value.around.more:,} more are not drawn.") if value.around.more else ""
        return more + way + card_html(value.card)

    def _summary(self, value: Seen) -> str:
        names = [node.entity.name for node in value.around.nodes[1:6]]
        relations = counted(len(value.card.relations), "relations")
        return f"{value.card.name!r}: {relations}, next to {', '.join(names) or 'nothing'}"


def _on(path: Path | None, around: Neighborhood) -> set[str]:
    """The ids of those drawn that the way leads over."""
    names = {name for step in path or () for name in (step.source, step.target)}
    return {node.entity.id for node in around.nodes if node.entity.name in names}
