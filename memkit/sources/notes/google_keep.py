"""Google Keep loader: the notes of a Takeout, one JSON file each (in old ones a page each), or all in its zip."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Failure, LeftOut
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.notes.google_keep_page import ENDINGS, is_page, page_note
from memkit.sources.notes.note import Found, Note, Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

FILES = r"(?i).+\.json"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The notes that are not in the trash, with the items of lists as check boxes."""
    if path.suffix.lower() in ENDINGS and path.with_suffix(".json").exists():
        yield LeftOut(path.as_posix(), "pages of notes that lie beside them as JSON")
    else:
        yield from drafts(_notes(path, options), path, options)


def _notes(path: Path, options: ReadOptions) -> Iterator[Found]:
    if path.suffix.lower() in ENDINGS:
        page = whole(path, options, "note_size").decode("utf-8", "replace")
        if note := page_note(page, path, options):
            yield note
        return
    for found in records(path, options, FILES):
        if isinstance(found, Failure):
            yield found
        elif found.get("isTrashed") is True:
            options.skip("notes in the trash")
        elif "userEditedTimestampUsec" in found:
            yield _note(found, path)


def _note(found: dict[str, Any], path: Path) -> Note:
    # Older exports do not say when a note was created.
    created = found.get("createdTimestampUsec")
    urls = [one.get("url") for one in map(as_dict, as_list(found.get("annotations"))) if one.get("url")]
    labels = [str(one.get("name") or "") for one in map(as_dict, as_list(found.get("labels")))]
    return Note(
        source=f"google-keep:{created or f'{path.stem}'}",
        title=str(found.get("title") or ""),
        text=_text(found),
        created=created or found.get("userEditedTimestampUsec"),
        updated=found.get("userEditedTimestampUsec"),
        tags=[*labels, *(["pinned"] if found.get("isPinned") is True else [])],
        folder="Archive" if found.get("isArchived") is True else "",
        fields={"url": urls, "pinned": found.get("isPinned") is True or None},
    )


def _text(found: dict[str, Any]) -> str:
    """What a note says: its text, or its list. Voice recordings and pictures are named if it says nothing."""
    text = str(found.get("textContent") or "") or html_markdown(str(found.get("textContentHtml") or ""))
    items = [
        f"- [{'x' if one.get('isChecked') is True else ' '}] {one.get('text') or ''}"
        for one in map(as_dict, as_list(found.get("listContent")))
    ]
    return "\n\n".join(filter(None, [text, "\n".join(items)]))


def _matches(sample: Sample) -> bool:
    if sample.suffix in ENDINGS:
        return is_page(sample.text)
    others = {name.split("/")[1] for name in sample.entries if name.startswith("Takeout/") and name.count("/") > 1}
    if len(others) > 1:  # a Takeout of more than the notes
        return False
    return any(one.has_keys("isTrashed", "userEditedTimestampUsec") for one in sample.inside(FILES))


FORMAT = Format(
    "google-keep",
    "Google Keep: a note of a Takeout, or the zip",
    read,
    _matches,
    ("*.json", "*.zip", "*.html"),
    holds_files=True,  # an old note is known by the name of its file
)
