"""HitTable: the hits of a recall as a table that can be sorted, filtered and selected from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as W
import traitlets

from memkit.retrieval.results import Recall
from memkit.widgets.base import hint, text_input
from memkit.widgets.hit_rows import COLUMNS, TableState, rows, table_html
from memkit.widgets.scripted import scripted

FILTER = "Leaves only the rows that have all of these words"
WITHOUT = "To sort, select and open with the mouse or the keyboard, install datasette-memkit[graph]."


class HitTable(W.VBox):
    """A table of hits. `selected` are the ids of those that the user chose, `opened` is the one that is shown in full.

    `sort` (a name of COLUMNS) and `descending` are the order, `filter.value` are words that a row must have. All can be
    set from code and observed; ids that are no hits are left out. Without anywidget (the extra `graph`) the table
    cannot be clicked.
    """

    selected = traitlets.List(traitlets.Unicode())
    opened = traitlets.Unicode()
    sort = traitlets.Enum(list(COLUMNS), "rank")
    descending = traitlets.Bool(False)

    def __init__(self, changed: Callable[[], None] = lambda: None):
        self._found = Recall("")
        self.filter = text_input("Filter", "", "words of the memory, its title, its date, ...", FILTER)
        kind = scripted("hit_table")
        self.body = kind() if kind else W.HTML()
        super().__init__([self.filter, self.body, *([] if kind else [W.HTML(hint(WITHOUT))])])
        if kind:
            self.body.on_msg(lambda _widget, content, _buffers: self.click(str(content.get("key", ""))))
        self.filter.observe(self._draw, names="value")
        self.observe(self._draw, names=["selected", "opened", "sort", "descending"])
        self._changed = changed

    def show(self, found: Recall) -> None:
        """Shows the hits of a recall; those that were selected before and are hits again stay selected."""
        self._found = found
        self.selected = list(self.selected)
        if self.opened not in found.ids:
            self.opened = ""
        self._draw()

    def click(self, key: str) -> None:
        """What a click on a place does, by the place's `data-key`: `sort:score`, `open:ID`, `choose:ID` or `all:`."""
        deed, _, of = key.partition(":")
        if deed == "sort" and of in COLUMNS:
            with self.hold_trait_notifications():
                self.descending = not self.descending if self.sort == of else COLUMNS[of].descending
                self.sort = of
        elif deed == "open" and of in self._found.ids:
            self.opened = "" if self.opened == of else of
        elif deed == "choose":
            self.selected = self._without(of) if of in self.selected else [*self.selected, of]
        elif deed == "all":
            shown = [hit.memory.id for _, hit in self._rows()]
            rest = self._without(*shown)
            self.selected = rest if len(self.selected) - len(rest) == len(shown) else [*rest, *shown]

    @property
    def still(self) -> str:
        """The table as it is shown now, as HTML that needs no kernel."""
        return self._html(live=False)

    @traitlets.validate("selected")
    def _hits_alone(self, proposal: Any) -> list[str]:
        return [id for id in self._found.ids if id in proposal["value"]]

    def _without(self, *ids: str) -> list[str]:
        return [id for id in self.selected if id not in ids]

    def _rows(self) -> list[Any]:
        return rows(self._found, self.filter.value, self.sort, self.descending)

    def _html(self, live: bool) -> str:
        state = TableState(frozenset(self.selected), self.opened, self.sort, self.descending, live)
        return table_html(self._found, self._rows(), state)

    def _draw(self, _change: Any = None) -> None:
        self.body.value = self._html(live=not isinstance(self.body, W.HTML))
        self._changed()
