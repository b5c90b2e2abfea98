"""Works: what a library of references says of a book or an article becomes an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memkit.sources.reading.item import Item, joined, link


@dataclass(frozen=True)
class Work:
    """A work as its entry describes it. `where` is the journal or the publisher; `about` are numbers and addresses.

    `key` is what the entry is known by; `published` is as far as it is known, `said` are its abstract and notes.
    """

    key: str
    kind: str
    title: str
    people: Sequence[str] = ()
    where: str = ""
    published: str = ""
    url: str = ""
    said: Iterable[str | None] = ()
    tags: Iterable[str] = ()
    about: Mapping[str, str] = field(default_factory=dict)


def work_item(work: Work, path: Path) -> Item:
    """The item: one line on the work, then what is said of it."""
    line = [", ".join(work.people), link(work.title, work.url), work.where, work.published]
    return Item(
        source=path.as_posix(), document=path.stem, text=joined(_sentence(line), *work.said),
        id=work.key or work.title, title=work.title or work.key, kind="reference", at=work.published, tags=work.tags,
        meta={"key": work.key, "type": work.kind, "authors": list(work.people), "published": work.published,
              "in": work.where, **work.about},
    )  # fmt: skip


def _sentence(parts: Iterable[str]) -> str:
    """These as one line with a full stop between them, of which one may end with a stop of its own: `Marsh, R.`"""
    *before, last = [part for part in parts if part] or [""]
    return ". ".join([*(part.removesuffix(".") for part in before), last])
