"""Kindle loader: `My Clippings.txt` of any language: highlights and notes of all books, in the order of reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from memkit.core.instants import from_clocks
from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.core.written_dates import written_date
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.sample import Sample
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
_PAGE = pattern(r"(?:page|página|pagina|pagine|seite|стр\S*|第)\s*([\divxlcdm]+(?:-[\divxlcdm]+)?)", re.IGNORECASE)
_YEAR = pattern(r"(?<=[^\W\d])(?=\d{4}年)")  # a Chinese one, right behind a word
_TIME = pattern(r"(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?")
_HALF = pattern(r"\A\s*([ap])\.?\s?m\b|(下午|晚上|午後|오후)\s*\Z|(?:上午|凌晨|早上|午前|오전)\s*\Z", re.IGNORECASE)
_MOST_WORDS = 4  # before and after a date that are not part of it
_LONGEST_DATE = 120  # characters


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
            at=_moment(one.added, options), ordered=True,
            meta={"page": one.page, "location": one.location, "on": about[:1000]},
        )  # fmt: skip


def _clipping(block: str, options: ReadOptions) -> _Clipping | None:
    """The clipping in a block: the book, a line about it, a blank line, the text. None for one without text."""
    book, _, rest = block.strip().partition("\n")
    about, _, text = rest.strip().partition("\n")
    text = _LIMIT.sub("", text).strip()
    if not about.startswith(_DASHES):
        return None
    *places, added = about[2:].split("|")
    place = " ".join(places)
    if _BOOKMARKS.search(place):
        options.skip("bookmarks")
        return None
    if not text:
        options.skip("clippings without text")
        return None
    kind = "note" if _NOTES.search(place) and not _HIGHLIGHTS.search(place) else "highlight"
    page = _PAGE.search(place)
    without_page = place[: page.start()] + place[page.end() :] if page else place
    numbers = re.findall(r"\d+(?:-\d+)?", without_page.replace("–", "-"))
    return _Clipping(book.strip(), kind, page[1] if page else "", numbers[-1] if numbers else "", added.strip(), text)


def _title_and_author(book: str) -> tuple[str, str]:
    """The title, and the author in the last brackets, in which may be others."""
    depth = 0
    for at in range(len(book) - 1, 0, -1) if book.endswith(")") else ():
        depth += (book[at] == ")") - (book[at] == "(")
        if not depth:
            return (book[:at].strip(), book[at + 1 : -1].strip()) if book[:at].strip() else (book, "")
    return book, ""


def _moment(added: str, options: ReadOptions) -> str | None:
    """When a clipping was made, on the clock of the device; None if its language is not known."""
    found = _TIME.search(added) if len(added) <= _LONGEST_DATE else None
    before = _YEAR.sub(" ", added[: found.start()] if found else added[:_LONGEST_DATE])
    words = before.replace(",", ", ").split()
    days = [day for some in _runs(words) if (day := written_date(" ".join(some).strip(" ,")))]
    day = max(days, key=len, default=None)  # of several the first that is known to the day
    if day is None or len(day) < len("2024-01-01"):
        return day
    if found is None:
        return day
    hour = int(found[1])
    # The half of the day stands after the time, or before it.
    if half := _HALF.search(added[found.end() :]) or _HALF.search(added[: found.start()]):
        hour = hour % 12 + (12 if half[2] or (half[1] or "").lower() == "p" else 0)
    if hour > 23 or int(found[2]) > 59 or int(found[3] or 0) > 59:
        return day
    at = timedelta(hours=hour, minutes=int(found[2]), seconds=int(found[3] or 0))
    return from_clocks(datetime.fromisoformat(day) + at, options.timezone)


def _runs(words: list[str]) -> Iterator[list[str]]:
    """The words, without more and more of those before and after a date."""
    for first in range(min(_MOST_WORDS, len(words)) + 1):
        for last in range(_MOST_WORDS):
            if first < len(words) - last:
                yield words[first : len(words) - last]


def _matches(sample: Sample) -> bool:
    return "\n==========" in sample.text and _FIRST.search(sample.text.replace("\r\n", "\n")) is not None


FORMAT = Format("kindle", "Highlights and notes of a Kindle (`My Clippings.txt`)", read, _matches, ("*.txt",))
