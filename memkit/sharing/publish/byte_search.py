"""Multi-pattern search in bytes (Karp-Rabin hashing): many strings at any offset, in one pass over the data.

Every window of eight bytes (sixteen for long strings) is hashed, all offsets at once. A bit table rules out nearly all
hashes, because they belong to none of the strings; the rest is compared exactly. The idea is from Karp and Rabin
(1987), without their rolling hash.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memkit.core.batches import batched

if TYPE_CHECKING:
    import numpy as np

SHORTEST = 8  # bytes; shorter strings are in any file by chance
LONGEST = 200  # bytes; only so many of a string are compared
LONG = 16  # bytes; strings from this length on are found by as many, shorter ones by SHORTEST
AT_ONCE = 100_000  # strings that are hashed at once
REMEMBERED = 1 << 16  # beginnings whose strings are not looked up again
_CHUNK = 1 << 22
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)


class Needles:
    """Byte strings to search for, in lower case. Those under SHORTEST bytes are ignored; LONGEST bytes are compared.

    What is held of each are the eight bytes of its hash, if `starting` gives those that begin with some bytes (its
    first eight, or sixteen of one that is as long) from elsewhere; otherwise they are held, too.
    """

    def __init__(self, needles: Iterable[bytes], starting: Callable[[bytes], Sequence[bytes]] | None = None):
        held: dict[bytes, list[bytes]] = {}
        hashes: dict[int, list[np.ndarray]] = {1: [], 2: []}
        for some in batched(needles, AT_ONCE):
            for start, needle in _by_start(some) if starting is None else ():
                held.setdefault(start, []).append(needle)
            for words, found in hashes.items():
                found.append(_hashes({start for start, _ in _by_start(some) if len(start) == 8 * words}, words))
        find = lru_cache(REMEMBERED)(starting) if starting else lambda start: held.get(start, ())
        self._groups = [_Group(words, found, find) for words, found in hashes.items()]

    def found_in(self, data: bytes | mmap.mmap) -> Iterator[tuple[int, bytes]]:
        """The matches in `data`, in any case, as (offset, string). One offset may have several."""
        for start in range(0, max(len(data), 1), _CHUNK):
            chunk = data[start : start + _CHUNK + LONGEST].lower()
            _let_go(data)
            for group in self._groups:
                for at, needle in group.found_in(chunk):
                    if at < _CHUNK:
                        yield start + at, needle


def _by_start(needles: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """The first bytes of each string that is long enough, by which it is found, and as much as is compared of it."""
    for needle in needles:
        if len(needle) >= SHORTEST:
            yield needle[: LONG if len(needle) >= LONG else SHORTEST], needle[:LONGEST]


def _hashes(starts: Collection[bytes], words: int) -> np.ndarray:
    import numpy as np

    return _hashed(np.frombuffer(b"".join(starts), "<u8").reshape(-1, words).T)


def _let_go(data: bytes | mmap.mmap) -> None:
    """Gives the pages of a mapped file back that were read. They would count as memory of this process."""
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED)


class _Group:
    """Strings of at least 8 x `words` bytes, by the hash of their first bytes."""

    def __init__(self, words: int, hashes: list[np.ndarray], starting: Callable[[bytes], Sequence[bytes]]):
        import numpy as np

        self.words, self.starting = words, starting
        self.hashes = np.unique(np.concatenate(hashes)) if hashes else np.empty(0, "<u8")
        self.shift = np.uint64(64 - min(max(len(self.hashes).bit_length() + 5, 16), 26))
        self.table = np.zeros(1 << (64 - int(self.shift)), bool)
        self.table[self.hashes >> self.shift] = True

    def found_in(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The matches in a piece of data, as (offset, string)."""
        import numpy as np

        for offset in range(8 if len(self.hashes) else 0):
            count = (len(data) - offset) // 8
            if count < self.words:
                continue
            view = np.frombuffer(data, "<u8", count, offset)
            hashes = _hashed([view[i : count - self.words + 1 + i] for i in range(self.words)])
            maybe = np.flatnonzero(self.table[hashes >> self.shift])
            for place in maybe[_among(hashes[maybe], self.hashes)].tolist():
                at = offset + 8 * place
                for needle in self.starting(data[at : at + 8 * self.words]):
                    if data.startswith(needle, at):
                        yield at, needle


def _hashed(columns: Any) -> np.ndarray:
    """The hash of each window. Each column holds one 8-byte piece of every window."""
    import numpy as np

    mixed: np.ndarray = columns[0] * np.uint64(_FACTORS[0])
    for column, factor in zip(columns[1:], _FACTORS[1:], strict=False):
        mixed = mixed ^ (column * np.uint64(factor))
        mixed = mixed * np.uint64(_FACTORS[0])
    return mixed


def _among(some: np.ndarray, known: np.ndarray) -> np.ndarray:
    """A mask: which of `some` numbers are among the `known` ones, which are sorted."""
    import numpy as np

    if not len(known):
        return np.zeros(len(some), bool)
    place = np.minimum(np.searchsorted(known, some), len(known) - 1)
    found: np.ndarray = known[place] == some
    return found
