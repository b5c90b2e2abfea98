"""Daylio loader: the diary of moods as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, has_columns, rows
from memkit.sources.reading.item import Item, drafts, joined
from memkit.sources.spoken_moments import moment


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each entry with its mood, what was done, and the note."""
    found = (row if isinstance(row, Failure) else _item(row, options) for row in rows(path, options))
    yield from drafts(found, path, options, kind="journal")


def _item(row: Row, options: ReadOptions) -> Item:
    """An entry: the mood, what was done, and the note."""
    day, clock, mood = (row.get(name, "").strip() for name in ("full_date", "time", "mood"))
    done = [one.strip() for one in row.get("activities", "").split("|") if one.strip()]
    title = row.get("note_title", "").strip()
    told = [f"Mood: {mood}" if mood else "", f"Activities: {', '.join(done)}" if done else ""]
    note = row.get("note", "")
    return Item(
        source="daylio", document="Daylio", id=f"{day} {clock}", title=title or day, kind="journal",
        text=joined(title, "\n".join(filter(None, told)), html_markdown(note) if "<" in note else note),
        at=moment(f"{day} {clock}", options.timezone) or day, tags=done, meta={"mood": mood},
    )  # fmt: skip


FORMAT = Format(
    "daylio",
    "A diary of moods: Daylio's export (CSV)",
    read,
    lambda sample: has_columns(sample, "full_date", "mood", "activities", "note"),
    ("*.csv",),
)
