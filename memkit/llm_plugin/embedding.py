"""memkit's built-in embedding model as one of `llm`: `llm embed -m memkit`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import llm


class BuiltIn(llm.EmbeddingModel):
    """Static word vectors: no network, no key, a tenth of a second to load."""

    model_id = "memkit"
    batch_size = 500

    def embed_batch(self, items: Iterable[str | bytes], *, key: str | None = None) -> Iterator[list[float]]:
        """The vectors of texts, each of length 1; zeros for a text without a known word."""
        from memkit.embed import load_embedder

        texts = [item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in items]
        yield from (row.tolist() for row in load_embedder().encode(texts))
