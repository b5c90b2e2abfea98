"""jrnl loader: a journal of the command jrnl as it lies on the disk, in one file or a folder, or its export as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.patterns import pattern
from memkit.sources.chat import as_dict, as_list
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.notes.note import Note, Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.spoken_moments import moment

_HEAD = pattern(r"(?:\A|(?<=\n))\[(?=[^\]\n]{0,40}\d[:.]\d\d)([^\]\n]{8,40})\] +(?=\S)")
_TAG = pattern(r"(?<!\S)@(\w[\w+\-]{0,100})")
_LOG = re.compile(r"\W?(?:TRACE|DEBUG|INFO|NOTICE|WARN|ERROR|CRITICAL|FATAL)", re.IGNORECASE)
_STAR = "*"  # behind the title of an entry, or right after its date
_KEYS = ("title", "body", "date", "time", "starred")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """Each entry as a note of its moment; what is marked with `@` are its tags."""
    data = whole(path, options, "note_size")
    is_export = path.suffix.lower() == ".json"
    found = _of_json(load_json(data, options.limits), path, options) if is_export else _of_text(data, path, options)
    yield from drafts(found, path, options)


def _of_text(data: bytes, path: Path, options: ReadOptions) -> Iterator[Note]:
    text = decoded(data).lstrip("\ufeff").replace("\r\n", "\n")
    heads = [one for one in _HEAD.finditer(text) if moment(one[1], options.timezone)]
    ends = [one.start() for one in heads[1:]] + [len(text)]
    if before := text[: heads[0].start() if heads else len(text)].strip():
        yield Note(source=path.as_posix(), title=path.stem, text=before)
    for head, end in zip(heads, ends, strict=True):
        title, _, body = text[head.end() : end].strip().partition("\n")
        starred = title.startswith(f"{_STAR} ") or title.endswith(f" {_STAR}")
        yield _note(path, head[1], title.strip(f" {_STAR}") if starred else title, body, starred, options)


def _of_json(top: Any, path: Path, options: ReadOptions) -> Iterator[Note]:
    for one in map(as_dict, as_list(as_dict(top).get("entries"))):
        title, body = (str(one.get(key) or "") for key in ("title", "body"))
        yield _note(path, f"{one.get('date')} {one.get('time')}", title, body, one.get("starred") is True, options)


def _note(path: Path, told: str, title: str, body: str, starred: bool, options: ReadOptions) -> Note:
    text = "\n".join(filter(None, [title.strip(), body.rstrip()]))
    at = moment(told, options.timezone)
    return Note(
        source=f"{path.as_posix()}#{told}",
        title=title.strip(),
        text=text,
        created=at,
        tags=[*dict.fromkeys(_TAG.findall(text)), *(["starred"] if starred else [])],
    )


def _matches(sample: Sample) -> bool:
    if sample.suffix == ".json":
        return sample.has_keys("tags", "entries") and all(f'"{key}"' in sample.text for key in _KEYS)
    if not sample.text.startswith("["):
        return False
    heads = [*_HEAD.finditer(sample.text)]
    # A program's log has no blank lines between its lines.
    apart = all(sample.text.endswith("\n\n", 0, one.start()) for one in heads[1:])
    first = bool(heads) and heads[0].start() == 0 and moment(heads[0][1]) is not None
    return first and apart and not _LOG.match(sample.text, heads[0].end())


FORMAT = Format(
    "jrnl",
    "jrnl: journals as they lie on the disk, or exported as JSON",
    read,
    _matches,
    ("*.txt", "*.journal", "*.json"),
)
