"""Timeline: memories and facts on an axis of time, with a slider to select a span."""

from __future__ import annotations

from datetime import date, timedelta

import ipywidgets as W

from memkit.core.formatting import counted, html_table, short, when_text
from memkit.core.instants import parse_iso
from memkit.graph.timeline_view import Moment, Moments
from memkit.widgets.base import Asking, hint, in_a_row, text_input
from memkit.widgets.inputs import Where
from memkit.widgets.opened import AnyDatabase, opened
from memkit.widgets.timeline_drawing import LEFT, RIGHT, WIDTH, drawing

LISTED = 12
MOST_DAYS = 5000  # to choose from, thirteen years day by day


class Timeline(Asking):
    """Memories as dots and facts as bars on an axis of time, with a slider for both ends of a span.

    `since` and `until` are the span in the form of `db.recall`; `memories` and `facts` are those in it. The inputs are
    `name` (only memories that mention it), `span` (a pair of days), and project and kinds in `where`.
    """

    def __init__(self, db: AnyDatabase, name: str | None = None, *, project: str | None = None):
        self.db = db = opened(db, self)
        self.name = text_input("About", name or "", "a name, or nothing for everything", "Only what mentions this name")
        self.name.continuous_update = False
        self.where = Where(db, project)
        self._days = days = _days(self._read(None))
        self.span = W.SelectionRangeSlider(
            options=[(day.isoformat(), day) for day in days],
            index=(0, len(days) - 1),
            description="Span",
            tooltip="The span of time to look at",
            readout=False,
            style={"description_width": f"{LEFT / (WIDTH - RIGHT):.2%}"},
            layout={"width": f"{1 - RIGHT / WIDTH:.2%}", "max_width": f"{WIDTH - RIGHT}px", "margin": "0"},
        )
        rows = (self.name, in_a_row(self.where.project, self.where.kinds), self.span)
        super().__init__(rows, (self.name, self.where.project, self.where.kinds, self.span))

    @property
    def since(self) -> str:
        """The first day of the span, as `2024-05-31`."""
        return str(self.span.value[0])

    @property
    def until(self) -> str:
        """The day after the span, as `2024-05-31`."""
        return str(self.span.value[1] + timedelta(days=1))

    @property
    def memories(self) -> list[Moment]:
        """The memories that happened in the span, earliest first."""
        return self._inside(self.value.memories) if self.value else []

    @property
    def facts(self) -> list[Moment]:
        """The facts that were true at some time in the span, earliest first."""
        return self._inside(self.value.facts) if self.value else []

    def _inside(self, known: tuple[Moment, ...]) -> list[Moment]:
        return [moment for moment in known if moment.within(self.since, self.until)]

    def _read(self, name: str | None) -> Moments:
        chosen = self.where.options()
        return self.db.timeline(name, project=chosen["project"], kinds=chosen["kinds"])

    def _answer(self) -> Moments:
        return self._read(self.name.value.strip() or None)

    def _html(self, value: Moments) -> str:
        if not (value.memories or value.facts):
            return hint("Nothing here has a date.")
        inside = [one for one in value.memories if one.within(self.since, self.until)]
        rows = [(when_text(one.start), one.kind, short(one.text, 140), one.id) for one in inside[:LISTED]]
        caption = f"{counted(len(inside), 'memories')} from {self.since} to before {self.until}"
        svg = drawing(value, self.since, self.until, ends=(str(self._days[0]), str(self._days[-1])))
        return f"<p>{self.span.value[0]} to {self.span.value[1]}</p>{svg}" + html_table(
            caption, ("when", "kind", "memory", "id"), rows
        )

    def _summary(self, value: Moments) -> str:
        told = f"{counted(len(self.memories), 'memories')}, {counted(len(self.facts), 'facts')}"
        return f"{self.since} to before {self.until}: {told}"


def _days(known: Moments) -> list[date]:
    """The days to choose from for a span: the first and last day of all, and those between at equal distances.

    Places on the slider are then those on the axis of the drawing.
    """
    times = (when for one in (*known.memories, *known.facts) for when in (one.start, one.end) if when)
    days = [parse_iso(when).date().toordinal() for when in times]
    if not days:
        return [date(2000, 1, 1), date(2000, 1, 2)]
    first, last = min(days), max(days)
    step = (last - first) // MOST_DAYS + 1
    return [date.fromordinal(day) for day in (*range(first, last, step), last)]
