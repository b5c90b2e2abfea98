"""How well recall finds what it should, measured with one's own questions: any number of strategies side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from memkit.errors import BadQuestion, one_of
from memkit.eval_runs import RESAMPLES, Answer, Change, Differences, Run
from memkit.metrics import MEASURES, figures, paired_difference
from memkit.query_files import Query
from memkit.render import counted, html_table, markdown_table, table
from memkit.results import Recall
from memkit.store import dumps
from memkit.strategies import Strategy, strategy

if TYPE_CHECKING:
    import pandas as pd

Ask = Callable[[Query, Strategy], Recall]
Progress = Callable[[int], None]
Rows = list[dict[str, Any]]

MEASURE = "R@5"  # what a difference is of, if nothing else is said

SELECT_UNKNOWN = """
select value from json_each(:ids)
where value not in (select source_id from memories where source_id is not null)
    and value not in (select id from memories)
order by value
"""


def unknown(conn: Any, queries: Iterable[Query]) -> list[str]:
    """Those of the relevant ids that no memory has: a misspelt one can never be found."""
    ids = dumps(sorted({id for query in queries for id in query.relevant}))
    return [row[0] for row in conn.execute(SELECT_UNKNOWN, {"ids": ids})]


# ---------------------------------------------------------------------------------------------- all of them


@dataclass(frozen=True)
class EvalReport:
    """The runs of several strategies over the same questions; a table wherever it is shown.

    `unknown` lists relevant ids that no memory in the database has. With `bootstrap` the table shows intervals.
    """

    runs: tuple[Run, ...]
    k: int
    bootstrap: bool = True
    unknown: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> Run:
        """The run of this strategy. Raises BadQuestion for a name that is none of them."""
        for run in self.runs:
            if run.name == name:
                return run
        raise BadQuestion(one_of("strategy of this evaluation", name, (run.name for run in self.runs)))

    def difference(self, a: str, b: str, measure: str = MEASURE) -> Differences:
        """Strategy `a` minus strategy `b`, paired by question, with its bootstrap interval. Raises BadQuestion."""
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

    # ------------------------------------------------------------------------------------------ taking it out

    def to_dicts(self, by: str = "strategy") -> Rows:
        """Rows as JSON-able dicts: one per `strategy`, per strategy and `category`, `question` or `stage`."""
        if by not in _ROWS:
            raise BadQuestion(one_of("way to part an evaluation", by, _ROWS))
        return [row for run in self.runs for row in _ROWS[by](run)]

    def to_df(self, by: str = "strategy") -> pd.DataFrame:
        """`to_dicts` as a pandas DataFrame. Raises NeedsPackage where pandas is not installed."""
        from memkit.frames import pandas

        return pandas().DataFrame(self.to_dicts(by))

    def to_dict(self) -> dict[str, Any]:
        """All of it but the single answers: per strategy its settings, figures, intervals, categories and stages."""
        return {
            "k": self.k,
            "questions": len(self.runs[0].answers) if self.runs else 0,
            "unknown": list(self.unknown),
            "runs": [self._told(run) for run in self.runs],
            "differences": [
                {name: value for name, value in found.to_dict().items() if name != "changes"}
                for found in self._to_first()
            ],
        }

    def _told(self, run: Run) -> dict[str, Any]:
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
        """Every measure of every strategy as a point with its interval, on matplotlib Axes.

        New ones are made if none are given. Raises NeedsPackage where matplotlib is not installed.
        """
        from memkit.plots import measures

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
            notes.append(f"{counted(len(self.unknown), 'relevant ids')} of no memory here: {shown}")
        return notes

    def to_text(self, *, by_category: bool = False) -> str:
        """The table as plain text, with a row for each category if asked for."""
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
    told = [f"{run.figures[name]:.4f}" if run.scored else "" for name in MEASURES]
    if quiet:
        told.append("" if run.quiet is None else f"{run.quiet:.3f}")
    return [f"{len(run.scored):,}", *told, f"{run.ms:.2f}"]


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


_ROWS: Mapping[str, Callable[[Run], Rows]] = {
    "strategy": _by_strategy,
    "category": _by_category,
    "question": _by_question,
    "stage": _by_stage,
}


# ---------------------------------------------------------------------------------------------- doing it


def evaluate(
    ask: Ask,
    queries: Sequence[Query],
    strategies: Any = None,
    *,
    k: int = 30,
    bootstrap: bool = True,
    unknown: Iterable[str] = (),
    progress: Progress | None = None,
) -> EvalReport:
    """The report of asking every question with every strategy; `ask(query, strategy)` gives the recall of k hits.

    `strategies` is one strategy or a list of them (names, JSON, dicts, Strategy values), or a mapping from names of
    your own to them. Raises BadQuestion for a k below 1 and for no strategy at all, NotFound for an unknown one.
    """
    if k < 1:
        raise BadQuestion(f"k is how many hits are looked at: 1 or more, not {k}.")
    runs = []
    for name, chosen in _named(strategies):
        answers = []
        for query in queries:
            answers.append(_answer(ask, query, chosen))
            if progress:
                progress(1)
        runs.append(Run(name, chosen, tuple(answers)))
    return EvalReport(tuple(runs), k, bootstrap, tuple(unknown))


def _named(given: Any) -> list[tuple[str, Strategy]]:
    """Strategies with names that differ: a second one of a name is called `name 2`."""
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
        raise BadQuestion("An evaluation needs a strategy; leave them out for the default one.")
    return list(named.items())


def _is_one(given: Any) -> bool:
    """Whether a mapping is a strategy's fields rather than strategies by name."""
    from dataclasses import fields

    return isinstance(given, Mapping) and bool(given) and given.keys() <= {one.name for one in fields(Strategy)}


def _answer(ask: Ask, query: Query, chosen: Strategy) -> Answer:
    started = perf_counter()
    found = ask(query, chosen)
    ms = 1000 * (perf_counter() - started)
    ranked = tuple(dict.fromkeys(_name(hit.memory, query.relevant) for hit in found))
    scored = figures(query.relevant, ranked) if query.relevant else None
    return Answer(query, ranked, scored, ms, dict(found.ms))


def _name(memory: Any, relevant: frozenset[str]) -> str:
    """What a question calls a memory: its source id, or its own id."""
    return memory.id if memory.id in relevant or memory.source_id is None else memory.source_id
