"""StrategyLab: a slider for every setting of a strategy, and a ranking that changes with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ipywidgets as W

from memkit.core.errors import BadQuestion, MemkitError
from memkit.core.formatting import counted, html_table, short
from memkit.retrieval.evaluation.evaluate import EvalReport, Progress
from memkit.retrieval.evaluation.query_files import read_queries
from memkit.retrieval.evaluation.runs import Run
from memkit.retrieval.registry import AnyStrategy
from memkit.retrieval.results import Recall
from memkit.retrieval.strategies import Strategy, part_of
from memkit.storage.driver import sqlite3
from memkit.text.prose import plain
from memkit.widgets.base import WIDE, Asking, hint, in_a_row, text_input
from memkit.widgets.debounce import Latest, Overtaken
from memkit.widgets.hit_cards import cards, ranks
from memkit.widgets.inputs import ASK, count_choice, strategy_choice
from memkit.widgets.opened import AnyDatabase, opened
from memkit.widgets.settings import OPTIONAL, PARTS, knobs, turned
from memkit.widgets.static_html import framed

SHOWN = ("R@5", "nDCG@10")
MEASURING_PAUSE = 0.6  # seconds
KEPT = 20  # strategies whose measured answers are cached


@dataclass(frozen=True)
class Trial:
    """What a lab shows: the strategy, its recall, and the recall of the start strategy."""

    strategy: Strategy
    found: Recall
    before: Recall


class StrategyLab(Asking):
    """Sliders for the settings of a strategy: the ranking follows, with arrows for hits that rose or fell.

    `strategy` is the result to use (`db.recall(question, strategy=lab.strategy)`), `found` its Recall for the question.
    `report` is the EvalReport of this strategy and of the start, if `questions` are given (a file or a list, as for
    `db.evaluate`); it is measured in the background. `knobs` has the slider of each setting by its path, such as
    `("vector", "weight")`. `parts` has the check boxes that switch channels on and off. `start` chooses the first
    strategy, `page` the part whose settings are visible.
    """

    def __init__(
        self,
        db: AnyDatabase,
        questions: Any = None,
        *,
        question: str = "",
        strategy: AnyStrategy | None = None,
        k: int = 10,
    ):
        self.db = db = opened(db, self)
        self.queries = [] if questions is None else list(read_queries(questions))
        question = question or (self.queries[0].text if self.queries else "")
        self.question = text_input("Question", question, "who planted the quince?", ASK)
        self.start = strategy_choice("Start with", strategy)
        self.k = count_choice(value=k)
        self.parts: dict[str, W.Checkbox] = {}
        self.knobs: dict[tuple[str | int, ...], W.Widget] = {}
        self.figures = W.HTML()
        self._measured: dict[Strategy, Run] = {}
        self._report: EvalReport | None = None
        self._measuring = Latest(self._tried_to_measure, self._show_report, MEASURING_PAUSE, aside=True)
        self.page = W.Dropdown(
            options=[(name, n) for n, name in enumerate(PARTS.values())],
            description="Knobs of",
            tooltip="The part of the search whose knobs are shown below",
        )
        self.page.style = WIDE
        self.board = W.Stack([W.VBox() for _ in PARTS], selected_index=0)
        W.jslink((self.page, "index"), (self.board, "selected_index"))
        self._laid_out(self.start.value)
        rows = (self.question, in_a_row(self.start, self.k), self.page, self.board, self.figures)
        super().__init__(rows, (self.question, self.k))
        self._measuring.later()
        self.start.observe(self._begun, names="value")

    @property
    def strategy(self) -> Strategy:
        """The strategy with the current settings. Raises BadQuestion if all channels are switched off."""
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
        """The Recall of the strategy for the question; None after an error."""
        return self.value.found if self.value else None

    @property
    def report(self) -> EvalReport | None:
        """The start strategy and the current one, measured on the questions; None without questions."""
        self._measuring.now()
        return self._report

    # ------------------------------------------------------------------------------------------ the knobs

    def _begun(self, _: Any) -> None:
        """Makes new knobs after another start strategy was chosen."""
        self._laid_out(self.start.value)
        self._turned()

    def _turned(self, _: Any = None) -> None:
        """Updates the ranking after a setting changed, and the figures after a longer pause."""
        self._latest.later()
        self._measuring.later()

    def _laid_out(self, base: Strategy) -> None:
        """Makes the knobs of a strategy, also for the channels that it has switched off."""
        whole = base.replace(**{name: part_of(name) for name in OPTIONAL if getattr(base, name) is None})
        self.parts = {
            name: W.Checkbox(
                getattr(base, name) is not None, description="used", tooltip="Without it, this part is left out"
            )
            for name in OPTIONAL
        }
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
            hint(f"gone, was {ranks(value.before)[hit.memory.id]}: {short(plain(hit.memory.text), 120)}")
            for hit in gone
        )
        return cards(value.found, notes) + lost

    def _summary(self, value: Trial) -> str:
        return f"{value.strategy.summary}; {short(value.found.question, 60)!r}: {len(value.found)} found"

    @property
    def still(self) -> str:
        """The ranking, and the figures below it, as HTML that needs no kernel."""
        return f"{super().still}{self.figures.value}"

    # ------------------------------------------------------------------------------------------ measuring

    def _tried_to_measure(self) -> EvalReport | None:
        """The figures of the start and the current strategy; None without questions or after an error."""
        change = self._measuring.changes

        def go_on(_: int) -> None:
            if self._measuring.changes != change:
                raise Overtaken

        try:
            strategies = {"start": self.start.value, "yours": self.strategy} if self.queries else {}
            runs = [replace(self._run(one, go_on), name=name) for name, one in strategies.items()]
        except (MemkitError, sqlite3.Error):  # the ranking shows the error
            return None
        return EvalReport(tuple(runs), k=30, bootstrap=False) if runs else None

    def _run(self, chosen: Strategy, go_on: Progress) -> Run:
        """The answers of a strategy to all questions, cached for the last few strategies."""
        if chosen not in self._measured:
            kept = list(self._measured.items())[-KEPT:]
            run = self.db.evaluate(self.queries, chosen, bootstrap=False, progress=go_on).runs[0]
            self._measured = dict([*kept, (chosen, run)])
        return self._measured[chosen]

    def _show_report(self, report: EvalReport | None) -> None:
        self._report = report
        self.figures.value = framed(figures(report))
        self.keep()


def moves(before: Recall, after: Recall) -> dict[str, str]:
    """The change of each hit's rank, by id: `▲2` rose by two, `▼1` fell by one, `new`, or empty for no change."""
    was = ranks(before)
    told = {}
    for id, rank in ranks(after).items():
        rise = was.get(id, rank) - rank
        told[id] = "new" if id not in was else f"▲{rise}" if rise > 0 else f"▼{-rise}" if rise < 0 else ""
    return told


def figures(report: EvalReport | None) -> str:
    """A table of the measures of the start and the current strategy as HTML; empty without a report."""
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
