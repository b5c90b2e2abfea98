"""StrategyLab: a slider for every setting of a strategy, and a ranking that moves with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ipywidgets as W

from memkit.driver import sqlite3
from memkit.errors import BadQuestion, MemkitError
from memkit.eval_runs import Run
from memkit.evaluate import EvalReport, Progress
from memkit.query_files import read_queries
from memkit.render import counted, html_table, short
from memkit.results import Recall
from memkit.strategies import Strategy, part_of
from memkit.widgets.asking import WIDE, Asking, hint, text_input
from memkit.widgets.choices import count_choice, strategy_choice
from memkit.widgets.hit_cards import cards, ranks
from memkit.widgets.knobs import OPTIONAL, PARTS, knobs, turned
from memkit.widgets.opened import opened
from memkit.widgets.waiting import Latest, Overtaken

SHOWN = ("R@5", "nDCG@10")
MEASURING_PAUSE = 0.6  # seconds
KEPT = 20  # strategies whose answers are remembered


@dataclass(frozen=True)
class Trial:
    """What a lab shows: the strategy, what it finds, and what the one it began with finds."""

    strategy: Strategy
    found: Recall
    before: Recall


class StrategyLab(Asking):
    """A strategy to turn the knobs of: the ranking follows, with arrows for what rose and fell since the start.

    `strategy` is the value to keep (`db.recall(question, strategy=lab.strategy)`), `found` what it finds for the
    question, `report` the EvalReport of it and of the start, if the lab was given `questions` (a file or a list, as for
    `db.evaluate`); it is measured in the background while you go on. `knobs` maps the path of each setting, such as
    `("vector", "weight")`, to its slider; `parts` has the check boxes that switch channels on and off; `start` chooses
    the strategy to begin with, `page` the part whose knobs are seen.
    """

    def __init__(self, db: Any, questions: Any = None, *, question: str = "", strategy: Any = None, k: int = 10):
        self.db = db = opened(db, self)
        self.queries = [] if questions is None else list(read_queries(questions))
        question = question or (self.queries[0].text if self.queries else "")
        self.question = text_input("Question", question, "who planted the quince?")
        self.start = strategy_choice("Begin with", strategy)
        self.k = count_choice(value=k)
        self.parts: dict[str, W.Checkbox] = {}
        self.knobs: dict[tuple[str | int, ...], W.Widget] = {}
        self.figures = W.HTML()
        self._measured: dict[Strategy, Run] = {}
        self._report: EvalReport | None = None
        self._measuring = Latest(self._tried_to_measure, self._show_report, MEASURING_PAUSE, aside=True)
        self.page = W.Dropdown(options=[(name, n) for n, name in enumerate(PARTS.values())], description="Knobs of")
        self.page.style = WIDE
        self.board = W.Stack([W.VBox() for _ in PARTS], selected_index=0)
        W.jslink((self.page, "index"), (self.board, "selected_index"))
        self._laid_out(self.start.value)
        rows = (self.question, W.HBox([self.start, self.k]), self.page, self.board, self.figures)
        super().__init__(rows, (self.question, self.k))
        self._measuring.later()
        self.start.observe(self._begun, names="value")

    @property
    def strategy(self) -> Strategy:
        """The strategy that the knobs say now."""
        base = self.start.value
        for name, box in self.parts.items():
            if box.value != (getattr(base, name) is not None):
                base = base.replace(**{name: part_of(name) if box.value else None})
        values = {path: knob.value for path, knob in self.knobs.items() if getattr(base, str(path[0])) is not None}
        changed = turned(base, values)
        if not any(getattr(changed, name) for name in OPTIONAL):
            raise BadQuestion("A strategy needs a channel: switch one on.")
        return changed

    @property
    def found(self) -> Recall | None:
        """What the strategy finds for the question."""
        return self.value.found if self.value else None

    @property
    def report(self) -> EvalReport | None:
        """The strategy and the one it began with, measured on the questions; None without questions."""
        self._measuring.now()
        return self._report

    # ------------------------------------------------------------------------------------------ the knobs

    def _begun(self, _: Any) -> None:
        """Another strategy to begin with: other knobs."""
        self._laid_out(self.start.value)
        self._turned()

    def _turned(self, _: Any = None) -> None:
        """Another strategy: another ranking at once, other figures when the knobs rest."""
        self._latest.later()
        self._measuring.later()

    def _laid_out(self, base: Strategy) -> None:
        """Makes the knobs of a strategy; parts that it lacks have theirs ready for when they are switched on."""
        whole = base.replace(**{name: part_of(name) for name in OPTIONAL if getattr(base, name) is None})
        self.parts = {name: W.Checkbox(getattr(base, name) is not None, description="used") for name in OPTIONAL}
        made = knobs(whole)
        self.knobs = {knob.path: knob.widget() for knob in made}
        pages = []
        for part in PARTS:
            own = [self.knobs[knob.path] for knob in made if knob.part == part]
            pages.append(W.VBox(([self.parts[part]] if part in self.parts else []) + own))
        for widget in (*self.parts.values(), *self.knobs.values()):
            widget.observe(self._turned, names="value")
        self.board.children = pages

    # ------------------------------------------------------------------------------------------ what is shown

    def _answer(self) -> Trial:
        chosen, question, k = self.strategy, self.question.value, self.k.value
        found = self.db.recall(question, k, strategy=chosen)
        return Trial(chosen, found, self.db.recall(question, k, strategy=self.start.value))

    def _html(self, value: Trial) -> str:
        notes = moves(value.before, value.found)
        gone = [hit for hit in value.before if hit.memory.id not in ranks(value.found)]
        lost = "".join(
            hint(f"gone, was {ranks(value.before)[hit.memory.id]}: {short(hit.memory.text, 120)}") for hit in gone
        )
        return cards(value.found, notes) + lost

    def _summary(self, value: Trial) -> str:
        return f"{value.strategy.summary}; {short(value.found.question, 60)!r}: {len(value.found)} found"

    # ------------------------------------------------------------------------------------------ how good it is

    def _tried_to_measure(self) -> EvalReport | None:
        """The start and the strategy of now, measured; None where there is nothing to measure."""
        change = self._measuring.changes

        def go_on(_: int) -> None:
            if self._measuring.changes != change:
                raise Overtaken

        try:
            strategies = {"start": self.start.value, "yours": self.strategy} if self.queries else {}
            runs = [replace(self._run(one, go_on), name=name) for name, one in strategies.items()]
        except (MemkitError, sqlite3.Error):  # the ranking says so
            return None
        return EvalReport(tuple(runs), k=30, bootstrap=False) if runs else None

    def _run(self, chosen: Strategy, go_on: Progress) -> Run:
        """A strategy's answers to all questions; the last few strategies' are kept."""
        if chosen not in self._measured:
            kept = list(self._measured.items())[-KEPT:]
            run = self.db.evaluate(self.queries, chosen, bootstrap=False, progress=go_on).runs[0]
            self._measured = dict([*kept, (chosen, run)])
        return self._measured[chosen]

    def _show_report(self, report: EvalReport | None) -> None:
        self._report = report
        self.figures.value = figures(report)


def moves(before: Recall, after: Recall) -> dict[str, str]:
    """How each hit's place changed, by id: `▲2` rose by two, `▼1` fell by one, `new`; what stayed is not told."""
    was = ranks(before)
    told = {}
    for id, rank in ranks(after).items():
        rise = was.get(id, rank) - rank
        told[id] = "new" if id not in was else f"▲{rise}" if rise > 0 else f"▼{-rise}" if rise < 0 else ""
    return told


def figures(report: EvalReport | None) -> str:
    """How good it is, next to how good the start was."""
    if report is None:
        return ""
    start, yours = report.runs
    rows = [
        (
            name,
            f"{start.figures[name]:.4f}",
            f"{yours.figures[name]:.4f}",
            f"{yours.figures[name] - start.figures[name]:+.4f}",
        )
        for name in SHOWN
    ]
    return html_table(counted(len(yours.scored), "questions"), ("", "start", "yours", "change"), rows)
