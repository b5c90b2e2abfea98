"""Apple Notes loader: the notes in a `NoteStore.sqlite`, whose texts are packed protocol buffers."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from memkit.core.types import Failure, ReadWarning
from memkit.sources.epochs import since_2001
from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy, web_link
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink
from memkit.sources.options import ReadOptions
from memkit.sources.protobuf import fields
from memkit.sources.read_only import columns, read_only
from memkit.sources.sample import Sample
from memkit.storage.connection import Connection

# All kinds of things share one table: notes have data, folders a type, attachments and hashtags a note.
_TABLE = "ZICCLOUDSYNCINGOBJECT"
_DATA = "ZICNOTEDATA"
_TRASH = 1  # ZFOLDERTYPE
_OBJECT = "\ufffc"  # stands in the text for what is attached there
_NOTE_LINK = re.compile(r"(?:applenotes:note/|notes://showNote\?identifier=)([0-9A-Fa-f-]{36})")
_STYLES = {0: "# ", 1: "## ", 2: "### ", 100: "- ", 101: "- ", 102: "1. "}
_LISTS, _CHECKLIST, _CODE = (100, 101, 102, 103), 103, 4
_DEEPEST = 100  # folders in folders


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The notes that are not in the trash; a Failure for each that is locked by a password."""
    with read_only(path, options) as conn:
        yield from drafts(_notes(conn, path, options), path, options)


def _notes(conn: Connection, path: Path, options: ReadOptions) -> Iterator[Found]:
    known = set(columns(conn, _TABLE))
    rows = _rows(conn, known, "ZNOTEDATA is null")
    folders = {row["Z_PK"]: row for row in rows if row.get("ZTITLE2") is not None or row.get("ZFOLDERTYPE") is not None}
    shown = {str(row.get("ZIDENTIFIER")): row for row in rows}
    notes = _rows(conn, known, "ZNOTEDATA is not null")
    titles = {str(one.get("ZIDENTIFIER")).lower(): str(one.get("ZTITLE1") or "") for one in notes}
    for one in notes:
        title, folder = str(one.get("ZTITLE1") or ""), folders.get(one.get("ZFOLDER"), {})
        if one.get("ZMARKEDFORDELETION") == 1 or folder.get("ZFOLDERTYPE") == _TRASH:
            options.skip("notes in the trash")
            continue
        if one.get("ZISPASSWORDPROTECTED") == 1:
            yield ReadWarning(path.as_posix(), f"the note {title!r} is locked by a password, and was not read")
            continue
        tags = [row["ZALTTEXT"] for row in rows if row.get("ZNOTE1") == one["Z_PK"] and _is_tag(row)]
        data = conn.execute(f"select ZDATA from {_DATA} where Z_PK = ?", (one["ZNOTEDATA"],)).fetchone()
        try:
            text = _text(data[0] if data else None, shown, titles, options.limits)
        except (ValueError, IndexError, zlib.error) as error:
            yield Failure(path.as_posix(), f"the text of the note {title!r} cannot be read: {error}")
            continue
        yield Note(
            source=f"apple-notes:{one.get('ZIDENTIFIER')}",
            title=title,
            text=text,
            created=next((since_2001(one[key]) for key in _CREATED if one.get(key)), None),
            updated=since_2001(one.get("ZMODIFICATIONDATE1")),
            tags=[str(tag) for tag in tags],
            folder=_folder(one.get("ZFOLDER"), folders),
        )


_CREATED = ("ZCREATIONDATE3", "ZCREATIONDATE2", "ZCREATIONDATE1", "ZCREATIONDATE")  # by the version of macOS
_WANTED = (
    *_CREATED,
    *"Z_PK ZNOTEDATA ZIDENTIFIER ZTITLE ZTITLE1 ZTITLE2 ZFOLDER ZFOLDERTYPE ZPARENT ZMARKEDFORDELETION".split(),
    *"ZISPASSWORDPROTECTED ZMODIFICATIONDATE1 ZALTTEXT ZTYPEUTI ZTYPEUTI1 ZNOTE1 ZURLSTRING ZSUMMARY".split(),
)


def _rows(conn: Connection, known: set[str], where: str) -> list[dict[str, Any]]:
    """The rows of the table with those columns that this version of Notes has."""
    names = [name for name in _WANTED if name in known]
    found = conn.execute(f"select {', '.join(names)} from {_TABLE} where {where} order by Z_PK")
    return [dict(zip(names, row, strict=True)) for row in found]


def _is_tag(row: Mapping[str, Any]) -> bool:
    return str(row.get("ZTYPEUTI1")).endswith(".hashtag") and bool(row.get("ZALTTEXT"))


