"""Loaders for the JSON of bookmark services: Pinboard, wallabag, Delicious and Readability."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import Reader, ReadOptions
from memkit.sources.reading.item import Item, drafts, joined, link, quoted

Page = dict[str, Any]


def _pinboard(page: Page) -> Item:
    url, title = _text(page, "href"), _text(page, "description")
    return Item(
        source="pinboard", document="Pinboard", text=joined(link(title, url), page.get("extended")), id=url,
        title=title or url, kind="bookmark", at=page.get("time"), tags=_text(page, "tags").split(),
        meta={"url": url, "to_read": page.get("toread") == "yes" or None},
    )  # fmt: skip


def _wallabag(page: Page) -> Item:
    url, title = _text(page, "url"), _text(page, "title")
    notes = [as_dict(one) for one in as_list(page.get("annotations"))]
    marked = (joined(quoted(_text(one, "quote")), one.get("text")) for one in notes)
    text = joined(link(title, url), *marked, html_markdown(_text(page, "content")))
    kept = {"starred": bool(page.get("is_starred")), "archived": bool(page.get("is_archived"))}
    return Item(
        source="wallabag", document="wallabag", text=text, id=str(page.get("id") or url), title=title or url,
        kind="bookmark", at=page.get("created_at"), tags=[*_tags(page), *filter(kept.get, kept)],
        meta={"url": url, **kept},
    )  # fmt: skip


def _delicious(page: Page) -> Item:
    url, title = _text(page, "url"), _text(page, "title")
    text = joined(link(title, url), page.get("description"))
    return Item(
        source="delicious", document="Delicious", text=text, id=url, title=title or url, kind="bookmark",
        at=page.get("created"), tags=_tags(page), meta={"url": url},
    )  # fmt: skip


def _readability(page: Page) -> Item:
    url, title = _text(page, "article__url"), _text(page, "article__title")
    kept = {"starred": bool(page.get("favorite")), "archived": bool(page.get("archive"))}
    return Item(
        source="readability", document="Readability", text=joined(link(title, url), page.get("article__excerpt")),
        id=url, title=title or url, kind="bookmark", at=page.get("date_added"), tags=[*filter(kept.get, kept)],
        meta={"url": url, **kept},
    )  # fmt: skip


def _text(page: Page, key: str) -> str:
    return value if isinstance(value := page.get(key), str) else ""


def _tags(page: Page) -> list[str]:
    if tags := _text(page, "tags"):
        return tags.split(",")
    return [tag for tag in as_list(page.get("tags")) if isinstance(tag, str)]


def _listed(found: Iterable[Page | Failure]) -> Iterator[Page | Failure]:
    """The pages; of an object that holds a list of them (Readability), those in the list."""
    for one in found:
        inner = None if isinstance(one, Failure) else one.get("bookmarks")
        yield from filter(None, map(as_dict, inner)) if isinstance(inner, list) else [one]


def _reader(made: Callable[[Page], Item]) -> Reader:
    """A reader that makes an item of each saved page."""

    def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
        pages = (one if isinstance(one, Failure) else made(one) for one in _listed(records(path, options, ".*")))
        yield from drafts(pages, path, options)

    return read


PINBOARD = Format(
    "pinboard",
    "Bookmarks of Pinboard",
    _reader(_pinboard),
    lambda sample: sample.has_keys("href", "description", "extended", "time", "toread"),
    ("*.json", "pinboard_export*"),
)
WALLABAG = Format(
    "wallabag",
    "Pages saved in wallabag",
    _reader(_wallabag),
    lambda sample: (
        sample.has_keys("url", "title", "is_archived", "is_starred", "content")
        or sample.has_keys("url", "title", "is_read", "is_fav", "content")
    ),
    ("*.json",),
)
DELICIOUS = Format(
    "delicious",
    "Bookmarks of Delicious",
    _reader(_delicious),
    lambda sample: sample.has_keys("url", "title", "tags", "created", "others", "owner"),
    ("*.json",),
)
READABILITY = Format(
    "readability",
    "Pages saved in Readability",
    _reader(_readability),
    lambda sample: (
        sample.has_keys("article__url", "article__title")
        or (sample.has_keys("bookmarks") and '"article__url"' in sample.text)
    ),
    ("*.json",),
)
