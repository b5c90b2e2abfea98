"""Texts that an embedding model refuses: found by halves, so that one of them keeps no other from its vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memkit.core.errors import EmbedderFailed
from memkit.embedding.circuit_breaker import CircuitBreaker

if TYPE_CHECKING:
    import numpy as np

PLAIN = "memory"  # a word that every model embeds, if it answers at all


class Forgiving(CircuitBreaker):
    """A circuit breaker for making the vectors of everything: a text that the model refuses gets zeros.

    Models of today return NaN for some texts, or refuse them by a filter. `refused` is their number. The model has
    failed if it does not embed a plain word either.
    """

    refused = 0

    def _portion(self, texts: Sequence[str]) -> np.ndarray:
        import numpy as np

        try:
            return super()._portion(texts)
        except EmbedderFailed:
            self.failure = None
            super()._portion([PLAIN])
        if len(texts) == 1:
            self.refused += 1
            return np.zeros((1, self.dims), np.float32)
        middle = len(texts) // 2
        return np.concatenate([self._portion(texts[:middle]), self._portion(texts[middle:])])
