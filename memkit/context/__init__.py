"""What a language model should read before a message: recall, and then a page in the layout of the strategy.

values   what could be shown, what is, what was left out: Item, Plan, Context
data     memories as data for templates
page     templates, measuring, packing
construct, kira, slots, membox, engram, own   what each layout shows, and what comes first
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import budget as budgets
from memkit import store, strategies
from memkit.context import construct, engram, kira, membox, own, slots
from memkit.context.data import View, one_line
from memkit.context.page import Page, template
from memkit.context.values import Context, Item, LeftOut, Plan, Shown
from memkit.errors import BadQuestion
from memkit.extract.guard import strip_context
from memkit.recall import recall
from memkit.results import Recall
from memkit.scope import Scope
from memkit.strategies import Strategy
from memkit.text import STOP_WORDS, est_tokens, words

if TYPE_CHECKING:
    from memkit.embed import Embedder

__all__ = ["LAYOUTS", "Context", "Item", "LeftOut", "Plan", "Shown", "context", "page"]

Turn = str | Mapping[str, Any]  # a message of the conversation: its text, or {"role": ..., "content": ...}


@dataclass(frozen=True)
class Layout:
    """How a page comes about: what is on it, and whether memkit's marks stand around it.

    `k` is how many memories are asked for; with `follows`, a message that says nothing by itself is read with the one
    before it; with `gated`, small talk is not looked up; `answer` is the layout of an outright recall, if it differs.
    """

    plan: Callable[[Any, Recall, View, Scope], Plan]
    k: int = 20
    fenced: bool = False
    follows: bool = False
    gated: bool = False
    answer: str = ""


LAYOUTS: Mapping[str, Layout] = {
    "construct": Layout(construct.plan, k=5, answer="construct_tool"),
    "construct_tool": Layout(construct.tool_plan, k=10),
    "kira": Layout(kira.plan, k=kira.CANDIDATES, follows=True),
    "slots": Layout(slots.plan),
    "membox": Layout(membox.plan),
    "membox_grouped": Layout(membox.plan),
    "engram": Layout(engram.plan, k=5, gated=True),
    "memkit": Layout(own.plan, fenced=True, follows=True),
}
TEMPLATES = "templates"  # the setting of a database that names a folder of layouts

SMALL_TALK = frozenset(
    "ok okay yes yeah no nope sure thanks thank thx hi hello hey bye please great cool nice fine good morning evening"
    " night lol haha 好 好的 谢谢 你好 はい ありがとう".split()
)


def context(
    conn: Any,
    message: str,
    *,
    scope: Scope,
    history: Sequence[Turn] = (),
    budget: int | None = None,
    window: int | None = None,
    reserve: int = 0,
    strategy: Any = None,
    embedder: Embedder | None = None,
    channel: str | None = None,
    timezone: str = "UTC",
    tokens: Callable[[str], int] | None = None,
    layout: str | None = None,
    templates: str | Path | None = None,
    fenced: bool | None = None,
    offset: int = 0,
) -> Context:
    """What a model should read before this message, in at most `budget` tokens (the strategy's own by default).

    `history` is the conversation so far: what it says already is not shown again. `window` is the model's whole window:
    the budget is then what the conversation and `reserve` (system prompt, answer) leave of it, less 5 % (K25). `tokens`
    counts exactly, where the estimate of `est_tokens` is not enough. `layout` names another page than the strategy's,
    `templates` a folder of the user's own; `fenced` puts memkit's marks around the text or takes them away. `offset`
    gives the next page. `scope.now` is the message's own time, `timezone` and `channel` are where it was written.

    Raises BadQuestion for a parameter that makes no sense, NotFound for an unknown strategy or layout; never anything
    because of a text.
    """
    chosen = strategies.strategy(strategy)
    name = layout or chosen.pack.layout
    how = LAYOUTS.get(name, LAYOUTS["memkit"])
    asked = strip_context(message)
    past = [strip_context(_text_of(turn)) for turn in history]
    count = tokens or est_tokens
    if budget is None:
        budget = chosen.pack.budget
        if window is not None:
            budget = budgets.retrieval_budget(window, *map(count, past), count(message), reserve)
    view = _view(message, scope, budget, offset, channel, timezone, count, past)
    question = _followed(asked, past) if how.follows else asked
    if how.gated and _is_small_talk(asked):
        found = Recall(question, strategy=chosen, now=scope.now, warnings=("This message asks for nothing.",))
    else:
        found = _found(conn, question, scope, chosen, how, offset, embedder)
    return _filled(conn, found, view, scope, name, how, templates, fenced)


def page(
    conn: Any,
    found: Recall,
    *,
    scope: Scope,
    budget: int | None = None,
    channel: str | None = None,
    timezone: str = "UTC",
    tokens: Callable[[str], int] | None = None,
    layout: str | None = None,
    templates: str | Path | None = None,
    fenced: bool | None = None,
) -> Context:
    """A recall as a page for a model: its own hits, in the layout of its strategy. Parameters as in `context`."""
    pack = strategies.strategy(found.strategy).pack
    name = layout or LAYOUTS.get(pack.layout, LAYOUTS["memkit"]).answer or pack.layout
    how = LAYOUTS.get(name, LAYOUTS["memkit"])
    most = pack.budget if budget is None else budget
    view = _view(found.question, scope, most, 0, channel, timezone, tokens or est_tokens, [])
    return _filled(conn, found, view, scope, name, how, templates, fenced)


def _filled(
    conn: Any,
    found: Recall,
    view: View,
    scope: Scope,
    name: str,
    how: Layout,
    templates: str | Path | None,
    fenced: bool | None,
) -> Context:
    folder = templates or store.setting(conn, TEMPLATES)
    plan = how.plan(conn, found, view, scope)
    page = Page(template(name, folder), plan, view, fenced=how.fenced if fenced is None else fenced)
    return replace(page.pack(layout=name), recall=found)


def _view(
    message: str,
    scope: Scope,
    budget: int,
    offset: int,
    channel: str | None,
    timezone: str,
    tokens: Callable[[str], int],
    past: Sequence[str],
) -> View:
    for name, value in (("budget", budget), ("offset", offset)):
        if value < 0:
            raise BadQuestion(f"{name} is 0 or more, not {value}.")
    said = frozenset(one_line(text).casefold() for text in past)
    return View(message, scope.now, timezone, channel, budget, offset, said, tokens)


def _text_of(turn: Turn) -> str:
    """The text of a message; of one in parts, of all its texts."""
    if isinstance(turn, str):
        return turn
    content = turn.get("content", turn.get("text", ""))
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return str(content or "")


# ---------------------------------------------------------------------------------------------- what is looked for


def _found(
    conn: Any, question: str, scope: Scope, strategy: Strategy, how: Layout, offset: int, embedder: Embedder | None
) -> Recall:
    """What is found for a message, from `offset` on; the slots have pages of their own."""
    way, k = _advising(strategy, how)
    if how.plan is not slots.plan:
        found = recall(conn, question, strategy=way, scope=scope, k=k + offset, embedder=embedder)
        return replace(found, hits=found.hits[offset:])
    places = offset + slots.PAGE + slots.AHEAD
    if way.fulltext is not None:
        way = way.replace(fulltext={"limit": max(places, way.fulltext.limit)})
    return recall(conn, question, strategy=way, scope=scope, k=len(slots.PRIORITIES) * places, embedder=embedder)


def _followed(message: str, past: Sequence[str]) -> str:
    """The message, after the one before it if it says too little by itself: "and when was that?" (K01)."""
    if len(_telling(message)) >= 2 or not past:
        return message
    before = next((text for text in reversed(past) if _telling(text)), "")
    return f"{before}\n{message}" if before else message


def _telling(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS and word not in SMALL_TALK]


def _is_small_talk(message: str) -> bool:
    return not _telling(message)


def _advising(strategy: Strategy, how: Layout) -> tuple[Strategy, int]:
    """How a strategy looks before every message, if that is not how it answers a question (C01, E11)."""
    published = strategies.STRATEGIES.get(strategy.name)
    given = strategies.ADVISING.get(strategy.name)
    if given is None or published is None or strategy != published.replace(pack=strategy.pack):
        return strategy, how.k
    return given[0].replace(pack=strategy.pack, recent=None), given[1]
