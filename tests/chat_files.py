"""Files of sources: how tests write them, and what is read from them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure
from memkit.ingestion.report import IngestReport
from memkit.sources import ReadOptions, read


def written(path: Path, value: Any) -> Path:
    """The file, with this text, these bytes or this JSON in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def unpacked(folder: Path, files: Mapping[str, Any]) -> Path:
    """The folder, with these files in it, by their paths there."""
    for name, value in files.items():
        written(folder / name, value)
    return folder


def zipped(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """A zip of these files, by their paths in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def drafts(path: Path, options: ReadOptions | None = None, format: str | None = None) -> list[Draft]:
    """What is read from a path; nothing in it fails."""
    found = list(read(path, format=format, options=options or ReadOptions()))
    assert not [one for one in found if isinstance(one, Failure)]
    return [one for one in found if isinstance(one, Draft)]


def ingested_twice(path: Path) -> tuple[int, int, int]:
    """What a second ingest of the same adds, updates and removes."""
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added
        return counts(db.ingest(path))


def ingests(path: Path, *contents: str | bytes, source: Path | None = None) -> list[tuple[int, int, int]]:
    """What one ingest after the other adds, updates and removes, of a file with each of these contents in turn.

    `source` is what is ingested, if not the file itself.
    """
    with MemoryDatabase(embed="none") as db:
        return [counts(db.ingest(source or file)) for file in (written(path, content) for content in contents)]


def counts(report: IngestReport) -> tuple[int, int, int]:
    """What an ingest added, updated and removed."""
    return report.added, report.updated, report.removed
