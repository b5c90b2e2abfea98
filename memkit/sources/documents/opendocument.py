"""OpenDocument loader: texts, sheets and slides of LibreOffice and others (.odt, .ods, .odp, or flat)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from html import escape
from io import BytesIO
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from memkit.core.instants import from_clocks
from memkit.sources.contents import whole
from memkit.sources.documents.document import locked, office_file, office_note, office_properties, remark, timed
from memkit.sources.documents.sheet import lines_of, sheet_section
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.limits import OverLimit
from memkit.sources.notes.note import Record, Section, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.xml_parser import xml_parser
from memkit.sources.zips import opened_zip, unpacked

_CONTENT, _MANIFEST = "content.xml", "META-INF/manifest.xml"
_FLAT = (".fodt", ".fods", ".fodp")  # the same as one file of XML, which is no zip
_HTML = {
    "text:p": "p",
    "text:list": "ul",
    "text:list-item": "li",
    "text:list-header": "li",
    "text:line-break": "br",
    "table:table": "table",
    "table:table-row": "tr",
    "table:table-cell": "td",
}
# What was deleted, what is made of the rest (a table of contents), and what stands for a picture.
_LEFT_OUT = frozenset(
    """text:tracked-changes text:table-of-content text:alphabetical-index text:illustration-index text:page-number
    office:forms office:binary-data svg:title svg:desc presentation:footer presentation:date-time
    presentation:header""".split()
)
_MOST_REPEATED = 1_000_000  # cells of a sheet that are told by the number of equal ones
_MOST = 1000  # columns of a sheet, and equal rows that a file tells once with their number
_UNSHOWN = ("office:string-value", "office:boolean-value", "office:time-value")  # values without the words for them
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The document as passages under its headings, slides or sheets. One with a password is named."""
    if path.suffix.lower() in _FLAT:
        content = _parsed(whole(path, options, "note_size"), options)
        meta = content.find("office:meta")
        told = {one.tag.rpartition(":")[2]: one.text or "" for one in (meta if meta is not None else ())}
    else:
        stream = office_file(path, options)
        if stream is None or b"encryption-data" in _part(stream, _MANIFEST, options):
            yield locked(path)
            return
        content = _parsed(_part(stream, _CONTENT, options), options)
        told = office_properties(stream, options, "meta.xml")
    body = content.find("office:body")
    found = list(body) if body is not None else []
    about = _about(told, options)
    if any(one.tag == "office:text" for one in found):
        yield from drafts([office_note(path, about, text=_Words(options).text(found))], path, options)
    else:
        sections = [*_sheets(found, options), *_slides(found, options)]
        yield from drafts([office_note(path, about, sections=sections)], path, options)


def _part(stream: BytesIO, name: str, options: ReadOptions) -> bytes:
    """The bytes of a part; none if the file has no such part."""
    with opened_zip(stream, options.limits) as archive:
        entry = archive.NameToInfo.get(name)
        return unpacked(archive, entry, options.limits, None) if entry else b""


def _about(about: Mapping[str, str], options: ReadOptions) -> dict[str, str]:
    """Its properties, by the names that Word gives them; their times are those of a clock, without a zone."""
    named = {
        "title": about.get("title", ""),
        "creator": about.get("initial-creator") or about.get("creator", ""),
        "keywords": about.get("keyword", ""),
    }
    for key, told in (("created", about.get("creation-date", "")), ("modified", about.get("date", ""))):
        if (at := _TIME.match(told)) and (moment := _moment(at[0], options)):
            named[key] = moment
    return named


def _moment(told: str, options: ReadOptions) -> str | None:
    try:
        return from_clocks(datetime.fromisoformat(told), options.timezone)
    except (ValueError, OverflowError):
        return None


