"""Loader for memkit's own exports, which are taken in as a whole: memories, graph and history."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.core.errors import BadSource
from memkit.core.types import Failure
from memkit.sources.jsonl_lines import lines
from memkit.sources.options import ReadOptions

MARK = "memkit_export"  # a key in the first line of an export
FORMAT = 1
LONGEST = 1 << 30  # bytes of a line


@dataclass(frozen=True, slots=True)
class ExportDraft:
    """An export to be taken in as a whole; `path` is its file."""

    path: Path


def read(path: Path, options: ReadOptions, name: str) -> Iterator[ExportDraft | Failure]:
    """The export as one ExportDraft, or a Failure if this memkit does not understand it."""
    try:
        header(path)
    except BadSource as error:
        yield Failure(path.as_posix(), str(error), line=1)
    else:
        yield ExportDraft(path)


def header(path: Path) -> dict[str, Any]:
    """The first line of an export. Raises BadSource if the file is not an export, or if a newer memkit wrote it."""
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
    """The lines of an export with their numbers, from 1. Raises BadSource for a line that is not a JSON object."""
    with path.open("rb") as stream:
        for number, line in lines(stream, LONGEST):
            try:
                found = json.loads(line or b"")
            except (ValueError, RecursionError) as error:
                raise BadSource(f"{path.name}:{number} is not JSON: {error}. Nothing was taken in.") from error
            if not isinstance(found, dict) or not found:
                raise BadSource(f"{path.name}:{number} is not a row of an export. Nothing was taken in.")
            yield number, found
