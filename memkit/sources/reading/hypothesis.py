"""Hypothesis loader: annotations of pages as its interface for programs gives them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts, joined, quoted
from memkit.sources.sample import Sample


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each annotation: the words of the page as a quote, then the comment; in a document for each page."""
    yield from drafts(_items(path, options), path, options)


def _items(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    for found in records(path, options, ".*"):
        if isinstance(found, Failure):
            yield found
            continue
        for one in [as_dict(row) for row in as_list(found.get("rows"))] if "rows" in found else [found]:
            yield _item(one)


def _item(one: dict[str, Any]) -> Item:
    uri = str(one.get("uri") or "")
    titles = as_list(as_dict(one.get("document")).get("title"))
    title = next((title for title in titles if isinstance(title, str)), uri)
    text = one.get("text") if isinstance(one.get("text"), str) else ""
    marked = _marked(one)
    answered = as_list(one.get("references"))
    return Item(
        source=f"hypothesis:{uri}", document=title, text=joined(quoted(marked) if marked else "", text),
        id=str(one.get("id") or one.get("created") or ""), kind="note" if text else "highlight", at=one.get("created"),
        tags=[tag for tag in as_list(one.get("tags")) if isinstance(tag, str)], ordered=True,
        meta={"url": uri, "user": _name(one.get("user")), "reply_to": answered[-1] if answered else None},
    )  # fmt: skip


def _marked(one: dict[str, Any]) -> str:
    """The words of the page that were marked."""
    selectors = [as_dict(s) for target in as_list(one.get("target")) for s in as_list(as_dict(target).get("selector"))]
    exact = (one.get("exact") for one in selectors if one.get("type") == "TextQuoteSelector")
    return next((text for text in exact if isinstance(text, str)), "")


def _name(user: object) -> str:
    """`acct:rosa@hypothes.is` is rosa."""
    return str(user or "").removeprefix("acct:").partition("@")[0]


def _matches(sample: Sample) -> bool:
    marks = "TextQuoteSelector" in sample.text or '"hypothes' in sample.text or "hypothes.is" in sample.text
    return marks and (sample.has_keys("rows", "total") or {"uri", "target", "created"} <= sample.keys)


FORMAT = Format("hypothesis", "Annotations of Hypothesis", read, _matches, ("*.json",))
