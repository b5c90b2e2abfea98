"""Value cleaning: the values that readers find become plain JSON, valid text and lists of tags."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from memkit.core.dates import iso
from memkit.sources.limits import LIMITS, OverLimit, ReadLimits
from memkit.text.data_uris import without_data
from memkit.text.typesetting import as_typed

_MOST_BITS = 10_000
_TAG_GAPS = re.compile(r"[,;\s]+")


def plain(value: Any, limits: ReadLimits = LIMITS) -> Any:
    """The value as JSON: dates as ISO text, unknown types as their text.

    Raises OverLimit, a ValueError, for too many values or levels, such as those of a value that contains itself.
    """
    return _plain(value, limits, iter(range(limits.values)), limits.depth)


def _plain(value: Any, limits: ReadLimits, room: Iterator[int], depth: int) -> Any:
    """The value as JSON. `room` counts the values that are left, `depth` the levels."""
    if next(room, None) is None:
        raise OverLimit("values", limits, "values")
    if not depth and isinstance(value, Mapping | list | tuple | set | frozenset):
        raise OverLimit("depth", limits, "levels in a value, or it contains itself")
    if isinstance(value, Mapping):
        return {clean(str(key)): _plain(item, limits, room, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, limits, room, depth - 1) for item in value]
    if isinstance(value, date):
        return iso(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ValueError("a number of thousands of digits")  # which Python would not write as text
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    return value if value is None or isinstance(value, int) else clean(str(value))


def sound(text: str) -> str:
    """The text itself. Raises ValueError if it has NUL characters or is not valid UTF-8: it should not be stored."""
    if "\0" in text:
        raise ValueError("contains a NUL character")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"is not valid UTF-8 (character {error.start + 1})") from None
    return text


def readable(text: str) -> str:
    """What a text tells, as it is stored: without the bytes of pictures, as typed. Raises ValueError like `sound`."""
    return as_typed(without_data(sound(text)))


def clean(text: str) -> str:
    """The text without NUL characters and invalid UTF-8. For titles and ids: a row should not fail because of them."""
    return text if text.isascii() and "\0" not in text else text.replace("\0", "").encode("utf-8", "replace").decode()


LONGEST_NAME = 1_000  # characters of a title, a speaker or an id: each part of a long text has it again


def short_name(value: object) -> str:
    """The value as the name of something: clean, in one line, and of bounded length."""
    return " ".join(as_typed(clean(str(value))).split())[:LONGEST_NAME]


def without(text: str, start: str, end: str) -> str:
    """The text without what stands between two marks, and the marks; a mark without its end is text."""
    kept, at = [], 0
    while (first := text.find(start, at)) >= 0 and (last := text.find(end, first + len(start))) >= 0:
        kept.append(text[at:first])
        at = last + len(end)
    return "".join([*kept, text[at:]])


def between(text: str, start: str, end: str) -> list[str]:
    """What stands between each pair of two marks, without blanks around it."""
    found, at = [], 0
    while (first := text.find(start, at)) >= 0 and (last := text.find(end, first + len(start))) >= 0:
        found.append(text[first + len(start) : last].strip())
        at = last + len(end)
    return found


def tag_list(value: Any) -> tuple[str, ...]:
    """Tags from a list, or from text with commas, semicolons or spaces between them; without `#` and duplicates."""
    items: Iterable[Any] = _TAG_GAPS.split(value) if isinstance(value, str) else value or ()
    if not isinstance(items, list | tuple | set | frozenset):
        raise ValueError(f"tags must be a list or text, not {type(value).__name__}")
    return tuple(dict.fromkeys(tag for item in items if item is not None and (tag := str(item).strip().lstrip("#"))))


def tags_of(found: Iterable[object]) -> tuple[str, ...]:
    """What a program marks something with, as tags: each once, as names, without `#`; what is empty is none."""
    return tuple(dict.fromkeys(tag for one in found if (tag := short_name(one).lstrip("#"))))


def names(value: Any) -> tuple[str, ...]:
    """Names from a list or from one text, without duplicates."""
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(dict.fromkeys(name for item in items if item is not None and (name := str(item).strip())))
