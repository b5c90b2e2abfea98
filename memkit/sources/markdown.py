"""Markdown loader: notes and plain text, with front matter, are split into passages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from memkit.core.dates import iso
from memkit.core.types import DocumentDraft, Draft, Failure
from memkit.sources.contents import whole
from memkit.sources.front_matter_yaml import parse_front_matter
from memkit.sources.limits import ReadLimits
from memkit.sources.options import ReadOptions
from memkit.sources.properties import inline_fields
from memkit.sources.values import LONGEST_NAME, names, plain, short_name, sound, tag_list
from memkit.text.chunking import passages, without_code

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_FIRST_LINE_TITLE = re.compile(r"#[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")
# Also after one letter of the writer's own: `d2025-09-25`.
_DAY = re.compile(r"(?:[A-Za-z](?=\d{4}[-_.]))?(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)")
_ONLY_A_LINK = re.compile(r"!?\[\[[^\[\]]*\]\]")
_PERCENT = re.compile(r"%[0-9A-F]{2}")
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_HASHTAG = re.compile(r"(?<!\S)#([^\s#.,;:!?\"'()\[\]{}<>|`*~^$@%&+=\\，。！？；：、（）「」]+)")
_LONGEST_TAGS = 10_000  # characters, of all tags in front matter
# Keys of front matter that are stored elsewhere, and so are not fields.
_PLACED = {"title", "alias", "aliases", "tag", "tags", "created", "updated", "modified"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | DocumentDraft | Failure]:
    """The passages of one note, or its document if it is empty. Bad front matter and properties only add a failure."""
    try:
        text = note_text(path, options)
    except ValueError as error:
        yield Failure(path.as_posix(), str(error))
        return
    body, block = _split(text)
    try:
        fields = _front_matter(text[slice(*block)], options.limits) if block else {}
    except ValueError as error:
        fields = {}
        yield Failure(path.as_posix(), f"front matter ignored: {error}", line=1)
    if fields is None:  # not front matter: two horizontal rules with prose between them
        body, block, fields = 0, None, {}
    properties = inline_fields(text[body:])
    try:
        _tags(properties)
    except ValueError as error:
        properties = {}
        yield Failure(path.as_posix(), f"properties ignored: {error}")
    note = _Note(path, text[body:], {**properties, **fields}, options)
    yield from _passages(text, body, block if fields else None, note, options, name)


def note_text(path: Path, options: ReadOptions) -> str:
    """The text of a file with `\\n` line ends. Raises ValueError with the line number if it is not valid UTF-8."""
    data = whole(path, options, "note_size")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not valid UTF-8") from None
    return sound(text.replace("\r\n", "\n").replace("\r", "\n"))


class _Note:
    """The facts about a note as a whole: title, tags, date and document."""

    def __init__(self, path: Path, body: str, fields: dict[str, Any], options: ReadOptions):
        stem = _page_name(path.stem)
        self.title = _title(path, body, fields)
        self.tags = _tags(fields)
        created, updated = _date(fields.get("created")), _date(fields.get("updated") or fields.get("modified"))
        self.happened_at = _day_in_name(path.stem) or _date(fields.get("date")) or created
        aliases = names(fields.get("aliases") or fields.get("alias"))
        if self.title.casefold() != stem.casefold():
            aliases = tuple(dict.fromkeys((*aliases, stem)))  # [[wikilinks]] use the name of the file
        self.document = DocumentDraft(
            source=path.as_posix(),
            kind="note",
            title=self.title,
            project=options.project,
            created_at=created,
            updated_at=updated,
            aliases=aliases,
            tags=tuple(dict.fromkeys((*self.tags, *hashtags(body)))),
            fields={key: value for key, value in fields.items() if key.casefold() not in _PLACED and value is not None},
        )


def _passages(
    text: str, body: int, block: tuple[int, int] | None, note: _Note, options: ReadOptions, name: str
) -> Iterator[Draft | DocumentDraft]:
    spans = list(passages(text, start=body, max_tokens=options.max_tokens))
    about: dict[str, Any] = {}
    if not spans and block:  # a note with only front matter should be found, too
        spans = list(passages(text[: block[1]], start=block[0], max_tokens=options.max_tokens))
        about = {"front_matter": True}
    if not spans:
        yield note.document
    for span in spans:
        said = text[span.start : span.end]
        yield Draft(
            text=said,
            document=note.document,
            source_id=f"{name}#{span.heading}",
            title=note.title,
            tags=tuple(dict.fromkeys((*note.tags, *hashtags(said)))),
            project=options.project,
            happened_at=note.happened_at,
            meta={"start": span.start, "end": span.end, "heading": " > ".join(span.headings), **about},
        )


def _split(text: str) -> tuple[int, tuple[int, int] | None]:
    """The start of the body, and the span of the front matter's lines (None if there is none)."""
    match = _FRONT_MATTER.match(text) if text.startswith("---") else None
    return (match.end(), match.span(1)) if match else (0, None)


def _front_matter(block: str, limits: ReadLimits) -> dict[str, Any] | None:
    """The fields of a YAML block as JSON values; None if the block is prose. Raises ValueError if it is broken."""
    found = parse_front_matter(block, limits)
    if found is None:
        return {}
    if not isinstance(found, dict):
        return None
    fields: dict[str, Any] = plain(found, limits)
    _tags(fields)
    return fields


def _tags(fields: dict[str, Any]) -> tuple[str, ...]:
    """The tags of front matter; one may be a number (`tags: 2025`). Raises ValueError for tags of another kind."""
    given = fields.get("tags") or fields.get("tag")
    found = tag_list(str(given) if isinstance(given, int | float) else given)
    if sum(map(len, found)) > _LONGEST_TAGS:
        raise ValueError(f"tags of more than {_LONGEST_TAGS:,} characters, which each passage would have")
    return found


def _title(path: Path, body: str, fields: dict[str, Any]) -> str:
    if (given := fields.get("title")) and isinstance(given, str | int | float):
        return short_name(given)
    heading = first_heading(body)
    return short_name(_page_name(path.stem)) if not heading or _ONLY_A_LINK.fullmatch(heading) else heading


def _page_name(stem: str) -> str:
    """The name of a page, from its file's: Logseq writes `Unity/UI` as `Unity___UI`, and `std::get` in percents."""
    return unquote(stem).replace("___", "/") if "___" in stem or _PERCENT.search(stem) else stem


def first_heading(text: str) -> str | None:
    """The heading in the first line of a text that is not blank, without its marks; None if that is no heading."""
    line = text.lstrip()[: LONGEST_NAME + 1].partition("\n")[0]
    heading = _FIRST_LINE_TITLE.match(line) if len(line) <= LONGEST_NAME else None
    return heading[1].strip() if heading else None


def _day_in_name(stem: str) -> str | None:
    match = _DAY.match(stem)
    return _date("-".join(match.groups())) if match else None


def _date(value: object) -> str | None:
    """A time from front matter as ISO text; None if it is not a time. A plain number is not a time."""
    if isinstance(value, str):
        with suppress(ValueError):
            return iso(value)
    return None


def hashtags(text: str) -> list[str]:
    """The #tags in a text, outside of code, without the `#`; `#123` is not a tag."""
    if "#" not in text:
        return []
    return [tag for tag in _HASHTAG.findall(_INLINE_CODE.sub(" ", without_code(text))) if not tag.isdigit()]
