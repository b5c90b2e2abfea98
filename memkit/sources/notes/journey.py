"""Journey loader: the entries of a diary as JSON, each in a file, or the zip of all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Failure
from memkit.sources.chat import as_dict, as_list, as_text, records
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.notes import note
from memkit.sources.notes.note import Found, Note, Record
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_FILES = r"(?i).+\.json"
_ENTRY = re.compile(r"(?:.*/)?\d{13}-\w{10,20}\.json")  # when it was made, and letters
_HTML = re.compile(r"</?(?:p|br|div|ul|ol|li|h\d|strong|em|a)\b", re.IGNORECASE)
_MOST_DEGREES = 180  # Journey writes the largest number where a place is not known


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """Each entry, with its moment, place, weather and tags."""
    found = records(path, options, _FILES)
    yield from note.drafts(map(_entry, found), path, options)


def _entry(one: dict[str, Any] | Failure) -> Found:
    if isinstance(one, Failure):
        return one
    text, starred = as_text(one.get("text")), one.get("favourite") is True
    place = [one.get(name) for name in ("lat", "lon")]
    where = ", ".join(map(str, place)) if all(isinstance(n, float) and abs(n) <= _MOST_DEGREES for n in place) else ""
    return Note(
        source=f"journey:{as_text(one.get('id')) or one.get('date_journal')}",
        title="",
        text=(html_markdown(text) if _HTML.search(text) else text).strip(),
        created=one.get("date_journal"),
        updated=one.get("date_modified"),
        tags=[*map(as_text, as_list(one.get("tags"))), *(["starred"] if starred else [])],
        folder=as_text(one.get("folder")),
        fields={
            "place": as_text(one.get("address")) or None,
            "coordinates": where or None,
            "weather": as_text(as_dict(one.get("weather")).get("description")) or None,
            "timezone": as_text(one.get("timezone")) or None,
        },
    )


def _matches(sample: Sample) -> bool:
    if sample.is_zip:
        return any(map(_ENTRY.fullmatch, sample.entries))
    return {"text", "date_journal", "date_modified"} <= sample.keys


FORMAT = Format("journey", "Journey: a diary's entries as JSON, or the zip of all", read, _matches, ("*.json", "*.zip"))
