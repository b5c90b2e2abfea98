"""RecallBox: a search box that answers a question while it is typed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ipywidgets as W

from memkit.core.formatting import short
from memkit.retrieval.registry import AnyStrategy
from memkit.retrieval.results import Recall
from memkit.widgets.base import WIDE, Asking, in_a_row, text_input
from memkit.widgets.feedback import Judging
from memkit.widgets.hit_cards import cards, states
from memkit.widgets.hit_table import HitTable
from memkit.widgets.inputs import ASK, HALF, Where, count_choice, strategy_choice
from memkit.widgets.opened import AnyDatabase, opened

CARDS, TABLE = "cards", "table"


class RecallBox(Asking):
    """A search box: type a question and see the hits, with marked words, reasons and paths.

    `found` is the Recall that is shown. The inputs are `question`, `strategy`, `k` and `where` (project, kinds, dates);
    their `value` can also be set from code. An error is shown as a sentence and kept in `error`. In `judging`, below
    the hits, the user can say whether a hit was useful.

    With `view` "table" the hits are a table (`table`, a HitTable) to sort, to filter, to open in full and to select
    from; `selected` is what was selected, in either view.
    """

    def __init__(
        self,
        db: AnyDatabase,
        question: str = "",
        *,
        strategy: AnyStrategy | None = None,
        project: str | None = None,
        k: int = 10,
        view: str = CARDS,
    ):
        self.db = db = opened(db, self)
        self.table = HitTable(lambda: self.keep())
        self.judging = Judging(db)
        self.question = text_input("Question", question, "who planted the quince?", ASK)
        self.strategy = strategy_choice(chosen=db.strategy(strategy))
        self.k = count_choice(value=k)
        self.where = Where(db, project)
        self.view = W.Dropdown(
            options=[CARDS, TABLE],
            value=view,
            description="Show as",
            tooltip="Cards give the reasons for each hit; a table can be sorted, filtered and selected from",
            style=WIDE,
            layout=HALF,
        )
        rows = (self.question, in_a_row(self.strategy, self.k, self.view), self.where.box)
        watched = (self.question, self.strategy, self.k, self.view, *self.where.watched)
        super().__init__(rows, watched, below=[self.table, self.judging])

    @property
    def found(self) -> Recall | None:
        """The Recall for the question; None after an error."""
        found: Recall | None = self.value
        return found

    @property
    def selected(self) -> Recall:
        """The selected hits as a Recall: `.ids`, `.to_df()`, `.context(budget)`. `table.selected = ids` selects."""
        found = self.found or Recall("")
        chosen = frozenset(self.table.selected)
        return replace(found, hits=tuple(hit for hit in found if hit.memory.id in chosen))

    @property
    def still(self) -> str:
        """What is shown, as HTML that needs no kernel."""
        return super().still + (self.table.still if self._as_table() else "")

    def _as_table(self) -> bool:
        return self.view.value == TABLE and bool(self._value)

    def _answer(self) -> Recall:
        return self.db.recall(self.question.value, self.k.value, strategy=self.strategy.value, **self.where.options())

    def _shown(self, answer: tuple[Any, str | None]) -> None:
        super()._shown(answer)
        self.table.show(answer[0] or Recall(""))
        self.table.layout.display = "" if self._as_table() else "none"
        self.judging.show(answer[0])

    def _html(self, value: Recall) -> str:
        return states(value) if value and self.view.value == TABLE else cards(value)

    def _summary(self, value: Recall) -> str:
        return f"{short(value.question, 80)!r}: {len(value)} found"
