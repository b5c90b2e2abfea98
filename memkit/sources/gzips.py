"""Gzip: a file that is packed alone (`2024-May.txt.gz`, `messages.json.gz`) is read by the format of what is in it.

As with a zip, nothing is unpacked under a name, and the limits of size and ratio hold while it is unpacked.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from memkit.sources.limits import ReadLimits
from memkit.sources.zips import BLOCK, check_unpacked, unnamed

ENDING = ".gz"
_BEGINS = b"\x1f\x8b\x08"


class BrokenGzip(ValueError):
    """A gzip that cannot be read. The message says why."""


@dataclass(frozen=True)
class Gzipped:
    """A file packed with gzip, `opener` opens it; `path` is that of the gzip, and in it."""

    path: Path
    opener: Callable[[], BinaryIO]

    def opened(self, limits: ReadLimits) -> BinaryIO:
        """The file, unpacked to where no name leads. Raises BrokenGzip, and OverLimit if it unpacks to too much."""
        with self.opener() as packed:
            return unnamed(_blocks(packed, limits))


def is_gzip(head: bytes) -> bool:
    """Whether a file begins as one that is packed with gzip."""
    return head.startswith(_BEGINS)


def inner_path(path: Path) -> Path:
    """The path of what is in a gzip: in it, as if it were a folder, and without its ending."""
    return path / (path.name[: -len(ENDING)] if path.name.lower().endswith(ENDING) else path.name)


def unpacked_head(head: bytes, most: int) -> bytes:
    """The first `most` bytes of what is in a gzip, or fewer, if its own beginning is `head`. Raises BrokenGzip."""
    found = b""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(head)) as stream:
            while len(found) < most and (block := stream.read1(most - len(found))):
                found += block
    except EOFError:  # it goes on behind its beginning
        pass
    except (OSError, zlib.error) as error:
        if not found:
            raise BrokenGzip(f"the gzip cannot be read: {error}") from error
    return found


def _blocks(stream: BinaryIO, limits: ReadLimits) -> Iterator[bytes]:
    packed, size = max(1, stream.seek(0, io.SEEK_END)), 0
    stream.seek(0)
    try:
        with gzip.GzipFile(fileobj=stream) as unpacking:
            while block := unpacking.read(BLOCK):
                size += len(block)
                check_unpacked(size, packed, limits)
                yield block
    except EOFError as error:
        raise BrokenGzip("the gzip is cut off, as by a download that was not finished") from error
    except (OSError, zlib.error) as error:
        raise BrokenGzip(f"the gzip cannot be read: {error}") from error
