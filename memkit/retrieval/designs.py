"""Published design, the value: its strategy, and its own functions for search, fusion, boosts, cut and pages.

Each file in `published/` registers one design; `registry` finds its functions by the names that a strategy uses.
The first recall loads all these files. So they import what only a page needs when they make one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from memkit.core.classes import dataclass
from memkit.retrieval.boosts import Cutter, Rule
from memkit.retrieval.channels.facts import RelationWalk
from memkit.retrieval.context.layout import Layout
from memkit.retrieval.fusion import Fuser
from memkit.retrieval.lists import Lists
from memkit.retrieval.queries import QueryBuilder
from memkit.retrieval.query_cache import QueryCache
from memkit.retrieval.strategies import STRATEGIES, Strategy


@dataclass(frozen=True)
class Design:
    """A design: a strategy, and the functions that only this design has.

    A strategy calls each function by the name of the design, and a layout by the layout's own name. `advising` is the
    strategy for recall before every message, with the number of memories, if that differs from answering a question.
    `rules` are boosts by kind (`recency`, `importance` ...). `policy` is the design's upkeep, as differences from
    memkit's (`maintenance/policy.py`). `answers` is its query cache, if it has one. A design that is `compared_first`
    is the one shown beside memkit's own until the user chooses another.
    """

    strategy: Strategy
    advising: tuple[Strategy, int] | None = None
    query: QueryBuilder | None = None
    lists: Lists | None = None
    walk: RelationWalk | None = None
    fuser: Fuser | None = None
    rules: Mapping[str, Rule] = field(default_factory=dict)
    cut: Cutter | None = None
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    answers: QueryCache | None = None
    compared_first: bool = False

    @property
    def name(self) -> str:
        """The name of its strategy and of its functions."""
        return self.strategy.name


DESIGNS: dict[str, Design] = {}


def register(design: Design) -> None:
    """Adds a design to DESIGNS and its strategy to STRATEGIES."""
    DESIGNS[design.name] = design
    STRATEGIES[design.name] = design.strategy
