"""What changes a fused score, and where a list of candidates ends. Pure: ages are given in days, scores as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log2


@dataclass(frozen=True, slots=True)
class About:
    """What ranking needs to know of a candidate. `age` and `unread` are days, None where unknown."""

    importance: float = 5.0
    confidence: float = 1.0
    age: float | None = None
    accesses: int = 0
    unread: float | None = None
    stated: bool = False  # a fact, a relation: something that a confidence is a confidence in


Rule = Callable[[About], float]


def none(about: About) -> float:
    """No change."""
    return 1.0


def kira_recency(about: About) -> float:
    """2 now, falling to 1 within a week: 1 + max(0, 1 - hours / 168) (Kira, K21)."""
    return 1.0 if about.age is None else 1.0 + max(0.0, 1.0 - max(about.age, 0.0) / 7.0)


def construct_decay(about: About) -> float:
    """1 in the first week, then 1 / (1 + log2(age / 7)) (Construct as it is today)."""
    return 1.0 if about.age is None or about.age <= 7 else 1.0 / (1.0 + log2(about.age / 7.0))


def kira_importance(about: About) -> float:
    """0.8 to 1.2: 0.8 + importance / 10 x 0.4 (Kira, K22)."""
    return 0.8 + about.importance / 10.0 * 0.4


def kira_confidence(about: About) -> float:
    """The confidence of facts; other memories are as they are (Kira, K23)."""
    return about.confidence if about.stated else 1.0


def plain_confidence(about: About) -> float:
    """The confidence, whatever it is a confidence in (the three-slot store keeps one and does not use it, S16)."""
    return about.confidence


def half_year(about: About) -> float:
    """Between 1 and 0.8, half of the way in half a year: old memories lose a little, never their place to a poor one."""
    return 1.0 if about.age is None else 0.8 + 0.2 * 0.5 ** (max(about.age, 0.0) / 182.5)


RECENCY: dict[str, Rule] = {"none": none, "kira": kira_recency, "construct": construct_decay, "half_year": half_year}
IMPORTANCE: dict[str, Rule] = {"none": none, "kira": kira_importance}
CONFIDENCE: dict[str, Rule] = {"none": none, "kira": kira_confidence, "plain": plain_confidence}


# ---------------------------------------------------------------------------------------------- Engram's distance


def engram_factor(about: About, project: float) -> float:
    """What multiplies Engram's L2 distance; smaller is nearer (its real constants).

    project (.7 same, .85 global, 1 other) x frequency x importance (1 to 5 there) x recency of access x staleness.
    """
    frequency = 1.0 - min(0.04 * log2(1 + about.accesses), 0.15)
    importance = 1.0 - 0.05 * (max(1.0, about.importance / 2.0) - 1.0)
    last = about.unread if about.unread is not None else about.age
    recency = 1.0 if last is None else 1.0 - 0.1 * exp(-max(last, 0.0) / 30.0)
    return project * frequency * importance * recency * _staleness(about)


def _staleness(about: About) -> float:
    """Never read and over two weeks old: up to 1.2 at 180 days."""
    if about.accesses or about.age is None or about.age <= 14:
        return 1.0
    return 1.0 + 0.2 * min(1.0, (about.age - 14) / (180 - 14))


# ---------------------------------------------------------------------------------------------- where a list ends

Cutter = Callable[[Sequence[float], float], float]


def no_cut(scores: Sequence[float], value: float) -> float:
    """Everything stays."""
    return float("-inf")


def threshold_cut(scores: Sequence[float], value: float) -> float:
    """What scores less than `value` goes."""
    return value


def relative_cut(scores: Sequence[float], value: float) -> float:
    """What scores less than `value` times the best goes."""
    return value * max(scores, default=0.0)


CUTS: dict[str, Cutter] = {"none": no_cut, "threshold": threshold_cut, "relative": relative_cut}
