"""Loader of documents of Word 97 to 2003 (.doc), by the library olefile (the extra `documents`)."""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from memkit.sources.contents import whole
from memkit.sources.documents.compound import MAGIC, properties
from memkit.sources.documents.document import damaged, locked, markdown_table, office_note, timed
from memkit.sources.format import Format
from memkit.sources.html_markdown import web_link
from memkit.sources.notes.note import Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_STREAMS = ("WordDocument", "0Table", "1Table")
_KIND, _OLDEST = 0xA5EC, 101  # of what is Word, and the number of Word 97
_LOCKED, _WHICH_TABLE = 0x0100, 0x0200  # bits of the word at 10
_LENGTHS, _CHARACTERS, _PARAGRAPHS, _PIECES = 0x4C, 0xFA, 0x102, 0x1A2  # places in the head of the file (MS-DOC, FIB)
_PAGE = 512  # bytes of a page of formats
_COMPRESSED = 0x40000000  # a piece of one byte a letter
_DELETED, _HIDDEN = 0x0800, 0x083C  # what formats say of letters, ...
_ROW_ENDS, _LEVEL, _IN_LIST = 0x2417, 0x2640, 0x460B  # ... and of paragraphs
_SIZES = (1, 1, 2, 4, 2, 2, -1, 3)  # of what stands behind such a number, by its highest bits; -1: its length is there
_LONG = {0xD608, 0xD606}  # of a table: the length has two bytes
_NO_LEVEL = 9
_LONGEST_NAME = 20  # of a field
_LAST_HEADING = 9  # the styles 1 to 9 are headings
_FIELD = re.compile(r"\x13([^\x13\x14\x15]*)(?:\x14([^\x13\x14\x15]*))?\x15")
_BEGUN = re.compile(r"\x13[^\x13\x14\x15]*\x14")  # a field that ends in another paragraph
_MADE = re.compile(r"\s*(?:TOC|TOA|INDEX)\b")  # fields that Word makes of the rest: contents, and indexes
_ADDRESS = re.compile(r'HYPERLINK\s+"([^"]+)"')
_SHOWN = {"\x0b": "\n", "\x1e": "-", "\r": "\n", "\x0c": "\n", "\x07": "\n"}
_UNSHOWN = re.compile(r"[\x00-\x08\x0e-\x1f]")
_ITEMS = re.compile(r"^(- .*\n)\n(?=- )", re.MULTILINE)
_OF_NOTE = re.compile(r"^(\[\^\d+\])[ \t]*")
_CELL, _NOTE = "\x07", "\x02"

Formats = Mapping[int, int]  # what is said of letters or of a paragraph, by number; 0 is the style


@dataclass
class _Runs:
    """What formats say, by where in the file it begins to hold."""

    starts: list[int]
    said: list[Formats]

    def at(self, place: int) -> Formats:
        """What holds at a place in the file."""
        found = bisect_right(self.starts, place) - 1
        return self.said[found] if found >= 0 else {}


