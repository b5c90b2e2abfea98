"""Places: where a term stands in the texts of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np


class Places(NamedTuple):
    """Where a term stands: the memory of each of n places, ascending, its offset in the text, and its weight."""

    keys: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray | float
