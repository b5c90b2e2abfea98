"""Files of sources: how tests write them, and what is read from them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
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
