"""Loader for tabular data: JSONL, JSON arrays, CSV, TSV, and any Python iterable of dicts or strings.

A row needs a `text`. `id, title, timestamp, session, speaker, project` (or `group`), `kind, category, tags, importance,
confidence, slot, key, valid_from, valid_until, expires_at` become fields of the memory; all other columns are kept in
`meta`. Rows with the same `session` are one document, in order; rows without a session only share a file.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memkit.core.arguments import shown
from memkit.core.dates import iso
from memkit.core.errors import BadSource
from memkit.core.frames import records
from memkit.core.types import DocumentDraft, Draft, Failure, LeftOut
from memkit.sources.contents import opened, whole
from memkit.sources.csv_lines import csv_cells, csv_rows, csv_text
from memkit.sources.format import Format
from memkit.sources.json_file import decode, load_json
from memkit.sources.jsonl_lines import lines
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.options import RENAMABLE, ReadOptions
from memkit.sources.text_file import as_utf8
from memkit.sources.values import clean, plain, sound, tag_list
from memkit.text.chunking import parts

Row = dict[str, Any]
Cell = Callable[[Any, str], Any]  # converts a cell, given the name of its column; raises ValueError

LONGEST_ROW = 1000  # tokens
ITERABLE_SOURCE = "rows:"  # the source of rows that come from Python and not from a file


def read_jsonl(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The drafts of each line. The file is read line by line, so it may be larger than RAM."""
    rows = RowReader(path.as_posix(), path.name, options)
    with opened(path, options) as stream:
        for number, line in lines(stream, options.limits.line_size):
            try:
                row = parsed(line, options.limits)
            except ValueError as error:
                yield Failure(rows.source, str(error), line=number)
            else:
                yield from rows.drafts(row, number)


