"""Pocket loader: its export as CSV with the highlights beside it, the older one as HTML, and what its API gave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.html_tokens import html_tokens
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import has_columns, rows
from memkit.sources.reading.item import Item, drafts, joined, link, quoted
from memkit.sources.sample import Sample
from memkit.text.words import short_id

_STATES = {"0": "unread", "1": "archive"}  # others are deleted
_MARK = "<title>Pocket Export</title>"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each saved page, with its tags and when it was saved."""
    readers = {".html": _page, ".htm": _page, ".json": _listed}
    yield from drafts(readers.get(path.suffix.lower(), _table)(path, options), path, options)


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


def _listed(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    """The pages that the API listed by their ids, but those that were deleted."""
    for answer in records(path, options, ".*"):
        if isinstance(answer, Failure):
            yield answer
            continue
        yield from _highlights(answer)
        for page in map(as_dict, as_dict(answer.get("list")).values()):
            said = {key: value for key, value in page.items() if isinstance(value, str)}
            if (status := _STATES.get(said.get("status", "0"))) is None:
                options.skip("pages that were deleted")
                continue
            url, title = (said.get(f"given_{key}") or said.get(f"resolved_{key}", "") for key in ("url", "title"))
            item = _item(url, title or said.get("resolved_title", ""), page.get("time_added"), [*_tags(page)], status)
            marked = [as_dict(one).get("quote") for one in as_list(page.get("annotations"))]
            quotes = [quoted(one) for one in marked if isinstance(one, str)]
            yield replace(item, text=joined(item.text, said.get("excerpt"), *quotes))


def _highlights(page: dict[str, Any]) -> Iterator[Item]:
    """What was marked on a page, of the files `annotations/` of the export."""
    url, title = (" ".join(str(page.get(key) or "").split()) for key in ("url", "title"))
    for one in map(as_dict, as_list(page.get("highlights"))):
        quote = str(one.get("quote") or "")
        yield Item(
            source="pocket", document="Pocket", text=quote, id=short_id(url, quote), title=title or url,
            at=one.get("created_at"), meta={"url": url},
        )  # fmt: skip


def _tags(page: dict[str, Any]) -> list[str]:
    return [tag for tag in as_dict(page.get("tags")) if tag]


def _item(url: str, title: str, at: object, tags: list[str], status: str) -> Item:
    title = " ".join(title.split())
    return Item(
        source="pocket", document="Pocket", text=link(title, url), id=url, title=title or url, kind="bookmark", at=at,
        tags=[tag.strip() for tag in (*tags, status)], meta={"url": url, "status": status},
    )  # fmt: skip


def _matches(sample: Sample) -> bool:
    if sample.suffix == ".json" and sample.text.startswith("["):
        return sample.has_keys("url", "title", "highlights") and '"quote"' in sample.text
    if sample.suffix == ".json":
        return sample.has_keys("status", "list") and ('"item_id"' in sample.text or '"given_url"' in sample.text)
    return _MARK in sample.text[:2000] or has_columns(sample, "title", "url", "time_added", "status")


FORMAT = Format("pocket", "Pages saved in Pocket", read, _matches, ("*.csv", "ril_export.html", "*.json"))
