"""CompareBox: the results of two strategies for one question, side by side."""

from __future__ import annotations

from html import escape

from memkit.core.formatting import short
from memkit.retrieval.registry import DESIGNS, AnyStrategy
from memkit.retrieval.results import Recall
from memkit.widgets.base import Asking, in_a_row, text_input
from memkit.widgets.hit_cards import cards, ranks
from memkit.widgets.inputs import ASK, Where, count_choice, strategy_choice
from memkit.widgets.opened import AnyDatabase, opened

HALF = "flex:1 1 24em;min-width:0"


class CompareBox(Asking):
    """The hits of two strategies for one question; each hit shows its rank on the other side, or `only here`.

    `found` has the two Recalls, `shared` the ids that both found. The inputs are `question`, `a`, `b` (the strategies),
    `k` and `where`.
    """

    def __init__(
        self,
        db: AnyDatabase,
        a: AnyStrategy | None = None,
        b: AnyStrategy | None = None,
        *,
        question: str = "",
        k: int = 10,
    ):
        self.db = db = opened(db, self)
        self.question = text_input("Question", question, "who planted the quince?", ASK)
        self.a, self.b = strategy_choice("Left", a or _other()), strategy_choice("Right", b)
        self.k = count_choice(value=k)
        self.where = Where(db)
        rows = (self.question, in_a_row(self.a, self.b, self.k), self.where.box)
        super().__init__(rows, (self.question, self.a, self.b, self.k, *self.where.watched))

    @property
    def found(self) -> tuple[Recall, Recall] | None:
        """The Recalls of the left and the right strategy; None after an error."""
        found: tuple[Recall, Recall] | None = self.value
        return found

    @property
    def shared(self) -> list[str]:
        """The ids of the memories that both strategies found, in the order of the left one."""
        left, right = self.value or ((), ())
        return [id for id in ranks(left) if id in ranks(right)]

    def _answer(self) -> tuple[Recall, Recall]:
        question, k, where = self.question.value, self.k.value, self.where.options()
        left = self.db.recall(question, k, strategy=self.a.value, **where)
        return left, self.db.recall(question, k, strategy=self.b.value, **where)

    def _html(self, value: tuple[Recall, Recall]) -> str:
        sides = zip(value, reversed(value), (self.a, self.b), strict=True)
        columns = "".join(_side(found, other, choice.label) for found, other, choice in sides)
        return f'<div style="display:flex;flex-wrap:wrap;gap:1.5em">{columns}</div>'

    def _summary(self, value: tuple[Recall, Recall]) -> str:
        left, right = value
        return (
            f"{short(left.question, 60)!r}: {self.a.label} {len(left)}, {self.b.label} {len(right)}, "
            f"{len(self.shared)} in common"
        )


def _other() -> str | None:
    """The name of the design with which memkit's own strategy is compared by default."""
    return next((name for name, design in DESIGNS.items() if design.compared_first), None)


def _side(found: Recall, other: Recall, name: str) -> str:
    hits = cards(found, places(found, other))
    return f'<section style="{HALF}"><h4 style="margin:.3em 0">{escape(name)}</h4>{hits}</section>'


def places(found: Recall, other: Recall) -> dict[str, str]:
    """A note for each hit by id: its rank on the other side (`3 there`), `only here`, or empty for the same rank."""
    there = ranks(other)
    return {
        id: "only here" if id not in there else "" if there[id] == rank else f"{there[id]} there"
        for id, rank in ranks(found).items()
    }
