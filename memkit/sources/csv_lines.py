"""CSV reader: the rows of a table, one at a time, in bounded memory; a row that is broken or too long fails alone."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, BinaryIO

from memkit.core.types import Failure
from memkit.sources.jsonl_lines import lines
from memkit.sources.limits import OverLimit, ReadLimits


def csv_text(stream: BinaryIO, limits: ReadLimits, source: str, left_out: list[Failure]) -> Iterator[str]:
    """The lines as text for csv, whose cells may be as long as a line; those that are too long go into `left_out`.

    Invalid UTF-8 is kept as surrogates, so that only its own row fails.
    """
    csv.field_size_limit(max(csv.field_size_limit(), limits.line_size))
    for number, line in lines(stream, limits.line_size, blank=True):
        if line is None:
            left_out.append(Failure(source, str(OverLimit("line_size", limits, "bytes in a line")), line=number))
            yield "\n"
        else:
            yield line.decode("utf-8", "surrogateescape")


def csv_rows(
    reader: Any, source: str, left_out: list[Failure], before: int = 0
) -> Iterator[tuple[int, list[str]] | Failure]:
    """The number of the line and the cells of each row that is not blank, and the failures of the others.

    `before` is how many lines stand before the first one that the reader was given.
    """
    while True:
        line = reader.line_num + before + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            yield Failure(source, f"broken row: {error}", line=line)
            continue
        if cells:
            yield line, cells
        yield from left_out
        left_out.clear()
    yield from left_out


def csv_cells(line: str, mark: str = ",") -> list[str]:
    """The cells of a line; an empty list if csv cannot parse it (a stray carriage return, a NUL)."""
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return []
