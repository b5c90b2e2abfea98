"""Notion loader: the pages of an export as Markdown or HTML, in its zip (of zips) or unpacked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from memkit.core.dates import iso
from memkit.core.instants import from_clocks
from memkit.core.patterns import pattern
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown, web_link
from memkit.sources.members import members
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink, without_pictures
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_PAGES = r"(?i:.*\b[0-9a-f]{32}\.(?:md|html))"
_PART = r"Export-[0-9a-f-]{36}-Part-\d+\.zip"
_OWN = rf"(?i:.*\b[0-9a-f]{{32}}(?:_all)?\.(?:md|html|csv)|index\.html|{_PART})"
_ID = pattern(r"[ -]?\b([0-9a-f]{32})(?=\.\w+$|$)", re.IGNORECASE)
_ID_IN_ADDRESS = pattern(r"([0-9a-f]{32})(?:\.(?:md|html))?(?:[?#].*)?$", re.IGNORECASE)
_PROPERTY = pattern(r"([^\n:\[\]#>`-][^\n:\[\]`]{0,60}): (\S.*)")
_LINK = pattern(r"\[([^\[\]\n]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
_ROW = pattern(r'<tr class="property-row[^>]*><th>(.*?)</th><td>(.*?)</td></tr>', re.DOTALL)
_TITLE = pattern(r'<h1 class="page-title"[^>]*>(.*?)</h1>', re.DOTALL)
_LONGEST_HEAD = 100_000  # characters of the properties of a page in HTML
_BODY = '<div class="page-body">'
_BOX = pattern(r'<div class="checkbox checkbox-(on|off)"></div>')
_ASIDE = pattern(r"^</?aside>\n?", re.MULTILINE)
_DAY = pattern(r"@?([A-Z][a-z]+ \d{1,2}, \d{4}|\d{4}/\d{2}/\d{2})(?: (\d{1,2}:\d\d(?: [AP]M)?))?")
_CREATED = ("created", "created time", "created at", "date created")
_UPDATED = ("last edited time", "last edited", "updated", "last updated", "edited")
_HAPPENED = ("date", "day", "when")
_TAGS = ("tags", "tag")


@dataclass(frozen=True)
class _Page:
    """A page as it was exported; its properties by name."""

    id: str
    folder: str
    title: str
    text: str
    properties: Mapping[str, str] = field(default_factory=dict)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The pages with their properties. The tables of databases repeat those of their pages, and are not read."""
    titles = dict(_known(name, data) for name, data in members(path, options, _PAGES))
    yield from drafts(_notes(path, options, titles), path, options)


def _known(name: str, data: bytes) -> tuple[str, str]:
    """The id and the title of a page."""
    text = data[:10_000].decode("utf-8-sig", "replace")
    match = _TITLE.search(text) if name.lower().endswith(".html") else re.match(r"\s*# ([^\n]+)", text)
    title = html_markdown(match[1]) if match and name.lower().endswith(".html") else match[1] if match else ""
    return _id(name), title.strip() or _plain_name(name)


def _notes(path: Path, options: ReadOptions, titles: Mapping[str, str]) -> Iterator[Found]:
    for name, data in members(path, options, _PAGES):
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        page = _html(name, text, titles) if name.lower().endswith(".html") else _markdown(name, text, titles)
        yield _note(page, options)


def _id(name: str) -> str:
    match = _ID.search(PurePosixPath(name).name)
    return match[1].lower() if match else name


def _plain_name(name: str) -> str:
    return _ID.sub("", PurePosixPath(name).stem).strip()


def _folder(name: str) -> str:
    """The pages around a page; the folder of the whole export is none of them."""
    parts = [_ID.sub("", part).strip() for part in PurePosixPath(name).parts[:-1]]
    return "/".join(part for part in parts if not re.fullmatch(r"Export-[0-9a-f-]{36}.*", part))


def _markdown(name: str, text: str, titles: Mapping[str, str]) -> _Page:
    """A page of Markdown: its title, the lines of its properties, and the rest."""
    body = text.lstrip()
    if body.startswith("# "):
        body = body.partition("\n")[2].lstrip("\n")
    head, _, rest = body.partition("\n\n")
    found = [_PROPERTY.fullmatch(line) for line in head.split("\n")]
    properties = {match[1].strip(): _shown(match[2], titles) for match in found if match}
    if not all(found):
        properties, rest = {}, body
    return _Page(_id(name), _folder(name), titles.get(_id(name), ""), _shown(rest, titles), properties)


