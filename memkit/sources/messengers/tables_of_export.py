"""The tables of somebody's data, as CSV: those in a folder or a zip that hold words, or one alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from memkit.sources.contents import whole
from memkit.sources.members import is_zip_file, members
from memkit.sources.options import ReadOptions

_TABLE = r"(?i).+\.csv"


def export_tables(path: Path, options: ReadOptions, wanted: str) -> Iterator[tuple[str, bytes]]:
    """The path and the bytes of each table whose name matches a pattern, or of a table alone. Others are counted."""
    if path.is_file() and not is_zip_file(path, options):
        yield path.as_posix(), whole(path, options)
        return
    for name, data in members(path, options, _TABLE):
        if re.fullmatch(wanted, PurePosixPath(name).name):
            yield f"{path.as_posix()}/{name}", data
        else:
            options.skip("tables without messages")
