"""The names that a strategy's settings may have, and a sentence for every other one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memkit import fuse, rank
from memkit.channels.facts import WAYS
from memkit.errors import BadQuestion, one_of
from memkit.find import LISTS, WALK_SETTINGS
from memkit.queries import QUERIES
from memkit.strategies import Strategy


def check(strategy: Strategy) -> None:
    """Raises BadQuestion for a setting that names nothing; the message lists what there is."""
    for kind, name, known in _names(strategy):
        if name not in known:
            raise BadQuestion(one_of(kind, name, known))


def _names(strategy: Strategy) -> Iterator[tuple[str, str, Iterable[str]]]:
    """What each name is the name of, the name, and those that there are."""
    yield "way to fuse", strategy.fuse.method, fuse.FUSERS
    yield "way to normalise", strategy.fuse.normalise, fuse.NORMALISERS
    yield "cut", strategy.cut.method, rank.CUTS
    for rule, known in rank.RULES.items():
        yield f"rule for {rule}", getattr(strategy.rank, rule), known
    if strategy.fulltext:
        yield "way to make a query", strategy.fulltext.query, QUERIES
        yield "way to part memories into lists", strategy.fulltext.lists, LISTS
    if strategy.graph:
        yield "walk", strategy.graph.walk, {**WALK_SETTINGS, **WAYS}
