"""SVG of a timeline: memories are dots, in one row for each kind; facts are bars.

Places on the axis are percent of its width, and all else pixels, so that words have one size in any width.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from memkit.core.formatting import counted, short, when_text
from memkit.core.instants import parse_iso
from memkit.graph.timeline_view import Moment, Moments
from memkit.text.prose import plain

WIDTH = 860  # pixels at most
LEFT, RIGHT = 16.0, 6.0  # percent of the width beside the axis
ROW, FONT = 24, 12
MOST_BARS = 24
MOST_TICKS = 5  # months or years on the axis
LONGEST_NAME = 50  # characters of a fact
DOT = "#2f81c7"
BAR = "#c4611d"
SURE = f'fill="{BAR}"'
DOUBTFUL = f'fill="none" stroke="{BAR}" stroke-width="1.5" stroke-dasharray="4 3"'


class Axis:
    """The axis from the first to the last day: it converts days to percent of the width."""

    def __init__(self, days: Iterable[str]):
        known = sorted({parse_iso(day).date().isoformat() for day in days})
        self.first, self.last = (known[0], known[-1]) if known else ("2000-01-01", "2000-01-02")
        self._begin = _ordinal(self.first)
        self._span = max(_ordinal(self.last) - self._begin, 1)

    def x(self, when: str) -> float:
        """The place of a time, in percent; a time outside the axis is at its edge."""
        share = (_ordinal(when[:10]) - self._begin) / self._span
        return round(LEFT + min(max(share, 0), 1) * (100 - LEFT - RIGHT), 2)

    def ticks(self) -> list[str]:
        """A few days to label on the axis: first days of months or years."""
        first, last = int(self.first[:4]) * 12 + int(self.first[5:7]), int(self.last[:4]) * 12 + int(self.last[5:7])
        step = next((s for s in (1, 2, 3, 6, 12, 24, 60, 120, 600) if (last - first) / s <= MOST_TICKS), 1200)
        months = range(first - (first - 1) % step, last + 1, step)
        return [f"{(m - 1) // 12:04}-{(m - 1) % 12 + 1:02}-01" for m in months if m >= first]


def _ordinal(day: str) -> int:
    """The number of a day, or of the first day of a month or a year."""
    try:
        return parse_iso(day).toordinal()
    except ValueError:
        return 1


def drawing(
    shown: Moments, since: str | None = None, until: str | None = None, ends: tuple[str, str] | None = None
) -> str:
    """The timeline as an SVG; memories and facts outside `since` to `until` are faint.

    The axis goes from the first to the last of the days in `ends`, or of what is shown.
    """
    axis = Axis(
        ends or (day for moment in (*shown.memories, *shown.facts) for day in (moment.start, moment.end) if day)
    )
    kinds = sorted({moment.kind for moment in shown.memories})
    rows = {kind: 18 + n * ROW for n, kind in enumerate(kinds)}
    bars = shown.facts[:MOST_BARS]
    top = 18 + len(kinds) * ROW
    height = top + len(bars) * ROW + 30
    dots = "".join(_dot(one, axis, rows[one.kind], one.within(since, until)) for one in shown.memories)
    held = "".join(_bar(one, axis, top + n * ROW, one.within(since, until)) for n, one in enumerate(bars))
    names = "".join(_text(0, y + 4, short(kind, 12)) for kind, y in rows.items())
    ticks = "".join(_tick(axis.x(day), day, height - 22) for day in axis.ticks())
    told = f"{counted(len(shown.memories), 'memories')} and {counted(len(shown.facts), 'facts')}"
    title = f"{told}, {axis.first} to {axis.last}"
    return (
        f'<svg width="100%" height="{height}" role="img" style="max-width:{WIDTH}px" '
        f'font-family="system-ui,sans-serif" font-size="{FONT}" fill="currentColor"><title>{title}</title>'
        f"{ticks}{names}{dots}{held}</svg>"
    )


def _dot(one: Moment, axis: Axis, y: int, inside: bool) -> str:
    said = escape(f"{when_text(one.start)}: {short(plain(one.text), 160)}")
    opacity = 0.75 if inside else 0.3
    return (
        f'<circle cx="{axis.x(one.start or "")}%" cy="{y}" r="5" fill="{DOT}" fill-opacity="{opacity}">'
        f"<title>{said}</title></circle>"
    )


def _bar(one: Moment, axis: Axis, y: int, inside: bool) -> str:
    start, end = axis.x(one.start or axis.first), axis.x(one.end or axis.last)
    when = f"{when_text(one.start)[:10] or '…'} to {when_text(one.end)[:10] or '…'}"
    said = f"{one.text}, {'in doubt, ' if one.in_doubt else ''}{when}"
    wide = round(max(end - start, 0.5), 2)
    look = DOUBTFUL if one.in_doubt else SURE
    line = (
        f'<rect x="{start}%" y="{y + 6}" width="{wide}%" height="5" rx="2" opacity="{1 if inside else 0.35}" {look}/>'
    )
    words = _text(0, y + 3, short(one.text, LONGEST_NAME) + (", in doubt" if one.in_doubt else ""))
    read = 1 if inside else 0.7  # words outside the span can still be read
    return f'<g><title>{escape(said)}</title>{line}<g opacity="{read}">{words}</g></g>'


def _tick(x: float, day: str, height: int) -> str:
    line = f'<line x1="{x}%" y1="6" x2="{x}%" y2="{height}" stroke="currentColor" stroke-opacity=".18"/>'
    return line + _text(x, height + 15, day[:7], "middle")


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x}%" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'
