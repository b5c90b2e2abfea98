"""Registry: the function behind each name in a strategy, memkit's own and those of the published designs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memkit.core.errors import BadQuestion, NotFound, one_of
from memkit.retrieval import boosts, fusion, lists, queries
from memkit.retrieval.boosts import Cutter, Rule
from memkit.retrieval.channels.facts import RelationWalk
from memkit.retrieval.fusion import Fuser
from memkit.retrieval.lists import Lists
from memkit.retrieval.published import DESIGNS, StrategyName
from memkit.retrieval.queries import QueryBuilder
from memkit.retrieval.strategies import MEMKIT, STRATEGIES, Strategy

__all__ = [
    "CUTS",
    "DESIGNS",
    "FUSERS",
    "LISTS",
    "QUERIES",
    "RELATION_WALKS",
    "RULES",
    "STRATEGIES",
    "AnyStrategy",
    "Strategy",
    "StrategyName",
    "strategy",
]

AnyStrategy = StrategyName | str | Mapping[str, Any] | Strategy  # what `strategy()` takes; a str may be JSON

_DESIGNS = DESIGNS.items()
FUSERS: dict[str, Fuser] = {**fusion.FUSERS, **{name: one.fuser for name, one in _DESIGNS if one.fuser}}
QUERIES: dict[str, QueryBuilder] = {**queries.QUERIES, **{name: one.query for name, one in _DESIGNS if one.query}}
LISTS: dict[str, Lists] = {**lists.LISTS, **{name: one.lists for name, one in _DESIGNS if one.lists}}
RELATION_WALKS: dict[str, RelationWalk] = {name: one.walk for name, one in _DESIGNS if one.walk}
CUTS: dict[str, Cutter] = {**boosts.CUTS, **{name: one.cut for name, one in _DESIGNS if one.cut}}
RULES: dict[str, dict[str, Rule]] = {
    goes_by: {**own, **{name: one.rules[goes_by] for name, one in _DESIGNS if goes_by in one.rules}}
    for goes_by, own in boosts.RULES.items()
}


def strategy(given: AnyStrategy | None = None) -> Strategy:
    """The strategy for a name, JSON text, a dict (`{"name": "memkit", "vector": {"weight": 0.5}}`) or a Strategy.

    None gives the default. A dict changes the strategy that it names; one with a new name changes the default.
    Raises NotFound for an unknown name, and BadQuestion for invalid JSON, an unknown field or a value of the wrong
    type. The messages list the known names.
    """
    if given is None:
        return MEMKIT
    if isinstance(given, Strategy):
        return given
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise BadQuestion(f"The strategy is not valid JSON: {error}") from error
    if isinstance(given, Mapping):
        changes = dict(given)
        name = changes.pop("name", MEMKIT.name)
        base = STRATEGIES.get(str(name), MEMKIT)
        return base.replace(**changes, name=name)
    if not isinstance(given, str) or given not in STRATEGIES:
        raise NotFound(one_of("strategy", given, STRATEGIES))
    return STRATEGIES[given]
