"""Excel loader: the rows of each sheet, each cell with the name of its column."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from itertools import zip_longest
from pathlib import Path
from typing import Any

from memkit.sources.documents.document import (
    damaged,
    is_office,
    office_file,
    office_note,
    office_properties,
    timed,
)
from memkit.sources.format import Format
from memkit.sources.notes.note import Record, Section, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_NUMBERED = re.compile(r"[^\W\d]+ ?\d{1,3}")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The sheets that are not empty. A formula is its last value."""
    from openpyxl import load_workbook

    stream = office_file(path, options)
    with damaged("sheets"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what openpyxl would lose if it wrote the file
        book = load_workbook(stream, read_only=True, data_only=True)
        sheets = [_section(sheet.title, _rows(sheet, options)) for sheet in _tables(book)]
        about = office_properties(stream, options)
    yield from drafts([office_note(path, about, sections=sheets)], path, options)


def _tables(book: Any) -> Iterator[Any]:
    """The sheets that have cells: charts have a sheet of their own."""
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # programs write wrong ones
        yield sheet


def _section(name: str, rows: str) -> Section:
    """A sheet under its name, unless that is only a number in a language (`Sheet1`, `Tabelle2`)."""
    named = f"# {name}\n\n{rows}" if rows and not _NUMBERED.fullmatch(name) else rows
    return Section(named, name, (name,), meta={"sheet": name})


def _rows(sheet: Any, options: ReadOptions) -> str:
    """The rows as lines: `column: value; column: value` under a first row of names, else only values."""
    header: Sequence[str] | None = None
    lines: list[str] = []
    for row in timed(sheet.iter_rows(values_only=True), options):
        cells = [_shown(value) for value in row]
        if not any(cells):
            continue
        if header is None:
            header = cells if _is_header(row) else ()
            if header:
                continue
        named = zip_longest(header[: len(cells)], cells, fillvalue="")
        lines.append("- " + "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell))
    return "\n".join(lines or (["; ".join(filter(None, header))] if header else []))


def _is_header(row: Sequence[object]) -> bool:
    """Whether a first row names the columns: two or more texts, and nothing else."""
    given = [value for value in row if value is not None]
    return len(given) > 1 and all(isinstance(value, str) and len(value) < 100 for value in given)


def _shown(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    text = (
        value.isoformat(" ") if isinstance(value, datetime) else value.isoformat() if isinstance(value, date) else value
    )
    return "" if text is None else " ".join(str(text).split())


def _matches(sample: Sample) -> bool:
    return is_office(sample, "xl/workbook.xml")


FORMAT = Format("xlsx", "Excel sheets", read, _matches, ("*.xlsx", "*.xlsm"), needs=("openpyxl",), extra="documents")
