"""Pocket loader: its export as CSV, and the older one as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.html_tokens import html_tokens
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import has_columns, rows
from memkit.sources.reading.item import Item, drafts, link
from memkit.sources.sample import Sample

_MARK = "<title>Pocket Export</title>"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each saved page, with its tags and when it was saved."""
    is_page = path.suffix.lower() in (".html", ".htm")
    yield from drafts(_page(path, options) if is_page else _table(path, options), path, options)


def _table(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    for row in rows(path, options):
        if isinstance(row, Failure):
            yield row
        else:
            tags = row.get("tags", "").split("|")
            yield _item(row.get("url", ""), row.get("title", ""), row.get("time_added"), tags, row.get("status", ""))


def _page(path: Path, options: ReadOptions) -> Iterator[Item]:
    """The links of the HTML, under the headings for unread and read ones."""
    status, inside = "unread", ""
    about: dict[str, str] = {}
    words = ""
    for token in html_tokens(decoded(whole(path, options, "note_size"))):
        if token.tag in ("a", "h1") and not token.ends:
            inside, about, words = token.tag, token.attributes, ""
        elif token.tag == inside and token.ends:
            if inside == "a":
                yield _item(
                    about.get("href", ""), words, about.get("time_added"), about.get("tags", "").split(","), status
                )
            else:
                status = "archive" if "archive" in words.lower() else "unread"
            inside = ""
        elif inside and not token.tag:
            words += token.text


def _item(url: str, title: str, at: object, tags: list[str], status: str) -> Item:
    title = " ".join(title.split())
    return Item(
        source="pocket", document="Pocket", text=link(title, url), id=url, title=title or url, kind="bookmark", at=at,
        tags=[tag.strip() for tag in tags], meta={"url": url, "status": status},
    )  # fmt: skip


def _matches(sample: Sample) -> bool:
    return _MARK in sample.text[:2000] or has_columns(sample, "title", "url", "time_added", "status")


FORMAT = Format("pocket", "Pages saved in Pocket", read, _matches, ("*.csv", "ril_export.html"))
