"""Triples that somebody else extracted: JSONL rows of subject, predicate, object and the passage that says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memkit.sources.lines import lines
from memkit.sources.options import ReadOptions
from memkit.sources.rows import Row, parsed, row_name, row_number, row_time
from memkit.types import Failure


@dataclass(frozen=True, slots=True)
class TripleDraft:
    """A relation to be. `passage_id` is the `source_id` of the memory that is its evidence."""

    passage_id: str
    subject: str
    predicate: str
    object: str
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    quote: str | None = None


def read(path: Path, options: ReadOptions, name: str) -> Iterator[TripleDraft | Failure]:
    """A triple for each line that has its four fields."""
    with path.open("rb") as stream:
        for number, line in lines(stream):
            try:
                yield _triple(parsed(line))
            except ValueError as error:
                yield Failure(path.as_posix(), str(error), line=number)


def _triple(row: Row) -> TripleDraft:
    given = {name: row_name(row, name) for name in ("passage_id", "subject", "predicate", "object")}
    missing = [name for name, value in given.items() if not (value and value.strip())]
    if missing:
        raise ValueError(f"a triple needs {', '.join(given)}; missing: {', '.join(missing)}")
    return TripleDraft(
        **{name: value.strip() for name, value in given.items() if value},
        confidence=row_number(row, "confidence", 0, 1),
        valid_from=row_time(row, "valid_from"),
        valid_until=row_time(row, "valid_until"),
        quote=row_name(row, "quote"),
    )
