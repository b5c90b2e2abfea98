"""Task tables: tasks as CSV of Asana, Jira, Linear and Toodledo, which differ in the names of their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memkit.core.instants import to_iso
from memkit.core.types import Draft, Failure
from memkit.sources import spoken_moments
from memkit.sources.chat import time_or_none
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import REPEATED, Row, has_columns, rows
from memkit.sources.reading.item import Item, drafts
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.tasks.task import Moment, Task, moment

_MONTH_NAMED = re.compile(r"(\d{1,2})/([^\W\d_]+\.?)/(\d\d)\b")  # Jira: `05/Mar/26 9:05 AM`
_JAVASCRIPT = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d) GMT([+-]\d{4}).*")
_COMMENT = re.compile(r"([^;\n]*\d[^;\n]*);([^;\n]*);(.*)", re.DOTALL)  # of Jira: time, author, text
_PERSON = re.compile(r"[^\W\d_][\w.' -]*")  # who is not known by an id


@dataclass(frozen=True)
class Table:
    """The columns of a service by what they hold; those of `about` stand in the text under the names given there.

    `known_by` are columns that only its tables have. `folder` are columns that say where a task is filed.
    """

    service: str
    title: str
    known_by: tuple[str, ...]
    id: str = ""
    description: str = ""
    due: str = ""
    done: str = ""
    created: str = ""
    tags: str = ""
    folder: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    comments: str = ""

    def matches(self, sample: Sample) -> bool:
        """Whether a file is such a table."""
        return has_columns(sample, *self.known_by)

    def read(self, path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
        """Each task, and each comment on one."""
        yield from drafts(self._items(path, options), path, options, kind="tasks")

    def _items(self, path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
        ids = RecordIds()
        for row in rows(path, options):
            if isinstance(row, Failure):
                yield row
                continue
            task = self._task(row, ids, options)
            yield task.item()
            for comment in filter(None, row.get(self.comments, "").split(REPEATED)):
                yield self._comment(comment, task, ids, options)

    def _task(self, row: Row, ids: RecordIds, options: ReadOptions) -> Task:
        title = row.get(self.title, "").strip()
        about = {name: ", ".join(row.get(column, "").split(REPEATED)).strip() for name, column in self.about.items()}
        return Task(
            of=self.service.lower(),
            list=self.service,
            id=row.get(self.id, "").strip() or ids.next(None, "", title),
            title=title,
            description=row.get(self.description, ""),
            due=_moment(row.get(self.due, ""), options),
            done=_moment(row.get(self.done, ""), options),
            created=_moment(row.get(self.created, ""), options).iso or None,
            folder="/".join(filter(None, (row.get(name, "").replace("/", " ").strip() for name in self.folder))),
            tags=[tag.strip() for tag in row.get(self.tags, "").replace(REPEATED, ",").split(",")],
            about=about,
        )

    def _comment(self, comment: str, task: Task, ids: RecordIds, options: ReadOptions) -> Item:
        found = _COMMENT.fullmatch(comment)
        told, by, text = found.groups() if found else ("", "", comment)
        at = _moment(told, options).iso or task.created
        return Item(
            source=task.of, document=task.list, id=ids.next(f"{task.id} {told}", by, text), text=text, title=task.title,
            kind="comment", speaker=by if _PERSON.fullmatch(by) else "", at=at, meta={"on": task.id},
        )  # fmt: skip


def _moment(told: str, options: ReadOptions) -> Moment:
    """A day or a time, as one of the services writes it; what has no zone is on the clocks of `--timezone`."""
    told = _MONTH_NAMED.sub(r"\1 \2 20\3", told.strip())
    if not told or time_or_none(told):
        return moment(told)
    if script := _JAVASCRIPT.fullmatch(told):
        with suppress(ValueError, OverflowError):
            return moment(to_iso(datetime.strptime(f"{script[1]} {script[2]}", "%b %d %Y %H:%M:%S %z")))
    return moment(spoken_moments.moment(told, options.timezone) or told)


TABLES = (
    Table(
        "Asana",
        "Name",
        ("Task ID", "Created At", "Completed At", "Name", "Due Date"),
        id="Task ID",
        description="Notes",
        due="Due Date",
        done="Completed At",
        created="Created At",
        tags="Tags",
        folder=("Projects", "Section/Column"),
        about={"Start": "Start Date", "Assigned to": "Assignee", "Part of": "Parent task"},
    ),
    Table(
        "Jira",
        "Summary",
        ("Summary", "Issue key", "Issue Type", "Status"),
        id="Issue key",
        description="Description",
        due="Due date",
        done="Resolved",
        created="Created",
        tags="Labels",
        folder=("Project name",),
        about={
            "Issue": "Issue key",
            "Type": "Issue Type",
            "Status": "Status",
            "Assigned to": "Assignee",
            "Reported by": "Reporter",
            "Part of": "Parent summary",
        },
        comments="Comment",
    ),
    Table(
        "Linear",
        "Title",
        ("Team", "Title", "Status", "Cycle Number", "Canceled"),
        id="ID",
        description="Description",
        due="Due Date",
        done="Completed",
        created="Created",
        tags="Labels",
        folder=("Team", "Project"),
        about={
            "Issue": "ID",
            "Status": "Status",
            "Assigned to": "Assignee",
            "Created by": "Creator",
            "Part of": "Parent issue",
        },
    ),
    Table(
        "Toodledo",
        "TASK",
        ("TASK", "FOLDER", "CONTEXT", "DUEDATE", "NOTE"),
        description="NOTE",
        due="DUEDATE",
        done="COMPLETED",
        tags="TAG",
        folder=("FOLDER", "CONTEXT"),
        about={"Start": "STARTDATE", "Status": "STATUS", "Repeats": "REPEAT"},
    ),
)
FORMATS = tuple(
    Format(one.service.lower(), f"Tasks of {one.service} (CSV)", one.read, one.matches, ("*.csv",)) for one in TABLES
)
