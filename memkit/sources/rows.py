"""Rows: JSONL, JSON arrays, CSV, TSV, and any Python iterable of dicts or strings.

A row's `text` is needed; `id, title, timestamp, session, speaker, project` (or `group`), `kind, category, tags,
importance, confidence, slot, key, valid_from, valid_until, expires_at` have their meaning; everything else goes into
`meta`. Rows with the same `session` are one document, in order; the others only share a file.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memkit.arguments import short
from memkit.errors import BadSource
from memkit.passages import parts
from memkit.sources.dates import iso
from memkit.sources.lines import LONGEST_LINE, lines, too_long
from memkit.sources.options import ReadOptions
from memkit.sources.values import plain, sound, tag_list
from memkit.types import DocumentDraft, Draft, Failure

Row = dict[str, Any]
Cell = Callable[[Any, str], Any]  # makes a value of a cell and its column's name, or raises ValueError

LONGEST_ROW = 1000  # tokens
ITERABLE_SOURCE = "rows:"  # the source of rows that come from Python and not from a file
# NaN and Infinity are no JSON: SQLite would not read them back.
_decode = json.JSONDecoder(parse_constant=lambda _: None).decode


def read_jsonl(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """A draft for each line; the file is never in memory as a whole."""
    rows = Rows(path.as_posix(), path.name, options)
    with path.open("rb") as stream:
        for number, line in lines(stream):
            try:
                row = parsed(line)
            except ValueError as error:
                yield Failure(rows.source, str(error), line=number)
            else:
                yield from rows.drafts(row, number)


def parsed(line: bytes | None) -> Row:
    """The object in a line of JSON; ValueError with a sentence if there is none. None stands for a line too long."""
    if line is None:
        raise ValueError(too_long())
    try:
        row = _decode(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"not valid UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"broken JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("broken JSON: nested too deeply") from None
    if not isinstance(row, dict):
        raise ValueError(f'a row is an object like {{"text": "..."}}, not a {type(row).__name__}')
    return row


def read_json(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """A draft for each object (or text) in a JSON array; the line in a failure is the item's number."""
    rows = Rows(path.as_posix(), path.name, options)
    try:
        items = _decode(path.read_bytes().decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        yield Failure(rows.source, f"broken JSON: {error.msg}", line=error.lineno)
        return
    except (UnicodeDecodeError, RecursionError) as error:
        yield Failure(rows.source, f"not JSON in UTF-8: {error}")
        return
    for number, item in enumerate(items if isinstance(items, list) else [items], 1):
        yield from rows.drafts(item, number)


def read_csv(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """A draft for each row under a header; the delimiter is the one that cuts the header into most columns."""
    rows = Rows(path.as_posix(), path.name, options)
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    left_out: list[Failure] = []
    with path.open("rb") as stream:
        text = _text_lines(stream, rows.source, left_out)
        header_line = next(text, "")
        reader = csv.reader(text, delimiter=delimiter(header_line))
        header = _header(header_line, options)
        if options.text_column not in header:
            columns = ", ".join(filter(None, header)) or "none"
            seen = f"no column {options.text_column!r}; the columns are: {columns}"
            yield Failure(rows.source, f"{seen}. Say which holds the text with --text-column", line=1)
            return
        while True:
            line = reader.line_num + 2
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                yield Failure(rows.source, f"broken row: {error}", line=line)
                continue
            if len(cells) > len(header):
                yield Failure(rows.source, f"{len(cells)} cells under a header of {len(header)}", line=line)
            elif cells:
                yield from rows.drafts(dict(zip(header, cells, strict=False)), line)
            yield from left_out
            left_out.clear()
    yield from left_out


def delimiter(header: str) -> str:
    """The delimiter of a table, judged by its first line."""
    return max(",\t;|", key=lambda mark: len(_cells(header, mark)))


def _cells(line: str, mark: str) -> list[str]:
    """The cells of a line; none of what is no line of a table (a stray carriage return, a NUL)."""
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return []


def _header(line: str, options: ReadOptions) -> list[str]:
    """The column names; ours are known in any case."""
    names = [cell.strip() for cell in _cells(line, delimiter(line))]
    return [name.lower() if name.lower() in COLUMNS and name.lower() not in names else name for name in names]


def _text_lines(stream: Any, source: str, left_out: list[Failure]) -> Iterator[str]:
    """The lines as text. Bytes that are no UTF-8 stay marked as such, so that only their row is lost."""
    for number, line in lines(stream, blank=True):
        if line is None:
            left_out.append(Failure(source, too_long(), line=number))
            yield "\n"
        else:
            yield line.decode("utf-8", "surrogateescape")


def read_iterable(source: Iterable[Any], options: ReadOptions) -> Iterator[Draft | Failure]:
    """A draft for each dict or text; a pandas DataFrame gives its rows. The line in a failure is the item's number.

    Raises BadSource, at the call, for what has no rows.
    """
    if not isinstance(source, Iterable) or isinstance(source, Mapping | bytes):
        raise BadSource(f"What is taken in is a path, several paths, or a list of dicts or texts, not {short(source)}.")
    rows = Rows(ITERABLE_SOURCE, None, options)
    return (draft for number, item in enumerate(_records(source), 1) for draft in rows.drafts(item, number))


def _records(source: Any) -> Iterable[Any]:
    if not (hasattr(source, "itertuples") and hasattr(source, "columns")):
        return source
    names = [str(name) for name in source.columns]
    known = source.astype(object).where(source.notna(), None)
    return (dict(zip(names, cells, strict=True)) for cells in known.itertuples(index=False, name=None))


def row_text(value: object, column: str) -> str:
    """The cell as the text of a memory; ValueError if there is nothing in it."""
    if not isinstance(value, str):
        raise ValueError(f"{column!r} is not text but a {type(value).__name__}")
    if value.isspace():
        raise ValueError(f"no text (only blanks in {column!r})")
    return sound(value)


def row_name(value: object, column: str) -> str:
    """The cell as an id, a title or another short text; numbers are written out."""
    if isinstance(value, dict | list):
        raise ValueError(f"{column!r} is not text but a {type(value).__name__}")
    return sound(value if isinstance(value, str) else str(value))


def row_time(value: object, column: str) -> str:
    """The cell as a time."""
    try:
        return iso(value)
    except ValueError as error:
        raise ValueError(f"{column!r}: {error}") from None


def row_tags(value: object, column: str) -> tuple[str, ...]:
    """The cell as tags."""
    return tuple(map(sound, tag_list(value)))


def row_meta(value: object, column: str) -> Row:
    """The cell as an object that JSON can hold."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{column!r} is not a dict but a {type(value).__name__}")
    found: Row = plain(value)
    return found


def number_from(least: float, most: float) -> Cell:
    """What reads a cell as a number in this range."""

    def row_number(value: Any, column: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not least <= number <= most:
            raise ValueError(f"{column!r} is {value!r}, and not a number from {least} to {most}")
        return number

    return row_number


# Column -> the draft's field, and what makes its value. `project`, `group` and `session` also choose the document.
COLUMNS: Mapping[str, tuple[str, Cell]] = {
    "text": ("text", row_text),
    "id": ("source_id", row_name),
    "title": ("title", row_name),
    "timestamp": ("happened_at", row_time),
    "session": ("session", row_name),
    "speaker": ("speaker", row_name),
    "project": ("project", row_name),
    "group": ("group", row_name),
    "kind": ("kind", row_name),
    "category": ("category", row_name),
    "tags": ("tags", row_tags),
    "importance": ("importance", number_from(1, 10)),
    "confidence": ("confidence", number_from(0, 1)),
    "slot": ("slot", row_name),
    "key": ("slot_key", row_name),
    "valid_from": ("valid_from", row_time),
    "valid_until": ("valid_until", row_time),
    "expires_at": ("expires_at", row_time),
}
# What a memory made by hand may have, by the draft's fields.
FIELDS: Mapping[str, Cell] = {
    **{field: cell for field, cell in COLUMNS.values() if field not in ("session", "group")},
    "meta": row_meta,
}
# The columns that the options can give another name.
_CHOSEN = ("text", "id", "title", "timestamp", "session", "speaker")


class Rows:
    """Turns the rows of one source into drafts."""

    def __init__(self, source: str, title: str | None, options: ReadOptions):
        self.source, self.options = source, options
        # Rows that come from Python share a source, and nothing else.
        project = None if source == ITERABLE_SOURCE else options.project
        self.table = DocumentDraft(source=source, kind="table", title=title, project=project, whole=False)
        chosen = {name: getattr(options, f"{name}_column") for name in _CHOSEN}
        renamed = {column: COLUMNS[name] for name, column in chosen.items() if column != name}
        self.columns = {name: known for name, known in COLUMNS.items() if chosen.get(name, name) == name} | renamed

    def drafts(self, row: object, line: int) -> list[Draft | Failure]:
        """The row's drafts: one, or several parts with one `source_id` if it is long; or its failure."""
        try:
            found = self._draft({self.options.text_column: row} if isinstance(row, str) else row)
        except ValueError as error:
            return [Failure(self.source, str(error), line=line)]
        except RecursionError:
            return [Failure(self.source, "a value is nested too deeply, or contains itself", line=line)]
        if len(found.text) <= LONGEST_ROW or len(pieces := parts(found.text, LONGEST_ROW)) == 1:
            return [found]
        about = [{**found.meta, "part": number, "parts": len(pieces)} for number in range(1, len(pieces) + 1)]
        return [replace(found, text=text, meta=meta) for text, meta in zip(pieces, about, strict=True)]

    def _draft(self, row: object) -> Draft:
        if not isinstance(row, Mapping):
            raise ValueError(f"a row is an object or a text, not a {type(row).__name__}")
        given, meta = self._sorted(row)
        if "text" not in given:
            raise ValueError(f"no text (nothing in {self.options.text_column!r})")
        project = given.setdefault("project", given.pop("group", None) or self.options.project)
        session = given.pop("session", None)
        if session is None:
            return Draft(document=self.table, sequential=False, meta=meta, **given)
        source = f"{self.source}#{session}"
        document = DocumentDraft(source, kind="chat", title=given.get("title"), project=project, whole=False)
        given.setdefault("kind", "turn" if "speaker" in given else "passage")
        return Draft(document=document, meta=meta, **given)

    def _sorted(self, row: Mapping[Any, Any]) -> tuple[Row, Row]:
        """The cells that are not empty: the draft's fields, and the rest."""
        given: Row = {}
        meta: Row = {}
        for column, value in row.items():
            if is_empty(value):
                continue
            if known := self.columns.get(column):
                given[known[0]] = known[1](value, column)
            else:
                meta[str(column)] = plain(value)
        return given, meta


def is_empty(value: object) -> bool:
    """Whether a cell holds nothing: None, the empty text, NaN, or what pandas writes for it."""
    if value is None or value == "":
        return True
    return value != value if isinstance(value, float) else type(value).__name__ in ("NaTType", "NAType")