def _parsed(data: bytes, options: ReadOptions) -> Element:
    """The tree of a part. Raises a ValueError for broken XML, for entities of its own, and OverLimit."""
    builder, depth = TreeBuilder(), 0

    def start(tag: str, about: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > options.limits.depth:
            raise OverLimit("depth", options.limits, "elements inside each other")
        builder.start(tag, about)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    try:
        xml_parser(start, end, builder.data).Parse(data, True)
    except (expat.ExpatError, LookupError) as error:
        raise ValueError(f"the document cannot be read: {error}") from error
    return builder.close()


class _Words:
    """What a text says, as HTML while it is read; footnotes and comments stand after it."""

    def __init__(self, options: ReadOptions):
        self.options = options
        self.apart: list[str] = []

    def text(self, elements: Sequence[Element]) -> str:
        """The Markdown of these elements."""
        html = "".join(map(self._html, timed(elements, self.options)))
        return "\n\n".join(filter(None, [html_markdown(html).strip(), *self.apart]))

    def _html(self, element: Element) -> str:
        tag = element.tag
        if tag in _LEFT_OUT:
            return ""
        if tag in ("text:s", "text:tab"):
            return " "
        if tag in ("text:note", "office:annotation"):
            self._keep_apart(element)
            return ""
        inner = escape(element.text or "") + "".join(
            self._html(one) + escape(one.tail or "") for one in timed(element, self.options)
        )
        if tag == "text:a":
            return f'<a href="{escape(element.get("xlink:href", ""))}">{inner}</a>'
        name = _heading(element) or _HTML.get(tag)
        return f"<{name}>{inner}</{name}>" if name else inner

    def _keep_apart(self, element: Element) -> None:
        if element.tag == "text:note":
            kind, author = element.get("text:note-class", "footnote").capitalize(), ""
            said = element.findall("text:note-body")
        else:
            kind, author = "Comment", element.findtext("dc:creator", "")
            said = [one for one in element if one.tag.startswith("text:")]
        inside = _Words(self.options)
        if words := " ".join(inside.text(said).split()):
            self.apart.append(remark(words, author, kind))


def _heading(element: Element) -> str:
    """The tag of a heading; empty for what is none."""
    if element.tag == "text:h":
        level = element.get("text:outline-level", "1")
        return f"h{min(max(int(level), 1), 6) if level.isdecimal() and len(level) < 4 else 1}"
    return "h1" if element.tag == "text:p" and element.get("text:style-name") == "Title" else ""


def _slides(body: Sequence[Element], options: ReadOptions) -> Iterator[Section]:
    pages = [page for part in body for page in part.iter("draw:page")]
    for number, page in enumerate(pages, 1):
        titles = [one for one in page if one.get("presentation:class") == "title"]
        notes = [one for one in page if one.tag == "presentation:notes"]
        apart = {*titles, *notes}
        rest = [one for one in page if one not in apart]
        words = _Words(options)
        title = " ".join(words.text(titles).split())
        said = " ".join(words.text(notes).split())
        parts = [f"# {title}" if title else "", words.text(rest), f"Notes: {said}" if said else ""]
        yield Section("\n\n".join(filter(None, parts)), f"slide {number}", meta={"slide": number})


def _sheets(body: Sequence[Element], options: ReadOptions) -> Iterator[Section]:
    for part in body:
        for table in part.findall("table:table") if part.tag == "office:spreadsheet" else ():
            yield sheet_section(table.get("table:name", ""), lines_of(_rows(table, options), options))


def _rows(table: Element, options: ReadOptions) -> Iterator[list[object]]:
    repeated = 0
    for row in table.iter("table:table-row"):
        cells: list[object] = []
        empty = 0
        for cell in row:
            value, times = _value(cell, options), _number(cell, "table:number-columns-repeated")
            if value is None:
                empty += times
                continue
            cells += [None] * empty + [value] * times
            empty, repeated = 0, repeated + times - 1
            if len(cells) > _MOST:
                break
        equal = _number(row, "table:number-rows-repeated") if cells else 0
        repeated += max(equal - 1, 0) * min(len(cells), _MOST)
        if repeated > _MOST_REPEATED:
            raise ValueError(f"more than {_MOST_REPEATED:,} cells that are only told by their number")
        for _ in range(equal):
            yield cells[:_MOST]


def _number(element: Element, key: str) -> int:
    told = element.get(key, "1")
    return min(int(told), _MOST) if told.isdecimal() and len(told) < 20 else 1


def _value(cell: Element, options: ReadOptions) -> object:
    """What a cell holds: a number, a day, or the words that it shows."""
    try:
        if number := cell.get("office:value"):
            return float(number)
        if told := cell.get("office:date-value"):
            return date.fromisoformat(told) if len(told) == 10 else datetime.fromisoformat(told[:19])
    except ValueError:
        pass
    shown = " ".join(_Words(options).text(cell.findall("text:p")).split())
    return shown or next(filter(None, map(cell.get, _UNSHOWN)), None)


def _matches(sample: Sample) -> bool:
    if sample.suffix in _FLAT:
        return "<office:document " in sample.text
    return sample.is_zip and {_CONTENT, _MANIFEST} <= {*sample.entries}


FORMAT = Format(
    "opendocument",
    "Texts, sheets and slides of LibreOffice and others (OpenDocument)",
    read,
    _matches,
    ("*.odt", "*.ods", "*.odp", *(f"*{one}" for one in _FLAT)),
)