def parsed(line: bytes | None, limits: ReadLimits) -> Row:
    """The object in a line of JSON (None: a line that is too long). Raises ValueError with the reason if none."""
    if line is None:
        raise OverLimit("line_size", limits, "bytes in a line")
    try:
        row = decode(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"not valid UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"broken JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("broken JSON: nested too deeply") from None
    if not isinstance(row, dict):
        raise ValueError(f'a row must be an object like {{"text": "..."}}, not {type(row).__name__}')
    return row


def read_json(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The drafts of each object (or text) in a JSON array; the line in a failure is the number of the item."""
    rows = RowReader(path.as_posix(), path.name, options)
    items = load_json(whole(path, options), options.limits)
    for number, item in enumerate(items if isinstance(items, list) else [items], 1):
        yield from rows.drafts(item, number)


def read_csv(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure | LeftOut]:
    """A draft for each row under a header; the delimiter is the one that cuts the header into most columns."""
    rows = RowReader(path.as_posix(), path.name, options)
    left_out: list[Failure] = []
    with opened(path, options) as file, as_utf8(file, options.limits) as stream:
        text = csv_text(stream, options.limits, rows.source, left_out)
        header_line = next(text, "")
        reader = csv.reader(text, delimiter=delimiter(header_line))
        header = _header(header_line)
        if options.text_column not in header and options.root:  # among a person's files are tables of all kinds
            yield LeftOut(rows.source, f"tables without a column {options.text_column!r}")
            return
        if options.text_column not in header:
            columns = ", ".join(filter(None, header)) or "none"
            seen = f"no column {options.text_column!r}; the columns are: {columns}"
            yield Failure(rows.source, f"{seen}. Say which holds the text with --text-column", line=1)
            return
        for row in csv_rows(reader, rows.source, left_out, before=1):
            if isinstance(row, Failure):
                yield row
                continue
            line, cells = row
            if len(cells) > len(header):
                yield Failure(rows.source, f"{len(cells)} cells, but the header has {len(header)} columns", line=line)
            else:
                yield from rows.drafts(dict(zip(header, cells, strict=False)), line)


def delimiter(header: str) -> str:
    """The delimiter of a table (`,`, tab, `;` or `|`): the one that splits the first line into the most cells."""
    return max(",\t;|", key=lambda mark: len(csv_cells(header, mark)))


def _header(line: str) -> list[str]:
    """The column names of a table; memkit's own names are recognised in upper and lower case."""
    names = [clean(cell.strip()) for cell in csv_cells(line, delimiter(line))]
    return [name.lower() if name.lower() in COLUMNS and name.lower() not in names else name for name in names]


def read_iterable(source: Iterable[Any], options: ReadOptions) -> Iterator[Draft | Failure]:
    """The drafts of each dict or text, or of each row of a pandas DataFrame.

    The line in a failure is the number of the item. Raises BadSource at the call for a source that has no rows.
    """
    if not isinstance(source, Iterable) or isinstance(source, Mapping | bytes):
        raise BadSource(f"A source must be a path, several paths, or a list of dicts or texts, not {shown(source)}.")
    rows = RowReader(ITERABLE_SOURCE, None, options)
    return (draft for number, item in enumerate(records(source), 1) for draft in rows.drafts(item, number))


def row_text(value: object, column: str) -> str:
    """The cell as the text of a memory. Raises ValueError if it is not text, or blank."""
    if not isinstance(value, str):
        raise ValueError(f"{column!r} must be text, not {type(value).__name__}")
    if value.isspace():
        raise ValueError(f"no text ({column!r} is blank)")
    return sound(value)


def steps_text(value: object) -> str:
    """The steps of a procedure as its text, "" for anything but a list of texts."""
    steps = [step.strip() for step in value if isinstance(step, str)] if isinstance(value, list) else []
    return sound(" → ".join(filter(None, steps)))


def row_name(value: object, column: str) -> str:
    """The cell as an id, a title or another short text; a number becomes text."""
    if isinstance(value, dict | list):
        raise ValueError(f"{column!r} must be text, not {type(value).__name__}")
    return sound(value if isinstance(value, str) else str(value))


def row_time(value: object, column: str) -> str:
    """The cell as an ISO 8601 time. Raises ValueError if it is not a time."""
    try:
        return iso(value)
    except ValueError as error:
        raise ValueError(f"{column!r}: {error}") from None


def row_tags(value: object, column: str) -> tuple[str, ...]:
    """The cell as a tuple of tags."""
    return tuple(map(sound, tag_list(value)))


def row_meta(value: object, column: str) -> Row:
    """The cell as a dict that JSON can hold. Raises ValueError if it is not a dict."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{column!r} must be a dict, not {type(value).__name__}")
    found: Row = plain(value)
    return found


def number_from(least: float, most: float) -> Cell:
    """A function that converts a cell to a number from `least` to `most`, both included."""

    def row_number(value: Any, column: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if not least <= number <= most:
            raise ValueError(f"{column!r} must be a number from {least} to {most}, not {shown(value)}")
        return number

    return row_number


# Column: field of the draft, and conversion of a cell. `project`, `group` and `session` also choose the document.
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
# The fields that `remember` accepts, by their names in a draft.
FIELDS: Mapping[str, Cell] = {
    **{field: cell for field, cell in COLUMNS.values() if field not in ("session", "group")},
    "meta": row_meta,
}


# What memkit itself notes in `meta`, and believes: a row must not say that a person has confirmed it.
NOTED = frozenset("archived_because confirmed feedback front_matter kept_from promote".split())


class RowReader:
    """Turns the rows of one source into drafts."""

    def __init__(self, source: str, title: str | None, options: ReadOptions):
        self.source, self.options = source, options
        # Rows from Python share only the name of the source, so their common document has no project.
        project = None if source == ITERABLE_SOURCE else options.project
        self.table = DocumentDraft(source=source, kind="table", title=title, project=project, whole=False)
        chosen = {name: getattr(options, f"{name}_column") for name in RENAMABLE}
        renamed = {column: COLUMNS[name] for name, column in chosen.items() if column != name}
        self.columns = {name: known for name, known in COLUMNS.items() if chosen.get(name, name) == name} | renamed

    def drafts(self, row: object, line: int) -> list[Draft | Failure]:
        """The drafts of a row: one, or several parts with the same `source_id` if it is long; or its failure."""
        try:
            found = self._draft({self.options.text_column: row} if isinstance(row, str) else row)
        except ValueError as error:
            return [Failure(self.source, str(error), line=line)]
        except RecursionError:
            return [Failure(self.source, "a value is nested too deeply, or contains itself", line=line)]
        if len(found.text) <= LONGEST_ROW or len(pieces := parts(found.text, LONGEST_ROW)) == 1:
            return [found]
        beside = sum(len(str(value)) for value in (found.meta, found.title, found.source_id, found.tags, found.speaker))
        if beside * len(pieces) > 10 * self.options.limits.line_size:  # each part has them again
            over = OverLimit("line_size", self.options.limits, "characters beside a long text, for all of its parts")
            return [Failure(self.source, str(over), line=line)]
        about = [{**found.meta, "part": number, "parts": len(pieces)} for number in range(1, len(pieces) + 1)]
        return [replace(found, text=text, meta=meta) for text, meta in zip(pieces, about, strict=True)]

    def _draft(self, row: object) -> Draft:
        if not isinstance(row, Mapping):
            raise ValueError(f"a row must be an object or a text, not {type(row).__name__}")
        given, meta = self._sorted(row)
        if "text" not in given and (steps := steps_text(meta.get("steps"))):
            given["text"] = steps
        if "text" not in given:
            raise ValueError(f"no text ({self.options.text_column!r} is missing or empty)")
        if len(given["text"]) > self.options.limits.line_size:
            raise OverLimit("line_size", self.options.limits, f"characters in {self.options.text_column!r}")
        project = given.setdefault("project", given.pop("group", None) or self.options.project)
        session = given.pop("session", None)
        if session is None:
            return Draft(document=self.table, sequential=False, meta=meta, **given)
        source = f"{self.source}#{session}"
        document = DocumentDraft(source, kind="chat", title=given.get("title"), project=project, whole=False)
        given.setdefault("kind", "turn" if "speaker" in given else "passage")
        return Draft(document=document, meta=meta, **given)

    def _sorted(self, row: Mapping[Any, Any]) -> tuple[Row, Row]:
        """The cells that are not empty, as the fields of a draft and as `meta`."""
        given: Row = {}
        meta: Row = {}
        for column, value in row.items():
            if is_empty(value):
                continue
            if known := self.columns.get(column):
                given[known[0]] = known[1](value, column)
            else:
                name = clean(str(column))
                meta[f"{name}_" if name in NOTED else name] = plain(value, self.options.limits)
        return given, meta


def is_empty(value: object) -> bool:
    """Whether a cell is empty: None, empty text, NaN, or NaT or NA of pandas."""
    if value is None or value == "":
        return True
    return value != value if isinstance(value, float) else type(value).__name__ in ("NaTType", "NAType")


CSV = Format("csv", "Rows of a table", read_csv, lambda sample: sample.suffix == ".csv", ("*.csv",))
TSV = Format("tsv", "Rows of a table with tabs", read_csv, lambda sample: sample.suffix == ".tsv", ("*.tsv",))
JSON = Format("json", "An array of objects or texts", read_json, files=("*.json",))
JSONL = Format("jsonl", "An object in each line", read_jsonl, files=("*.jsonl", "*.ndjson"))
