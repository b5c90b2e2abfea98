"""BibTeX loader: libraries of Zotero, JabRef and others. A memory is what an entry says of a work.

A parser of its own: the one library that is kept up, with its decoder of LaTeX, drops the words inside of commands that
it does not know, and needs 15 seconds for a megabyte.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.core.written_dates import MONTHS, known_date, written_date
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.reading.work import Work, work_item
from memkit.sources.sample import Sample

_ENTRIES = pattern(r"^(?=[ \t]*@[ \t]*\w+\s*[{(])", re.MULTILINE)  # where entries begin
_ENTRY = pattern(r"@[ \t]*(\w+)\s*[{(]\s*")
_KEY = pattern(r"[,}\s]")
_FIELD = pattern(r"[\s,]*([^\s=,{}()\"#]+)\s*=\s*")
_BARE = pattern(r"[^\s,#{}()\"=]+")
_MORE = pattern(r"\s*#\s*")
_BRACKET = pattern(r'\\.|[{}"]', re.DOTALL)
_KEPT = {"{": "\x01", "}": "\x02", "~": "\x03", "\\": "\x04"}  # signs that are text, not LaTeX
# How LaTeX writes letters: accents before a letter, letters and signs by name, signs after a backslash.
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "b": "\u0331", "d": "\u0323",
    "r": "\u030a",
}  # fmt: skip
_ACCENT = pattern(r"\\(?:([`'^\"~=.])\s*|([uvHckbdr])(?:\s+|(?=\{)))(?:\{\s*(\\?[a-zA-Z])\s*\}|(\\?[a-zA-Z]))")
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł",
    "L": "Ł", "i": "ı", "textendash": "–", "textemdash": "—", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX",
    "textless": "<", "textgreater": ">", "textbar": "|", "textasciicircum": "^", "textasciitilde": _KEPT["~"],
    "textbackslash": _KEPT["\\"], "textunderscore": "_", "textdollar": "$", "textquotedblleft": "“",
    "textquotedblright": "”", "textquoteleft": "‘", "textquoteright": "’", "textbullet": "•", "textdegree": "°",
    "textpm": "±", "textmu": "µ", "texttimes": "×", "textregistered": "®", "texttrademark": "™",
}  # fmt: skip
_COMMAND = pattern(r"\\([a-zA-Z]+)\*?\s*")
_ESCAPED = pattern(r"\\([&%$#_{} ,;:!-])")
_SIGNS = {**_KEPT, ",": " ", ";": " ", ":": " ", "!": "", "-": ""}  # the others stand for themselves
_AND = pattern(r"\s+and\s+", re.IGNORECASE)
_IN = ("journal", "journaltitle", "booktitle", "publisher", "institution", "school")
_SHORT = ("doi", "isbn", "url", "file", "volume", "number", "pages", "editor")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each entry: authors, title, where and when it came out; then its abstract and notes."""
    text = decoded(whole(path, options, "note_size"))
    yield from drafts(_items(text, path), path, options)


def _items(text: str, path: Path) -> Iterator[Item | Failure]:
    strings: dict[str, str] = {}
    line = 1
    for block in _ENTRIES.split(text):
        try:
            yield from _block(block, path, strings)
        except ValueError as error:
            yield Failure(path.as_posix(), str(error), line=line)
        line += block.count("\n")


def _block(text: str, path: Path, strings: dict[str, str]) -> Iterator[Item]:
    """The entries that begin in one line. Raises ValueError for one that does not end."""
    at = 0
    while found := _ENTRY.search(text, at):
        kind, at = found[1].lower(), found.end()
        if kind in ("comment", "preamble"):
            return
        key, fields, at = _entry(text, at, kind, strings)
        if kind == "string":
            strings |= fields
        else:
            yield _item(path, kind, key, {name: _decoded(value) for name, value in fields.items()})


def _entry(text: str, at: int, kind: str, strings: dict[str, str]) -> tuple[str, dict[str, str], int]:
    """The key and the fields of an entry, and where it ends. Raises ValueError if it does not end."""
    key = ""
    if kind != "string":
        end = _KEY.search(text, at)
        if end is None:
            raise ValueError(f"the entry {text[at : at + 40]!r} does not end")
        key, at = text[at : end.start()], end.start()
    fields: dict[str, str] = {}
    while found := _FIELD.match(text, at):
        value, at = _value(text, found.end(), strings)
        fields.setdefault(found[1].lower(), value)
    return key, fields, at


