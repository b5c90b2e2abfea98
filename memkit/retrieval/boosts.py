"""Score boosts and cutoffs: recency, importance, access, and where a list of candidates ends. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2
from typing import NamedTuple


class About(NamedTuple):
    """What boosts need to know about a candidate.

    `age` is the days since it happened, `unread` the days since it was last read; None if unknown.
    """

    importance: float = 5.0
    confidence: float = 1.0
    age: float | None = None
    accesses: int = 0
    unread: float | None = None
    stated: bool = False  # a fact, preference or procedure: confidence says how likely it is to be true


Rule = Callable[[About], float]


def none(about: About) -> float:
    """1: no change."""
    return 1.0


def log_decay(about: About) -> float:
    """1 in the first week, then 1 / (1 + log2(age / 7)), age in days (Construct's code of today)."""
    return 1.0 if about.age is None or about.age <= 7 else 1.0 / (1.0 + log2(about.age / 7.0))


def plain_confidence(about: About) -> float:
    """The confidence of any memory (the published three-slot store keeps a confidence but does not use it, S16)."""
    return about.confidence


def half_year(about: About) -> float:
    """1 now, falling towards 0.8, half of the way in half a year: a good old memory stays above a poor new one."""
    return 1.0 if about.age is None else 0.8 + 0.2 * 0.5 ** (max(about.age, 0.0) / 182.5)


RULES: dict[str, dict[str, Rule]] = {
    "recency": {"none": none, "half_year": half_year},
    "importance": {"none": none},
    "confidence": {"none": none, "plain": plain_confidence},
    "access": {"none": none},
}


# ---------------------------------------------------------------------------------------------- cutoffs


class Cutter(NamedTuple):
    """Where a list ends: `least(scores, value)` is the lowest score that stays.

    `weak(scores)` says whether the hits are so far from the question that a warning is due.
    """

    least: Callable[[Sequence[float], float], float]
    weak: Callable[[Sequence[float]], bool] = lambda scores: False


def no_cut(scores: Sequence[float], value: float) -> float:
    """Minus infinity: every candidate stays."""
    return float("-inf")


def threshold_cut(scores: Sequence[float], value: float) -> float:
    """`value`: candidates with a lower score are dropped."""
    return value


def relative_cut(scores: Sequence[float], value: float) -> float:
    """`value` times the best score: candidates with a lower score are dropped."""
    return value * max(scores, default=0.0)


CUTS: dict[str, Cutter] = {
    "none": Cutter(no_cut),
    "similar": Cutter(no_cut),  # recall compares cosines for this one: a fused score does not show them
    "threshold": Cutter(threshold_cut),
    "relative": Cutter(relative_cut),
}
