"""Simplenote loader: the notes of an export, as its zip, unpacked, or the JSON in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.types import Failure
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.format import Format
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

FILES = r"(?i)notes\.json"  # the text files beside it repeat the notes, without their times and tags
_IN_FOLDER = "source/notes.json"
_OWN = rf"{re.escape(_IN_FOLDER)}|(?:trash/)?[^/]+\.txt"
_LINK = re.compile(r"\[([^\[\]\n]*)\]\(simplenote://note/([\w-]+)\)")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The notes that are not in the trash. Their first line is their title."""
    file = path / _IN_FOLDER if path.is_dir() else path
    for found in records(file, options, FILES):
        if isinstance(found, Failure):
            yield found
        else:
            yield from drafts(_notes(found, options), file, options)


def _notes(found: Mapping[str, Any], options: ReadOptions) -> Iterator[Found]:
    notes = [as_dict(one) for one in as_list(found.get("activeNotes"))]
    titles = {
        str(one.get("id")): str(one.get("content") or "").strip().split("\n", 1)[0].strip("# \r") for one in notes
    }
    for _ in as_list(found.get("trashedNotes")):
        options.skip("notes in the trash")
    for one in notes:
        text = str(one.get("content") or "")
        yield Note(
            source=f"simplenote:{one.get('id')}",
            title="",
            text=_LINK.sub(lambda match: wikilink(titles.get(match[2], ""), match[1]), text),
            created=one.get("creationDate"),
            updated=one.get("lastModified"),
            tags=[*map(str, as_list(one.get("tags"))), *(["pinned"] if one.get("pinned") is True else [])],
            fields={"pinned": one.get("pinned") is True or None},
        )


def _is_folder(path: Path, names: frozenset[str]) -> bool:
    return "source" in names and (path / _IN_FOLDER).is_file()


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("activeNotes") for one in sample.inside(FILES))


FORMAT = Format(
    "simplenote",
    "Simplenote: an export, as its zip or unpacked",
    read,
    _matches,
    ("*.json", "*.zip"),
    _is_folder,
    _OWN,
)
