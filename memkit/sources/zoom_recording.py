"""Zoom's recordings: when one began, as the names of its files say."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from memkit.core.patterns import pattern

_BEGUN = pattern(r"GMT(\d{8}-\d{6})")


def begun(name: str) -> datetime | None:
    """When the recording to which a file of this name belongs began; None if the name does not say it."""
    found = _BEGUN.search(name)
    with suppress(ValueError):  # digits that are no date
        return datetime.strptime(f"{found[1]}+0000", "%Y%m%d-%H%M%S%z") if found else None
    return None
