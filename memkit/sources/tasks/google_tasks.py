"""Google Tasks loader: `Tasks.json` of Google Takeout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, time_or_none
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.sample import Sample
from memkit.sources.tasks.task import Moment, Task, moment


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each task of each list, also those that are done."""
    top = as_dict(load_json(whole(path, options), options.limits))
    yield from drafts(_items(top, options), path, options, kind="tasks")


def _items(top: dict[str, Any], options: ReadOptions) -> Iterator[Item]:
    for one in map(as_dict, as_list(top.get("items"))):
        found = [as_dict(task) for task in as_list(one.get("items"))]
        titles = {as_text(task.get("id")): as_text(task.get("title")) for task in found}
        for task in found:
            if task.get("deleted") is True:
                options.skip("deleted tasks")
            else:
                yield _task(task, one, titles).item()


def _task(about: dict[str, Any], of: dict[str, Any], titles: dict[str, str]) -> Task:
    due, links = as_text(about.get("due")), [as_text(as_dict(one).get("link")) for one in as_list(about.get("links"))]
    planned = next((one for one in map(as_dict, as_list(about.get("scheduled_time"))) if one.get("current")), {})
    return Task(
        of=f"google-tasks:{as_text(of.get('id')) or as_text(of.get('title'))}",
        list=as_text(of.get("title")) or "Google Tasks",
        id=as_text(about.get("id")),
        title=as_text(about.get("title")).strip(),
        description=as_text(about.get("notes")),
        # Google keeps the day only, as midnight in UTC; the hour, if there is one, is where it was planned.
        due=moment(as_text(planned.get("start"))) if planned.get("start") else Moment(due[:10], due[:10]),
        done=moment(as_text(about.get("completed"))),
        is_done=about.get("status") == "completed",
        created=time_or_none(about.get("created")),
        about={"Part of": titles.get(as_text(about.get("parent")), ""), "Link": " ".join(filter(None, links))},
    )


def _matches(sample: Sample) -> bool:
    return '"tasks#taskLists"' in sample.text[:1000] and "items" in sample.keys


FORMAT = Format("google-tasks", "Tasks of Google, as Google Takeout has them", read, _matches, ("*.json",))
