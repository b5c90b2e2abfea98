"""Strategy validation: the names that a setting may have, and an error message for any other name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memkit.core.errors import BadQuestion, one_of
from memkit.retrieval.fusion import NORMALISERS
from memkit.retrieval.registry import CUTS, FUSERS, LISTS, QUERIES, RELATION_WALKS, RULES
from memkit.retrieval.strategies import PAGERANK, Strategy


def check(strategy: Strategy) -> None:
    """Raises BadQuestion for a setting with an unknown name; the message lists the known ones."""
    for kind, name, known in _names(strategy):
        if name not in known:
            raise BadQuestion(one_of(kind, name, known))


def _names(strategy: Strategy) -> Iterator[tuple[str, str, Iterable[str]]]:
    """(the kind of name, the name, the known names of this kind) for each setting that holds a name."""
    yield "way to fuse", strategy.fuse.method, FUSERS
    yield "way to normalise", strategy.fuse.normalise, NORMALISERS
    yield "cut", strategy.cut.method, CUTS
    for rule, known in RULES.items():
        yield f"rule for {rule}", getattr(strategy.rank, rule), known
    if strategy.fulltext:
        yield "way to make a query", strategy.fulltext.query, QUERIES
        yield "way to split memories into lists", strategy.fulltext.lists, LISTS
    if strategy.graph:
        yield "walk", strategy.graph.walk, (PAGERANK, *RELATION_WALKS)
