"""TickTick loader: the backup of all lists as CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.chat import time_or_none
from memkit.sources.events.recurrence import in_words
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, rows
from memkit.sources.reading.item import Item, drafts
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.tasks.task import Task, moment

_STEP = re.compile(r"^[ \t]*([▫▪]) ?(.*)$", re.MULTILINE)  # of a check list: open, and done
_DONE = ("1", "2")  # completed, and archived
_COLUMNS = ("List Name", "Title", "Is Check list")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each task and note of each list. A few lines about the export stand before the table."""
    yield from drafts(_items(path, options), path, options, kind="tasks")


def _items(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    ids, titles = RecordIds(), dict[str, str]()
    for row in rows(path, options, column="Title"):
        if isinstance(row, Failure):
            yield row
        else:
            titles[row.get("taskId", "")] = row.get("Title", "")
            yield _task(row, ids, titles).item()


def _task(row: Row, ids: RecordIds, titles: dict[str, str]) -> Task:
    title, created, zone = row.get("Title", "").strip(), row.get("Created Time", ""), row.get("Timezone", "")
    content = row.get("Content", "").replace("\r", "\n")
    whole_day = row.get("Is All Day", "").lower() == "true"
    status = row.get("Status", "").strip()
    steps = [(mark == "▪", step.strip()) for mark, step in _STEP.findall(content)]
    return Task(
        of="ticktick",
        list="TickTick",
        id=ids.next(created, "", title or content),  # in whichever list it is now
        title=title,
        description=_STEP.sub("", content),
        due=moment(row.get("Due Date", "") or row.get("Start Date", ""), zone, whole_day=whole_day),
        done=moment(row.get("Completed Time", ""), zone),
        is_done=status in _DONE,
        created=time_or_none(created),
        folder="/".join(filter(None, (row.get("Folder Name"), row.get("List Name"), row.get("Column Name")))),
        tags=[tag.strip() for tag in row.get("Tags", "").split(",")],
        steps=steps,
        about={
            "Status": "will not be done" if status == "-1" else "",
            "Part of": titles.get(row.get("parentId", "") or "-", ""),
            "Repeats": _repeats(row.get("Repeat", "")),
        },
    )


def _repeats(rule: str) -> str:
    parts = (part.partition("=") for part in rule.removeprefix("RRULE:").split(";"))
    return in_words({name: values.split(",") for name, _, values in parts})


def _matches(sample: Sample) -> bool:
    return all(f'"{column}"' in sample.text[:1000] for column in _COLUMNS)


FORMAT = Format("ticktick", "Tasks of TickTick: its backup (CSV)", read, _matches, ("*.csv",))
