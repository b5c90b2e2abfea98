"""RecallBox: a question, answered as it is typed."""

from __future__ import annotations

from typing import Any

import ipywidgets as W

from memkit.render import short
from memkit.results import Recall
from memkit.widgets.asking import Asking, text_input
from memkit.widgets.choices import Where, count_choice, strategy_choice
from memkit.widgets.hit_cards import cards
from memkit.widgets.judging import Judging
from memkit.widgets.opened import opened


class RecallBox(Asking):
    """A box to ask a database in: type, and see what is found, with marked words, reasons and paths.

    `found` is the Recall that is shown. Inputs are `question`, `strategy`, `k` and `where` (project, kinds, dates); set
    their `value` from code as you would by hand. Errors are shown as a sentence, and kept in `error`. With `judging`,
    below the hits, one says whether a hit was of use.
    """

    def __init__(self, db: Any, question: str = "", *, strategy: Any = None, project: str | None = None, k: int = 10):
        self.db = db = opened(db, self)
        self.judging = Judging(db)
        self.question = text_input("Question", question, "who planted the quince?")
        self.strategy = strategy_choice(chosen=strategy)
        self.k = count_choice(value=k)
        self.where = Where(db, project)
        rows = (self.question, W.HBox([self.strategy, self.k]), self.where.box)
        super().__init__(rows, (self.question, self.strategy, self.k, *self.where.watched), below=[self.judging])

    @property
    def found(self) -> Recall | None:
        """What is found for the question; None where there was an error."""
        return self.value

    def _answer(self) -> Recall:
        return self.db.recall(self.question.value, self.k.value, strategy=self.strategy.value, **self.where.options())

    def _shown(self, answer: tuple[Any, str | None]) -> None:
        super()._shown(answer)
        self.judging.show(answer[0])

    def _html(self, value: Recall) -> str:
        return cards(value)

    def _summary(self, value: Recall) -> str:
        return f"{short(value.question, 80)!r}: {len(value)} found"
