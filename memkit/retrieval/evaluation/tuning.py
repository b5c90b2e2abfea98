"""Tuning: the weights of the channels fitted to a person's own questions, kept only if they win on others of them.

Each combination of weights answers every question once. Five times, the best combination for four fifths of the
questions is tried on the last fifth (cross-validation); one counts as best only if it is better by two standard errors.
The combination that is best for all questions is taken only if the answers on the last fifths are surely better than
those of the strategy as it was: the bootstrap interval of the difference is above zero, and so many more questions are
answered better than worse that it is no chance (the sign test).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from memkit.core.errors import BadQuestion
from memkit.retrieval.evaluation.metrics import Difference, paired_difference
from memkit.retrieval.strategies import Strategy

LEAST = 30  # questions with an answer
FOLDS = 5
SURELY = 2.0  # standard errors
NAME = "tuned"
FACTORS = (1.0, 0.5, 2.0)  # of each weight; the first changes nothing
# The channels whose weights change together: meaning, the graph, the bridges over names.
TUNED = (("vector", "sentence"), ("graph",), ("bridge",))

Value = Callable[[Strategy], Sequence[float]]  # for each question, how well a strategy answers it (0 to 1)


@dataclass(frozen=True)
class Tuning:
    """What tuning found: `changes` to the strategy (empty if none wins), and what they gain on questions left out."""

    changes: Mapping[str, Any]
    gain: Difference
    questions: int

    @property
    def wins(self) -> bool:
        """Whether there are weights that win."""
        return bool(self.changes)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-able values."""
        return {"changes": dict(self.changes), "questions": self.questions, "gain": asdict(self.gain)}

    @property
    def sentence(self) -> str:
        """The result in words."""
        found = f"{self.gain.mean:+.3f} ({self.gain.low:+.3f} to {self.gain.high:+.3f}) on questions left out"
        if not self.wins:
            return f"Of the weights tried none wins surely on {self.questions} questions: {found}. Nothing was changed."
        weights = ", ".join(f"{name} {part['weight']:g}" for name, part in self.changes.items() if name != "name")
        return f"Weights fitted to {self.questions} questions: {weights}; {found}."


def candidates(base: Strategy) -> list[dict[str, Any]]:
    """The changes of weights that are tried, the first of them none."""
    groups = [[name for name in names if getattr(base, name) is not None] for names in TUNED]
    groups = [names for names in groups if names]
    found = []
    for factors in product(FACTORS, repeat=len(groups)):
        pairs = [(name, factor) for names, factor in zip(groups, factors, strict=True) for name in names]
        found.append({name: {"weight": factor * getattr(base, name).weight} for name, factor in pairs if factor != 1})
    return found


def tuned(base: Strategy, value: Value, questions: int) -> Tuning:
    """The weights that win on these questions, if any do. Raises BadQuestion for fewer than LEAST questions."""
    if questions < LEAST:
        raise BadQuestion(f"Tuning needs {LEAST} questions with an answer or more, not {questions}.")
    tried = candidates(base)
    values = [list(value(base.replace(**changes))) for changes in tried]
    chosen = [0.0] * questions
    for fold in range(FOLDS):
        learnt = [n for n in range(questions) if n % FOLDS != fold]
        best = _best(values, learnt)
        for n in range(fold, questions, FOLDS):
            chosen[n] = values[best][n]
    gain = paired_difference(chosen, values[0])
    surely = gain.low > 0 and gain.better - gain.worse >= SURELY * sqrt(gain.better + gain.worse)
    best = _best(values, range(questions)) if surely else 0
    return Tuning({"name": NAME, **tried[best]} if best else {}, gain, questions)


def _best(values: Sequence[Sequence[float]], questions: Sequence[int]) -> int:
    """The place of the candidate that answers these questions best, if it is surely better than the first; else 0."""
    means = [fmean(one[n] for n in questions) for one in values]
    best = means.index(max(means))
    gaps = [values[best][n] - values[0][n] for n in questions]
    return best if fmean(gaps) > SURELY * stdev(gaps) / sqrt(len(gaps)) else 0
