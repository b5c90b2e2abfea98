"""Protocol Buffers without their schema: the fields of a message, as some programs keep them in their databases."""

from __future__ import annotations

from collections.abc import Iterator

_MOST_BITS = 70  # of a number: seven in each of ten bytes


def fields(data: bytes) -> Iterator[tuple[int, int | bytes | None]]:
    """The number of each field and its value: a number, bytes, or None for those of a fixed length.

    Raises ValueError or IndexError where it is no message.
    """
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        kind = key & 7
        value: int | bytes | None = None
        if kind == 0:
            value, at = _number(data, at)
        elif kind == 2:
            size, at = _number(data, at)
            value, at = data[at : at + size], at + size
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError("it is no protocol buffer")
        yield key >> 3, value


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = shift = 0
    while shift < _MOST_BITS:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise ValueError("it is no protocol buffer")
