"""Layout, the value: how a page is made. Every recall loads it with the designs, so it loads nothing of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memkit.retrieval.context.data import View
    from memkit.retrieval.context.values import Plan
    from memkit.retrieval.results import Recall
    from memkit.retrieval.strategies import Strategy
    from memkit.storage.connection import Connection
    from memkit.storage.filters import Scope


class Layout(NamedTuple):
    """How a page is made: `plan` chooses what could be on it, and `fenced` puts memkit's marks around it.

    `k` is the number of memories to recall. With `follows`, a message that says too little by itself is read together
    with an earlier one. With `gated`, nothing is recalled for small talk. `answer` names the layout for the answer to a
    question, if it differs. If each section has pages of its own, `ahead(strategy, offset)` gives the strategy and the
    number of memories for the page at `offset`.
    """

    plan: Callable[[Connection, Recall, View, Scope], Plan]
    k: int = 20
    fenced: bool = False
    follows: bool = False
    gated: bool = False
    answer: str = ""
    ahead: Callable[[Strategy, int], tuple[Strategy, int]] | None = None
