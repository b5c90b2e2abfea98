"""Notes of an export: what a program keeps about a note becomes the drafts of a document."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memkit.core.types import DocumentDraft, Draft, Failure, LeftOut, ReadWarning
from memkit.sources.chat import time_or_none
from memkit.sources.notes.markdown import hashtags
from memkit.sources.notes.page_title import first_heading
from memkit.sources.options import ReadOptions
from memkit.sources.values import LONGEST_NAME, clean, plain, readable, short_name, tags_of
from memkit.text.chunking import passages

_TITLE_LENGTH = 80  # characters of the first line of a note that has no title
# Without words, or not on the web; with what Bear writes behind it.
_PICTURE = re.compile(
    r"!\[(?:\]\(|[^\[\]\n]*\]\((?!https?:))[^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)(?:<!-- \{[^\n]*?\} -->)?"
)
_NOT_IN_A_LINK = re.compile(r"[\[\]|#^\n]+")


@dataclass(frozen=True)
class Section:
    """A part of a document that has a place of its own: a page, a slide, a sheet, a heading with its text.

    `heading` is the name of the place, `headings` those around it and itself; `id` is what the source knows it by.
    """

    text: str
    heading: str = ""
    headings: tuple[str, ...] = ()
    id: str = ""
    happened: object = None
    tags: Iterable[str] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Note:
    """A note as its program keeps it. `text` is Markdown, with links to other notes as `[[their title]]`.

    What has parts with places of their own has `sections` in place of `text`. `source` is its identity, the same in
    each export: the program and the note's id there. Times are what `iso` takes; `happened` is when what it tells
    happened, if that is known better than by `created`. `folder` is a path with `/`; its names are tags, too, by which
    words find what is filed there.
    """

    source: str
    title: str
    text: str
    created: object = None
    updated: object = None
    happened: object = None
    tags: Iterable[str] = ()
    aliases: Iterable[str] = ()
    folder: str = ""
    author: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "note"
    sections: tuple[Section, ...] = ()


Found = Note | Failure | ReadWarning | LeftOut  # what is found in an export
Record = Draft | DocumentDraft | Failure | ReadWarning | LeftOut  # what its reader yields


def drafts(found: Iterable[Found], path: Path, options: ReadOptions) -> Iterator[Record]:
    """The drafts of all notes of an export, each note once. What is no note is passed on.

    Programs do not always give each note an id of its own: another note with the same `source` gets another one.
    """
    seen: dict[str, set[str]] = {}
    for note in found:
        if not isinstance(note, Note):
            yield note
            continue
        text = hashlib.sha256(f"{note.title}\n{note.text}".encode("utf-8", "replace")).hexdigest()[:12]
        known = seen.setdefault(note.source, set())
        if text not in known:
            yield from _drafts(replace(note, source=f"{note.source}~{text}") if known else note, path, options)
        known.add(text)


def wikilink(title: str, words: str = "") -> str:
    """A link to the note with this title, which may show other words."""
    name = " ".join(_NOT_IN_A_LINK.sub(" ", title).split())
    words = " ".join(_NOT_IN_A_LINK.sub(" ", words).split())
    if not name:
        return words
    return f"[[{name}]]" if words in ("", name) else f"[[{name}|{words}]]"


def _drafts(note: Note, path: Path, options: ReadOptions) -> Iterator[Record]:
    """The passages of a note, its document if it has neither text nor title, a Failure if it cannot be stored."""
    source, title = clean(note.source)[:LONGEST_NAME], short_name(note.title)
    sections = [one for one in note.sections or (Section(note.text),) if one.text.strip()]
    try:
        texts = [readable(one.text.replace("\r\n", "\n").replace("\r", "\n")) for one in sections]
    except ValueError as error:
        yield Failure(path.as_posix(), f"the note {title!r} {error}")
        return
    if not texts and title:  # its title is all that it says
        sections, texts = [Section(title)], [title]
    title = title or (_first_words(texts[0]) if texts else "")
    tags = tags_of((*note.tags, *note.folder.split("/")))
    fields = {"folder": note.folder.strip("/"), "author": note.author, **note.fields}
    document = DocumentDraft(
        source=source,
        kind=note.kind,
        title=title or None,
        project=options.project,
        created_at=time_or_none(note.created),
        updated_at=time_or_none(note.updated),
        aliases=tuple(dict.fromkeys(name for one in note.aliases if (name := short_name(one)) and name != title)),
        tags=tuple(dict.fromkeys((*tags, *(tag for text in texts for tag in hashtags(text))))),
        fields=plain({key: value for key, value in fields.items() if value not in (None, "", [])}, options.limits),
        file=None if source == path.as_posix() else path.as_posix(),
    )
    if not texts:
        yield document
    for section, text in zip(sections, texts, strict=True):
        happened = time_or_none(section.happened) or time_or_none(note.happened) or document.created_at
        for span in passages(text, max_tokens=options.max_tokens):
            said = text[span.start : span.end]
            place = " > ".join(map(short_name, section.headings or filter(None, [section.heading, *span.headings])))
            yield Draft(
                text=said,
                document=document,
                source_id=f"{source}#{short_name(section.id or section.heading or span.heading)}",
                title=document.title,
                speaker=short_name(note.author) or None if note.kind == "note" else None,
                tags=tuple(dict.fromkeys((*tags, *map(short_name, section.tags), *hashtags(said)))),
                project=options.project,
                happened_at=happened,
                meta={**section.meta, **({"heading": place} if place else {})},
            )


def without_pictures(text: str) -> str:
    """The Markdown without pictures that lie beside it, or that have no words."""
    return _PICTURE.sub("", text)


def _first_words(text: str) -> str:
    """The heading of a text without a title, or its first line."""
    line = short_name(first_heading(text) or next((line for line in text.split("\n", 20) if line.strip()), ""))
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rstrip() + "…"
