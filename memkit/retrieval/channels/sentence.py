"""Sentence-level vector search: for memories found so far, the cosine of their nearest sentence with the question.

The vector of a long text is a mean of many things, most of which the question does not ask about. A single sentence of
it may say exactly what was asked. The words of sentences are stored (`storage.sentences`); where they are not, the text
is read and split now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from memkit.embedding.sentence_words import MOST_SENTENCES, reader_of, sound
from memkit.retrieval.fusion import best_first
from memkit.storage import sentences
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text import words

if TYPE_CHECKING:
    from memkit.embedding import Embedder

SELECT_TEXTS = "select key, text from memories where key in (select value from json_each(:keys)) order by key"


def search(
    conn: Connection, embedder: Embedder, model_key: int, vector: np.ndarray, keys: Sequence[int]
) -> dict[int, float]:
    """Memory key to the cosine (above 0, up to 1) of its nearest sentence, best first; others are missing."""
    nearest = _of_stored(conn, embedder, model_key, vector, keys)
    nearest |= _of_texts(conn, embedder, vector, [key for key in keys if key not in nearest])
    return best_first((key, cosine) for key, cosine in nearest.items() if cosine > 0)


def _of_stored(
    conn: Connection, embedder: Embedder, model_key: int, vector: np.ndarray, keys: Sequence[int]
) -> dict[int, float]:
    """The highest cosine of a sentence, for each memory whose sentences are stored."""
    reader = reader_of(embedder)
    if reader is None:
        return {}
    found = sound(sentences.stored(conn, model_key, keys), reader.vocabulary)
    return dict(zip(found, reader.nearest(list(found.values()), vector), strict=True))


def _of_texts(conn: Connection, embedder: Embedder, vector: np.ndarray, keys: Sequence[int]) -> dict[int, float]:
    """The highest cosine of a sentence, for each memory, whose text is read and split."""
    texts, owners = [], []
    for key, text in conn.execute(SELECT_TEXTS, {"keys": keys_json(keys)}) if keys else ():
        spans = words.sentences(text)[:MOST_SENTENCES]
        texts += [text[start:end] for start, end in spans]
        owners += [key] * len(spans)
    if not texts:
        return {}
    nearest: dict[int, float] = {}
    for key, cosine in zip(owners, (embedder.encode(texts) @ vector).tolist(), strict=True):
        nearest[key] = max(nearest.get(key, 0.0), cosine)
    return nearest
