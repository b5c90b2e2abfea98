"""Loaders for the CSV of read-it-later services: Instapaper and Raindrop."""

from __future__ import annotations

import json
from contextlib import suppress

from memkit.sources.format import Format
from memkit.sources.reading.csv_export import Row, has_columns, row_reader
from memkit.sources.reading.item import Item, joined, link, quoted


def _instapaper(row: Row) -> Item:
    url, title = row.get("URL", ""), row.get("Title", "")
    tags: list[str] = []
    with suppress(ValueError, RecursionError):
        found = json.loads(row.get("Tags") or "[]")
        tags = [str(tag) for tag in found] if isinstance(found, list) else []
    return Item(
        source="instapaper", document="Instapaper", text=joined(link(title, url), row.get("Selection")), id=url,
        title=title or url, kind="bookmark", at=row.get("Timestamp"), tags=tags, folder=row.get("Folder", ""),
        meta={"url": url},
    )  # fmt: skip


def _raindrop(row: Row) -> Item:
    url, title = row.get("url", ""), row.get("title", "")
    marked = row.get("highlights", "")
    liked = ["favorite"] if row.get("favorite") == "true" else []
    text = joined(link(title, url), row.get("excerpt"), row.get("note"), quoted(marked) if marked else "")
    return Item(
        source="raindrop", document="Raindrop", text=text, id=row.get("id") or url, title=title or url,
        kind="bookmark", at=row.get("created"), tags=[tag.strip() for tag in (*row.get("tags", "").split(","), *liked)],
        folder=row.get("folder", ""), meta={"url": url, "favorite": bool(liked)},
    )  # fmt: skip


INSTAPAPER = Format(
    "instapaper",
    "Pages saved in Instapaper",
    row_reader(_instapaper),
    lambda sample: has_columns(sample, "URL", "Title", "Selection", "Folder"),
    ("*.csv",),
)
RAINDROP = Format(
    "raindrop",
    "Bookmarks of Raindrop.io",
    row_reader(_raindrop),
    lambda sample: has_columns(sample, "title", "url", "folder", "tags", "created", "excerpt"),
    ("*.csv",),
)
