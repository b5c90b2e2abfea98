"""Logs of agents: one JSON object in each line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Failure
from memkit.sources.contents import opened
from memkit.sources.jsonl_lines import lines
from memkit.sources.options import ReadOptions
from memkit.sources.tables.rows import parsed

Entry = dict[str, Any]


def entries(path: Path, options: ReadOptions) -> Iterator[Entry | Failure]:
    """The object in each line, one at a time; a Failure for a line that holds none."""
    with opened(path, options) as stream:
        for number, line in lines(stream, options.limits.line_size):
            try:
                entry = parsed(line, options.limits)
            except ValueError as error:
                yield Failure(path.as_posix(), str(error), line=number)
            else:
                yield entry
