"""Joplin loader: the notes of a JEX archive, or of a folder of the RAW export, with notebooks, tags and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memkit.core.opening import open_regular
from memkit.core.types import ReadWarning
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.members import members
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink, without_pictures
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_NAME = r"[0-9a-f]{32}\.md"
_OWN = rf"(?:.*/)?{_NAME}|resources/.*"
_FIELD = re.compile(r"([a-z_]+):(?: (.*))?")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]*)\]\(:/([0-9a-f]{32})(?:#[^)\n]*)?\)")
_NOTE, _FOLDER, _TAG, _TAGGED = "1", "2", "5", "6"  # values of `type_`
_DEEPEST = 100  # notebooks in notebooks


@dataclass
class _Index:
    """What notes refer to: titles of notes and notebooks, names of tags, by id."""

    titles: dict[str, str] = field(default_factory=dict)
    folders: dict[str, tuple[str, str]] = field(default_factory=dict)  # title, and id of the one around it
    tags: dict[str, str] = field(default_factory=dict)
    tagged: dict[str, list[str]] = field(default_factory=dict)  # ids of tags, by id of the note

    def path(self, id: str) -> str:
        """A notebook with those around it."""
        names: list[str] = []
        while id in self.folders and len(names) < _DEEPEST:
            name, id = self.folders[id]
            names.append(name)
        return "/".join(reversed(names))


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The notes that are not in the trash. A to-do is a note with `todo: open` or `done`."""
    index = _Index()
    for _, text, fields in _items(path, options):
        _enter(index, text, fields)
    yield from drafts(_notes(path, options, index), path, options)


def _items(path: Path, options: ReadOptions) -> Iterator[tuple[str, str, dict[str, str]]]:
    """The name of each file, its text, and the fields in its last lines."""
    for name, data in members(path, options, _NAME):
        lines = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").rstrip("\n").split("\n")
        fields: dict[str, str] = {}
        while lines and (match := _FIELD.fullmatch(lines[-1])):
            fields[match[1]] = match[2] or ""
            lines.pop()
        yield name, "\n".join(lines), fields


def _enter(index: _Index, text: str, fields: dict[str, str]) -> None:
    id, kind, title = fields.get("id", ""), fields.get("type_"), text.split("\n", 1)[0].strip()
    if kind == _NOTE:
        index.titles[id] = title
    elif kind == _FOLDER:
        index.folders[id] = (title, fields.get("parent_id", ""))
    elif kind == _TAG:
        index.tags[id] = title
    elif kind == _TAGGED:
        index.tagged.setdefault(fields.get("note_id", ""), []).append(fields.get("tag_id", ""))


def _notes(path: Path, options: ReadOptions, index: _Index) -> Iterator[Found]:
    for name, text, fields in _items(path, options):
        if fields.get("encryption_applied") == "1":
            yield ReadWarning(f"{path.as_posix()}/{name}", "it is encrypted; decrypt it in Joplin, and export again")
        elif fields.get("type_") != _NOTE:
            continue
        elif fields.get("deleted_time", "0") not in ("", "0"):
            options.skip("notes in the trash")
        elif fields.get("is_conflict") == "1":
            options.skip("versions of notes that were changed in two places")
        else:
            yield _note(text, fields, index)


def _note(text: str, fields: dict[str, str], index: _Index) -> Note:
    id = fields.get("id", "")
    title, _, body = text.partition("\n")
    if fields.get("markup_language") == "2":
        body = html_markdown(body, link=lambda address, words: f"[{words}]({address})")
    todo = "done" if fields.get("todo_completed", "0") not in ("", "0") else "open"
    return Note(
        source=f"joplin:{id}",
        title=title.strip(),
        text=_LINK.sub(lambda match: _linked(match, index), without_pictures(body)).strip(),
        created=fields.get("user_created_time") or fields.get("created_time"),
        updated=fields.get("user_updated_time") or fields.get("updated_time"),
        tags=[index.tags[tag] for tag in index.tagged.get(id, ()) if tag in index.tags],
        folder=index.path(fields.get("parent_id", "")),
        author=fields.get("author", ""),
        fields={"url": fields.get("source_url"), "todo": todo if fields.get("is_todo") == "1" else None},
    )


def _linked(match: re.Match[str], index: _Index) -> str:
    """A link to a note, by its title; of a link to a file only its words."""
    title = index.titles.get(match[2])
    return wikilink(title, match[1]) if title else match[1]


def _is_folder(path: Path, names: frozenset[str]) -> bool:
    """Whether the first file of a name that Joplin gives ends as Joplin ends it."""
    first = min((name for name in names if re.fullmatch(_NAME, name)), default=None)
    with suppress(OSError):
        if first is not None:
            with open_regular(path / first) as stream:
                stream.seek(0, 2)
                stream.seek(max(0, stream.tell() - 200))
                return re.search(rb"\ntype_: \d+\s*\Z", stream.read(200)) is not None
    return False


def _matches(sample: Sample) -> bool:
    is_tar = sample.is_tar or sample.suffix == ".jex"
    return is_tar and re.match(rb"(?:\./)?(?:[0-9a-f]{32}\.md|resources/)", sample.head) is not None


FORMAT = Format(
    "joplin",
    "Joplin: a JEX archive, or a folder of the RAW export",
    read,
    _matches,
    ("*.jex",),
    _is_folder,
    _OWN,
)
