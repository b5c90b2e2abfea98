"""CSL-JSON loader: references as Zotero, Pandoc and DOI registries have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.core.written_dates import known_date, written_date
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.reading.work import Work, work_item
from memkit.sources.sample import Sample

_MARK = re.compile(r"</?(?:i|b|sc|sub|sup|span)\b[^<>]*>")  # all that may stand in its texts
_NAME = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
_WHERE = ("container-title", "publisher")
_ABOUT = {
    "doi": "DOI", "isbn": "ISBN", "url": "URL", "volume": "volume", "number": "issue", "pages": "page",
}  # fmt: skip


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each reference: authors, title, where and when it came out; then its abstract and note."""
    yield from drafts(_items(path, options), path, options)


def _items(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    for found in records(path, options, ".*"):
        yield found if isinstance(found, Failure) else work_item(_work(found), path)


def _work(found: dict[str, Any]) -> Work:
    title, id = _text(found.get("title")), _text(found.get("id"))
    people = as_list(found.get("author")) or as_list(found.get("editor"))
    return Work(
        key=id or _text(found.get("DOI")) or title,
        kind=_text(found.get("type")),
        title=title,
        people=[name for name in map(_person, people) if name],
        where=next((where for name in _WHERE if (where := _text(found.get(name)))), ""),
        published=_published(found.get("issued")),
        url=_text(found.get("URL")),
        said=[_text(found.get(name)) for name in ("abstract", "annote", "note")],
        tags=re.split(r"\s*[,;]\s*", _text(found.get("keyword"))),
        about={name: value for name, field in _ABOUT.items() if (value := _text(found.get(field)))},
    )


def _text(value: object) -> str:
    """A text or a number as text without marks; empty for anything else."""
    return _MARK.sub("", str(value)).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _person(name: object) -> str:
    parts = as_dict(name)
    return _text(parts.get("literal")) or " ".join(filter(None, (_text(parts.get(part)) for part in _NAME)))


def _published(issued: object) -> str:
    """When a work came out, as far as it is known; of a span, when it began."""
    if isinstance(issued, str):
        return written_date(issued) or ""
    date = as_dict(issued)
    first = next(iter(as_list(date.get("date-parts"))), None)
    parts = [int(part) for part in map(_text, as_list(first)[:3]) if re.fullmatch(r"[0-9]{1,4}", part)]
    if parts:
        return known_date(*parts) or known_date(parts[0]) or ""
    return written_date(_text(date.get("raw")) or _text(date.get("literal"))) or ""


def _matches(sample: Sample) -> bool:
    named = '"date-parts"' in sample.text or '"family"' in sample.text
    return named and sample.has_keys("type", "title") and not {"issued", "author", "editor"}.isdisjoint(sample.keys)


FORMAT = Format("csl-json", "References (CSL-JSON) of Zotero, Pandoc and others", read, _matches, ("*.json",))
