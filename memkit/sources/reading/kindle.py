"""Kindle loader: `My Clippings.txt` of any language: highlights and notes of all books, in the order of reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.sample import Sample
from memkit.sources.spoken_moments import moment
from memkit.text.words import short_id

_BETWEEN = pattern(r"^={10}[ \t]*\r?$", re.MULTILINE)
_FIRST = pattern(r"(?:\A|^={10}\s*\n)[^\n]{1,1000}\n\s*[-–] [^\n]*\|[^\n]*\d[:.]\d\d", re.MULTILINE)
_DASHES = ("- ", "– ")  # the second one on a Russian device
# What a clipping is, in the languages of the device; one in a language that is not here is a highlight.
_BOOKMARKS = pattern(
    r"bookmark|marcador|signet|lesezeichen|segnalibro|书签|書籤|ブックマーク|bladwijzer|закладк|북마크", re.IGNORECASE
)
_HIGHLIGHTS = pattern(
    r"highlight|subrayado|surlign|markierung|evidenziazione|destaque|标注|標註|ハイライト|markering|выделен|하이라이트",
    re.I,
)
_NOTES = pattern(r"\bnot(?:e|a|iz|itie)\b|笔记|筆記|メモ|заметк|메모", re.IGNORECASE)
# What the publisher kept back: `<You have reached the clipping limit for this item>`, in the language of the device.
_LIMIT = pattern(
    r"\s*<(?=[^<>\n]{10,200}>)[^<>=/\n]*(?:limi[te]|límite|grenze|上限|лимит)[^<>=/\n]*>\s*", re.IGNORECASE
)
# Where a file is from, and which copy of it this is.
_OF_THE_FILE = pattern(r"\d{1,3}|z-?lib(?:rary)?\b.*|[\w-]+\.(?:org|com|net|io|sk|lol)", re.IGNORECASE)
_PAGE = pattern(
    r"(?:page|página|pagina|pagine|seite|стр\S*|第)\s*([\divxlcdm]+(?:-[\divxlcdm]+)?)|(\d+(?:-\d+)?)\s*(?:ページ|쪽)",
    re.I,
)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The highlights and notes of each book. Bookmarks, and what the publisher kept back, have no text."""
    text = decoded(whole(path, options, "note_size")).replace("\ufeff", "")
    yield from drafts(_items(text.replace("\r\n", "\n"), options), path, options)


@dataclass(frozen=True)
class _Clipping:
    """A clipping: a note belongs to the highlight that ends where it is."""

    book: str
    kind: str
    page: str
    location: str
    added: str
    text: str

    @property
    def end(self) -> tuple[str, str]:
        return self.book, self.location.rpartition("-")[2] or self.page


def _items(text: str, options: ReadOptions) -> Iterator[Item]:
    found = [clipping for block in _BETWEEN.split(text) if (clipping := _clipping(block, options))]
    marked = {one.end: one.text for one in found if one.kind == "highlight" and one.end[1]}
    seen = set()
    for one in found:
        id = short_id(one.kind, one.location or one.page, one.added, one.text)
        if (one.book, id) in seen:
            continue
        seen.add((one.book, id))
        title, author = _title_and_author(one.book)
        about = marked.get(one.end, "") if one.kind == "note" else ""
        yield Item(
            source=f"kindle:{one.book}", document=title, text=one.text, id=id, kind=one.kind, author=author,
            at=moment(one.added, options.timezone), ordered=True,
            meta={"page": one.page, "location": one.location, "on": about[:1000]},
        )  # fmt: skip


def _clipping(block: str, options: ReadOptions) -> _Clipping | None:
    """The clipping in a block: the book, a line about it, a blank line, the text. None for one without text."""
    book, _, rest = block.strip().partition("\n")
    about, _, text = rest.strip().partition("\n")
    if not about.startswith(_DASHES):
        if book:
            options.skip("clippings of a shape that is not known")
        return None
    text, kept_back = _LIMIT.subn("", text)
    text = text.strip()
    *places, added = about[2:].split("|")
    place = " ".join(places)
    if _BOOKMARKS.search(place):
        options.skip("bookmarks")
        return None
    if not text:
        options.skip("clippings that the publisher kept back" if kept_back else "clippings without text")
        return None
    kind = "note" if _NOTES.search(place) and not _HIGHLIGHTS.search(place) else "highlight"
    page = _PAGE.search(place)
    without_page = place[: page.start()] + place[page.end() :] if page else place
    numbers = re.findall(r"\d+(?:-\d+)?", without_page.replace("–", "-"))
    at = (page[1] or page[2]) if page else ""
    return _Clipping(book.strip(), kind, at, numbers[-1] if numbers else "", added.strip(), text)


def _title_and_author(book: str) -> tuple[str, str]:
    """The title, and the author in the last brackets; behind them the name of a file may have more.

    `The Daily Stoic (Holiday, Ryan) (z-lib.org) (1)`. It may also be `title -- author -- ... -- Anna's Archive`.
    """
    title, last = _last_brackets(book)
    while last and _OF_THE_FILE.fullmatch(last):
        title, last = _last_brackets(title)
    told = title.split(" -- ")
    return (told[0], last or told[1]) if len(told) > 2 and told[-1].startswith("Anna") else (title, last)


def _last_brackets(text: str) -> tuple[str, str]:
    """What stands before the brackets at the end, and in them; there may be others in them."""
    depth = 0
    for at in range(len(text) - 1, 0, -1) if text.endswith(")") else ():
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            return (text[:at].strip(), text[at + 1 : -1].strip()) if text[:at].strip() else (text, "")
    return text, ""


def _matches(sample: Sample) -> bool:
    return "\n==========" in sample.text and _FIRST.search(sample.text.replace("\r\n", "\n")) is not None


FORMAT = Format("kindle", "Highlights and notes of a Kindle (`My Clippings.txt`)", read, _matches, ("*.txt",))
