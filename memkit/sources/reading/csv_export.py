"""Exports as CSV: known by their columns, read row by row."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from memkit.core.types import Draft, Failure
from memkit.sources.contents import opened
from memkit.sources.csv_lines import csv_cells, csv_rows, csv_text
from memkit.sources.options import Reader, ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.sample import Sample
from memkit.sources.text_file import as_utf8

Row = dict[str, str]
REPEATED = "\x1e"  # between the cells of columns that have one name, of which some exports have several


def has_columns(sample: Sample, *names: str) -> bool:
    """Whether the first line is the header of a CSV with all these columns."""
    return set(names) <= {*csv_cells(sample.text.split("\n", 1)[0].strip())}


def rows(path: Path, options: ReadOptions, column: str = "") -> Iterator[Row | Failure]:
    """Each row under the header as a dict of texts; a Failure for a row that is broken or too long.

    The header is the first row, or the first that has a `column` of this name.
    """
    with opened(path, options) as file, as_utf8(file, options.limits) as stream:
        yield from rows_of(stream, path.as_posix(), options, column)


def rows_of(stream: BinaryIO, source: str, options: ReadOptions, column: str = "") -> Iterator[Row | Failure]:
    """The same of a CSV in UTF-8 that is open; `source` names it where a row fails."""
    left_out = list[Failure]()
    reader = csv.reader(csv_text(stream, options.limits, source, left_out))
    found = csv_rows(reader, source, left_out)  # blank lines may stand before the header
    is_header = (row for row in found if isinstance(row, Failure) or not column or column in row[1])
    header = next(is_header, (0, list[str]()))
    if isinstance(header, Failure):
        yield header
        return
    for row in found:
        yield row if isinstance(row, Failure) else _by_name(header[1], row[1])


def _by_name(names: list[str], cells: list[str]) -> Row:
    row = dict(zip(names, cells, strict=False))
    if len(row) < min(len(names), len(cells)):
        repeated = (name for name, count in Counter(names).items() if count > 1)
        told = [(name, [cell for other, cell in zip(names, cells, strict=False) if other == name]) for name in repeated]
        row |= {name: REPEATED.join(filter(None, found)) for name, found in told}
    return row


def row_reader(made: Callable[[Row], Item]) -> Reader:
    """A reader that makes an item of each row."""

    def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
        yield from drafts(
            (row if isinstance(row, Failure) else made(row) for row in rows(path, options)), path, options
        )

    return read
