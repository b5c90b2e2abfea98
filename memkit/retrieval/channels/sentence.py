"""Sentence-level vector search: for memories found so far, the cosine of their nearest sentence with the question.

The vector of a long text is a mean of many things, most of which the question does not ask about. A single sentence of
it may say exactly what was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.words import sentences

if TYPE_CHECKING:
    from memkit.embedding import Embedder

SELECT_TEXTS = "select key, text from memories where key in (select value from json_each(:keys)) order by key"
MOST_SENTENCES = 40  # of one memory


def search(conn: Connection, embedder: Embedder, vector: np.ndarray, keys: Sequence[int]) -> dict[int, float]:
    """Memory key to the cosine (above 0, up to 1) of its nearest sentence, best first; others are missing."""
    texts, owners = [], []
    for key, text in conn.execute(SELECT_TEXTS, {"keys": keys_json(keys)}):
        spans = sentences(text)[:MOST_SENTENCES]
        texts += [text[start:end] for start, end in spans]
        owners += [key] * len(spans)
    if not texts:
        return {}
    nearest: dict[int, float] = {}
    for key, cosine in zip(owners, (embedder.encode(texts) @ vector).tolist(), strict=True):
        nearest[key] = max(nearest.get(key, 0.0), cosine)
    return dict(sorted(((k, c) for k, c in nearest.items() if c > 0), key=lambda item: (-item[1], item[0])))
