"""Text files: their text, whatever their encoding, and their lines as a stream of UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from memkit.sources.contents import read_whole, whole
from memkit.sources.encoding import EXAMINED, decoded, encoding
from memkit.sources.limits import ReadLimits
from memkit.sources.options import ReadOptions


def text_of(path: Path, options: ReadOptions) -> str:
    """The text of a small file, whose lines end in a line feed alone. Raises as `whole` and `decoded`."""
    return decoded(whole(path, options, "note_size")).replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def as_utf8(stream: BinaryIO, limits: ReadLimits) -> Iterator[BinaryIO]:
    """The stream itself if it begins as UTF-8 does, else one of its text in UTF-8. Raises OverLimit, ValueError.

    Lines that end with a carriage return alone, as on an old Mac, end with a line feed in it.
    """
    head = stream.read(EXAMINED)
    stream.seek(0)
    try:
        name = encoding(head[: head.rfind(b"\n") + 1] or head)
    except ValueError:  # the reader of the lines says which of them are no text
        name = "utf-8"
    old_ends = b"\r" in head and b"\n" not in head
    if name in ("utf-8", "utf-8-sig") and not old_ends:
        yield stream
        return
    data = read_whole(stream, limits, "note_size")
    if name not in ("utf-8", "utf-8-sig"):  # invalid UTF-8 stays: only its own line fails
        data = decoded(data, name).encode()
    yield BytesIO(data.replace(b"\r", b"\n") if old_ends else data)