def _value(text: str, at: int, strings: dict[str, str]) -> tuple[str, int]:
    """A value, which may be put together of several with `#`, and where it ends."""
    parts = []
    while True:
        if text.startswith(("{", '"'), at):
            end = _closing(text, at)
            parts.append(text[at + 1 : end])
            at = end + 1
        elif bare := _BARE.match(text, at):
            parts.append(strings.get(bare[0].lower(), bare[0]))
            at = bare.end()
        more = _MORE.match(text, at)
        if more is None:
            return "".join(parts), at
        at = more.end()


def _closing(text: str, at: int) -> int:
    """Where the bracket or quote ends that begins here. Raises ValueError if it does not."""
    quote, depth = text[at] == '"', 0
    for mark in _BRACKET.finditer(text, at + quote):
        if mark[0] in "{}":
            depth += 1 if mark[0] == "{" else -1
        if (quote and mark[0] == '"' and not depth) or (not quote and not depth and mark[0] == "}"):
            return mark.start()
    raise ValueError(f"a bracket or quote does not end: {text[at : at + 40]!r}")


def _decoded(value: str) -> str:
    """A value of LaTeX as text: accents as letters, commands without their names, no brackets."""
    if "\\" in value:
        value = _ACCENT.sub(_accented, value)
        value = _COMMAND.sub(lambda found: _LETTERS.get(found[1], ""), value)
        value = _ESCAPED.sub(lambda found: _SIGNS.get(found[1], found[1]), value)
    value = value.replace("{", "").replace("}", "").replace("~", " ").replace("---", "—").replace("--", "–")
    for sign, mark in _KEPT.items():
        value = value.replace(mark, sign)
    return "\n\n".join(" ".join(part.split()) for part in value.split("\n\n"))


def _accented(found: re.Match[str]) -> str:
    letter = (found[3] or found[4]).removeprefix("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[found[1] or found[2]])


def _item(path: Path, kind: str, key: str, fields: dict[str, str]) -> Item:
    title = ": ".join(filter(None, [fields.get("title", ""), fields.get("subtitle", "")]))
    people = [_person(name) for name in _AND.split(fields.get("author") or fields.get("editor") or "") if name]
    published = _published(fields)
    where = next((fields[name] for name in _IN if fields.get(name)), "")
    about = {name: fields[name] for name in _SHORT if fields.get(name)}
    work = Work(
        key=key, kind=kind, title=title, people=people, where=where, published=published, url=fields.get("url", ""),
        said=[fields.get("abstract"), *_notes(fields)], tags=re.split(r"\s*[,;]\s*", fields.get("keywords", "")),
        about=about,
    )  # fmt: skip
    return work_item(work, path)


def _notes(fields: dict[str, str]) -> Iterator[str]:
    for name in ("note", "annote", "annotation"):
        if fields.get(name):
            yield fields[name]


def _person(name: str) -> str:
    """`Doe, John` is John Doe."""
    last, comma, first = name.strip().partition(",")
    return f"{first.strip()} {last.strip()}".strip() if comma and "," not in first else name.strip()


def _published(fields: dict[str, str]) -> str:
    """When a work came out, as far as it is known."""
    if known := written_date(fields.get("date", "")):
        return known
    year = fields.get("year", "").strip()
    month = fields.get("month", "").strip().lower().rstrip(".")
    number = int(month) if month.isdigit() and len(month) < 3 else MONTHS.get(month)
    return (known_date(int(year), number) or known_date(int(year)) or "") if re.fullmatch(r"\d{4}", year) else ""


_FIRST = pattern(r"@[a-zA-Z]+\s*\{\s*[^\s,{}]+\s*,\s*\w+\s*=")


def _matches(sample: Sample) -> bool:
    return sample.suffix in (".bib", ".bibtex") or _FIRST.match(sample.text) is not None


FORMAT = Format("bibtex", "A library in BibTeX, as Zotero and others export it", read, _matches, ("*.bib", "*.bibtex"))
