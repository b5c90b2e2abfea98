"""Timeline: memories and facts on an axis of time, with a slider to select a span."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import ipywidgets as W

from memkit.core.formatting import counted, html_table, short, when_text
from memkit.core.instants import parse_iso
from memkit.graph.timeline_view import Moment, Moments
from memkit.text.prose import plain
from memkit.widgets.base import Asking, hint, in_a_row, text_input
from memkit.widgets.inputs import Where
from memkit.widgets.opened import AnyDatabase, opened
from memkit.widgets.timeline_drawing import LEFT, RIGHT, WIDTH, drawing

LISTED = 12
BESIDE = 12  # pixels that ipywidgets leaves between a label and the track of its slider
MARGIN = 6  # pixels by which it gives a slider less room than a picture
MOST_DAYS = 5000  # to choose from, thirteen years day by day


@dataclass(frozen=True)
class Seen:
    """What a timeline shows: its whole time, and the chosen span of it."""

    whole: Moments
    inside: Moments


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
        self._days = days = _days(db.timeline(project=project))
        self.span = W.SelectionRangeSlider(
            options=[(day.isoformat(), day) for day in days],
            index=(0, len(days) - 1),
            description="Span",
            tooltip="The span of time to look at",
            readout=False,
            style={"description_width": f"calc({LEFT / (100 - RIGHT):.2%} - {BESIDE}px)"},
            layout={
                "width": f"calc({100 - RIGHT}% + {MARGIN}px)",
                "max_width": f"{WIDTH * (1 - RIGHT / 100) + MARGIN}px",
                "margin": "0",
            },
        )
        rows = (self.name, in_a_row(self.where.project, self.where.kinds), self.span)
        super().__init__(rows, (self.name, self.where.project, self.where.kinds, self.span))
        self.span.observe(lambda _: self._say_span(), names="value")
        self._say_span()

    def _say_span(self) -> None:
        self.names.say({self.span.description: [str(day) for day in self.span.value]})

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
        """The memories that happened in the span, earliest first; of more than 2,000, those at equal distances."""
        return list(self.value.inside.memories) if self.value else []

    @property
    def facts(self) -> list[Moment]:
        """The facts that were true at some time in the span, earliest first."""
        return list(self.value.inside.facts) if self.value else []

    def _answer(self) -> Seen:
        name, chosen = self.name.value.strip() or None, self.where.options()
        of = {"project": chosen["project"], "kinds": chosen["kinds"]}
        whole = self.db.timeline(name, **of)
        if self.span.value == (self._days[0], self._days[-1]):
            return Seen(whole, whole)
        return Seen(whole, self.db.timeline(name, **of, since=self.since, until=self.until))

    def _html(self, value: Seen) -> str:
        whole, inside = value.whole, value.inside
        if not (whole.memories or whole.facts):
            return hint("Nothing here has a date.")
        rows = [
            (when_text(one.start), one.kind, short(plain(one.text), 140), one.id) for one in inside.memories[:LISTED]
        ]
        caption = f"{counted(inside.there, 'memories')} from {self.since} to before {self.until}"
        svg = drawing(whole, self.since, self.until, ends=(str(self._days[0]), str(self._days[-1])))
        drawn = hint(f"Of {counted(whole.there, 'memories')}, {len(whole.memories):,} are drawn.") if whole.more else ""
        return f"<p>{self.span.value[0]} to {self.span.value[1]}</p>{svg}{drawn}" + html_table(
            caption, ("when", "kind", "memory", "id"), rows
        )

    def _summary(self, value: Seen) -> str:
        told = f"{counted(value.inside.there, 'memories')}, {counted(len(value.inside.facts), 'facts')}"
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
