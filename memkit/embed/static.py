"""The built-in model: a table with a vector for every word, and a text is the sum of its words.

The table is a model2vec model (`model.safetensors`, `tokenizer.json`, `config.json`), and model2vec gives the same
vectors for it (a test compares them). It is read here without that library because importing it and its tokenizer
takes longer than everything below. `bench/make_model.py` made the table, `docs/models.md` says how and how good it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memkit.embed.vectors import unit_rows
from memkit.embed.wordpiece import WordPiece

FOLDER = Path(__file__).parent.parent / "models" / "minilm-static"

MOST_TOKENS = 512  # of one text; what follows is not seen
MOST_CHARACTERS = 16 * MOST_TOKENS


class StaticEmbedder:
    """A table of word vectors: (words, dims) int8, and a weight for each word that also undoes the int8 scale."""

    instant = True  # a thousand sentences take no longer than a page takes to show

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
        """One row of float32 per text, of length 1; all zeros for a text without a known word."""
        sums = np.zeros((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            words = np.array(self._tokens.numbers(text[:MOST_CHARACTERS])[:MOST_TOKENS], np.intp)
            sums[row] = self._weights[words] @ self._table[words].astype(np.float32)
        return unit_rows(sums)
