"""Day One loader: the entries of a journal, as JSON (alone or in its zip), or those of Day One Classic, as plists."""

from __future__ import annotations

import plistlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from memkit.core.patterns import pattern
from memkit.core.types import Failure
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.members import members
from memkit.sources.notes.note import Found, Note, Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

FILES = r"(?i).+\.json"
_CLASSIC = r"(?i).+\.doentry"
_MEDIA = pattern(r"!\[[^\]\n]*\]\(dayone-moment:[^)\n]*\)\n?")
_ESCAPED = pattern(r"\\([\\`*_{}\[\]()#+\-.!~|<>])")
_FENCES = pattern(r"(^```.*?(?:^```|\Z))", re.DOTALL | re.MULTILINE)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The entries, each a document with its day, place and tags. Pictures and recordings are left out."""
    classic = path.is_dir() or path.suffix.lower() == ".doentry"
    yield from drafts(_plists(path, options) if classic else _journals(path, options), path, options)


def _journals(path: Path, options: ReadOptions) -> Iterator[Found]:
    for found in records(path, options, FILES):
        if isinstance(found, Failure):
            yield found
            continue
        for number, entry in enumerate(as_list(found.get("entries")), 1):
            if isinstance(entry, dict):
                yield _entry(entry, path, number)
            else:
                yield Failure(path.as_posix(), f"entry {number} is not an entry")


def _entry(found: dict[str, Any], path: Path, number: int) -> Note:
    place = _place(as_dict(found.get("location")), "placeName", "localityName", "administrativeArea", "country")
    return Note(
        source=f"day-one:{found.get('uuid') or f'{path.as_posix()}#{number}'}",
        title="",
        text=_plain(str(found.get("text") or "")) or _taken(found, place),
        created=found.get("creationDate"),
        updated=found.get("modifiedDate"),
        tags=[*map(str, as_list(found.get("tags"))), *(["starred"] if found.get("starred") is True else [])],
        fields={
            "place": place,
            "weather": as_dict(found.get("weather")).get("conditionsDescription"),
            "starred": found.get("starred") is True or None,
            "timezone": found.get("timeZone"),
        },
    )


def _place(found: dict[str, Any], *parts: str) -> str:
    return ", ".join(dict.fromkeys(str(found[part]) for part in parts if found.get(part)))


def _plain(text: str) -> str:
    """The Markdown of an entry without the marks of pictures, and without the backslashes that Day One adds."""
    parts = _FENCES.split(_MEDIA.sub("", text))
    return "".join(part if number % 2 else _ESCAPED.sub(r"\1", part) for number, part in enumerate(parts)).strip()


def _taken(found: dict[str, Any], place: str) -> str:
    """What an entry without words says: that a photo was taken, and where."""
    kinds = {"photos": "Photo", "videos": "Video", "audios": "Audio", "pdfAttachments": "PDF"}
    media = ", ".join(name for key, name in kinds.items() if as_list(found.get(key)))
    return " at ".join(filter(None, [media, place])) if media else ""


def _plists(path: Path, options: ReadOptions) -> Iterator[Found]:
    alone = [] if path.is_dir() else [("", whole(path, options, "note_size"))]
    for name, data in alone or members(path, options, _CLASSIC):
        where = (path / name).as_posix()
        try:
            found = plistlib.loads(data, fmt=plistlib.FMT_XML)
        except (ValueError, ExpatError, AttributeError, TypeError, IndexError, OverflowError) as error:
            yield Failure(where, f"broken plist: {error}")
            continue
        if not isinstance(found, dict):
            yield Failure(where, "it is not an entry")
            continue
        yield Note(
            source=f"day-one:{found.get('UUID') or where}",
            title="",
            text=str(found.get("Entry Text") or ""),
            created=found.get("Creation Date"),  # without an offset, which plists give in UTC
            tags=[*map(str, as_list(found.get("Tags"))), *(["starred"] if found.get("Starred") is True else [])],
            fields={
                "place": _place(
                    as_dict(found.get("Location")), "Place Name", "Locality", "Administrative Area", "Country"
                ),
                "starred": found.get("Starred") is True or None,
                "timezone": found.get("Time Zone"),
            },
        )


def _is_folder(path: Path, names: frozenset[str]) -> bool:
    return path.suffix.lower() in (".dayone", ".doentries")


def _matches(sample: Sample) -> bool:
    if sample.suffix == ".doentry":
        return "<plist" in sample.text[:500]
    return any(one.has_keys("entries", "metadata") and '"creationDate"' in one.text for one in sample.inside(FILES))


FORMAT = Format(
    "day-one",
    "Day One: a journal's JSON, its zip, or the folder of Day One Classic",
    read,
    _matches,
    ("*.json", "*.zip", "*.doentry"),
    _is_folder,
)
