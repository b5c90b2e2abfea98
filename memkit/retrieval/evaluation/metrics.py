"""Ranking metrics (recall, nDCG, MRR) for a question and on average, with bootstrap intervals of differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2
from statistics import fmean

# ---------------------------------------------------------------------------------------------- one question


def recall_at(k: int, relevant: frozenset[str], ranked: Sequence[str]) -> float:
    """Recall: the share (0 to 1) of the relevant ids that are among the first k."""
    return len(relevant.intersection(ranked[:k])) / len(relevant)


def all_at(k: int, relevant: frozenset[str], ranked: Sequence[str]) -> float:
    """1 if every relevant id is among the first k, else 0: a question of several hops needs them all."""
    return float(relevant.issubset(ranked[:k]))


def ndcg_at(k: int, relevant: frozenset[str], ranked: Sequence[str]) -> float:
    """Normalised discounted cumulative gain of the first k, each relevant id worth 1 (Järvelin, Kekäläinen 2002)."""
    gain = sum(1 / log2(rank + 1) for rank, found in enumerate(ranked[:k], 1) if found in relevant)
    return gain / sum(1 / log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))


def reciprocal_rank(relevant: frozenset[str], ranked: Sequence[str]) -> float:
    """1 / rank (from 1) of the first relevant id, 0 if there is none; the mean of it is MRR (Voorhees 1999)."""
    return next((1 / rank for rank, found in enumerate(ranked, 1) if found in relevant), 0.0)


MEASURES: Mapping[str, Callable[[frozenset[str], Sequence[str]], float]] = {
    "R@1": lambda relevant, ranked: recall_at(1, relevant, ranked),
    "R@2": lambda relevant, ranked: recall_at(2, relevant, ranked),
    "R@5": lambda relevant, ranked: recall_at(5, relevant, ranked),
    "R@10": lambda relevant, ranked: recall_at(10, relevant, ranked),
    "all@5": lambda relevant, ranked: all_at(5, relevant, ranked),
    "nDCG@10": lambda relevant, ranked: ndcg_at(10, relevant, ranked),
    "MRR": reciprocal_rank,
}


def figures(relevant: Iterable[str], ranked: Iterable[str]) -> dict[str, float]:
    """Every measure of `MEASURES` for one question, from the ids that answer it and the ids found, best first.

    An id that was found twice counts at its first place. Raises ValueError if there is no relevant id.
    """
    wanted, places = frozenset(relevant), tuple(dict.fromkeys(ranked))
    if not wanted:
        raise ValueError("A question without a relevant id cannot be scored; count whether it got no hit instead.")
    return {name: measure(wanted, places) for name, measure in MEASURES.items()}


# ---------------------------------------------------------------------------------------------- many questions


def mean_figures(scored: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every measure over questions; 0 if there is no question."""
    scored = list(scored)
    return {name: fmean(one[name] for one in scored) if scored else 0.0 for name in MEASURES}


def bootstrap(values: Iterable[float], n: int = 1000, seed: int = 0, level: float = 0.95) -> tuple[float, float]:
    """The percentile interval of the mean: (low, high), from n resamples with replacement (Efron 1979).

    The same seed gives the same interval. No values give (0, 0). Raises ValueError if n is below 1 or `level` is not
    between 0 and 1.
    """
    values = list(values)
    if n < 1 or not 0 < level < 1:
        raise ValueError(f"A bootstrap needs n of 1 or more and a level between 0 and 1, not n={n} and level={level}.")
    if not values:
        return 0.0, 0.0
    import numpy as np

    sample, draw = np.array(values, float), np.random.default_rng(seed)
    means = sorted(float(sample[draw.integers(0, len(sample), len(sample))].mean()) for _ in range(n))
    tail = (1 - level) / 2
    return means[int(tail * n)], means[min(n - 1, ceil((1 - tail) * n) - 1)]


# ---------------------------------------------------------------------------------------------- two runs


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one run is than another on the same questions.

    `mean` is the mean difference, `low` to `high` its 95 % interval. `better`, `worse` and `equal` count questions.
    """

    mean: float
    low: float
    high: float
    better: int
    worse: int
    equal: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def paired_difference(a: Sequence[float], b: Sequence[float], n: int = 1000) -> Difference:
    """a minus b for each question (both in the same order): the mean and its bootstrap interval.

    Raises ValueError if a and b differ in length.
    """
    if len(a) != len(b):
        raise ValueError(f"Two runs are compared on the same questions, but these have {len(a)} and {len(b)}.")
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    low, high = bootstrap(gaps, n)
    better, worse = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return Difference(fmean(gaps) if gaps else 0.0, low, high, better, worse, len(gaps) - better - worse)
