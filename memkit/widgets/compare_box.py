"""CompareBox: one question, two strategies, side by side."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as W

from memkit.render import short
from memkit.results import Recall
from memkit.widgets.asking import Asking, text_input
from memkit.widgets.choices import Where, count_choice, strategy_choice
from memkit.widgets.hit_cards import cards, ranks
from memkit.widgets.opened import opened

HALF = "flex:1 1 24em;min-width:0"


class CompareBox(Asking):
    """What two strategies find for one question: beside each hit its place on the other side, or that it is only here.

    `found` are the two recalls, `shared` the ids that both found. Inputs are `question`, `a`, `b`, `k` and `where`.
    """

    def __init__(self, db: Any, a: Any = "kira", b: Any = "memkit", *, question: str = "", k: int = 10):
        self.db = db = opened(db, self)
        self.question = text_input("Question", question, "who planted the quince?")
        self.a, self.b = strategy_choice("Left", a), strategy_choice("Right", b)
        self.k = count_choice(value=k)
        self.where = Where(db)
        rows = (self.question, W.HBox([self.a, self.b, self.k]), self.where.box)
        super().__init__(rows, (self.question, self.a, self.b, self.k, *self.where.watched))

    @property
    def found(self) -> tuple[Recall, Recall] | None:
        """The recalls of the left and the right strategy; None where there was an error."""
        return self.value

    @property
    def shared(self) -> list[str]:
        """The ids of the memories that both found, in the order of the left one."""
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
            f"{len(self.shared)} of them the same"
        )


def _side(found: Recall, other: Recall, name: str) -> str:
    hits = cards(found, places(found, other))
    return f'<section style="{HALF}"><h4 style="margin:.3em 0">{escape(name)}</h4>{hits}</section>'


def places(found: Recall, other: Recall) -> dict[str, str]:
    """Where each hit stands on the other side, by id: `3 there`, `only here`; the same place is not told."""
    there = ranks(other)
    return {
        id: "only here" if id not in there else "" if there[id] == rank else f"{there[id]} there"
        for id, rank in ranks(found).items()
    }
