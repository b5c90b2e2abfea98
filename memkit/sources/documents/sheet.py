"""Sheets: the rows of a sheet of any program as lines of text, each cell with the name of its column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from itertools import zip_longest

from memkit.sources.documents.document import timed
from memkit.sources.notes.note import Section
from memkit.sources.options import ReadOptions

_NUMBERED = re.compile(r"[^\W\d]+ ?\d{1,3}")


def sheet_section(name: str, rows: str) -> Section:
    """A sheet under its name, unless that is only a number in a language (`Sheet1`, `Tabelle2`)."""
    named = f"# {name}\n\n{rows}" if rows and name and not _NUMBERED.fullmatch(name) else rows
    return Section(named, name, (name,), meta={"sheet": name})


def lines_of(rows: Iterable[Sequence[object]], options: ReadOptions) -> str:
    """The rows as lines: `column: value; column: value` under a first row of names, else only values."""
    header: Sequence[str] | None = None
    lines: list[str] = []
    is_named = False
    for row in timed(rows, options):
        cells = [_shown(value) for value in row]
        if not any(cells):
            continue
        if header is None:
            header = cells if _is_header(row) else ()
            if header:
                continue
        named = [*zip_longest(header[: len(cells)], cells, fillvalue="")]
        is_named = is_named or any(name and cell for name, cell in named)
        lines.append("- " + "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell))
    if header and not is_named:  # it names no column of what lies below it
        lines.insert(0, ("- " if lines else "") + "; ".join(filter(None, header)))
    return "\n".join(lines)


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
