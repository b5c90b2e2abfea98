"""Todoist loader: a project as CSV (a template, or a file of a backup)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from memkit.core.types import Draft, Failure
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, has_columns, rows
from memkit.sources.reading.item import Item, drafts, joined
from memkit.sources.record_ids import RecordIds
from memkit.sources.tasks.task import Moment, Task, moment

_LABEL = re.compile(r"(?:^|\s)@([^\s@]+)(?=\s|$)")
_NUMBER = re.compile(r"\s*[\[(]\d+[\])]$")  # behind a project in the name of a file, and behind a person
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d?:\d\d")
_MOST_DEEP = 10


@dataclass
class _Row:
    """A task and the comments below it."""

    row: Row
    section: str
    under: str
    notes: list[str] = field(default_factory=list)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each task with its comments. The file names the project."""
    yield from drafts(_items(path, options), path, options, kind="tasks")


def _items(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    project, ids = _NUMBER.sub("", path.stem), RecordIds()
    for one in _tasks(path, options):
        yield one if isinstance(one, Failure) else _task(one, project, ids).item()


def _tasks(path: Path, options: ReadOptions) -> Iterator[_Row | Failure]:
    held: _Row | None = None
    section, above = "", list[str]()
    for row in rows(path, options):
        if isinstance(row, Failure):
            yield row
            continue
        kind, content = row.get("TYPE", "").lower(), row.get("CONTENT", "").strip()
        if kind == "note" and held:
            held.notes.append(content)
            continue
        if held:
            yield held
            held = None
        if kind == "section":
            section, above = content, []
        elif kind == "task" and content:
            depth = min(int(indent), _MOST_DEEP) if (indent := row.get("INDENT", "")).isdecimal() else 1
            del above[max(depth - 1, 0) :]
            held = _Row(row, section, above[-1] if above else "")
            above.append(_LABEL.sub(" ", content).strip())
    if held:
        yield held


def _task(one: _Row, project: str, ids: RecordIds) -> Task:
    row = one.row
    content = row["CONTENT"]
    title = " ".join(_LABEL.sub(" ", content).split()) or content
    return Task(
        of=f"todoist:{project}",
        list=project,
        id=ids.next(None, one.under, content),
        title=title,
        description=joined(row.get("DESCRIPTION"), *one.notes),
        due=_due(row.get("DATE", "").strip(), row.get("TIMEZONE", "").strip()),
        folder=one.section,
        tags=_LABEL.findall(content),
        about={
            "Part of": one.under,
            "Section": one.section,
            "Deadline": row.get("DEADLINE", ""),
            "Assigned to": _NUMBER.sub("", row.get("RESPONSIBLE", "")),
        },
    )


def _due(told: str, zone: str) -> Moment:
    """The due date in the words of the person: `every day`, a day, or a time on the clocks of the zone."""
    if _TIME.match(told):
        with suppress(ValueError, OSError, KeyError, OverflowError):
            local = datetime.fromisoformat(told.replace(" ", "T", 1)).replace(tzinfo=ZoneInfo(zone))
            return moment(local.isoformat(), zone)
    return moment(told)


FORMAT = Format(
    "todoist",
    "Projects of Todoist (CSV)",
    read,
    lambda sample: has_columns(sample, "TYPE", "CONTENT", "INDENT"),
    ("*.csv",),
)
