"""Evaluation of strategies: any number of them side by side, on your own questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadQuestion, one_of
from memkit.core.formatting import counted, html_table, markdown_table
from memkit.core.progress import phase
from memkit.core.terminal_text import table
from memkit.core.types import Memory
from memkit.retrieval.evaluation.metrics import MEASURES, figures, paired_difference
from memkit.retrieval.evaluation.query_files import Query
from memkit.retrieval.evaluation.runs import RESAMPLES, Answer, Change, Differences, Run
from memkit.retrieval.evaluation.tuning import Tuning, candidates, tuned
from memkit.retrieval.registry import AnyStrategy, strategy
from memkit.retrieval.results import Recall
from memkit.retrieval.strategies import Strategy
from memkit.storage.connection import Connection
from memkit.storage.store import dumps

if TYPE_CHECKING:
    import pandas as pd

Ask = Callable[[Query, Strategy], Recall]
AnyStrategies = AnyStrategy | Iterable[AnyStrategy] | Mapping[str, AnyStrategy]
Progress = Callable[[int], None]
Rows = list[dict[str, Any]]

MEASURE = "R@5"  # the measure of a difference by default
VALUED = ("R@5", "nDCG@10")  # the measures that tuning makes better

SELECT_UNKNOWN = """
select value from json_each(:ids)
where value not in (select source_id from memories where source_id is not null)
    and value not in (select id from memories)
