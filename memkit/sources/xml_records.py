"""Records of an XML file: its elements of some names, one at a time, each with all that is in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from memkit.core.types import Failure
from memkit.sources.contents import opened
from memkit.sources.limits import OverLimit
from memkit.sources.options import ReadOptions
from memkit.sources.xml_parser import xml_parser
from memkit.sources.zips import BLOCK

# XML forbids them, and programs write them all the same. No character of UTF-8 has such a byte in it.
_CONTROL = bytes({*range(0x20)} - {*b"\t\n\r"})
_NO_CONTROL = dict.fromkeys(_CONTROL)
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins, in which such bytes are halves of characters


@dataclass
class Element:
    """An element with what it holds. Names are as the file writes them: `wp:status`."""

    tag: str
    attributes: dict[str, str]
    parts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What it says itself, without what is in its elements."""
        return "".join(self.parts).strip()

    @property
    def words(self) -> str:
        """The same with the blanks and lines around it."""
        return "".join(self.parts)

    def all(self, tag: str) -> list[Element]:
        """The elements of a name that lie right in it."""
        return [one for one in self.children if one.tag == tag]

    def first(self, tag: str) -> str:
        """The text of the first such element that says something; empty if there is none."""
        return next((one.text for one in self.all(tag) if one.text), "")


def xml_records(path: Path, options: ReadOptions, tags: Collection[str]) -> Iterator[Element | Failure]:
    """The outermost elements of these names. Where the XML is broken or over a limit, a Failure is the last."""
    reader = _Reader(tags, options)
    try:
        with opened(path, options) as stream:
            block = stream.read(BLOCK)
            forbidden = b"" if block.startswith(_WIDE) else _CONTROL
            while block:
                reader.parser.Parse(block.translate(None, forbidden), False)
                block = stream.read(BLOCK)
                yield from reader.taken()
            reader.parser.Parse(b"", True)
            yield from reader.taken()
    except OverLimit as error:
        yield Failure(path.as_posix(), str(error))
    except expat.ExpatError as error:
        yield from reader.taken()
        yield Failure(path.as_posix(), f"broken XML: {expat.ErrorString(error.code)}", line=error.lineno)
    except (LookupError, ValueError) as error:  # an encoding that there is not, or entities of its own
        yield Failure(path.as_posix(), f"broken XML: {error}")


def xml_element(text: str, options: ReadOptions, tag: str) -> Element:
    """The element of this name that a text is. Raises ValueError if it is no such XML, or goes over a limit."""
    reader = _Reader((tag,), options)
    try:
        reader.parser.Parse(re.sub(r"^\s*<\?xml[^>]*\?>", "", text).translate(_NO_CONTROL), True)
    except expat.ExpatError as error:
        raise ValueError(f"broken XML: {expat.ErrorString(error.code)}") from error
    if not (found := reader.taken()):
        raise ValueError(f"no element {tag!r}")
    return found[0]


class _Reader:
    """Builds the elements of a record while its XML is read, and forgets all else."""

    def __init__(self, tags: Collection[str], options: ReadOptions):
        self._tags, self._limits = tags, options.limits
        self._open: list[Element] = []
        self._done: list[Element] = []
        self._size = 0  # characters of the record that is being read
        self.parser = xml_parser(self._start, self._end, self._said, "which an export does not do")

    def taken(self) -> list[Element]:
        """The records that have ended since this was last called."""
        done, self._done = self._done, []
        return done

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open and tag not in self._tags:
            return
        if len(self._open) >= self._limits.depth:
            raise OverLimit("depth", self._limits, "elements inside each other")
        element = Element(tag, attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._size = 0
        self._grow(len(tag) + sum(map(len, attributes.values())))
        self._open.append(element)

    def _said(self, text: str) -> None:
        if self._open:
            self._grow(len(text))
            self._open[-1].parts.append(text)

    def _grow(self, characters: int) -> None:
        self._size += characters
        if self._size > self._limits.note_size:
            raise OverLimit("note_size", self._limits, "characters in a record")

    def _end(self, tag: str) -> None:
        if self._open:
            element = self._open.pop()
            if not self._open:
                self._done.append(element)
