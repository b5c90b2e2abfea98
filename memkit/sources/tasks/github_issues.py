"""GitHub loader: issues and pull requests as JSON, as `gh issue list --json` prints them, or as the API gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, time_or_none
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.sample import Sample
from memkit.sources.tasks.task import Task, moment

Issue = Mapping[str, Any]

_REPOSITORY = re.compile(r"https?://[^/]+/([\w.-]+/[\w.-]+)/(?:issues|pull)/\d+")
_COMMENT = re.compile(r"<!--(?:(?!<!--|-->).)*-->", re.DOTALL)  # of templates: what to write, and nobody wrote


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each issue with its state, and each comment on one, by who wrote it. Comments of templates are left out."""
    try:
        top = load_json(whole(path, options), options.limits)
    except BrokenJSON as error:
        yield Failure(path.as_posix(), str(error), line=error.line)
        return
    issues = map(as_dict, as_list(top) or [top])
    yield from drafts((item for one in issues for item in _items(one, path)), path, options, kind="tasks")


def _items(issue: Issue, path: Path) -> Iterator[Item]:
    url = as_text(issue.get("html_url")) or as_text(issue.get("url"))
    repository = found[1] if (found := _REPOSITORY.match(url)) else path.stem
    number, title = f"#{issue.get('number')}", as_text(issue.get("title")).strip()
    task = Task(
        of=f"github:{repository}",
        list=repository,
        id=number,
        title=title,
        description=_written(issue.get("body")),
        done=moment(_first(issue, "closedAt", "closed_at")),
        created=time_or_none(_first(issue, "createdAt", "created_at")),
        tags=[as_text(as_dict(one).get("name")) for one in as_list(issue.get("labels"))],
        about={
            "Issue": number,
            "Status": as_text(issue.get("state")).lower(),
            "Assigned to": ", ".join(filter(None, map(_login, as_list(issue.get("assignees"))))),
            "Reported by": _login(issue.get("author") or issue.get("user")),
            "Milestone": as_text(as_dict(issue.get("milestone")).get("title")),
        },
    )
    if title:
        yield task.item()
    for one in map(as_dict, as_list(issue.get("comments"))):  # of the API it is only how many there are
        at = _first(one, "createdAt", "created_at")
        yield Item(
            source=task.of, document=task.list, kind="comment", title=title, text=_written(one.get("body")),
            id=str(one.get("id") or f"{number} {at}"), speaker=_login(one.get("author") or one.get("user")), at=at,
            meta={"on": number, "url": one.get("url")},
        )  # fmt: skip


def _written(text: object) -> str:
    return _COMMENT.sub("", as_text(text).replace("\r\n", "\n")).strip()


def _login(person: object) -> str:
    return as_text(as_dict(person).get("login"))


def _first(one: Issue, *keys: str) -> str:
    return next(filter(None, (as_text(one.get(key)) for key in keys)), "")


def _matches(sample: Sample) -> bool:
    if not sample.has_keys("number", "title", "body"):
        return False
    return sample.has_keys("author", "createdAt") or sample.has_keys("user", "html_url", "created_at")


FORMAT = Format("github", "Issues of GitHub as JSON: by `gh`, or of its API", read, _matches, ("*.json",))
