"""A zip of notes, mails or other files: each of them is read by its own format, as in the folder that was packed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.errors import BadSource
from memkit.core.types import Draft
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft]:
    """Raises BadSource: this is no zip, for `memkit.sources` reads the files in one."""
    raise BadSource(f"{path} is no zip.")


FORMAT = Format(
    "zip",
    "A zip of notes, mails or other files, as the folder that it was. Not read from folders: it may be a backup.",
    read,
    files=("*.tar", "*.tgz", "*.tar.gz"),
    holds_files=True,
)
