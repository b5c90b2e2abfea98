"""Omnivore loader: its export as a list of pages in JSON, or the zip of it with the highlights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.format import Format
from memkit.sources.members import members
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts, joined, link
from memkit.sources.sample import Sample

_FILES = r"metadata_\d+_to_\d+\.json"  # in the zip


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each saved page with what it is about, its labels, and the highlights in it."""
    yield from drafts(_items(path, options), path, options)


def _items(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    marked = {}
    if path.suffix.lower() == ".zip":
        marked = {Path(file).stem: data.decode("utf-8", "replace") for file, data in members(path, options, r".+\.md")}
    for found in records(path, options, _FILES):
        if isinstance(found, Failure):
            yield found
            continue
        title, url, slug = (str(found.get(name) or "") for name in ("title", "url", "slug"))
        text = joined(link(title, url), found.get("description"), marked.get(slug))
        about = {name: found.get(name) for name in ("url", "state", "publishedAt")}
        labels = [
            label if isinstance(label, str) else as_dict(label).get("name") for label in as_list(found.get("labels"))
        ]
        yield Item(
            source="omnivore", document="Omnivore", text=text, id=str(found.get("id") or url or json.dumps(title)),
            title=title or url, author=str(found.get("author") or ""), kind="bookmark", at=found.get("savedAt"),
            tags=[label for label in labels if isinstance(label, str)], meta=about,
        )  # fmt: skip


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("slug", "url", "savedAt", "readingProgress") for one in sample.inside(_FILES))


FORMAT = Format("omnivore", "Pages saved in Omnivore", read, _matches, ("*.json", "*.zip"))
