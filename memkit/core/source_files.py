"""Source files: the file that a source is in. A `#` may begin a place in the file, or be a part of its name."""

from __future__ import annotations

import os
from collections.abc import Iterator


def before_signs(source: str) -> Iterator[str]:
    """All of a source, then what stands before its last `#`, and so on: `C#/log.jsonl#4`, `C#/log.jsonl`, `C`."""
    parts = source.split("#")
    return ("#".join(parts[:count]) for count in range(len(parts), 0, -1))


def file_of(source: str) -> str:
    """The path of the file that a source is in, `C#/log.jsonl` for `C#/log.jsonl#4`; empty if there is none."""
    return next(filter(os.path.lexists, before_signs(source)), "")


def name_in(source: str, source_id: str) -> str:
    """The name of a file in the id of its passage (`garden/quince.md` of `garden/quince.md#Care`); empty without it."""
    return next((name for name in before_signs(source_id) if source == name or source.endswith(f"/{name}")), "")
