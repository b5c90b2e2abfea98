"""Triple loader: JSONL rows of subject, predicate, object and the id of the passage that states them.

The triples were extracted by another program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.core.types import Failure
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.jsonl_lines import lines
from memkit.sources.options import ReadOptions
from memkit.sources.tables.rows import Row, is_empty, number_from, parsed, row_name, row_time

_NEEDED = ("passage_id", "subject", "predicate", "object")
_CELLS: dict[str, Callable[[object, str], Any]] = {
    **dict.fromkeys((*_NEEDED, "quote"), lambda value, column: row_name(value, column).strip()),
    "confidence": number_from(0, 1),
    **dict.fromkeys(("valid_from", "valid_until"), lambda value, column: _time(value, column)),
}
_YEAR_OR_MONTH = re.compile(r"\d{4}(?:-\d\d)?")


@dataclass(frozen=True, slots=True)
class TripleDraft:
    """A relation before it is stored. `passage_id` is the `source_id` of the memory that is its evidence."""

    passage_id: str
    subject: str
    predicate: str
    object: str
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    quote: str | None = None


def read(path: Path, options: ReadOptions, name: str) -> Iterator[TripleDraft | Failure]:
    """A triple for each line with the four needed fields, a Failure for any other line."""
    with opened(path, options) as stream:
        for number, line in lines(stream, options.limits.line_size):
            try:
                yield _triple(parsed(line, options.limits))
            except ValueError as error:
                yield Failure(path.as_posix(), str(error), line=number)


def _time(value: object, column: str) -> str | None:
    """A time as in rows, or a year or month alone: the period in which a fact is true is often known no better."""
    return str(value) if _YEAR_OR_MONTH.fullmatch(str(value)) else row_time(value, column)


def _triple(row: Row) -> TripleDraft:
    given = {name: cell(value, name) for name, cell in _CELLS.items() if not is_empty(value := row.get(name))}
    if missing := [name for name in _NEEDED if not given.get(name)]:
        raise ValueError(f"a triple needs {', '.join(_NEEDED)}; missing: {', '.join(missing)}")
    return TripleDraft(**given)


FORMAT = Format(
    "triples",
    "Relations that another program has extracted",
    read,
    lambda sample: sample.has_keys("subject", "predicate", "object"),
    ("*.jsonl",),
)