def _shown(text: str, titles: Mapping[str, str]) -> str:
    text = _LINK.sub(lambda match: _link(unquote(match[2]), match[1], titles), without_pictures(text))
    return _ASIDE.sub("", text)


def _html(name: str, text: str, titles: Mapping[str, str]) -> _Page:
    head, _, body = text.partition(_BODY)
    found = {html_markdown(key): _shown_html(value, titles) for key, value in _ROW.findall(head[:_LONGEST_HEAD])}
    properties = {key: value for key, value in found.items() if value}
    return _Page(_id(name), _folder(name), titles.get(_id(name), ""), _shown_html(body, titles), properties)


def _shown_html(html: str, titles: Mapping[str, str]) -> str:
    return html_markdown(
        _BOX.sub(lambda match: f'<input type="checkbox"{" checked" if match[1] == "on" else ""}>', html),
        link=lambda address, words: _link(unquote(address), words, titles),
        skipped=lambda tag, attributes: tag == "nav" or "katex-html" in attributes.get("class", ""),
    )


def _link(address: str, words: str, titles: Mapping[str, str]) -> str:
    """A link to another page by its title, whether its address is a file of the export or a page on the web."""
    match = _ID_IN_ADDRESS.search(address)
    title = titles.get(match[1].lower()) if match else None
    if title is None and match and re.search(r"\.(?:md|html)\b", address) and not address.startswith("http"):
        title = words  # a page that is not in this part of the export
    return wikilink(title, words) if title else web_link(address, words)


def _note(page: _Page, options: ReadOptions) -> Note:
    known = {key.casefold(): value for key, value in page.properties.items()}
    placed = {*_CREATED, *_UPDATED, *_TAGS}
    told = placed.union(_HAPPENED)
    return Note(
        source=f"notion:{page.id}",
        title=page.title,
        text=_said(page, {key: value for key, value in page.properties.items() if key.casefold() not in told}),
        created=_dated(known, _CREATED, options),
        updated=_dated(known, _UPDATED, options),
        happened=_dated(known, _HAPPENED, options) or _time(page.title, options),
        tags=[tag.strip() for key in _TAGS for tag in known.get(key, "").split(",")],
        folder=page.folder,
        fields={key: value for key, value in page.properties.items() if key.casefold() not in placed},
    )


def _said(page: _Page, properties: dict[str, str]) -> str:
    """What a page says: its properties, as they stand above its text, then that. A row without a page is only those."""
    text = page.text.strip()
    lines = [f"{key}: {value}" for key, value in (properties if text else page.properties).items()]
    return "\n".join([*lines, "", text] if text else [page.title, "", *lines]).strip() if lines else text


def _dated(properties: Mapping[str, str], keys: tuple[str, ...], options: ReadOptions) -> str | None:
    """The first time that one of these properties tells."""
    return next((time for key in keys if (time := _time(properties.get(key), options))), None)


def _time(value: str | None, options: ReadOptions) -> str | None:
    """A day, or a time on the clocks of who exported, as Notion writes them in English; None for other words."""
    with suppress(ValueError):
        return iso(value)
    match = _DAY.match((value or "").strip())
    if not match:
        return None
    for form in ("%B %d, %Y", "%Y/%m/%d"):
        with suppress(ValueError):
            day = datetime.strptime(match[1], form)
            if not match[2]:
                return day.date().isoformat()
            clock = datetime.strptime(match[2], "%I:%M %p" if match[2].endswith("M") else "%H:%M")
            return from_clocks(datetime.combine(day.date(), clock.time()), options.timezone)
    return None


def _is_folder(path: Path, names: frozenset[str]) -> bool:
    return any(re.fullmatch(r"(?i).+ [0-9a-f]{32}\.(?:md|html)", name) for name in names)


def _matches(sample: Sample) -> bool:
    return any(re.search(rf"(?:^|/){_PART}$|(?i: [0-9a-f]{{32}}\.(?:md|html|csv)$)", name) for name in sample.entries)


FORMAT = Format(
    "notion",
    "Notion: an export as Markdown or HTML, zip or folder",
    read,
    _matches,
    ("*.zip",),
    _is_folder,
    _OWN,
)
