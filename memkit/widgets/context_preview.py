"""ContextPreview: the context that a language model would read before a message, and what was left out."""

from __future__ import annotations

from html import escape

import ipywidgets as W

from memkit.core.formatting import html_table, notes_html, short
from memkit.retrieval.context.build import LAYOUTS
from memkit.retrieval.context.values import Context
from memkit.retrieval.registry import AnyStrategy
from memkit.text.prose import plain
from memkit.widgets.base import WIDE, Asking, in_a_row, number, text_input
from memkit.widgets.inputs import ANY, HALF, Where, strategy_choice
from memkit.widgets.opened import AnyDatabase, opened

OWN = "the strategy's"
LONGEST = 100  # characters of what was left out
MESSAGE = "The message that a model is about to answer"
TOKENS = "How much the model may read at most; a token is about four letters"
SET_OUT = "How the memories are set out for the model"


class ContextPreview(Asking):
    """The context for a message, with the tokens it uses, and the items that were left out with the reasons.

    `context` is the Context that is shown; `str(preview.context)` is its text. The inputs are `message`, `budget`
    (tokens), `strategy`, `layouts` (empty means the layout of the strategy) and `where`.
    """

    def __init__(
        self,
        db: AnyDatabase,
        message: str = "",
        *,
        budget: int = 1000,
        strategy: AnyStrategy | None = None,
        most: int = 8000,
    ):
        self.db = db = opened(db, self)
        self.message = text_input("Message", message, "what should I bring to Rosa?", MESSAGE)
        self.budget = number("Tokens", budget, 0, max(most, budget), TOKENS, step=50)
        self.strategy = strategy_choice(chosen=db.strategy(strategy))
        layouts = [(OWN, ANY), *((name, name) for name in LAYOUTS)]
        self.layouts = W.Dropdown(
            options=layouts, value=ANY, description="Layout", tooltip=SET_OUT, style=WIDE, layout=HALF
        )
        self.where = Where(db)
        inputs = (self.message, self.budget, self.strategy, self.layouts)
        rows = (self.message, self.budget, in_a_row(self.strategy, self.layouts), self.where.box)
        super().__init__(rows, (*inputs, *self.where.watched))

    @property
    def context(self) -> Context | None:
        """The context that the model would read; None after an error."""
        context: Context | None = self.value
        return context

    def _answer(self) -> Context:
        return self.db.context(
            self.message.value,
            budget=self.budget.value,
            strategy=self.strategy.value,
            layout=self.layouts.value or None,
            **self.where.options(),
        )

    def _html(self, value: Context) -> str:
        used = f"{value.used:,} of {value.budget:,} tokens"
        bar = f'<label>{used} <progress value="{value.used}" max="{max(value.budget, 1)}"></progress></label>'
        style = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;max-height:24em;overflow:auto"
        text = f'<pre style="{style}" tabindex="0">{escape(value.text)}</pre>'
        return bar + notes_html(value.warnings) + text + _shown(value) + _left_out(value)

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
    texts = {hit.memory.id: short(plain(hit.memory.text), LONGEST) for hit in value.recall or ()}
    rows = [(item.section, item.kind, texts.get(item.id, ""), item.id, item.reason) for item in value.left_out]
    return html_table("What was left out", ("section", "kind", "memory", "id", "reason"), rows) if rows else ""
