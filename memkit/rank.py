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
    """Between 1 and 0.8, half of the way in half a year: old memories lose a little, not their place to a poor one."""
    return 1.0 if about.age is None else 0.8 + 0.2 * 0.5 ** (max(about.age, 0.0) / 182.5)


RECENCY: dict[str, Rule] = {"none": none, "kira": kira_recency, "construct": construct_decay, "half_year": half_year}
IMPORTANCE: dict[str, Rule] = {"none": none, "kira": kira_importance}
CONFIDENCE: dict[str, Rule] = {"none": none, "kira": kira_confidence, "plain": plain_confidence}


# ---------------------------------------------------------------------------------------------- Engram's distance

# Engram multiplies a distance, where smaller is nearer (its real constants); memkit multiplies scores, so each rule is
# one divided by Engram's factor.


def engram_importance(about: About) -> float:
    """1 / (1 - .05 x (importance - 1)) on Engram's scale of 1 to 5: up to a quarter more (E05)."""
    return 1.0 / (1.0 - 0.05 * (max(1.0, about.importance / 2.0) - 1.0))


def engram_recency(about: About) -> float:
    """1 / (1 - .1 x e**(-days / 30)) since it was last read, or else since it happened: a tiebreaker (E05)."""
    days = about.unread if about.unread is not None else about.age
    return 1.0 if days is None else 1.0 / (1.0 - 0.1 * exp(-max(days, 0.0) / 30.0))


def engram_access(about: About) -> float:
    """More for what is often read: 1 / (1 - min(.04 x log2(1 + n), .15)); less for what never was and is old.

    What was never read and is over two weeks old gets up to 1.2 times as far, at 180 days.
    """
    if about.accesses:
        return 1.0 / (1.0 - min(0.04 * log2(1 + about.accesses), 0.15))
    if about.age is None or about.age <= 14:
        return 1.0
    return 1.0 / (1.0 + 0.2 * min(1.0, (about.age - 14) / (180 - 14)))


RECENCY["engram"] = engram_recency
IMPORTANCE["engram"] = engram_importance
ACCESS: dict[str, Rule] = {"none": none, "engram": engram_access}
RULES: dict[str, dict[str, Rule]] = {
    "recency": RECENCY,
    "importance": IMPORTANCE,
    "confidence": CONFIDENCE,
    "access": ACCESS,
}


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


def engram_cut(scores: Sequence[float], value: float) -> float:
    """What is farther than max(min(`value` x p75, 3 x the best), 1e-9) goes; a score is 1 / distance (Engram, E06)."""
    distances = sorted(1.0 / score for score in scores if score > 0)
    if not distances:
        return float("-inf")
    p75 = distances[min(len(distances) - 1, int(0.75 * len(distances)))]
    return (1.0 - 1e-12) / max(min(value * p75, 3 * distances[0]), 1e-9)


def weak(scores: Sequence[float], most: float = 1.05) -> bool:
    """Whether the answers of an Engram recall are far away: a mean distance over 1.05 (its weak-recall warning)."""
    distances = [1.0 / score for score in scores if score > 0]
    return bool(distances) and sum(distances) / len(distances) > most


CUTS: dict[str, Cutter] = {
    "none": no_cut,
    "similar": no_cut,  # goes by cosines, which a fused score no longer shows
    "threshold": threshold_cut,
    "relative": relative_cut,
    "engram": engram_cut,
}
