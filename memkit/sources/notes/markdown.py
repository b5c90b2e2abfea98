"""Markdown loader: notes and plain text, with front matter, are split into passages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.types import DocumentDraft, Draft, Failure, ReadWarning
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.notes.front_matter_toml import parse_toml
from memkit.sources.notes.front_matter_yaml import fields_by_line, parse_front_matter
from memkit.sources.notes.machinery import Machinery, machinery, plain_words
from memkit.sources.notes.note_dates import CREATED, UPDATED, date_kind, note_dates
from memkit.sources.notes.page_title import page_name, page_title
from memkit.sources.notes.properties import fields_as_text, inline_fields
from memkit.sources.options import ReadOptions
from memkit.sources.values import names, plain, readable, tag_list
from memkit.text.chunking import Passage, passages, without_code
from memkit.text.prose import has_words

_FRONT_MATTER = {
    "---": re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE),
    "+++": re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*$\n?", re.DOTALL | re.MULTILINE),
}
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_HASHTAG = re.compile(r"(?<!\S)#([^\s#.,;:!?\"'()\[\]{}<>|`*~^$@%&+=\\，。！？；：、（）「」]+)")
_LONGEST_TAGS = 10_000  # characters, of all tags in front matter
# Keys of front matter that are stored elsewhere, and so are not fields.
_PLACED = {"title", "alias", "aliases", "tag", "tags"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | DocumentDraft | Failure | ReadWarning]:
    """The passages of one note, or its document if it is empty. Bad front matter and properties add a warning."""
    text = note_text(path, options)
    body, block = _split(text)
    try:
        fields = _front_matter(text[:3], text[slice(*block)], options.limits) if block else {}
    except ValueError as error:
        fields = _front_matter_by_line(text[:3], text[slice(*block or ())], error, options.limits)
        done = "is no YAML as a whole, and was read line by line" if fields else "ignored"
        yield ReadWarning(path.as_posix(), f"front matter {done}: {error}", line=1)
    if fields is None:  # not front matter: two horizontal rules with prose between them
        body, block, fields = 0, None, {}
    properties = inline_fields(text[body:])
    try:
        _tags(properties)
    except ValueError as error:
        properties = {}
        yield ReadWarning(path.as_posix(), f"properties ignored: {error}")
    dendron = {"id", "desc"} <= fields.keys()
    cuts = machinery(text, body, lambda id: options.blocks.text(id, path, options.root), dendron=dendron)
    note = _Note(path, name, cuts.without(text, body, len(text)), {**properties, **fields}, options)
    yield from _passages(text, body, cuts, block if fields else None, note, options, name)


def note_text(path: Path, options: ReadOptions) -> str:
    """The text of a file with `\\n` line ends. Raises ValueError with the line number if it is no text."""
    text = decoded(whole(path, options, "note_size"))
    return readable(text.replace("\r\n", "\n").replace("\r", "\n"))


class _Note:
    """The facts about a note as a whole: title, tags, date and document."""

    def __init__(self, path: Path, name: str, body: str, fields: dict[str, Any], options: ReadOptions):
        stem = page_name(path.stem)
        self.title = page_title(path, body, fields)
        self.tags = _tags(fields)
        place = (PurePosixPath(name).parent / stem).as_posix()
        dates = note_dates(place, body, fields, options.journals.day(path, options.root), options.day_first)
        self.happened_at = dates.happened_at
        aliases = names(fields.get("aliases") or fields.get("alias"))
        if self.title and self.title.casefold() != stem.casefold():
            aliases = tuple(dict.fromkeys((*aliases, stem)))  # [[wikilinks]] use the name of the file
        self.document = DocumentDraft(
            source=path.as_posix(),
            kind="note",
            title=self.title,
            project=options.project,
            created_at=dates.created_at,
            updated_at=dates.updated_at,
            aliases=aliases,
            tags=tuple(dict.fromkeys((*self.tags, *hashtags(body)))),
            fields={key: value for key, value in fields.items() if value is not None and not _is_placed(key)},
        )


def _passages(
    text: str,
    body: int,
    cuts: Machinery,
    block: tuple[int, int] | None,
    note: _Note,
    options: ReadOptions,
    name: str,
) -> Iterator[Draft | DocumentDraft]:
    spans = list(passages(text, start=body, max_tokens=options.max_tokens))
    told = [(span, said) for span in spans if (said := cuts.without(text, span.start, span.end)).strip(_BLANK)]
    told = [(span, said) for span, said in told if has_words(_below_title(said, note.title))] or told[:1]
    about: dict[str, Any] = {}
    if not told and block:  # a note with only front matter should be found, too
        told = [(Passage(*block), fields_as_text(note.document.fields) or note.title or name)]
        about = {"front_matter": True}
    if not told:
        yield note.document
    for span, said in told:
        headings = map(plain_words, span.headings) if cuts.cuts else span.headings
        yield Draft(
            text=said,
            document=note.document,
            source_id=f"{name}#{span.heading}",
            title=note.title,
            tags=tuple(dict.fromkeys((*note.tags, *hashtags(said)))),
            project=options.project,
            happened_at=note.happened_at,
            meta={"start": span.start, "end": span.end, "heading": " > ".join(headings), **about},
        )


def _below_title(said: str, title: str | None) -> str:
    """What a passage says below the title of its note, which each of them has: of a cover nothing."""
    heading, _, below = said.partition("\n")
    return below if below.strip() and title and heading.lstrip("# ") == title else said


def _split(text: str) -> tuple[int, tuple[int, int] | None]:
    """The start of the body, and the span of the front matter's lines (None if there is none)."""
    pattern = _FRONT_MATTER.get(text[:3])
    match = pattern.match(text) if pattern else None
    return (match.end(), match.span(1)) if match else (0, None)


