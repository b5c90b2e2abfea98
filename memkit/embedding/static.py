"""Static embeddings, the built-in model: every word piece has a vector, and the vector of a text is their weighted sum.

The table is a model2vec model (`model.safetensors`, `tokenizer.json`, `config.json`), and the model2vec library gives
the same vectors (a test compares them). This file does not use that library, because importing it and its tokenizer
takes longer than all the work below. `bench/make_model.py` made the table; `docs/models.md` describes and measures it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memkit.embedding.vectors import unit_rows
from memkit.embedding.wordpiece import WordPiece

FOLDER = Path(__file__).parent / "models" / "minilm-static"

MOST_TOKENS = 512  # tokens of a text that are used; later ones are ignored
MOST_CHARACTERS = 16 * MOST_TOKENS


class StaticEmbedder:
    """A table of word vectors: (words, dims) int8, and a weight for each word that also undoes the int8 scale."""

    instant = True  # embedding a thousand sentences takes no longer than showing a page

    def __init__(self, id: str, version: str, table: np.ndarray, weights: np.ndarray, tokens: WordPiece):
        self.id, self.version = id, version
        self.dims = table.shape[1]
        self._table, self._weights, self._tokens = table, weights, tokens

    @classmethod
    def built_in(cls) -> StaticEmbedder:
        """The model that memkit ships."""
        from safetensors.numpy import load_file

        config = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
        arrays = load_file(FOLDER / "model.safetensors")
        tokens = WordPiece.from_file(FOLDER / "tokenizer.json")
        return cls("memkit", config["version"], arrays["embeddings"], arrays["weights"], tokens)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32 with rows of length 1; a text without a known word gets zeros."""
        sums = np.zeros((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            words = np.array(self._tokens.numbers(text[:MOST_CHARACTERS])[:MOST_TOKENS], np.intp)
            sums[row] = self._weights[words] @ self._table[words].astype(np.float32)
        return unit_rows(sums)
