"""Loader for memkit's own exports: it reads none. An export holds rows of the database itself: ids, links, settings.

Notes may come from anybody, so a file among them must not write such rows. `memkit restore` does, when it is told to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Failure
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions

MARK = "memkit_export"  # a key in the first line of an export
EXPORT_VERSION = 1


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Failure]:
    """A failure that says how to restore the export."""
    way = f"To restore it: memkit restore DATABASE {path.name}"
    yield Failure(path.as_posix(), f"left out, because it is an export of a memory database. {way}")


FORMAT = Format(
    "memkit", "An export of memkit itself, which `memkit restore` reads", read, lambda sample: sample.has_keys(MARK)
)
