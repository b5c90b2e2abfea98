"""Values as readers find them, made fit for keeping: plain JSON, sound text, lists of tags."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from memkit.sources.dates import iso

_MOST_VALUES = 10_000
_TAG_GAPS = re.compile(r"[,;\s]+")


def plain(value: Any, room: Iterator[int] | None = None) -> Any:
    """The value as JSON can hold it: dates as ISO text, other things as their text. ValueError if it is endless."""
    room = iter(range(_MOST_VALUES)) if room is None else room
    if next(room, None) is None:
        raise ValueError("too many values, or one that contains itself")
    if isinstance(value, Mapping):
        return {clean(str(key)): plain(item, room) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, room) for item in value]
    if isinstance(value, date):
        return iso(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    return value if value is None or isinstance(value, int) else clean(str(value))


def sound(text: str) -> str:
    """The text itself; ValueError if no database should hold it: NUL characters, or bytes that were no UTF-8."""
    if "\0" in text:
        raise ValueError("contains a NUL character")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"is not valid UTF-8 (character {error.start + 1})") from None
    return text


def clean(text: str) -> str:
    """The text without what no database should hold: for titles and the like, which are not worth losing a row for."""
    return text if text.isascii() and "\0" not in text else text.replace("\0", "").encode("utf-8", "replace").decode()


def tag_list(value: Any) -> tuple[str, ...]:
    """Tags from a list, or from text with commas or blanks between them; without hashes, each once."""
    items: Iterable[Any] = _TAG_GAPS.split(value) if isinstance(value, str) else value or ()
    if not isinstance(items, list | tuple | set | frozenset):
        raise ValueError(f"tags must be a list or text, not {type(value).__name__}")
    return tuple(dict.fromkeys(tag for item in items if item is not None and (tag := str(item).strip().lstrip("#"))))


def names(value: Any) -> tuple[str, ...]:
    """Names from a list or from one text, each once."""
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(dict.fromkeys(name for item in items if item is not None and (name := str(item).strip())))
