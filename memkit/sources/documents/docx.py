"""Word loader: the text of a .docx under its headings, with lists, tables, notes and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from memkit.sources.documents.document import (
    damaged,
    is_office,
    locked,
    markdown_table,
    office_file,
    office_note,
    office_properties,
    remark,
    timed,
)
from memkit.sources.documents.symbol_fonts import signs_of
from memkit.sources.events import meeting
from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy, web_link
from memkit.sources.notes.note import Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # the same again for old programs
_LEFT_OUT = {_FALLBACK, f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_W}pPr", f"{_W}rPr"}
_HEADING = re.compile(r"heading\s*([1-9])", re.IGNORECASE)
# Styles of what Word makes of the rest: tables of contents, lists of pictures, indexes.
_MADE = re.compile(r"(?:toc|index) (?:\d|heading)|table of (?:figures|authorities)|toa heading")
_ITEMS = re.compile(r"^( *- [^\n]*)\n\n(?= *- )", re.MULTILINE)  # of one list
_MARKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n"}
# What stands before a part of a formula in a line of text; where a bar or a root begins is not seen.
_IN_FORMULAS = {f"{_M}sup": "^", f"{_M}sub": "_", f"{_M}den": "/", f"{_M}rad": "√"}
_UNSEEN = re.compile("[\u2061-\u2064]")  # signs of formulas, such as that a function is applied
_NUMBER = re.compile("[0-9A-Fa-f]{1,4}")  # of a sign
_OTHER_KINDS = (
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
)
_FILES = ("*.docx", "*.docm")
_APART = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The document as passages under its headings; deleted words, running heads and feet are left out."""
    from docx.opc.exceptions import OpcError

    stream = office_file(path, options)
    if stream is None:
        yield locked(path)
        return
    with damaged("document", OpcError):
        document = _opened(stream)
        words = _Words(document, options)
        blocks = [*words.blocks(document.element.body), *words.apart()]
        about = office_properties(stream, options)
        text = _ITEMS.sub(r"\1\n", tidy("\n\n".join(block for block in blocks if block.strip())))
    if found := meeting.meeting(text):  # as Teams and Google Meet write them
        yield from meeting.records(found, path, options)
    else:
        yield from drafts([office_note(path, about, text=text)], path, options)


def _opened(stream: BytesIO) -> Any:
    """The document, also one with macros or a template, which python-docx itself refuses."""
    from docx.opc.part import PartFactory
    from docx.package import Package
    from docx.parts.document import DocumentPart

    for kind in _OTHER_KINDS:
        PartFactory.part_type_for.setdefault(kind, DocumentPart)
    return Package.open(stream).main_document_part.document


