"""Embedding models of `llm` plugins, such as OpenAI, sentence-transformers or a local server."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from memkit.core.errors import EmbedderFailed, NotFound, one_of
from memkit.core.unicode import well_formed
from memkit.embedding.vectors import unit_rows, usable

MOST_CHARACTERS = 8_000  # hosted models do not cut texts of more than about 8,000 tokens, they refuse them


def find(name: str) -> Any:
    """The embedding model of llm with this name or alias. Raises NotFound with the known names."""
    import llm  # takes a second, so only when it is needed

    models = llm.get_embedding_model_aliases()
    if name in models:
        return models[name]
    known = ["memkit", *(f"llm:{alias}" for alias in models)]
    raise NotFound(
        f"{one_of('known embedding model', name, known)} Plugins of llm add others (llm install NAME)."
        " For a model2vec model, write model2vec:NAME or model2vec:FOLDER."
    )


class LlmEmbedder:
    """An embedding model of llm. Blank texts are not sent to the model; their vector is zero."""

    def __init__(self, model: Any):
        self.model = model
        self.id = f"llm:{model.model_id}"

    @cached_property
    def dims(self) -> int:
        """The number of dimensions. llm does not know it, so the first use embeds one word."""
        return int(self._embed(["memory"]).shape[1])

    @property
    def version(self) -> str:
        """The number of dimensions, such as `384d`: the weights are not visible, and a new model has a new name."""
        return f"{self.dims}d"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32 with rows of length 1; a blank text gets zeros.

        Raises EmbedderFailed if the model fails, or returns other vectors than before.
        """
        vectors = np.zeros((len(texts), self.dims))
        rows = [row for row, text in enumerate(texts) if text.strip()]
        if rows:
            vectors[rows] = self._embed([_sendable(texts[row]) for row in rows], self.dims)
        return unit_rows(vectors)

    def _embed(self, texts: list[str], dims: int | None = None) -> np.ndarray:
        try:
            vectors = np.asarray(list(self.model.embed_multi(texts)), np.float64)
        except Exception as error:  # whatever a plugin raises: no key, no network, a refused text, no numbers
            kind = type(error).__name__
            raise EmbedderFailed(
                f"The embedding model {self.id!r} failed: {error or kind}", f"failed ({kind})"
            ) from error
        return usable(vectors, self.id, len(texts), dims)


def _sendable(text: str) -> str:
    """The text, cut to MOST_CHARACTERS; half of a surrogate pair becomes a question mark, so that it can be sent."""
    return well_formed(text[:MOST_CHARACTERS])
