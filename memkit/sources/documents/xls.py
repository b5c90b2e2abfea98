"""Loader of sheets of Excel until 2003 (.xls), by the libraries xlrd and olefile (the extra `documents`)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from memkit.sources.contents import whole
from memkit.sources.documents.compound import MAGIC, properties
from memkit.sources.documents.document import damaged, locked, office_note
from memkit.sources.documents.sheet import lines_of, sheet_section
from memkit.sources.format import Format
from memkit.sources.notes.note import Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_ALONE = b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00"  # how files begin that are no compound ones


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The sheets that are not empty. A formula is its last value."""
    import olefile
    import xlrd

    data = whole(path, options)
    try:
        with damaged("sheets", xlrd.XLRDError, xlrd.compdoc.CompDocError, OSError):
            # What it logs quotes the file. What is wrong with the container says little of what is in it.
            book = xlrd.open_workbook(
                file_contents=data, logfile=StringIO(), ragged_rows=True, ignore_workbook_corruption=True
            )
            sheets = [sheet_section(one.name, lines_of(_rows(one, book.datemode), options)) for one in book.sheets()]
            about = dict[str, str]()
            if data.startswith(MAGIC):
                with olefile.OleFileIO(BytesIO(data)) as file:
                    about = properties(file)
    except ValueError as error:
        if "encrypted" not in str(error):
            raise
        yield locked(path)
    else:
        yield from drafts([office_note(path, about, sections=sheets)], path, options)


def _rows(sheet: Any, dates: int) -> Iterator[list[object]]:
    for number in range(sheet.nrows):
        yield [_value(cell, dates) for cell in sheet.row(number)]


def _value(cell: Any, dates: int) -> object:
    """What a cell shows; nothing if it is empty. `dates` is from when the sheet counts its days."""
    import xlrd

    if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
        return None
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return bool(cell.value)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return xlrd.error_text_from_code.get(cell.value)
    return _date(cell.value, dates) if cell.ctype == xlrd.XL_CELL_DATE else cell.value


def _date(days: float, dates: int) -> datetime | time | float:
    """A number of days as a moment, less than one as a time of the day; the number if the calendar has none such."""
    from xlrd.xldate import xldate_as_datetime

    try:
        found: datetime = xldate_as_datetime(days, dates)
    except (ValueError, OverflowError):
        return days
    return found.time() if 0 <= days < 1 else found


def _matches(sample: Sample) -> bool:
    return sample.suffix in (".xls", ".xlt") and sample.head.startswith((MAGIC, *_ALONE))


FORMAT = Format(
    "xls", "Sheets of Excel until 2003", read, _matches, ("*.xls",), needs=("xlrd", "olefile"), extra="documents"
)
