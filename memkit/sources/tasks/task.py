"""Tasks: what is to be done, by when, and whether it is, becomes an item as that of a calendar reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from memkit.sources.chat import time_or_none
from memkit.sources.reading.item import Item, joined


@dataclass(frozen=True)
class Moment:
    """A time as it is shown on the clocks of a zone, and as ISO 8601; of a whole day only the day. Empty: none."""

    shown: str = ""
    iso: str = ""


@dataclass(frozen=True)
class Task:
    """A task. `of` is the identity of its list or board, `list` its name; `id` is what it is known by there.

    `done` is when it was done; `is_done` says that it was, also where nothing tells when. `steps` are its parts and
    whether each is done, `about` what else is said of it, by names that stand in the text.
    """

    of: str
    list: str
    id: str
    title: str
    description: str = ""
    due: Moment = Moment()
    done: Moment = Moment()
    is_done: bool = False
    created: str | None = None
    folder: str = ""
    tags: Iterable[str] = ()
    steps: Iterable[tuple[bool, str]] = ()
    about: Mapping[str, str] = field(default_factory=dict)

    def item(self) -> Item:
        """The item: its title, when it is due and was done, and what it says."""
        about = {
            "Due": self.due.shown,
            "Done": self.done.shown or ("yes" if self.is_done else ""),
            **self.about,
        }
        lines = [f"{name}: {value}" for name, value in about.items() if value]
        steps = [f"- [{'x' if is_done else ' '}] {step}" for is_done, step in self.steps]
        is_done = {"done": True} if self.is_done or self.done.iso else {}
        return Item(
            source=self.of, document=self.list, id=self.id, title=self.title, kind="task", tags=self.tags,
            text=joined("\n".join([self.title, *lines]), self.description, "\n".join(steps)), folder=self.folder,
            at=self.done.iso or self.due.iso or self.created, meta={"due": self.due.iso, **is_done},
        )  # fmt: skip


def moment(told: str, zone: str = "", *, whole_day: bool = False) -> Moment:
    """The moment of a time as ISO 8601 on the clocks of a zone; what is no such time is shown as it is said."""
    at = time_or_none(told)
    if at is None or len(at) <= len("2026-06-26"):
        return Moment(told, at or "")
    local = datetime.fromisoformat(at.replace("Z", "+00:00"))
    try:
        local = local.astimezone(ZoneInfo(zone or "UTC"))
    except (ValueError, OSError, KeyError, OverflowError):  # no such zone
        zone = ""
    if whole_day:
        day = local.date().isoformat()
        return Moment(day, day)
    return Moment(f"{local.replace(tzinfo=None).isoformat(' ', 'minutes')} ({zone or 'UTC'})", at)
