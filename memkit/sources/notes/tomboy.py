"""Tomboy loader: the notes of Tomboy, Gnote and tomboy-ng, each a file of XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.types import Failure
from memkit.sources.chat import time_or_none
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown, web_link
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Note, Record, drafts, wikilink
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.xml_records import xml_records

_FIELDS = ("title", "create-date", "last-change-date", "tag")
_CONTENT = pattern(r"<note-content\b[^<>]*>(.*)</note-content>", re.DOTALL)
# Their elements as those of HTML; a new line is one, but between the items of a list.
_AS_HTML = {"list": "ul", "list-item": "li", "monospace": "code", "h2": "h2", "h3": "h3"}
_HEADING = pattern(r"^<size:(huge|large)>([^<>\n]+)</size:\1>$", re.MULTILINE)  # a whole line in large letters
_ELEMENT = pattern(r"<(/?)([\w:-]+)([^<>]*)>")
_BETWEEN_ITEMS = pattern(r"\n?(</?(?:ul|li|h2|h3)>)\n?")
_FRACTION = re.compile(r"(?<=:\d\d)[.,]\d+")
_NOTEBOOK, _TEMPLATE = "system:notebook:", "system:template"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The note with its tags; the notebook that it lies in is its folder. Templates are left out."""
    found: dict[str, list[str]] = {}
    for one in xml_records(path, options, _FIELDS):
        if isinstance(one, Failure):
            yield one
            return
        found.setdefault(one.tag, []).append(one.text)
    tags = found.get("tag", [])
    if _TEMPLATE in tags:
        options.skip("templates")
        return
    title = next(iter(found.get("title", [])), "")
    content = _CONTENT.search(note_text(path, options))
    created, changed = (time_or_none(_FRACTION.sub("", found.get(key, [""])[0])) for key in _FIELDS[1:3])
    note = Note(
        source=f"tomboy:{path.stem}",
        title=title,
        text=_below_title(_markdown(content[1]), title) if content else "",
        created=created,
        updated=changed,
        tags=[tag for tag in tags if not tag.startswith("system:")],
        folder=next((tag.removeprefix(_NOTEBOOK) for tag in tags if tag.startswith(_NOTEBOOK)), "").replace("/", " "),
    )
    yield from drafts([note], path, options)


def _markdown(content: str) -> str:
    headed = _HEADING.sub(lambda line: "<{0}>{1}</{0}>".format("h2" if line[1] == "huge" else "h3", line[2]), content)
    html = _BETWEEN_ITEMS.sub(r"\1", _ELEMENT.sub(_as_html, headed))
    return html_markdown(html.replace("\n", "<br>"), link=lambda address, words: _link(address, words))


def _as_html(found: re.Match[str]) -> str:
    name = found[2]
    if name in ("link:internal", "link:url"):
        return "</a>" if found[1] else f'<a href="{name}">'
    return f"<{found[1]}{_AS_HTML.get(name, 'span')}>"


def _link(kind: str, words: str) -> str:
    return wikilink(words) if kind == "link:internal" else web_link(words, words)


def _below_title(text: str, title: str) -> str:
    """The text without its first line, if that is the title, as the programs write it."""
    line, _, below = text.partition("\n")
    return below.strip("\n") if line.strip("#* ") == title.strip() else text


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".note" and "<note-content" in sample.text


FORMAT = Format("tomboy", "Notes of Tomboy, Gnote and tomboy-ng", read, _matches, ("*.note",))
