"""Compound files (MS-CFB), in which Office kept its documents until 2007: their properties, by the library olefile."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from memkit.core.instants import to_iso

_NO_YEAR = 1601  # from which times are counted
MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def properties(file: Any) -> dict[str, str]:
    """The properties of an open file; bytes are in the code page that they name."""
    said = file.get_metadata()
    page = said.codepage or 1252
    about = {"title": said.title, "creator": said.author, "keywords": said.keywords}
    found = {
        name: value.decode(_codec(page), "replace") if isinstance(value, bytes) else str(value or "")
        for name, value in about.items()
    }
    for name, at in (("created", said.create_time), ("modified", said.last_saved_time)):
        if isinstance(at, datetime) and at.year > _NO_YEAR:
            found[name] = to_iso(at.replace(tzinfo=timezone.utc))
    # Of UTF-16 the library takes twice as many bytes as there are.
    return {name: value.partition("\0")[0].strip() for name, value in found.items()}


def _codec(page: int) -> str:
    """The codec of a page of codes, which may be written as a negative number."""
    page %= 0x10000
    return {1200: "utf-16-le", 65001: "utf-8", 10000: "mac_roman"}.get(page, f"cp{page}")
