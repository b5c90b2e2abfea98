"""Bear and TextBundle loader: notes with an `info.json` beside their text, in a backup, a zip or a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Failure, ReadWarning
from memkit.sources.chat import as_dict
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.members import members
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink, without_pictures
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_FILES = r"(?i)info\.json|text\.(?:md|markdown|mdown|txt|html?)"
_OWN = r"(?:[^/]+\.(?:textbundle|bearnote)/)?(?:text\.\w+|info\.json|assets/.*)"
_BEAR = "net.shinyfrog.bear"
_LONG_TAG = re.compile(r"(?<![\w#/])#([^\s#](?:[^#\n]*[^\s#])?)#(?![\w#])")  # Bear: `#two words#`
_LINK = re.compile(r"\[([^\[\]\n]*)\]\(bear://x-callback-url/open-note\?[^)\n]*\)")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The notes that are not in the trash; for encrypted ones a Failure."""
    yield from drafts(_notes(path, options), path, options)


def _notes(path: Path, options: ReadOptions) -> Iterator[Found]:
    # Sorted by name, the info of a bundle comes before its text.
    folder: str | None = None
    info: dict[str, Any] = {}
    for name, data in members(path, options, _FILES):
        here, _, file = name.rpartition("/")
        where = f"{path.as_posix()}/{here}".rstrip("/")
        if file.lower() == "info.json":
            folder, info = here, {}
            try:
                info = as_dict(load_json(data, options.limits))
            except BrokenJSON as error:
                yield Failure(f"{where}/info.json", str(error), line=error.line)
        else:
            yield from _note(data, file, info if here == folder else {}, where, options)


def _note(data: bytes, file: str, info: dict[str, Any], where: str, options: ReadOptions) -> Iterator[Found]:
    # Each program keeps its own facts under its own name.
    about = as_dict(info.get(_BEAR)) or next((one for one in map(as_dict, info.values()) if "creationDate" in one), {})
    if about.get("trashed") in (1, True):
        options.skip("notes in the trash")
        return
    title = str(about.get("title") or Path(where).name.removesuffix(".textbundle"))
    if about.get("encrypted") in (1, True):
        yield ReadWarning(where, "the note is encrypted; open it in Bear, and export it again")
        return
    text = data.decode("utf-8-sig", "replace")
    if "html" in file.lower():
        text = html_markdown(text)
    text = _LINK.sub(lambda match: wikilink(match[1]), without_pictures(text)).strip()
    heading, _, rest = text.partition("\n")
    if not heading.strip("# "):  # Bear begins a note without a title with an empty heading
        text = rest.strip()
    yield Note(
        source=f"bear:{about['uniqueIdentifier']}" if about.get("uniqueIdentifier") else where,
        title="" if info.get("creatorIdentifier") == _BEAR and text else title,
        text=text,
        created=about.get("creationDate"),
        updated=about.get("modificationDate"),
        tags=[tag for tag in _LONG_TAG.findall(text) if " " in tag],
        folder="Archive" if about.get("archived") in (1, True) else "",
        fields={"url": info.get("sourceURL")},
    )


def _is_bundle(path: Path, names: frozenset[str]) -> bool:
    return path.suffix.lower() == ".textbundle" and "info.json" in names


def _matches(sample: Sample) -> bool:
    return any(re.search(r"(?:^|/)text\.\w+$", name) for name in sample.entries) and any(
        name.rsplit("/", 1)[-1] == "info.json" for name in sample.entries
    )


FORMAT = Format(
    "bear",
    "Bear and TextBundle: a backup (.bear2bk), a .textpack, or the folder of a note",
    read,
    _matches,
    ("*.bear2bk", "*.bearbk", "*.textpack", "*.zip"),
    _is_bundle,
    _OWN,
)
