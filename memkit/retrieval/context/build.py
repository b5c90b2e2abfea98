"""Context building: recall for a message, rendered as a page in the layout of the strategy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.files import user_templates
from memkit.graph.project_view import view_of_scope
from memkit.retrieval import packing as budgets
from memkit.retrieval.context import own
from memkit.retrieval.context.data import View
from memkit.retrieval.context.layout import Layout
from memkit.retrieval.context.page import Page, template
from memkit.retrieval.context.triggers import DEEP, REMEMBER_WHEN, TOPIC_CHANGE, deeper
from memkit.retrieval.context.values import Context
from memkit.retrieval.recall import recall
from memkit.retrieval.registry import DESIGNS, AnyStrategy
from memkit.retrieval.registry import strategy as named
from memkit.retrieval.results import Recall
from memkit.retrieval.spelling import respelled
from memkit.retrieval.strategies import Strategy
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope
from memkit.text.extract.guard import strip_context
from memkit.text.messages import text_of
from memkit.text.sanitize import one_line
from memkit.text.small_talk import is_small_talk, telling
from memkit.text.words import est_tokens

if TYPE_CHECKING:
    from memkit.embedding import Embedder

Turn = str | Mapping[str, Any]  # a message of the conversation: its text, or {"role": ..., "content": ...}


LAYOUTS: Mapping[str, Layout] = {
    **{name: layout for design in DESIGNS.values() for name, layout in design.layouts.items()},
    "memkit": Layout(own.plan, fenced=True, follows=True),
    "memkit_tool": Layout(own.tool_plan, k=10),
}


def context(
    conn: Connection,
    message: str,
    *,
    scope: Scope,
    history: Sequence[Turn] = (),
    budget: int | None = None,
    window: int | None = None,
    reserve: int = 0,
    strategy: AnyStrategy | None = None,
    embedder: Embedder | None = None,
    channel: str | None = None,
    timezone: str = "UTC",
    tokens: Callable[[str], int] | None = None,
    layout: str | None = None,
    templates: str | Path | None = None,
    fenced: bool | None = None,
    offset: int = 0,
    min_confidence: float | None = None,
    triggers: Collection[str] = (),
) -> Context:
    """What a model should read before this message, in at most `budget` tokens (the strategy's own by default).

    `history` is the conversation so far: a memory that is one of its messages is not shown again. `window` is the size
    of the model's whole window, in tokens: without a `budget`, the budget is what the conversation and `reserve`
    (system prompt, answer) leave of it, less 5 % (K25). `tokens` counts tokens exactly; without it they are estimated.

    `layout` names another page than the strategy's, `templates` a folder with the user's own layouts. `fenced` puts
    memkit's marks around the text, or leaves them out. `offset` gives the next page. `scope.now` is the time of the
    message; `timezone` and `channel` say where it was written. If the confidence of the recall is below
    `min_confidence` (the strategy's own by default), what was found is left out. `triggers` are what the message calls
    for, as `maintenance.triggers` decides; `retrieval.context.triggers` says what each changes.

    Raises BadQuestion for a parameter that makes no sense, NotFound for an unknown strategy or layout, BadSource for a
    template that cannot be used. Any text is a valid message.
    """
    chosen = named(strategy)
    if min_confidence is not None:
        chosen = chosen.replace(pack={"least_confidence": min_confidence})
    name = layout or chosen.pack.layout
    how = _layout(name)
    asked = strip_context(message)
    past = [strip_context(text_of(turn)) for turn in history]
    count = tokens or est_tokens
    if budget is None:
        budget = chosen.pack.budget * (DEEP if REMEMBER_WHEN in triggers else 1)
        if window is not None:
            budget = budgets.retrieval_budget(window, *map(count, past), count(message), reserve)
    said = frozenset(one_line(text).casefold() for text in past)
    view = View(message, scope.now, timezone, channel, budget, offset, said, count, triggers)
    alone = not how.follows or (TOPIC_CHANGE in triggers and telling(asked))
    question = asked if alone else _followed(asked, past)
    if is_small_talk(asked) or (how.gated and not telling(asked)):
        found = Recall(question, strategy=chosen, now=scope.now, warnings=("This message asks for nothing.",))
    else:
        found = _found(conn, question, scope, chosen, how, view, embedder)
    return _filled(conn, found, view, scope, name, templates=templates, fenced=fenced)


def page(conn: Connection, found: Recall, *, scope: Scope, budget: int | None = None) -> Context:
    """A recall as a page for a model: its hits, in the layout of its strategy."""
    pack = named(found.strategy).pack
    view = View(found.question, scope.now, budget=pack.budget if budget is None else budget)
    return _filled(conn, found, view, scope, _layout(pack.layout).answer or pack.layout)


def _layout(name: str) -> Layout:
    return LAYOUTS.get(name, LAYOUTS["memkit"])


def _filled(
    conn: Connection,
    found: Recall,
    view: View,
    scope: Scope,
    layout: str,
    *,
    templates: str | Path | None = None,
    fenced: bool | None = None,
) -> Context:
    how = _layout(layout)
    shown = replace(found, hits=()) if found.weak else found
    plan = how.plan(view_of_scope(conn, scope), shown, view, scope)
    fences = how.fenced if fenced is None else fenced
    filled = Page(template(layout, templates or user_templates()), plan, view, fenced=fences)
    return replace(filled.pack(layout=layout), recall=found, triggers=tuple(view.triggers))


# ---------------------------------------------------------------------------------------------- the recall


def _found(
    conn: Connection,
    question: str,
    scope: Scope,
    strategy: Strategy,
    how: Layout,
    view: View,
    embedder: Embedder | None,
) -> Recall:
    """The recall for a message, read in the words that memories have, from the view's `offset` on."""
    text, said = respelled(conn, question, scope)
    (way, k), offset = _advising(strategy, how), view.offset
    if REMEMBER_WHEN in view.triggers:
        way, k = deeper(way), DEEP * k
    if how.ahead:
        (way, k), offset = how.ahead(way, offset), 0
    found = recall(conn, text, strategy=way, scope=scope, k=k + offset, embedder=embedder)
    return replace(found, hits=found.hits[offset:], question=question, read_as=text, warnings=(*said, *found.warnings))


def _followed(message: str, past: Sequence[str]) -> str:
    """The message; one that says too little by itself ("and when was that?") follows an earlier message (K01)."""
    if len(telling(message)) >= 2 or not past:
        return message
    before = next((text for text in reversed(past) if telling(text)), "")
    return f"{before}\n{message}" if before else message


def _advising(strategy: Strategy, how: Layout) -> tuple[Strategy, int]:
    """The strategy and the number of memories before every message; some designs have their own (C01, E11)."""
    design = DESIGNS.get(strategy.name)
    if design is None or design.advising is None or strategy != design.strategy.replace(pack=strategy.pack):
        return strategy, how.k
    way, k = design.advising
    return way.replace(pack=strategy.pack, recent=None), k
