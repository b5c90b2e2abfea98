"""The sentence that answers: of what was found, how near the nearest single sentence is to the question.

The vector of a long text is the mean of much that nobody asked about. One sentence of it may say just what was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memkit.store import keys_json
from memkit.text import sentences

if TYPE_CHECKING:
    from memkit.embed import Embedder

SELECT_TEXTS = "select key, text from memories where key in (select value from json_each(:keys)) order by key"
MOST_SENTENCES = 40  # of one memory


def search(conn: Any, embedder: Embedder, vector: np.ndarray, keys: Sequence[int]) -> dict[int, float]:
    """These memories by the cosine (0 to 1) of their nearest sentence, best first; no known word, no place."""
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
