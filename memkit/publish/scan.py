"""Many byte strings looked for in many bytes at once, at any offset: each byte is read once, however many there are.

Every window of eight bytes (or sixteen, for long strings) is hashed for all offsets at once; a table of bits says which
hashes belong to none of the strings, which is nearly all of them; what is left is compared exactly. The idea is Karp's
and Rabin's (1987), without the rolling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from mmap import mmap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

SHORTEST = 8  # bytes; shorter strings stand in any file by chance
LONGEST = 200  # bytes of a string that are compared
_LONG = 16
_CHUNK = 1 << 22
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)


class Needles:
    """Byte strings to be found, all in lower case; those under SHORTEST bytes are left out, of long ones the first
    LONGEST bytes count."""

    def __init__(self, needles: Iterable[bytes]):
        each = {needle[:LONGEST] for needle in needles if len(needle) >= SHORTEST}
        self._groups = [
            _Group([needle for needle in each if len(needle) < _LONG], words=1),
            _Group([needle for needle in each if len(needle) >= _LONG], words=2),
        ]

    def found_in(self, data: bytes | mmap) -> Iterator[tuple[int, bytes]]:
        """Where each of them stands, in any case, as (offset, string); several at one offset if they begin alike."""
        for start in range(0, max(len(data), 1), _CHUNK):
            chunk = data[start : start + _CHUNK + LONGEST].lower()
            for group in self._groups:
                for at, needle in group.found_in(chunk):
                    if at < _CHUNK:
                        yield start + at, needle


class _Group:
    """Strings that are at least `words` times eight bytes long, by the hash of their first bytes."""

    def __init__(self, needles: list[bytes], words: int):
        import numpy as np

        self.words = words
        self.by_start: dict[bytes, list[bytes]] = {}
        for needle in needles:
            self.by_start.setdefault(needle[: 8 * words], []).append(needle)
        starts = np.frombuffer(b"".join(self.by_start), "<u8").reshape(-1, words)
        self.hashes = np.sort(_hashed(starts.T))
        self.shift = np.uint64(64 - min(max(len(starts).bit_length() + 5, 16), 26))
        self.table = np.zeros(1 << (64 - int(self.shift)), bool)
        self.table[self.hashes >> self.shift] = True

    def found_in(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Where the strings stand in a piece of data."""
        import numpy as np

        for offset in range(8 if self.by_start else 0):
            count = (len(data) - offset) // 8
            if count < self.words:
                continue
            view = np.frombuffer(data, "<u8", count, offset)
            hashes = _hashed([view[i : count - self.words + 1 + i] for i in range(self.words)])
            maybe = np.flatnonzero(self.table[hashes >> self.shift])
            for place in maybe[_among(hashes[maybe], self.hashes)].tolist():
                at = offset + 8 * place
                for needle in self.by_start.get(data[at : at + 8 * self.words], ()):
                    if data.startswith(needle, at):
                        yield at, needle


def _hashed(columns: Any) -> np.ndarray:
    """One number for each window, whose columns are its pieces of eight bytes."""
    import numpy as np

    mixed = columns[0] * np.uint64(_FACTORS[0])
    for column, factor in zip(columns[1:], _FACTORS[1:], strict=False):
        mixed = mixed ^ (column * np.uint64(factor))
        mixed = mixed * np.uint64(_FACTORS[0])
    return mixed  # type: ignore[no-any-return]


def _among(some: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which of some numbers are among the known ones, which are sorted."""
    import numpy as np

    if not len(known):
        return np.zeros(len(some), bool)
    place = np.minimum(np.searchsorted(known, some), len(known) - 1)
    return known[place] == some  # type: ignore[no-any-return]
