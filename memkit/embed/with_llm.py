"""Embedding models of `llm` plugins: OpenAI's, sentence-transformers', a local server's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from memkit.embed.vectors import unit_rows
from memkit.errors import MemkitError, NotFound, one_of

MOST_CHARACTERS = 8_000  # hosted models refuse texts of more than about 8,000 tokens, rather than cut them


def find(name: str) -> Any:
    """The llm embedding model with this name or alias. Raises NotFound with the names there are."""
    import llm  # takes a second: only when asked for

    models = llm.get_embedding_model_aliases()
    if name in models:
        return models[name]
    known = ["memkit", *(f"llm:{alias}" for alias in models)]
    raise NotFound(
        f"{one_of('known embedding model', name, known)} Others come with llm plugins (llm install NAME),"
        " and model2vec models are called model2vec:NAME or model2vec:FOLDER."
    )


class LlmEmbedder:
    """One embedding model of llm. Blank texts get the zero vector and are not sent."""

    def __init__(self, model: Any):
        self.model = model
        self.id = f"llm:{model.model_id}"

    @cached_property
    def dims(self) -> int:
        """The length of a vector. llm does not know it, so the first use embeds one word."""
        return self._embed(["memory"]).shape[1]

    @property
    def version(self) -> str:
        """The number of dimensions: the weights are out of sight, and a changed model gets a new name."""
        return f"{self.dims}d"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One row of float32 per text, of length 1; all zeros for a blank text. MemkitError if the model fails."""
        vectors = np.zeros((len(texts), self.dims), np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        if rows:
            vectors[rows] = self._embed([_sendable(texts[row]) for row in rows])
        return unit_rows(vectors)

    def _embed(self, texts: list[str]) -> np.ndarray:
        try:
            vectors = np.asarray(list(self.model.embed_multi(texts)), np.float32)
        except Exception as error:  # whatever a plugin raises: no key, no network, a refused text
            raise MemkitError(f"The embedding model {self.id!r} failed: {error or type(error).__name__}") from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise MemkitError(
                f"The embedding model {self.id!r} returned an array of shape {vectors.shape} for {len(texts)} texts."
                " Expected one vector of finite numbers per text."
            )
        return vectors


def _sendable(text: str) -> str:
    """A text that can be sent: lone halves of surrogate pairs become question marks."""
    return text[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
