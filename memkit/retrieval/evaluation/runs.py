"""Evaluation runs: the answers of strategies to questions with known answers, and how two runs differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from statistics import median
from typing import Any

from memkit.core.formatting import html_table, markdown_table, short
from memkit.core.terminal_text import table
from memkit.retrieval.evaluation.metrics import MEASURES, Difference, bootstrap, mean_figures
from memkit.retrieval.evaluation.query_files import Query
from memkit.retrieval.strategies import Strategy

SHOWN_CHANGES = 10
RESAMPLES = 1000


# ---------------------------------------------------------------------------------------------- one strategy


@dataclass(frozen=True, slots=True)
class Answer:
    """A strategy's answer to a question: ids, best first, and the figures.

    `figures` is None for a question that nothing answers. `ms` and `stages` are milliseconds.
    """

    query: Query
    ranked: tuple[str, ...]
    figures: Mapping[str, float] | None
    ms: float
    stages: Mapping[str, float]


@dataclass(frozen=True)
class Run:
    """All answers of one strategy. Figures are means over the questions that have an answer."""

    name: str
    strategy: Strategy
    answers: tuple[Answer, ...]

    @cached_property
    def scored(self) -> dict[str, Answer]:
        """The answers that have figures, by the question's id."""
        return {answer.query.id: answer for answer in self.answers if answer.figures is not None}

    @cached_property
    def figures(self) -> dict[str, float]:
        """The mean of every measure; 0 if no question can be scored."""
        return mean_figures(_figures(self.scored.values()))

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The 95 % bootstrap interval of every mean: (low, high)."""
        scored = list(_figures(self.scored.values()))
        return {name: bootstrap((one[name] for one in scored), RESAMPLES) for name in MEASURES}

    @property
    def unanswerable(self) -> int:
        """The number of questions that nothing answers."""
        return len(self.answers) - len(self.scored)

    @property
    def quiet(self) -> float | None:
        """The share of the unanswerable questions that rightly got no hit; None if there is no such question."""
        silent = sum(not answer.ranked for answer in self.answers if answer.figures is None)
        return silent / self.unanswerable if self.unanswerable else None

    @property
    def ms(self) -> float:
        """The median of the milliseconds for a question."""
        return median(answer.ms for answer in self.answers) if self.answers else 0.0

    @property
    def stages(self) -> dict[str, tuple[float, float]]:
        """The median and the 95th percentile of the milliseconds of each stage of a recall, and of `all`."""
        times: dict[str, list[float]] = defaultdict(list)
        for answer in self.answers:
            for stage, ms in (*answer.stages.items(), ("all", answer.ms)):
                times[stage].append(ms)
        return {stage: (median(ms), percentile(ms, 0.95)) for stage, ms in times.items()}

    @property
    def categories(self) -> dict[str, Run]:
        """The answers of each category as a Run, in order of first appearance."""
        parts: dict[str, list[Answer]] = defaultdict(list)
        for answer in self.answers:
            parts[answer.query.category or ""].append(answer)
        return {name: Run(self.name, self.strategy, tuple(answers)) for name, answers in parts.items()}

    def to_dict(self) -> dict[str, Any]:
        """The run as one row: strategy, n, every measure, quiet, ms."""
        row = {"strategy": self.name, "n": len(self.scored), **_rounded(self.figures)}
        if self.quiet is not None:
            row |= {"quiet": round(self.quiet, 4), "unanswerable": self.unanswerable}
        return {**row, "ms": round(self.ms, 2)}


def _figures(answers: Iterable[Answer]) -> Iterable[Mapping[str, float]]:
    return (answer.figures for answer in answers if answer.figures is not None)


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that is at least as large as this share of the values (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)), 1) - 1]


# ---------------------------------------------------------------------------------------------- two strategies


@dataclass(frozen=True, slots=True)
class Change:
    """A question with different figures for strategies `a` and `b`."""

    query: Query
    a: float
    b: float


@dataclass(frozen=True)
class Differences:
    """How much better strategy `a` is than `b`, question by question, and which questions make the difference."""

    a: str
    b: str
    measure: str
    difference: Difference
    changes: tuple[Change, ...]

    def to_dict(self) -> dict[str, Any]:
        """The differences as JSON-able values, with every question that changed, the largest change first."""
        whole = self.difference
        return {
            "a": self.a,
            "b": self.b,
            "measure": self.measure,
            **_rounded({"mean": whole.mean, "low": whole.low, "high": whole.high}),
            "better": whole.better,
            "worse": whole.worse,
            "equal": whole.equal,
            "clear": whole.is_clear,
            "changes": [
                {"id": c.query.id, "text": c.query.text, "category": c.query.category, "a": c.a, "b": c.b}
                for c in self.changes
            ],
        }

    @property
    def sentence(self) -> str:
        """The whole difference in one sentence."""
        d = self.difference
        sure = "clear" if d.is_clear else "may be chance"
        return (
            f"{self.measure}: {self.a} - {self.b} = {d.mean:+.4f} [{d.low:+.4f}, {d.high:+.4f}], {sure}; "
            f"better {d.better:,}, worse {d.worse:,}, equal {d.equal:,}"
        )

    def _rows(self) -> list[list[str]]:
        return [
            [change.query.id, f"{change.a:.3f}", f"{change.b:.3f}", short(change.query.text, 90)]
            for change in self.changes[:SHOWN_CHANGES]
        ]

    @property
    def questions(self) -> str:
        """The questions that changed as a table, the largest change first; or a sentence that there are none."""
        if not self.changes:
            return f"Every question has the same {self.measure} with {self.a} and with {self.b}."
        return table([["", self.a, self.b, "question"], *self._rows()])

    def __repr__(self) -> str:
        rows = [["", self.a, self.b, "question"], *self._rows()] if self.changes else []
        return "\n".join(filter(None, (self.sentence, table(rows))))

    def _repr_html_(self) -> str:
        return html_table(self.sentence, ["", self.a, self.b, "question"], self._rows())

    def _repr_markdown_(self) -> str:
        return f"{self.sentence}\n\n" + markdown_table(["", self.a, self.b, "question"], self._rows())