def _folder(key: object, folders: Mapping[Any, Mapping[str, Any]]) -> str:
    """The name of a folder after those around it."""
    names: list[str] = []
    while key in folders and len(names) < _DEEPEST:
        names.append(str(folders[key].get("ZTITLE2") or ""))
        key = folders[key].get("ZPARENT")
    return "/".join(reversed(names))


# ------------------------------------------------------------------------------------------------ protocol buffers


def _text(data: object, shown: Mapping[str, Mapping[str, Any]], titles: Mapping[str, str], limits: ReadLimits) -> str:
    """The text of a note as Markdown, without its first line if that is the title."""
    if not isinstance(data, bytes):
        return ""
    unzip = zlib.decompressobj(wbits=47)  # gzip, or zlib
    unpacked = unzip.decompress(data, limits.note_size + 1)
    if len(unpacked) > limits.note_size:
        raise OverLimit("note_size", limits, "bytes in a note")
    if not unzip.eof:
        raise ValueError("it is not packed as Notes packs it, or cut short")
    note = _message(_message(_message([unpacked]).get(2)).get(3))
    text = _first(note.get(2), b"").decode("utf-8", "replace").encode("utf-16-le")
    lines: list[tuple[_Style, str]] = []
    style, line, at = _Style(0, -1, "", "", ""), "", 0
    for run in note.get(5, []):
        style = _Style.of(run)
        end = at + 2 * style.length
        piece, at = text[at:end].decode("utf-16-le", "replace"), end
        if style.object_id:
            piece = piece.replace(_OBJECT, _attached(shown.get(style.object_id, {})))
        elif style.link and piece.strip():
            piece = _linked(piece, style.link, titles)
        first, *others = piece.split("\n")
        line += first
        for other in others:  # the style of a line is that of its end
            lines.append((style, line))
            line = other
    return _written([*lines, (style, line)])


def _written(lines: list[tuple[_Style, str]]) -> str:
    """Lines with their styles as Markdown."""
    found: list[str] = []
    for code, group in groupby(lines, lambda one: one[0].kind == _CODE):
        shown = [line if code or not line.strip() else f"{style.mark}{line}" for style, line in group]
        found += ["```", *shown, "```"] if code else shown
    return tidy("\n".join(found).replace(_OBJECT, ""))


@dataclass(frozen=True)
class _Style:
    """A run of text: how many units of UTF-16 it has, and what it is."""

    length: int
    kind: int
    mark: str
    link: str
    object_id: str

    @classmethod
    def of(cls, data: bytes) -> _Style:
        run = _message([data])
        paragraph = _message(run.get(2))
        kind = _first(paragraph.get(1), -1)
        indent = "  " * min(_first(paragraph.get(4), 0), 20) if kind in _LISTS else ""
        mark = _STYLES.get(kind, "")
        if kind == _CHECKLIST:
            mark = "- [x] " if _first(_message(paragraph.get(5)).get(2), 0) else "- [ ] "
        return cls(
            length=_first(run.get(1), 0),
            kind=kind,
            mark=indent + mark,
            link=_first(run.get(9), b"").decode("utf-8", "replace"),
            object_id=_first(_message(run.get(12)).get(1), b"").decode("utf-8", "replace"),
        )


def _attached(row: Mapping[str, Any]) -> str:
    """What stands in the text for an attachment: a hashtag, a person, a link, the words of a table."""
    kind = str(row.get("ZTYPEUTI1") or row.get("ZTYPEUTI") or "")
    if kind.startswith("com.apple.notes.inlinetextattachment."):
        words = str(row.get("ZALTTEXT") or "")
        return wikilink(words) if kind.endswith(".link") else words
    if kind == "public.url":
        return web_link(str(row.get("ZURLSTRING") or ""), str(row.get("ZTITLE") or ""))
    return str(row.get("ZSUMMARY") or "") if kind == "com.apple.notes.table" else ""


def _linked(words: str, address: str, titles: Mapping[str, str]) -> str:
    match = _NOTE_LINK.match(address)
    link = wikilink(titles.get(match[1].lower(), words), words) if match else web_link(address, words.strip())
    return link + ("\n" if words.endswith("\n") else "")


def _message(values: list[Any] | None) -> dict[int, list[Any]]:
    """The fields of the first of several messages: numbers to lists of values. Raises ValueError, IndexError."""
    found: dict[int, list[Any]] = {}
    for number, value in fields(_first(values, b"")):
        found.setdefault(number, []).append(value)
    return found


def _first(values: list[Any] | None, default: Any) -> Any:
    """The first of several values, if it is of the kind of the default."""
    return values[0] if values and isinstance(values[0], type(default)) else default


def _matches(sample: Sample) -> bool:
    return sample.is_database and {_TABLE, _DATA} <= sample.tables.keys()


FORMAT = Format(
    "apple-notes",
    "Apple Notes: the database NoteStore.sqlite",
    read,
    _matches,
    ("*.sqlite",),
)
