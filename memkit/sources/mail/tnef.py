"""TNEF: the names of files that Outlook packed into one, `winmail.dat`, for a mail to others (MS-OXTNEF)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_MAGIC = b"\x78\x9f\x3e\x22"
_ATTRIBUTE = struct.Struct("<BII")  # where it belongs to, its kind, its length
_NAME = 0x00018010


def names_in(data: bytes) -> Iterator[str]:
    """The names of the files; none if it is no such pack, or as far as it is whole."""
    at = 6 if data.startswith(_MAGIC) else len(data)
    while at + _ATTRIBUTE.size <= len(data):
        _, kind, length = _ATTRIBUTE.unpack_from(data, at)
        at += _ATTRIBUTE.size
        if kind == _NAME:
            yield data[at : at + length].rstrip(b"\0").decode("cp1252", "replace")
        at += length + 2
