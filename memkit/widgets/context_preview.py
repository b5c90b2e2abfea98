"""ContextPreview: what a language model would read before a message, and what does not fit."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as W

from memkit.context import LAYOUTS, Context
from memkit.render import html_table, short
from memkit.widgets.asking import FULL, WIDE, Asking, text_input
from memkit.widgets.choices import HALF, Where, strategy_choice
from memkit.widgets.opened import opened

OWN = "the strategy's"


class ContextPreview(Asking):
    """The text that would go before a message, with what it takes of the budget and what was left out, and why.

    `context` is the Context that is shown; `str(preview.context)` its text. Inputs are `message`, `budget` (tokens),
    `strategy`, `layout` (None is the strategy's own) and `where`.
    """

    def __init__(self, db: Any, message: str = "", *, budget: int = 1000, strategy: Any = None, most: int = 8000):
        self.db = db = opened(db, self)
        self.message = text_input("Message", message, "what should I bring to Rosa?")
        self.budget = W.IntSlider(budget, 0, max(most, budget), 50, description="Tokens", style=WIDE, layout=FULL)
        self.strategy = strategy_choice(chosen=strategy)
        layouts = [(OWN, None), *((name, name) for name in LAYOUTS)]
        self.layouts = W.Dropdown(options=layouts, value=None, description="Layout", style=WIDE, layout=HALF)
        self.where = Where(db)
        inputs = (self.message, self.budget, self.strategy, self.layouts)
        rows = (self.message, self.budget, W.HBox([self.strategy, self.layouts]), self.where.box)
        super().__init__(rows, (*inputs, *self.where.watched))

    @property
    def context(self) -> Context | None:
        """What the model would read; None where there was an error."""
        return self.value

    def _answer(self) -> Context:
        return self.db.context(
            self.message.value,
            budget=self.budget.value,
            strategy=self.strategy.value,
            layout=self.layouts.value,
            **self.where.options(),
        )

    def _html(self, value: Context) -> str:
        used = f"{value.used:,} of {value.budget:,} tokens"
        bar = f'<label>{used} <progress value="{value.used}" max="{max(value.budget, 1)}"></progress></label>'
        style = "white-space:pre-wrap;max-height:24em;overflow:auto"
        text = f'<pre style="{style}" tabindex="0">{escape(value.text)}</pre>'
        return bar + text + _shown(value) + _left_out(value)

    def _summary(self, value: Context) -> str:
        return (
            f"{short(value.message, 60)!r}: {value.used:,} of {value.budget:,} tokens, {len(value.shown)} shown, "
            f"{len(value.left_out)} left out"
        )


def _shown(value: Context) -> str:
    rows = [
        (name, str(len(items)), f"{sum(item.tokens for item in items):,}", f"{sum(item.shortened for item in items)}")
        for name, items in value.sections.items()
    ]
    return html_table("What is in it", ("section", "items", "tokens", "shortened"), rows) if rows else ""


def _left_out(value: Context) -> str:
    rows = [(item.section, item.kind, item.id, item.reason) for item in value.left_out]
    return html_table("What was left out", ("section", "kind", "id", "reason"), rows) if rows else ""