order by value
"""


def unknown(conn: Connection, queries: Iterable[Query]) -> list[str]:
    """The relevant ids that no memory has, as a source id or an id; for example misspelt ones."""
    ids = dumps(sorted({id for query in queries for id in query.relevant}))
    return [row[0] for row in conn.execute(SELECT_UNKNOWN, {"ids": ids})]


# ---------------------------------------------------------------------------------------------- the report


@dataclass(frozen=True)
class EvalReport:
    """The runs of several strategies over the same questions, shown as a table.

    `k` is the number of hits for each question. `unknown` lists relevant ids that no memory in the database has. With
    `bootstrap`, the table shows 95 % intervals. `tuning` says what fitting the weights found, if that was asked for.
    """

    runs: tuple[Run, ...]
    k: int
    bootstrap: bool = True
    unknown: tuple[str, ...] = field(default=())
    tuning: Tuning | None = None

    def __getitem__(self, name: str) -> Run:
        """The run of this strategy. Raises BadQuestion for a name that is not in the report."""
        for run in self.runs:
            if run.name == name:
                return run
        raise BadQuestion(one_of("strategy of this evaluation", name, (run.name for run in self.runs)))

    def difference(self, a: str, b: str, measure: str = MEASURE) -> Differences:
        """Strategy `a` minus strategy `b`, paired by question, with its bootstrap interval.

        Raises BadQuestion for an unknown strategy or measure.
        """
        if measure not in MEASURES:
            raise BadQuestion(one_of("measure", measure, MEASURES))
        ours, theirs = self[a].scored, self[b].scored
        pairs = [
            Change(answer.query, _value(answer, measure), _value(theirs[id], measure)) for id, answer in ours.items()
        ]
        whole = paired_difference([pair.a for pair in pairs], [pair.b for pair in pairs], RESAMPLES)
        changed = [pair for pair in pairs if pair.a != pair.b]
        changed.sort(key=lambda pair: -abs(pair.a - pair.b))
        return Differences(a, b, measure, whole, tuple(changed))

    # ------------------------------------------------------------------------------------------ as data

    def to_dicts(self, by: str = "strategy") -> Rows:
        """Rows as JSON-able dicts: one per `strategy`, or one per strategy and `category`, `question` or `stage`.

        Raises BadQuestion for another `by`.
        """
        if by not in _ROWS:
            raise BadQuestion(one_of("way to group an evaluation", by, _ROWS))
        return [row for run in self.runs for row in _ROWS[by](run)]

    def to_df(self, by: str = "strategy") -> pd.DataFrame:
        """`to_dicts` as a pandas DataFrame, in which no column is missing. Raises NeedsPackage without pandas."""
        from memkit.core.frames import pandas

        return pandas().DataFrame(self.to_dicts(by), columns=_COLUMNS[by])

    def to_dict(self) -> dict[str, Any]:
        """Everything except single answers: per strategy its settings, figures, intervals, categories and stages."""
        return {
            "k": self.k,
            "questions": len(self.runs[0].answers) if self.runs else 0,
            "unknown": list(self.unknown),
            **({"tuning": self.tuning.to_dict()} if self.tuning else {}),
            "runs": [self._run_dict(run) for run in self.runs],
            "differences": [
                {name: value for name, value in found.to_dict().items() if name != "changes"}
                for found in self._to_first()
            ],
        }

    def _run_dict(self, run: Run) -> dict[str, Any]:
        intervals = {name: [round(low, 4), round(high, 4)] for name, (low, high) in run.intervals.items()}
        return {
            **run.to_dict(),
            **({"intervals": intervals} if self.bootstrap else {}),
            "categories": _by_category(run),
            "stages": _by_stage(run),
            "settings": run.strategy.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def plot(self, ax: Any = None) -> Any:
        """Matplotlib Axes with every measure of every strategy as a point with its interval.

        Without `ax`, new Axes are made. Raises NeedsPackage if matplotlib is not installed.
        """
        from memkit.retrieval.evaluation.plots import measures

        intervals = {run.name: run.intervals for run in self.runs} if self.bootstrap else {}
        return measures({run.name: run.figures for run in self.runs}, intervals, ax)

    # ------------------------------------------------------------------------------------------ showing it

    def _to_first(self) -> list[Differences]:
        """Each strategy against the first one."""
        return [self.difference(run.name, self.runs[0].name) for run in self.runs[1:] if run.scored]

    def _rows(self, by_category: bool = False) -> tuple[list[str], list[list[str]]]:
        quiet = any(run.unanswerable for run in self.runs)
        head = ["strategy", "n", *MEASURES, *(["quiet"] if quiet else []), "ms"]
        rows = []
        for run in self.runs:
            rows.append([run.name, *_cells(run, quiet)])
            if self.bootstrap and run.scored:
                spans = (f"{low:.2f}-{high:.2f}" for low, high in run.intervals.values())
                rows.append(["  95 %", "", *spans, *([""] if quiet else []), ""])
            if by_category:
                rows += [[f"  {name or '(none)'}", *_cells(part, quiet)] for name, part in run.categories.items()]
        return head, rows

    @property
    def _caption(self) -> str:
        first = self.runs[0]
        counts = counted(len(first.scored), "questions") + " with an answer"
        return counts + (f", {first.unanswerable:,} without one" if first.unanswerable else "")

    @property
    def _notes(self) -> list[str]:
        notes = [found.sentence for found in self._to_first()] if self.bootstrap else []
        if self.unknown:
            shown = ", ".join(map(repr, self.unknown[:5])) + (", ..." if len(self.unknown) > 5 else "")
            notes.append(f"{counted(len(self.unknown), 'relevant ids')} that no memory has: {shown}")
        return [*notes, *([self.tuning.sentence] if self.tuning else [])]

    def to_text(self, *, by_category: bool = False) -> str:
        """The table as plain text; with `by_category`, a row for each category, too."""
        head, rows = self._rows(by_category)
        return "\n".join([self._caption, table([head, *rows]), *self._notes])

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from html import escape

        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in self._notes)
        return html_table(self._caption, *self._rows()) + notes

    def _repr_markdown_(self) -> str:
        return "\n\n".join([self._caption, markdown_table(*self._rows()), *self._notes])


def _value(answer: Answer, measure: str) -> float:
    assert answer.figures is not None
    return answer.figures[measure]


def _cells(run: Run, quiet: bool) -> list[str]:
    cells = [f"{run.figures[name]:.4f}" if run.scored else "" for name in MEASURES]
    if quiet:
        cells.append("" if run.quiet is None else f"{run.quiet:.3f}")
    return [f"{len(run.scored):,}", *cells, f"{run.ms:.2f}"]


# ---------------------------------------------------------------------------------------------- rows


def _by_strategy(run: Run) -> Rows:
    return [run.to_dict()]


def _by_category(run: Run) -> Rows:
    return [{**part.to_dict(), "category": name} for name, part in run.categories.items()]


def _by_question(run: Run) -> Rows:
    return [
        {
            "strategy": run.name,
            "id": answer.query.id,
            "text": answer.query.text,
            "category": answer.query.category,
            "relevant": sorted(answer.query.relevant),
            "found": list(answer.ranked),
            **(answer.figures or {}),
            "ms": round(answer.ms, 3),
        }
        for answer in run.answers
    ]


def _by_stage(run: Run) -> Rows:
    return [
        {"strategy": run.name, "stage": stage, "p50": round(middle, 3), "p95": round(high, 3)}
        for stage, (middle, high) in run.stages.items()
    ]


_FIGURES = (*MEASURES, "quiet", "unanswerable", "ms")
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "strategy": ("strategy", "n", *_FIGURES),
    "category": ("strategy", "category", "n", *_FIGURES),
    "question": ("strategy", "id", "text", "category", "relevant", "found", *MEASURES, "ms"),
    "stage": ("strategy", "stage", "p50", "p95"),
}
_ROWS: Mapping[str, Callable[[Run], Rows]] = {
    "strategy": _by_strategy,
    "category": _by_category,
    "question": _by_question,
    "stage": _by_stage,
}


# ---------------------------------------------------------------------------------------------- the evaluation


def evaluate(
    ask: Ask,
    queries: Sequence[Query],
    strategies: AnyStrategies | None = None,
    *,
    k: int = 30,
    bootstrap: bool = True,
    unknown: Iterable[str] = (),
    progress: Progress | None = None,
) -> EvalReport:
    """The report of asking every question with every strategy; `ask(query, strategy)` returns the Recall of k hits.

    `strategies` is one strategy or a list of them (names, JSON, dicts, Strategy values), or a mapping from your own
    names to strategies. `progress(1)` is called after each answer. Raises BadQuestion if k is below 1 or there is no
    strategy, NotFound for an unknown strategy.
    """
    if k < 1:
        raise BadQuestion(f"k is how many hits are looked at: 1 or more, not {k}.")
    runs, named = [], _named(strategies)
    phase("asking", len(named) * len(queries))
    for name, chosen in named:
        answers = []
        for query in queries:
            answers.append(_answer(ask, query, chosen))
            if progress:
                progress(1)
        runs.append(Run(name, chosen, tuple(answers)))
    return EvalReport(tuple(runs), k, bootstrap, tuple(unknown))


def tune(ask: Ask, queries: Sequence[Query], base: Strategy, progress: Progress | None = None) -> Tuning:
    """The weights of a strategy's channels that answer these questions best, if they win on questions left out.

    An answer is worth the mean of the measures VALUED. Raises BadQuestion for too few questions with an answer.
    """
    answered = [query for query in queries if query.relevant]
    phase("trying weights", len(candidates(base)) * len(answered))

    def worth(chosen: Strategy) -> list[float]:
        found = []
        for query in answered:
            scored = _answer(ask, query, chosen).figures or {}
            found.append(fmean(scored[name] for name in VALUED))
            if progress:
                progress(1)
        return found

    return tuned(base, worth, len(answered))


def _named(given: Any) -> list[tuple[str, Strategy]]:
    """Strategies with different names: a second one with the same name is called `name 2`."""
    if isinstance(given, str | Strategy) or not isinstance(given, Iterable) or _is_one(given):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else ((None, one) for one in given)
    named: dict[str, Strategy] = {}
    for label, one in pairs:
        chosen = strategy(one)
        name = first = label or chosen.name
        number = 2
        while name in named:
            name, number = f"{first} {number}", number + 1
        named[name] = chosen
    if not named:
        raise BadQuestion("An evaluation needs at least one strategy. Leave `strategies` out to use the default one.")
    return list(named.items())


def _is_one(given: Any) -> bool:
    """Whether a mapping holds the fields of one strategy, and not strategies by name."""
    from dataclasses import fields

    return isinstance(given, Mapping) and bool(given) and given.keys() <= {one.name for one in fields(Strategy)}


def _answer(ask: Ask, query: Query, chosen: Strategy) -> Answer:
    started = perf_counter()
    found = ask(query, chosen)
    ms = 1000 * (perf_counter() - started)
    ranked = tuple(dict.fromkeys(_name(hit.memory, query.relevant) for hit in found))
    scored = figures(query.relevant, ranked) if query.relevant else None
    return Answer(query, ranked, scored, ms, dict(found.ms))


def _name(memory: Memory, relevant: frozenset[str]) -> str:
    """The id by which a question knows a memory: its source id, or its own id."""
    return memory.id if memory.id in relevant or memory.source_id is None else memory.source_id
