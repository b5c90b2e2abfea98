"""Unicode: texts that can be stored and sent."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair: UTF-8, and so SQLite and JSON, has none."""
    return text.encode("utf-8", "replace").decode()
