"""Numbers in the forms in which SQLite gives many of them at once, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def listed(said: str | None, kind: type = int) -> np.ndarray:
    """The numbers of a group_concat(), int64 or float64 as their `kind` is; none for null."""
    import numpy as np

    return np.fromstring(said or "", np.dtype(kind), sep=",")


def varints(octets: bytes) -> np.ndarray:
    """Variable-length integers (int64), as long as they stay below 2^28: FTS5 writes the sizes of columns so."""
    import numpy as np

    found = np.frombuffer(octets, np.uint8)
    goes_on = np.append(found >= 0x80, [False, False])
    one = goes_on[:-2]
    two = one & goes_on[1:-1]
    three = two & goes_on[2:]
    # What each byte adds to its number: 7 bits, times 128 for each byte of the number that follows.
    values = (found & 0x7F).astype(np.int64) << (7 * (one.astype(np.int64) + two + three))
    return np.diff(np.append(0, np.cumsum(values))[np.flatnonzero(~one) + 1], prepend=0)