class _Word:
    """The streams of a document: its text lies in pieces, and what is said of it elsewhere."""

    def __init__(self, main: bytes, tables: Sequence[bytes]) -> None:
        self.main = main
        kind, version, _, _, _, flags = struct.unpack_from("<6H", main)
        if kind != _KIND or version < _OLDEST:
            raise ValueError("it is of a Word before 97")
        self.is_locked = bool(flags & _LOCKED)
        self._table = tables[bool(flags & _WHICH_TABLE)]

    def _part(self, place: int) -> bytes:
        """A part of the table, of which the head tells at this place where it is."""
        start, length = struct.unpack_from("<II", self.main, place)
        return self._table[start : start + length]

    def pieces(self) -> Iterator[tuple[str, int, int]]:
        """The pieces of the text in order: each with its place in the file, and the bytes that a letter has there."""
        part, at = self._part(_PIECES), 0
        while part[at : at + 1] == b"\1":
            at += 3 + struct.unpack_from("<H", part, at + 1)[0]
        if part[at : at + 1] != b"\2":
            raise ValueError("it is cut off")
        part = part[at + 5 :]
        count = (len(part) - 4) // 12
        ends = struct.unpack_from(f"<{count + 1}I", part)
        for number in range(count):
            length = max(ends[number + 1] - ends[number], 0)
            (place,) = struct.unpack_from("<I", part, 4 * (count + 1) + 8 * number + 2)
            size, codec = (1, "cp1252") if place & _COMPRESSED else (2, "utf-16-le")
            place = (place ^ _COMPRESSED) // 2 if size == 1 else place
            if place + size * length > len(self.main):
                raise ValueError("it is cut off")
            yield self.main[place : place + size * length].decode(codec, "replace"), place, size

    def runs(self, place: int) -> _Runs:
        """What is said of letters or of paragraphs, from all pages of formats."""
        part = self._part(place)
        count = (len(part) - 4) // 8
        found: dict[int, Formats] = {}
        for (number,) in struct.iter_unpack("<I", part[4 * (count + 1) : 4 * (count + 1) + 4 * count]):
            page = self.main[number * _PAGE : (number + 1) * _PAGE]
            found.update(_formats(page, of_paragraphs=place == _PARAGRAPHS))
        return _Runs(sorted(found), [found[start] for start in sorted(found)])


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The document as passages under its headings: lists, tables, links and footnotes; deleted words are left out."""
    import olefile

    data = BytesIO(whole(path, options, "note_size"))
    with damaged("document", OSError), olefile.OleFileIO(data) as file:
        main, *tables = (file.openstream(one).read() if file.exists(one) else b"" for one in _STREAMS)
        word = _Word(main, tables)
        about = properties(file)
        if not word.is_locked:
            text = _Reader(word, options).text()
    if word.is_locked:
        yield locked(path)
    else:
        yield from drafts([office_note(path, about, text=text)], path, options)


class _Reader:
    """Reads the paragraphs of a document as Markdown."""

    def __init__(self, word: _Word, options: ReadOptions) -> None:
        self._options = options
        self._lengths = struct.unpack_from("<2I", word.main, _LENGTHS)
        letters, self._paragraphs = word.runs(_CHARACTERS), word.runs(_PARAGRAPHS)
        self._text = list[tuple[str, int]]()  # each letter that is shown, or a space in its place, and its place
        for piece, place, size in word.pieces():
            for number, letter in enumerate(piece):
                at = place + number * size
                said = letters.at(at)
                is_shown = not (said.get(_DELETED) or said.get(_HIDDEN)) or letter in "\r\x07"
                self._text.append((letter if is_shown else "", at))

    def text(self) -> str:
        """The text, and the footnotes below it."""
        body, notes = self._lengths
        found = _ITEMS.sub(r"\1", "\n\n".join(self._blocks(_without_contents(self._text[:body]))))
        below = (_OF_NOTE.sub(r"\1: ", one) for one in self._blocks(self._text[body : body + notes]))
        return "\n\n".join([found, *below]).strip()

    def _blocks(self, letters: list[tuple[str, int]]) -> Iterator[str]:
        cells, rows, held, notes = list[str](), list[list[str]](), list[str](), 0
        for letter, place in timed(letters, self._options):
            if letter == _NOTE:
                notes += 1
                held.append(f"[^{notes}]")
            elif letter not in ("\r", "\x0c", _CELL):
                held.append(letter)
            else:
                said, text = self._paragraphs.at(place), _shown("".join(held))
                held.clear()
                if letter == _CELL and said.get(_ROW_ENDS):
                    rows.append(cells)
                    cells = []
                elif letter == _CELL:
                    cells.append(text)
                elif text:
                    if rows:
                        yield markdown_table(rows)
                        rows = []
                    yield _marked(text, said)
        if rows:
            yield markdown_table(rows)
        if last := _shown("".join(held)):
            yield last


def _without_contents(letters: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The letters of a text without the tables of contents and indexes that Word has made of it."""
    kept = list[tuple[str, int]]()
    begun = list[int]()
    for letter, place in letters:
        kept.append((letter, place))
        if letter == "\x13":
            begun.append(len(kept))
        elif letter == "\x15" and begun:
            start = begun.pop()
            if _MADE.match("".join(sign for sign, _ in kept[start : start + _LONGEST_NAME])):
                del kept[start - 1 :]
    return kept


def _marked(text: str, said: Formats) -> str:
    """A paragraph as a heading, an item of a list, or as it is."""
    style, level = said.get(0, 0), said.get(_LEVEL, _NO_LEVEL)
    if 1 <= style <= _LAST_HEADING or level < _NO_LEVEL:
        return f"{'#' * min(style if 1 <= style <= _LAST_HEADING else level + 1, 6)} {text}"
    return f"- {text}" if said.get(_IN_LIST) else text


def _shown(text: str) -> str:
    """What is shown of a text: fields as what they give, links with their address."""
    before = ""
    while text != before:  # fields may hold fields
        before, text = text, _FIELD.sub(_field, text)
    text = "".join(_SHOWN.get(sign, sign) for sign in _BEGUN.sub("", text))
    return _UNSHOWN.sub("", text).strip()


def _field(found: re.Match[str]) -> str:
    given = found[2] or ""
    link = _ADDRESS.search(found[1])
    return web_link(link[1], given) if link and given else given


def _formats(page: bytes, *, of_paragraphs: bool) -> Iterator[tuple[int, Formats]]:
    """What a page of formats says, by where it begins to hold."""
    count = page[-1] if len(page) == _PAGE else 0
    size = 13 if of_paragraphs else 1
    for number in range(count):
        (start,) = struct.unpack_from("<I", page, 4 * number)
        at = 2 * page[4 * (count + 1) + size * number]
        if not at:
            yield start, {}
            continue
        length = page[at]
        if not of_paragraphs:
            yield start, dict(_said(page[at + 1 : at + 1 + length]))
            continue
        begin, end = (at + 1, at + 2 * length) if length else (at + 2, at + 2 + 2 * page[at + 1])
        (style,) = struct.unpack_from("<H", page, begin)
        yield start, {0: style, **dict(_said(page[begin + 2 : end]))}


def _said(data: bytes) -> Iterator[tuple[int, int]]:
    """The numbers of what is said, and their values as far as they are one byte or two."""
    at = 0
    while at + 2 < len(data):
        (number,) = struct.unpack_from("<H", data, at)
        size = _SIZES[number >> 13]
        if size > 0:
            yield number, int.from_bytes(data[at + 2 : at + 2 + size], "little")
        elif number in _LONG:
            size = 1 + int.from_bytes(data[at + 2 : at + 4], "little")
        else:
            size = 1 + data[at + 2]
        at += 2 + size


def _matches(sample: Sample) -> bool:
    return sample.head.startswith(MAGIC) and sample.suffix in (".doc", ".dot")


FORMAT = Format(
    "doc", "Documents of Word 97 to 2003", read, _matches, ("*.doc",), needs=("olefile",), extra="documents"
)
