"""Input controls for a recall: strategy, number of hits, project, kinds, dates."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import ipywidgets as W

from memkit.database.memory_database import MemoryDatabase
from memkit.retrieval.registry import STRATEGIES, AnyStrategy, strategy
from memkit.retrieval.strategies import Strategy
from memkit.widgets.base import ROOM, WIDE, in_a_row, number

HALF = W.Layout(width="18em", max_width=ROOM)
ALL = "all"
ASK = "What you want to find, as you would ask somebody"
ANY = ""  # a choice whose value is None is drawn as a blank


def strategy_choice(label: str = "Strategy", chosen: AnyStrategy | None = None) -> W.Dropdown:
    """A choice of the named strategies, and of the given one if it is not among them."""
    given = strategy(chosen)
    known: dict[str, Strategy] = dict(STRATEGIES)
    if given not in known.values():
        known = {f"{given.name} (yours)": given} | known
    return W.Dropdown(
        options=list(known.items()),
        value=given,
        description=label,
        tooltip="How memories are looked for: memkit's own way, or that of a published design",
        style=WIDE,
        layout=HALF,
    )


def count_choice(value: int) -> W.BoundedIntText:
    """An input of the number of hits."""
    return number("How many", value, 1, max(50, value), "How many hits to show")


class Where:
    """Inputs for the filters of a recall; `options()` has them as keyword arguments."""

    def __init__(self, db: MemoryDatabase, project: str | None = None):
        known = db.info()
        names = sorted({*known.projects, *([project] if project else [])} - {"global"})
        self.project = W.Dropdown(
            options=[(ALL, ANY), *((name, name) for name in names)],
            value=project or ANY,
            description="Project",
            tooltip="Prefer the memories of this project",
            style=WIDE,
            layout=HALF,
        )
        self.only = W.Checkbox(
            False, description="no other projects", indent=False, tooltip="Leave out what belongs to another project"
        )
        self.kinds = W.SelectMultiple(
            options=list(known.kinds),
            description="Kinds",
            tooltip="Only memories of these kinds; choose several with Ctrl or Shift",
            rows=min(4, max(len(known.kinds), 2)),  # with one row, browsers draw something else
            style=WIDE,
            layout=HALF,
        )
        self.since = W.DatePicker(description="From", tooltip="The first day to look in", style=WIDE, layout=HALF)
        self.until = W.DatePicker(description="To", tooltip="The last day to look in", style=WIDE, layout=HALF)

    @property
    def watched(self) -> tuple[W.Widget, ...]:
        """The inputs."""
        return self.project, self.only, self.kinds, self.since, self.until

    @property
    def box(self) -> W.Widget:
        """The inputs in two rows, which a tick shows. (The Tab key does not reach the heading of an Accordion.)"""
        rows = W.VBox([in_a_row(self.project, self.only), in_a_row(self.since, self.until, self.kinds)])
        rows.layout.display = "none"
        shown = W.Checkbox(
            False,
            description="Where and when to look",
            indent=False,
            tooltip="Show the limits of the search",
            layout=W.Layout(width="auto", margin=f"0 0 0 calc({WIDE['description_width']} + 8px)"),
        )
        shown.observe(lambda change: setattr(rows.layout, "display", "" if change["new"] else "none"), names="value")
        return W.VBox([shown, rows])

    def options(self) -> dict[str, Any]:
        """Keyword arguments for `recall` and `context`. The day in `until` is included."""
        return {
            "project": self.project.value or None,
            "only_project": self.only.value and bool(self.project.value),
            "kinds": list(self.kinds.value) or None,
            "since": self.since.value,
            "until": _day_after(self.until.value),
        }


def _day_after(day: date | None) -> date | None:
    return None if day is None else day if day == date.max else day + timedelta(days=1)
