"""Zim loader: the pages of a notebook of Zim, text files that begin with its header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.written_dates import written_date
from memkit.sources.format import Format
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Record
from memkit.sources.notes.slash_markup import Dialect, page_link, slash_markdown
from memkit.sources.notes.wiki import page
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_BEGINS = "Content-Type: text/x-zim-wiki"
_HEADER = pattern(r"\A(?:([\w-]+): *([^\n]*)\n)+")
_FIELD = pattern(r"^([\w-]+): *([^\n]*)$", re.MULTILINE)
_TITLE = pattern(r"\A\s*(?:=+|#)[ \t][^\n]*\n")
_MADE = pattern(r"\A\s*[^\W\d_]+ +([^\n]+)\n")  # below the title, in the writer's language: `Created Monday 5 May 2025`
_TAG = pattern(r"(?<!\S)@([^\W\d_]\w*)")
_STATES = {"*": "x", "x": "-"}  # done; what will not be done
_CODE = pattern(
    r"^[ \t]*(?:'''|\{\{\{\w+:(?:[^\n]*?\blang=\"?(?P<given>\w+))?[^\n]*)[ \t]*\n"
    r"(?P<code>(?:(?![ \t]*(?:'''|\}\}\}))[^\n]*\n)*)[ \t]*(?:'''|\}\}\})[ \t]*$"
    r"|''(?!')(?P<line>(?:(?!'')[^\n])+)''",
    re.MULTILINE,
)
_RULES = (
    (pattern(r"\{\{[^{}\n]*\}\}"), ""),  # pictures, and ids of headings
    (pattern(r"^([ \t]*)(?:([*]|\w{1,3}[.)])[ \t]+)?\[([ *x<>])\][ \t]", re.MULTILINE), lambda found: _box(found)),
    (pattern(r"^([ \t]*)\*[ \t]+", re.MULTILINE), r"\1- "),
    (pattern(r"\[\[([^\[\]\n]+)\]\]"), page_link),
    (pattern(r"([_^])\{([^{}\n]+)\}"), lambda found: _aside(found)),
)
DIALECT = Dialect(_CODE, _RULES)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The page with the time of its making; pictures, and the line in which Zim writes that day, are left out."""
    text = note_text(path, options)
    header = _HEADER.match(text)
    fields = dict(_FIELD.findall(header[0])) if header else {}
    created = fields.get("Creation-Date", "")
    body = _without_day(text[header.end() if header else 0 :], created[:10])
    tags = _TAG.findall(_CODE.sub("", body))
    yield from page(path, name, slash_markdown(body, DIALECT), {"created": created}, tags, options)


def _without_day(body: str, day: str) -> str:
    """The text without the line below its title that only tells when the page was made."""
    title = _TITLE.match(body)
    start = title.end() if title else 0
    made = _MADE.match(body[start : start + 200])
    if not made or not day or written_date(made[1].strip()) != day:
        return body
    return f"{body[:start]}\n{body[start + made.end() :]}"


def _box(found: re.Match[str]) -> str:
    mark = found[2] if found[2] and found[2] != "*" else "-"
    return f"{found[1]}{mark} [{_STATES.get(found[3], found[3])}] "


def _aside(found: re.Match[str]) -> str:
    tag = "sub" if found[1] == "_" else "sup"
    return f"<{tag}>{found[2]}</{tag}>"


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".txt" and sample.text.startswith(_BEGINS)


FORMAT = Format("zim", "Pages of a notebook of Zim", read, _matches, ("*.txt",))
