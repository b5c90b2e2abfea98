"""Standard Notes loader: the notes of a decrypted backup, alone or in its zip."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.formatting import counted
from memkit.core.types import Failure, ReadWarning
from memkit.sources.chat import as_dict, as_list, records
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.notes.lexical import lexical_markdown
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

# The one file with all items. Those in `Items/` repeat them, without their dates.
FILES = r"(?i)standard notes .*\.txt|.*backup.*\.(?:txt|json)"
_UNREAD = {"authentication": "secrets of one-time codes", "spreadsheet": "a spreadsheet"}
# How the text of an editor begins that writes JSON.
_SHAPES = {
    "authentication": re.compile(r'\s*\[\s*\{\s*"service"\s*:[^{}]*"secret"\s*:'),
    "spreadsheet": re.compile(r'\s*\{\s*"activeSheet"\s*:[^{}]*"sheets"\s*:|\s*\{\s*"sheets"\s*:\s*\[\s*\{'),
    "task": re.compile(r'\s*\{\s*"schemaVersion"\s*:[^{}]*"groups"\s*:\s*\['),
}
_DEEPEST = 100  # tags in tags
_HTML = re.compile(r"\s*<(?:p|div|h[1-6]|ul|ol|table|blockquote|b|span)[ >].*>\s*", re.DOTALL)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The notes that are not in the trash, with their tags. Encrypted ones are counted in a Failure."""
    for found in records(path, options, FILES):
        if isinstance(found, Failure):
            yield found
        else:
            yield from drafts(_notes(found, path, options), path, options)


def _notes(found: dict[str, Any], path: Path, options: ReadOptions) -> Iterator[Found]:
    items = [one for one in map(as_dict, as_list(found.get("items"))) if one.get("deleted") is not True]
    locked = sum(isinstance(one.get("content"), str) for one in items)
    if locked:
        way = "Export a decrypted backup"
        yield ReadWarning(path.as_posix(), f"{counted(locked, 'items')} of the backup are encrypted. {way}")
    notes = [one for one in items if one.get("content_type") == "Note" and isinstance(one.get("content"), dict)]
    titles = {str(one.get("uuid")): str(one["content"].get("title") or "") for one in notes}
    tags = _tags(items)
    for one in notes:
        content, data = (
            one["content"],
            as_dict(as_dict(as_dict(one["content"]).get("appData")).get("org.standardnotes.sn")),
        )
        kind = str(content.get("noteType") or _kind_of(str(content.get("text") or "")))
        if content.get("trashed") is True or data.get("trashed") is True:
            options.skip("notes in the trash")
            continue
        if kind in _UNREAD:
            yield ReadWarning(
                path.as_posix(), f"the note {content.get('title')!r} is left out: it holds {_UNREAD[kind]}"
            )
            continue
        id = str(one.get("uuid"))
        yield Note(
            source=f"standard-notes:{id}",
            title=str(content.get("title") or ""),
            text=_text(str(content.get("text") or ""), kind, titles, options),
            created=one.get("created_at"),
            updated=data.get("client_updated_at"),
            tags=[*tags.get(id, ()), *(["starred"] if content.get("starred") is True else [])],
            folder="Archive" if data.get("archived") is True or content.get("archived") is True else "",
            fields={"starred": content.get("starred") is True or None},
        )


def _tags(items: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The names of the tags of each note, by its id; a tag in another one is `outer/inner`."""
    tags = {
        str(one.get("uuid")): as_dict(one.get("content")) for one in items if one.get("content_type") in ("Tag", "tag")
    }
    above, found = {}, {}  # type: dict[str, str], dict[str, list[str]]
    references = [(id, one) for id, tag in tags.items() for one in map(as_dict, as_list(tag.get("references")))]
    for id, one in references:
        if one.get("content_type") == "Tag":
            above[id] = str(one.get("uuid"))
    for id, one in references:
        if one.get("content_type") == "Note":
            at, names = id, list[str]()
            while at in tags and len(names) < _DEEPEST:
                names.append(str(tags[at].get("title") or ""))
                at = above.get(at, "")
            found.setdefault(str(one.get("uuid")), []).append("/".join(reversed(names)))
    return found


def _kind_of(text: str) -> str:
    """Which editor wrote a note of an old backup, which does not say it; `None` for plain text."""
    if _HTML.fullmatch(text):
        return "rich-text"
    return next((kind for kind, shape in _SHAPES.items() if shape.match(text)), "None")


def _text(text: str, kind: str, titles: dict[str, str], options: ReadOptions) -> str:
    """What a note says as Markdown, whichever editor wrote it."""
    if kind == "rich-text":
        return html_markdown(text)
    if kind == "super" or text.startswith('{"root":'):
        try:
            return lexical_markdown(load_json(text.encode(), options.limits), lambda id: wikilink(titles.get(id, "")))
        except (BrokenJSON, RecursionError):
            return text
    if kind == "code":
        return f"```\n{text}\n```"
    if kind == "task" and text.startswith("{"):
        return _tasks(text)
    return text


def _tasks(text: str) -> str:
    """The groups of a checklist."""
    try:
        groups = as_list(as_dict(json.loads(text)).get("groups"))
    except (ValueError, RecursionError):
        return text
    lines = []
    for group in map(as_dict, groups):
        lines.append(f"## {group.get('name')}\n")
        for task in map(as_dict, as_list(group.get("tasks"))):
            lines.append(f"- [{'x' if task.get('completed') is True else ' '}] {task.get('description') or ''}")
        lines.append("")
    return "\n".join(lines)


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("items") and '"content_type"' in one.text for one in sample.inside(FILES))


FORMAT = Format(
    "standard-notes", "Standard Notes: a decrypted backup, or its zip", read, _matches, ("*.txt", "*.json", "*.zip")
)
