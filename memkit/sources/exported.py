"""memkit's own exports: they are not read as memories but taken in whole, rows, graph and history."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.errors import BadSource
from memkit.sources.lines import lines
from memkit.sources.options import ReadOptions
from memkit.types import Failure

MARK = "memkit_export"  # the key that the first line has
FORMAT = 1
LONGEST = 1 << 30  # bytes of a line


@dataclass(frozen=True, slots=True)
class ExportDraft:
    """A database to be taken in: the export that holds it."""

    path: Path


def read(path: Path, options: ReadOptions, name: str) -> Iterator[ExportDraft | Failure]:
    """The export itself, if this memkit understands it."""
    try:
        header(path)
    except BadSource as error:
        yield Failure(path.as_posix(), str(error), line=1)
    else:
        yield ExportDraft(path)


def header(path: Path) -> dict[str, Any]:
    """The first line of an export. Raises BadSource if it is none, or a newer memkit wrote it."""
    _, found = next(rows(path), (1, {}))
    if not isinstance(found.get(MARK), int):
        raise BadSource(f"{path.name} is not an export of memkit: its first line has no {MARK!r}.")
    if found[MARK] > FORMAT:
        raise BadSource(
            f"{path.name} was written by a newer memkit (format {found[MARK]}, this one knows {FORMAT}). "
            "Run: pip install --upgrade datasette-memkit"
        )
    return found


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of an export with their numbers. Raises BadSource at one that is not JSON."""
    with path.open("rb") as stream:
        for number, line in lines(stream, LONGEST):
            try:
                found = json.loads(line or b"")
            except (ValueError, RecursionError) as error:
                raise BadSource(f"{path.name}:{number} is not JSON: {error}. Nothing was taken in.") from error
            if not isinstance(found, dict) or not found:
                raise BadSource(f"{path.name}:{number} is not a row of an export. Nothing was taken in.")
            yield number, found
