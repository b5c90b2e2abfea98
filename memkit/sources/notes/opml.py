"""OPML loader: outlines of WorkFlowy, Dynalist and others, and lists of feeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from xml.parsers import expat

from memkit.core.types import Failure
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.limits import OverLimit
from memkit.sources.mail_dates import mail_date
from memkit.sources.notes import note
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts, joined, link
from memkit.sources.sample import Sample
from memkit.sources.xml_parser import xml_parser

_TAG = re.compile(r"</?(?:a|b|i|u|s|em|strong|code|span|mark|time|br)\b[^<>]*>", re.IGNORECASE)  # WorkFlowy's
_FEED = "xmlUrl"
_NOTES = ("_note", "description")
_LINK = "url"
_DONE = ("_complete", "complete")


@dataclass(frozen=True)
class _Open:
    """An outline that is open: its text, how many lines and feeds there were before it, and of how many lines it is.

    `is_name` says that those name a feed, or what lies below it, and say nothing else.
    """

    text: str
    before: int
    feeds: int
    own: int
    is_name: bool


@dataclass
class _Outline:
    """What an outline says: lines of Markdown, feeds with the folders around them, and the elements of its head."""

    options: ReadOptions
    head: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    feeds: list[tuple[dict[str, str], str]] = field(default_factory=list)
    inside: list[_Open] = field(default_factory=list)  # the outlines that are open
    element: str = ""

    def start(self, tag: str, about: dict[str, str]) -> None:
        """An element begins."""
        self.element = tag
        if tag != "outline":
            return
        if len(self.inside) >= self.options.limits.depth:
            raise OverLimit("depth", self.options.limits, "outlines inside each other")
        text = _words(about.get("text") or about.get("title") or "")
        is_feed = bool(about.get(_FEED))
        own = _lines(text, {} if is_feed else about, len(self.inside))
        is_name = is_feed or not any(about.get(key) for key in (*_NOTES, *_DONE, _LINK))
        opened = _Open(text, len(self.lines), len(self.feeds), len(own), is_name)
        if is_feed:
            self.feeds.append((about, "/".join(filter(None, (one.text for one in self.inside)))))
        self.lines += own
        self.inside.append(opened)

    def end(self, tag: str) -> None:
        """An element ends. The name of a feed, or of a folder with nothing but feeds, is no line of a note."""
        self.element = ""
        if tag != "outline":
            return
        ended = self.inside.pop()
        if len(self.feeds) > ended.feeds and ended.is_name and len(self.lines) == ended.before + ended.own:
            del self.lines[ended.before :]

    def said(self, text: str) -> None:
        """Text of an element, of which only those of the head have any."""
        if self.element and not self.inside:
            self.head[self.element] = self.head.get(self.element, "") + text


def read(path: Path, options: ReadOptions, name: str) -> Iterator[note.Record]:
    """The feeds, each as a link, and what is said beside them as one note."""
    outline = _Outline(options)
    parser = xml_parser(outline.start, outline.end, outline.said)
    try:
        parser.Parse(whole(path, options, "note_size"), True)
    except LookupError as error:  # of an encoding that there is not
        yield Failure(path.as_posix(), f"broken XML: {error}")
        return
    except expat.ExpatError as error:
        yield Failure(path.as_posix(), f"broken XML: {expat.ErrorString(error.code)}", line=error.lineno)
        return
    title = " ".join(outline.head.get("title", "").split()) or path.stem
    yield from drafts((_feed(about, folder, title) for about, folder in outline.feeds), path, options)
    if outline.lines:
        yield from note.drafts([_note(outline, title, path)], path, options)


def _feed(about: dict[str, str], folder: str, document: str) -> Item:
    title, url = _words(about.get("title") or about.get("text") or ""), about[_FEED]
    text = joined(link(title, about.get("htmlUrl") or url), _note_on(about))
    return Item(
        source="feeds", document=document, text=text, id=url, title=title, kind="bookmark", folder=folder,
        meta={"url": url},
    )  # fmt: skip


def _note(outline: _Outline, title: str, path: Path) -> note.Note:
    return note.Note(
        source=path.as_posix(),
        title=title,
        text="\n".join(outline.lines),
        created=mail_date(outline.head.get("dateCreated", ""), outline.options),
        updated=mail_date(outline.head.get("dateModified", ""), outline.options),
        aliases=[path.stem],
    )


def _lines(text: str, about: dict[str, str], depth: int) -> list[str]:
    """An outline as an item of a list, with its link, a box if it is done, and with the note on it below it."""
    done = next((about[key] == "true" for key in _DONE if key in about), None)
    box = "" if done is None else "[x] " if done else "[ ] "
    more = _note_on(about)
    if url := about.get(_LINK):
        text = link(text, url)
    said = [line for line in (*text.split("\n"), *more.split("\n")) if line.strip()]
    if not said:
        return []
    indent = "  " * depth
    return [f"{indent}- {box}{said[0]}", *(f"{indent}  {line}" for line in said[1:])]


def _note_on(about: dict[str, str]) -> str:
    return _words(next((about[key] for key in _NOTES if about.get(key)), ""))


def _words(text: str) -> str:
    return (html_markdown(text) if _TAG.search(text) else unescape(text)).strip()  # WorkFlowy writes HTML in it


def _matches(sample: Sample) -> bool:
    return re.match(r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<opml\b", sample.text[:5000], re.DOTALL) is not None


FORMAT = Format("opml", "OPML: outlines of WorkFlowy, Dynalist and others, lists of feeds", read, _matches, ("*.opml",))
