"""Evernote loader: the notes of an .enex export, one at a time, with their tasks, tags and times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from xml.parsers import expat

from memkit.core.types import Failure, ReadWarning
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.html_markdown import Attributes, html_markdown, web_link
from memkit.sources.limits import OverLimit
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import short_name
from memkit.sources.xml_parser import xml_parser

_BLOCK = 1 << 18  # bytes that are read at once
_BEGINS = b"<note>"
_AROUND = b"<en-export>"
# What is read of a note, its tasks and its attachments: of those only their names, not their bytes.
_WANTED = {*"title content created updated tag author source-url file-name task/title taskStatus dueDate".split()}
_ADDRESS = re.compile(r"""<a\s[^<>]{0,500}?href=["'](https?://[^"'<>\s]+)""")
_NOTE_LINK = re.compile(r"evernote:///|https://(?:www\.)?evernote\.com/(?:shard|l)/")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The notes of an export. What is encrypted in a note is not read, and a Failure says so."""
    yield from drafts(_notes(path, options), path, options)


def _notes(path: Path, options: ReadOptions) -> Iterator[Found]:
    """The notes of an export. A broken one fails alone: the next is looked for by how it begins."""
    parser: _Parser | None = _Parser(options)
    rest, more = b"", True
    with opened(path, options) as stream:
        while more:
            block = stream.read(_BLOCK)
            rest, more, at = rest + block, bool(block), 0
            while True:
                if parser is None:
                    at = rest.find(_BEGINS, at)
                    if at < 0:
                        rest = rest[1 - len(_BEGINS) :]
                        break
                    parser = _Parser(options)
                    parser.feed(_AROUND, False)
                error = parser.feed(memoryview(rest)[at:], not more)
                for found in parser.done():
                    yield from _note(path, found)
                if error is None:
                    rest = b""
                    break
                yield Failure(path.as_posix(), f"{parser.place}broken XML: {error}")
                if isinstance(error, LookupError):  # it is in an encoding that there is not
                    return
                at, parser = at + parser.failed_at, None


class _Parser:
    """What reads an export block by block."""

    def __init__(self, options: ReadOptions):
        self._expat = xml_parser(self._start, self._end, self._words, "which an export does not do")
        self._limits = options.limits
        self._open: list[str] = []
        self._size = 0  # characters of the text that is being read
        self._parts: list[str] | None = None
        self._note: dict[str, list[str]] = {}
        self._task: dict[str, str] = {}
        self._done: list[dict[str, list[str]]] = []
        self._fed = 0  # bytes
        self.failed_at = 0

    def feed(self, block: bytes | memoryview, last: bool) -> Exception | str | None:
        """Reads a block; what is wrong if it is not XML, and then `failed_at` is where in it (at least 1)."""
        try:
            self._expat.Parse(block, last)
        except LookupError as error:  # of an encoding that there is not
            return error
        except expat.ExpatError as error:
            self.failed_at = max(1, self._expat.ErrorByteIndex - self._fed)
            return expat.ErrorString(error.code)
        self._fed += len(block)
        return None

    @property
    def place(self) -> str:
        """Which note is being read, as the beginning of a sentence; empty between notes."""
        if "note" not in self._open:
            return ""
        return f"the note {short_name(self._note.get('title', [''])[0])!r} is left out: "

    def done(self) -> list[dict[str, list[str]]]:
        """The notes that have ended since this was last called: their texts by the names of the elements."""
        done, self._done = self._done, []
        return done

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._open.append(tag)
        if tag == "note":
            self._note, self._task = {}, {}
        elif tag == "task":
            self._task = {}
        self._parts, self._size = ([], 0) if self._name in _WANTED else (None, 0)
        if tag == "content" and attributes.get("encoding"):  # base64 of what only a password opens
            self._parts = None
            self._note["locked"] = ["yes"]

    @property
    def _name(self) -> str:
        """The name of the innermost element."""
        tag = self._open[-1]
        return "task/title" if tag == "title" and "task" in self._open else tag

    def _words(self, text: str) -> None:
        if self._parts is not None:
            self._size += len(text)
            if self._size > self._limits.note_size:
                raise OverLimit("note_size", self._limits, "characters in a note")
            self._parts.append(text)

    def _end(self, tag: str) -> None:
        name, text = self._name, "".join(self._parts or ()).strip()
        self._open.pop()
        self._parts = None
        if tag == "note":
            self._done.append(self._note)
        elif tag == "task":
            self._note.setdefault("task", []).append(_task(self._task))
        elif "task" in self._open:
            self._task[name] = text
        elif text:
            self._note.setdefault(name, []).append(text)


def _task(task: dict[str, str]) -> str:
    """A task as a line with a check box, and with the day when it is due."""
    due = task.get("dueDate", "")
    day = f" (due {due[:4]}-{due[4:6]}-{due[6:8]})" if re.match(r"\d{8}", due) else ""
    return f"- [{'x' if task.get('taskStatus') == 'completed' else ' '}] {task.get('task/title', '')}{day}"


def _note(path: Path, found: dict[str, list[str]]) -> Iterator[Found]:
    def first(name: str) -> str:
        return found.get(name, [""])[0]

    if "locked" in found or "<en-crypt" in first("content"):
        note = short_name(first("title"))
        yield ReadWarning(path.as_posix(), f"the note {note!r} is encrypted, or a part of it: that was not read")
    text = html_markdown(first("content"), link=_link, skipped=_is_placeholder)
    if not text:  # nothing else was said
        text = "\n".join(map(unescape, _ADDRESS.findall(first("content")))) or ", ".join(found.get("file-name", ()))
    title, created = first("title"), first("created")
    yield Note(
        source=f"evernote:{created}/{title}",  # an export has no ids
        title=title,
        text="\n\n".join(filter(None, [text, "\n".join(found.get("task", []))])),
        created=created,
        updated=first("updated") or created,  # a note that was never changed may lack it
        tags=found.get("tag", ()),
        author=first("author"),
        fields={"url": first("source-url")},
    )


def _link(address: str, words: str) -> str:
    """A link to another note shows the title of that note."""
    return wikilink(words) if _NOTE_LINK.match(address) else web_link(address, words)


def _is_placeholder(tag: str, attributes: Attributes) -> bool:
    """What old versions show where tasks are ("Content not supported"), and what only a password opens."""
    return "--en-task-group" in attributes.get("style", "") or tag == "en-crypt"


def _matches(sample: Sample) -> bool:
    return sample.text.startswith("<") and "<en-export" in sample.text[:2000]


FORMAT = Format("enex", "Notes of Evernote: an .enex export", read, _matches, ("*.enex",))
