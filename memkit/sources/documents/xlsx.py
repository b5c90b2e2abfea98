"""Excel loader: the rows of each sheet, each cell with the name of its column, and the comments on them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memkit.sources.documents.document import (
    damaged,
    is_office,
    locked,
    office_file,
    office_note,
    office_properties,
)
from memkit.sources.documents.office_comments import comments_in
from memkit.sources.documents.sheet import lines_of, sheet_section
from memkit.sources.format import Format
from memkit.sources.notes.note import Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_FILES = ("*.xlsx", "*.xlsm")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The sheets that are not empty. A formula is its last value."""
    from openpyxl import load_workbook

    stream = office_file(path, options)
    if stream is None:
        yield locked(path)
        return
    with damaged("sheets"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what openpyxl would lose if it wrote the file
        book = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
        comments = comments_in(stream, options)
        sheets = [sheet_section(one.title, _said(one, comments, options)) for one in _tables(book)]
        about = office_properties(stream, options)
    yield from drafts([office_note(path, about, sections=sheets)], path, options)


def _said(sheet: Any, comments: Mapping[str, Sequence[str]], options: ReadOptions) -> str:
    """The rows of a sheet, and the comments on its cells."""
    rows = lines_of(sheet.iter_rows(values_only=True), options)
    path = str(getattr(sheet, "_worksheet_path", "")).lstrip("/")
    return "\n\n".join(filter(None, [rows, *comments.get(path, ())]))


def _tables(book: Any) -> Iterator[Any]:
    """The sheets that have cells: charts have a sheet of their own."""
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # programs write wrong ones
        yield sheet


def _matches(sample: Sample) -> bool:
    return is_office(sample, "xl/workbook.xml", _FILES)


FORMAT = Format("xlsx", "Excel sheets", read, _matches, _FILES, needs=("openpyxl",), extra="documents")
