"""RecallBox: a search box that answers a question while it is typed."""

from __future__ import annotations

from typing import Any

from memkit.core.formatting import short
from memkit.retrieval.registry import AnyStrategy
from memkit.retrieval.results import Recall
from memkit.widgets.base import Asking, in_a_row, text_input
from memkit.widgets.feedback import Judging
from memkit.widgets.hit_cards import cards
from memkit.widgets.inputs import Where, count_choice, strategy_choice
from memkit.widgets.opened import AnyDatabase, opened


class RecallBox(Asking):
    """A search box: type a question and see the hits, with marked words, reasons and paths.

    `found` is the Recall that is shown. The inputs are `question`, `strategy`, `k` and `where` (project, kinds, dates);
    their `value` can also be set from code. An error is shown as a sentence and kept in `error`. In `judging`, below
    the hits, the user can say whether a hit was useful.
    """

    def __init__(
        self,
        db: AnyDatabase,
        question: str = "",
        *,
        strategy: AnyStrategy | None = None,
        project: str | None = None,
        k: int = 10,
    ):
        self.db = db = opened(db, self)
        self.judging = Judging(db)
        self.question = text_input("Question", question, "who planted the quince?")
        self.strategy = strategy_choice(chosen=strategy)
        self.k = count_choice(value=k)
        self.where = Where(db, project)
        rows = (self.question, in_a_row(self.strategy, self.k), self.where.box)
        super().__init__(rows, (self.question, self.strategy, self.k, *self.where.watched), below=[self.judging])

    @property
    def found(self) -> Recall | None:
        """The Recall for the question; None after an error."""
        found: Recall | None = self.value
        return found

    def _answer(self) -> Recall:
        return self.db.recall(self.question.value, self.k.value, strategy=self.strategy.value, **self.where.options())

    def _shown(self, answer: tuple[Any, str | None]) -> None:
        super()._shown(answer)
        self.judging.show(answer[0])

    def _html(self, value: Recall) -> str:
        return cards(value)

    def _summary(self, value: Recall) -> str:
        return f"{short(value.question, 80)!r}: {len(value)} found"
