"""Timeline: memories and facts on an axis of time, with a slider to select a span."""

from __future__ import annotations

from datetime import date, timedelta

import ipywidgets as W

from memkit.core.formatting import counted, html_table, short, when_text
from memkit.core.instants import parse_iso
from memkit.graph.timeline_view import Moment, Moments
from memkit.widgets.base import WIDE, Asking, hint, text_input
from memkit.widgets.inputs import Where
from memkit.widgets.opened import AnyDatabase, opened
from memkit.widgets.timeline_drawing import drawing

LISTED = 12


class Timeline(Asking):
    """Memories as dots and facts as bars on an axis of time, with a slider for both ends of a span.

    `since` and `until` are the span in the form of `db.recall`; `memories` and `facts` are those in it. The inputs are
    `name` (only memories that mention it), `span` (a pair of days), and project and kinds in `where`.
    """

    def __init__(self, db: AnyDatabase, name: str | None = None, *, project: str | None = None):
        self.db = db = opened(db, self)
        self.name = text_input("About", name or "", "a name, or nothing for everything")
        self.name.continuous_update = False
        self.where = Where(db, project)
        days = _days(self._read(None))
        self.span = W.SelectionRangeSlider(
            options=[(day.isoformat(), day) for day in days],
            index=(0, len(days) - 1),
            description="Span",
            style=WIDE,
            layout={"width": "100%", "max_width": "60em"},
        )
        rows = (self.name, W.HBox([self.where.project, self.where.kinds]), self.span)
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
        return drawing(value, self.since, self.until) + html_table(caption, ("when", "kind", "memory", "id"), rows)

    def _summary(self, value: Moments) -> str:
        told = f"{counted(len(self.memories), 'memories')}, {counted(len(self.facts), 'facts')}"
        return f"{self.since} to before {self.until}: {told}"


def _days(known: Moments) -> list[date]:
    """The days to choose from for a span: the first of each month, and the first and last day of all."""
    times = (when for one in (*known.memories, *known.facts) for when in (one.start, one.end) if when)
    days = sorted(parse_iso(when).date() for when in times)
    if not days:
        return [date(2000, 1, 1), date(2000, 1, 2)]
    first, last = days[0], days[-1]
    months = range(first.year * 12 + first.month, last.year * 12 + last.month)
    return sorted({first, last, *(date(month // 12, month % 12 + 1, 1) for month in months)})
