"""Which of many hits may answer a question, however many better ones there are."""

from __future__ import annotations

from memkit.retrieval.confidence import without_place
from memkit.retrieval.results import Hit, Recall

LEAST = 0.02  # the chance below which a hit is none, of strategies with no `pack.least_confidence`


def answering(recall: Recall, first: int) -> tuple[Hit, ...]:
    """The `first` hits, and those behind that are good enough to stand among them, best first; none if it is weak.

    Good enough is a chance of at least `pack.least_confidence` of the strategy, the place of a hit aside. Recall a few
    hundred, and of a question with many answers these are all.
    """
    if recall.weak:
        return ()
    least = recall.strategy.pack.least_confidence or LEAST
    return tuple(
        hit
        for place, hit in enumerate(recall)
        if place < first or without_place(hit.measures, recall.strategy) >= least
    )
