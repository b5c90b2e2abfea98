"""Logs of agents: one JSON object in each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Failure
from memkit.sources.contents import opened
from memkit.sources.json_file import decode_next
from memkit.sources.jsonl_lines import lines
from memkit.sources.options import ReadOptions
from memkit.sources.tables.rows import parsed

Entry = dict[str, Any]
_BLANK = re.compile(r"\s*")


def entries(path: Path, options: ReadOptions) -> Iterator[Entry | Failure]:
    """The object in each line, one at a time; a Failure for a line that holds none."""
    with opened(path, options) as stream:
        for number, line in lines(stream, options.limits.line_size):
            try:
                entry = parsed(line, options.limits)
            except ValueError as error:
                if several := _glued(line):
                    yield from several
                else:
                    yield Failure(path.as_posix(), str(error), line=number)
            else:
                yield entry


def _glued(line: bytes | None) -> list[Entry]:
    """The objects in a line that holds several: a program was ended before it wrote the line's end. Else none."""
    text = (line or b"").decode("utf-8", "replace").strip()
    found: list[Entry] = []
    at = 0
    while text.startswith("{", at):
        try:
            entry, end = decode_next(text, at)
        except (ValueError, RecursionError):
            return []
        found.append(entry)
        at = _BLANK.match(text, end).end()  # type: ignore[union-attr]
    return found if at == len(text) else []