class _Words:
    """The words of a document; python-docx opens its parts, and knows no fields to fill in, boxes and notes."""

    def __init__(self, document: Any, options: ReadOptions):
        self.part, self.options = document.part, options
        # The name of a style is English in each language of Word; its id is not.
        self.styles = {one.style_id: str(one.name or "") for one in document.styles}

    def blocks(self, element: Any) -> Iterator[str]:
        """The paragraphs and tables in an element, also those in fields and boxes to fill in."""
        for one in timed(element, self.options):
            if one.tag == f"{_W}p":
                yield "" if _MADE.match(self._named(one.find(f"{_W}pPr"))) else self._paragraph(one)
            elif one.tag == f"{_W}tbl":
                yield markdown_table([" ".join(self.blocks(cell)) for cell in _cells(row)] for row in _rows(one))
            elif one.tag not in _LEFT_OUT and isinstance(one.tag, str):
                yield from self.blocks(one)

    def apart(self) -> Iterator[str]:
        """Footnotes, endnotes and comments, which lie in parts of their own."""
        from lxml.etree import XMLParser, fromstring

        for link in self.part.rels.values():
            kind = _APART.get(link.reltype.rsplit("/", 1)[-1])
            if kind is None or link.is_external:
                continue
            root = fromstring(link.target_part.blob, XMLParser(resolve_entities=False, no_network=True))
            for one in root.iter(f"{_W}{kind}"):
                author, text = one.get(f"{_W}author"), " ".join(" ".join(self.blocks(one)).split())
                if text:
                    yield remark(text, author or "", kind.capitalize())

    def _paragraph(self, element: Any) -> str:
        """A paragraph with the mark of a heading or of an item of a list; after it, what stands in its boxes."""
        boxes: list[Any] = []
        text = self._said(element, boxes).strip()
        level, depth = self._style(element.find(f"{_W}pPr"))
        if level:
            text = f"{'#' * min(level, 6)} {' '.join(text.split())}" if text else ""
        elif depth is not None and text:
            text = f"{'  ' * min(depth, 20)}- {text}"
        return "\n\n".join(filter(None, [text, *(said for box in boxes for said in self.blocks(box))]))

    def _style(self, about: Any) -> tuple[int, int | None]:
        """The level of a heading (0: it is none), and the depth of an item (None: it is none)."""
        if about is None:
            return 0, None
        name, number = self._named(about), about.find(f"{_W}numPr")
        if match := _HEADING.match(name):
            return int(match[1]), None
        if name == "title":
            return 1, None
        depth = number.find(f"{_W}ilvl") if number is not None else None
        if depth is not None:
            return 0, int(depth.get(f"{_W}val") or 0)
        return 0, 0 if number is not None or name.startswith("list ") else None

    def _named(self, about: Any) -> str:
        """The name of a paragraph's style."""
        named = about.find(f"{_W}pStyle") if about is not None else None
        return self.styles.get(named.get(f"{_W}val"), "").lower() if named is not None else ""

    def _said(self, element: Any, boxes: list[Any]) -> str:
        """The words of a paragraph; the boxes that hang on it are added to `boxes`."""
        found = []
        for one in element:
            if one.tag == f"{_W}txbxContent":
                boxes.append(one)
            elif one.tag in _MARKS:
                found.append(_MARKS[one.tag])
            elif one.tag in (f"{_W}t", f"{_M}t"):
                found.append(_UNSEEN.sub("", one.text or "").translate(signs_of(_font(element))))
            elif one.tag == f"{_W}sym":
                found.append(_sign(one))
            elif one.tag in _IN_FORMULAS:
                said = self._said(one, boxes)
                found.append(f"{_IN_FORMULAS[one.tag]}{f'({said})' if len(said) > 1 else said}" if said else "")
            elif one.tag == f"{_W}hyperlink" and (link := self.part.rels.get(one.get(f"{_R}id"))) and link.is_external:
                found.append(web_link(str(link.target_ref), self._said(one, boxes)))
            elif one.tag not in _LEFT_OUT and isinstance(one.tag, str):
                found.append(self._said(one, boxes))
        return "".join(found)


def _font(run: Any) -> str:
    """The font of a run of words, if it has one of its own."""
    fonts = run.find(f"{_W}rPr/{_W}rFonts")
    return str(fonts.get(f"{_W}hAnsi") or fonts.get(f"{_W}ascii") or "") if fonts is not None else ""


def _sign(element: Any) -> str:
    """A sign of a symbol font, by its number there; nothing if it is not known."""
    signs, number = signs_of(element.get(f"{_W}font") or ""), element.get(f"{_W}char") or ""
    return signs.get(0xF000 | int(number, 16) & 0xFF, "") if _NUMBER.fullmatch(number) else ""


def _rows(table: Any) -> list[Any]:
    """The rows of a table itself, not those of tables in it."""
    return [row for row in table.iter(f"{_W}tr") if next(row.iterancestors(f"{_W}tbl"), None) is table]


def _cells(row: Any) -> list[Any]:
    return [cell for cell in row.iter(f"{_W}tc") if next(cell.iterancestors(f"{_W}tr"), None) is row]


def _matches(sample: Sample) -> bool:
    return is_office(sample, "word/document.xml", _FILES)


FORMAT = Format(
    "docx",
    "Word documents",
    read,
    _matches,
    _FILES,
    needs=("docx", "lxml"),
    extra="documents",
)
