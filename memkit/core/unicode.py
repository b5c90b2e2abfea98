"""Unicode: texts that can be stored and sent."""

from __future__ import annotations

from typing import Any


def well_formed(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair: UTF-8, and so SQLite and JSON, has none."""
    return text.encode("utf-8", "replace").decode()


def is_text(value: Any) -> bool:
    """Whether the value is text that can be stored. Text with half of a surrogate pair cannot."""
    return isinstance(value, str) and (value.isascii() or value.encode("utf-8", "ignore").decode() == value)
