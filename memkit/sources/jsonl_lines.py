"""Line reader: the lines of a file, one at a time, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

_BOM = b"\xef\xbb\xbf"


def lines(stream: BinaryIO, limit: int, *, blank: bool = False) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its number, from 1. A line of more than `limit` bytes is None; blank lines only if `blank`."""
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit and not line.endswith(b"\n"):
            while (rest := stream.readline(1 << 20)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        elif blank or not line.isspace():
            yield number, line.removeprefix(_BOM) if number == 1 else line
