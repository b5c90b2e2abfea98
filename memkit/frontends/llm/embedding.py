"""Embedding model for `llm`: memkit's built-in one, as `llm embed -m memkit`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from llm.models import EmbeddingModel


class BuiltIn(EmbeddingModel):
    """memkit's static word vectors, which need no network and no key, and load in a tenth of a second."""

    model_id = "memkit"
    batch_size = 500

    def embed_batch(self, items: Iterable[str | bytes], *, key: str | None = None) -> Iterator[list[float]]:
        """A vector of length 1 for each text; zeros for a text without a known word."""
        from memkit.embedding import load_embedder

        texts = [item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in items]
        yield from (row.tolist() for row in load_embedder().encode(texts))
