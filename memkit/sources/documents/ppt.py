"""Loader of slides of PowerPoint 97 to 2003 (.ppt), by the library olefile (the extra `documents`)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from memkit.sources.contents import whole
from memkit.sources.documents.compound import MAGIC, properties
from memkit.sources.documents.document import damaged, locked, office_note, timed
from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy
from memkit.sources.notes.note import Record, Section, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_STREAM, _USER = "PowerPoint Document", "Current User"
_HEAD = struct.Struct("<HHI")  # of a record: whether it holds records and its number, its kind, its length (MS-PPT)
_HOLDS_RECORDS = 0xF
_LOCKED = 0xF3D1C4DF  # stands in the stream of the user
_LIST, _OF_SLIDES, _OF_NOTES = 0x0FF0, 0, 2  # a list of parts and their first texts, and its numbers
_PART, _NOTES_ATOM = 0x03F3, 0x03F1  # what begins a part in a list, and what tells for which slide notes are
_TEXT_KIND, _LETTERS, _BYTES = 0x0F9F, 0x0FA0, 0x0FA8
_BOX = 0xF00D
_TITLES, _NOTES = (0, 6), 2  # kinds of texts
_FIELD = "*"  # stands for a number of a slide or a date
_DEEPEST = 30  # records in records


class _Record(NamedTuple):
    """A part of a file: its kind, which one of them it is, and the records in it if it holds any, or its bytes."""

    kind: int
    number: int
    data: memoryview
    holds: bool


class _Text(NamedTuple):
    kind: int
    said: str


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The slides that have words, with the speaker's notes, as they were saved last."""
    import olefile

    data = BytesIO(whole(path, options, "note_size"))
    with damaged("slides", OSError), olefile.OleFileIO(data) as file:
        kind, edit = struct.unpack_from("<II", file.openstream(_USER).read(), 12)
        is_locked, slides = kind == _LOCKED, list[str]()
        if not is_locked:
            deck = _Deck(memoryview(file.openstream(_STREAM).read()), edit)
            slides += timed(deck.slides(), options)
        about = properties(file)
    if is_locked:
        yield locked(path)
    else:
        sections = [Section(text, f"slide {number}", meta={"slide": number}) for number, text in enumerate(slides, 1)]
        yield from drafts([office_note(path, about, sections=sections)], path, options)


class _Deck:
    """The stream of a presentation: its parts lie anywhere, those of earlier savings among them."""

    def __init__(self, data: memoryview, edit: int) -> None:
        self._data = data
        self._places = dict[int, int]()
        document, seen = 0, set[int]()
        while edit and edit not in seen:  # the last saving; each names the one before it
            seen.add(edit)
            before, table, first = struct.unpack_from("<III", self._at(edit), 8)
            self._place(self._at(table))
            document, edit = document or first, before
        parts = _records(self._at(self._places[document]))
        self._lists = {one.number: one.data for one in parts if one.kind == _LIST}

    def _at(self, place: int) -> memoryview:
        """What is in the record at a place."""
        found = next(_records(self._data[place:]), None)
        if found is None:
            raise ValueError("it is cut off")
        return found.data

    def _place(self, table: memoryview) -> None:
        """Adds where parts are, by their numbers, unless a later saving has told it."""
        at = 0
        while at + 4 <= len(table):
            (head,) = struct.unpack_from("<I", table, at)
            end = at + 4 + 4 * (head >> 20)
            for number, (place,) in enumerate(struct.iter_unpack("<I", table[at + 4 : end]), head & 0xFFFFF):
                self._places.setdefault(number, place)
            at = end

    def slides(self) -> Iterator[str]:
        """The texts of the slides in their order."""
        notes = dict[int, str]()
        for _, page, _ in self._parts(_OF_NOTES):
            for one in _records(page):
                if one.kind == _NOTES_ATOM:
                    said = " ".join(text.said for text in _texts(page) if text.kind == _NOTES)
                    notes[struct.unpack_from("<I", one.data)[0]] = " ".join(said.split())
        for about, page, texts in self._parts(_OF_SLIDES):
            (id,) = struct.unpack_from("<I", about, 12)
            yield _shown([*texts, *_texts(page)], notes.get(id, ""))

    def _parts(self, which: int) -> Iterator[tuple[memoryview, memoryview, list[_Text]]]:
        """What a list says of each of its parts, the part itself, and its texts that stand in the list."""
        records = [*_records(self._lists.get(which, self._data[:0]))]
        starts = [number for number, one in enumerate(records) if one.kind == _PART]
        for start, end in pairwise([*starts, len(records)]):
            (number,) = struct.unpack_from("<I", records[start].data)
            if number in self._places:
                yield records[start].data, self._at(self._places[number]), [*_said(records[start + 1 : end])]


def _shown(texts: list[_Text], notes: str) -> str:
    """A slide as Markdown."""
    heading = next((text for text in texts if text.kind in _TITLES and text.said), None)
    parts = [f"# {' '.join(heading.said.split())}" if heading else ""]
    parts += [text.said for text in texts if text is not heading and text.said != _FIELD]
    return tidy("\n\n".join(filter(None, [*parts, f"Notes: {notes}" if notes else ""])))


def _texts(page: memoryview, deepest: int = _DEEPEST) -> Iterator[_Text]:
    """The texts in the boxes of a page, but those that stand in the list."""
    for one in _records(page):
        if one.kind == _BOX:
            yield from _said(_records(one.data))
        elif one.holds and deepest:
            yield from _texts(one.data, deepest - 1)


def _said(records: Iterable[_Record]) -> Iterator[_Text]:
    """The texts among records; what is of which kind stands before each."""
    kind = -1
    for one in records:
        if one.kind == _TEXT_KIND:
            (kind,) = struct.unpack_from("<I", one.data)
        elif one.kind in (_LETTERS, _BYTES):
            text = bytes(one.data).decode("utf-16-le" if one.kind == _LETTERS else "latin-1", "replace")
            yield _Text(kind, text.replace("\r", "\n").replace("\x0b", "\n").strip())


def _records(data: memoryview) -> Iterator[_Record]:
    at = 0
    while at + _HEAD.size <= len(data):
        head, kind, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        yield _Record(kind, head >> 4, data[at : at + length], head & 0xF == _HOLDS_RECORDS)
        at += length


def _matches(sample: Sample) -> bool:
    return sample.suffix in (".ppt", ".pps", ".pot") and sample.head.startswith(MAGIC)


FORMAT = Format(
    "ppt", "Slides of PowerPoint 97 to 2003", read, _matches, ("*.ppt", "*.pps"), needs=("olefile",), extra="documents"
)
