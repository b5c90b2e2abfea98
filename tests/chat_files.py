"""Files of chats: how tests write them, and what is read from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources import ReadOptions, read


def written(path: Path, value: Any) -> Path:
    """The file, with this text or this JSON in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def drafts(path: Path, options: ReadOptions | None = None) -> list[Draft]:
    """What is read from a path; nothing in it fails."""
    found = list(read(path, options=options or ReadOptions()))
    assert not [one for one in found if isinstance(one, Failure)]
    return [one for one in found if isinstance(one, Draft)]
