"""RIS loader: references as Zotero, Mendeley, EndNote and publishers export them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.core.written_dates import known_date, written_date
from memkit.sources.authors import turned
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.reading.work import Work, work_item
from memkit.sources.sample import Sample

_LINE = pattern(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_BEGINS, _ENDS = "TY", "ER"
_TITLE, _PEOPLE, _EDITORS = ("TI", "T1", "CT", "BT"), ("AU", "A1"), ("A2", "ED")
_WHERE, _WHEN = ("T2", "JF", "JO", "JA", "J2", "BT", "PB"), ("DA", "PY", "Y1")
_NOTES = ("AB", "N2", "N1", "RN")
_ABOUT = {"doi": "DO", "isbn": "SN", "url": "UR", "volume": "VL", "number": "IS", "pages": "SP", "file": "L1"}
_DATE = pattern(r"(\d{4})(?:[/-](\d{1,2}))?(?:[/-](\d{1,2}))?(?:/.*)?")

Entry = dict[str, list[str]]


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each reference: authors, title, where and when it came out; then its abstract and notes."""
    text = decoded(whole(path, options, "note_size"))
    yield from drafts(_items(text, path), path, options)


def _items(text: str, path: Path) -> Iterator[Item]:
    known: dict[str, str] = {}
    for entry in _entries(text):
        title = _first(entry, *_TITLE, "DO")
        key = _first(entry, "ID", "DO") or title
        # Numbers of references begin anew in each list that was put into a file.
        is_other = known.setdefault(key, title) != title
        yield work_item(_work(entry, title, f"{key}: {title}" if is_other else key), path)


def _entries(text: str) -> Iterator[Entry]:
    """The references: the values by their tags. What stands between them, such as their numbers, is not theirs."""
    entry: Entry = {}
    last = ""
    for line in re.split(r"\r\n?|\n", text):
        found = _LINE.fullmatch(line.rstrip())
        if found and found[1] in (_BEGINS, _ENDS):
            if entry:
                yield entry
            entry, last = {}, ""
        if found and found[1] != _ENDS and (entry or found[1] == _BEGINS):
            last = found[1]
            entry.setdefault(last, []).append(found[2] or "")
        elif not found and last:  # a value goes on in the next line
            entry[last][-1] += f"\n{line.strip()}"
    if entry:
        yield entry


def _work(entry: Entry, title: str, key: str) -> Work:
    people = [name for tag in _PEOPLE for name in entry.get(tag, [])] or [
        n for tag in _EDITORS for n in entry.get(tag, [])
    ]
    pages = "-".join(filter(None, [_first(entry, "SP"), _first(entry, "EP")]))
    about = {name: _first(entry, tag) for name, tag in _ABOUT.items()}
    return Work(
        key=key,
        kind=_first(entry, _BEGINS).lower(),
        title=title,
        people=list(dict.fromkeys(turned(name.strip()) for name in people if name.strip())),
        where=next((where for tag in _WHERE if (where := _first(entry, tag)) and where != title), ""),
        published=max(map(_published, (_first(entry, tag) for tag in _WHEN)), key=len),
        url=re.split(r"[;\s]", _first(entry, "UR"))[0],
        said=dict.fromkeys(_note(note) for tag in _NOTES for note in entry.get(tag, [])),
        tags=[word.strip(" *") for words in entry.get("KW", []) for word in re.split(r"[\n;]", words)],
        about={name: value for name, value in {**about, "pages": pages}.items() if value},
    )


def _first(entry: Entry, *tags: str) -> str:
    """The first of these values that says something, in one line."""
    values = (" ".join(value.split()) for tag in tags for value in entry.get(tag, []))
    return next(filter(None, values), "")


def _note(text: str) -> str:
    """A note: those of Zotero are pages."""
    return html_markdown(text) if text.lstrip().startswith("<") else text.strip()


def _published(text: str) -> str:
    """A date as RIS writes it, `1948/07//`, or in words."""
    found = _DATE.fullmatch(text)
    if found is None:
        return written_date(text) or ""
    year, month, day = (int(part) if part else None for part in found.groups())
    return known_date(year or 0, month, day if month else None) or known_date(year or 0) or ""


_FIRST = pattern(r"(?:.*\n){0,9}?TY  ?- *\S.*\n(?:[A-Z][A-Z0-9]  ?-|\s*$)")


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".ris" or _FIRST.match(sample.text.replace("\r\n", "\n")) is not None


FORMAT = Format("ris", "References (RIS) of Zotero, Mendeley, EndNote and publishers", read, _matches, ("*.ris",))