def _front_matter(mark: str, block: str, limits: ReadLimits) -> dict[str, Any] | None:
    """The fields of a block of YAML, or TOML after `+++`, as JSON values; None if the block is prose.

    Raises ValueError if it is broken.
    """
    found = parse_toml(block, limits) if mark == "+++" else parse_front_matter(block, limits)
    if found is None:
        return {}
    if not isinstance(found, dict):
        return None
    fields = _json(found, limits)
    _tags(fields)
    return fields


def _front_matter_by_line(mark: str, block: str, error: ValueError, limits: ReadLimits) -> dict[str, Any]:
    """The fields of a block of YAML that is broken, as far as they can be read line by line."""
    if mark == "+++" or isinstance(error, OverLimit):
        return {}
    try:
        fields = _json(fields_by_line(block, limits), limits)
    except ValueError:
        return {}
    try:
        _tags(fields)
    except ValueError:  # they cost only themselves
        return {key: value for key, value in fields.items() if key not in ("tag", "tags")}
    return fields


def _json(found: dict[Any, Any], limits: ReadLimits) -> dict[str, Any]:
    fields: dict[str, Any] = plain({key: _as_written(value) for key, value in found.items()}, limits)
    return fields


def _as_written(value: Any) -> Any:
    """A time with an offset as text that still has it: in UTC it may be another day."""
    return value.isoformat() if isinstance(value, datetime) and value.utcoffset() else value


def _tags(fields: dict[str, Any]) -> tuple[str, ...]:
    """The tags of front matter; one may be a number (`tags: 2025`). Raises ValueError for tags of another kind."""
    given = fields.get("tags") or fields.get("tag")
    found = tag_list(str(given) if isinstance(given, int | float) else given)
    if sum(map(len, found)) > _LONGEST_TAGS:
        raise ValueError(f"tags of more than {_LONGEST_TAGS:,} characters, which each passage would have")
    return found


def _is_placed(key: str) -> bool:
    return key.casefold() in _PLACED or date_kind(key) in (CREATED, UPDATED)


def hashtags(text: str) -> list[str]:
    """The #tags in a text, outside of code, without the `#`; `#123` is not a tag."""
    if "#" not in text:
        return []
    return [tag for tag in _HASHTAG.findall(_INLINE_CODE.sub(" ", without_code(text))) if not tag.isdigit()]


_BLANK = " \t\r\n-*+#>_"  # of nothing else a passage says nothing: an empty bullet, a rule
SUFFIXES = (".md", ".markdown", ".mdown", ".mdx")

FORMAT = Format(
    "markdown",
    "Notes in Markdown, and plain text: Obsidian, Logseq, Dendron, or any folder",
    read,
    lambda sample: sample.suffix in SUFFIXES,
    (*(f"*{suffix}" for suffix in SUFFIXES), "*.txt", "*.text", "*.org", "*.rst"),
)
