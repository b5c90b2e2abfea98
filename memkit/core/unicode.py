"""Unicode: texts that can be stored, sent and shown in a terminal."""

from __future__ import annotations

import re
from typing import Any

# What moves the cursor of a terminal, breaks a line, reorders what is seen, or is read by nobody. Spaces of all widths,
# joiners, marks of direction and emoji that are newer than this Python are none of that: texts are written with them.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)


def well_formed(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair: UTF-8, and so SQLite and JSON, has none."""
    return text.encode("utf-8", "replace").decode()


def is_text(value: Any) -> bool:
    """Whether the value is text that can be stored. Text with half of a surrogate pair cannot."""
    return isinstance(value, str) and (value.isascii() or value.encode("utf-8", "ignore").decode() == value)
