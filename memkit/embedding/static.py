"""Static embeddings, the built-in model: every word piece has a vector, and the vector of a text is their weighted sum.

The table is a model2vec model (`model.safetensors`, `tokenizer.json`, `config.json`), and the model2vec library gives
the same vectors (a test compares them). This file does not use that library, because importing it and its tokenizer
takes longer than all the work below. `bench/make_model.py` made the table; `docs/models.md` describes and measures it.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from memkit.embedding import stored_model
from memkit.embedding.sentence_words import MOST_SENTENCES, SentenceWords, Span, arrays
from memkit.embedding.vectors import unit_rows
from memkit.embedding.wordpiece import WordPiece

FOLDER = Path(__file__).parent / "models" / "minilm-static"

MOST_TOKENS = 512  # tokens of a text that are used; later ones are ignored
MOST_CHARACTERS = 16 * MOST_TOKENS
TOGETHER = 32  # texts whose words are looked up at once; of more, the vectors would not stay in the processor's cache


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
        config = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
        tables = stored_model.arrays(FOLDER / "model.safetensors")
        tokens = WordPiece(stored_model.StoredVocabulary(FOLDER / "tokenizer.json"))
        return cls("memkit", config["version"], tables["embeddings"], tables["weights"], tokens)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32 with rows of length 1; a text without a known word gets zeros."""
        sums = np.zeros((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            weights, vectors = self._looked_up(self._numbers(text))
            sums[row] = weights @ vectors
        return unit_rows(sums)

    def _numbers(self, text: str) -> list[int]:
        return self._numbers_of_each([text])[0]

    def _numbers_of_each(self, texts: Iterable[str]) -> list[list[int]]:
        """The words of each text, as far as they are used."""
        found = self._tokens.numbers_of_each([text[:MOST_CHARACTERS] for text in texts])
        return [numbers[:MOST_TOKENS] for numbers in found]

    def _looked_up(self, numbers: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights (n) and the vectors (n, dims) of words."""
        words = np.asarray(numbers, np.intp)
        return self._weights[words], self._table.take(words, axis=0).astype(np.float32)

    # ------------------------------------------------------------------------------------------ sentences

    @property
    def sentence_reader(self) -> StaticEmbedder | None:
        """This model, if two bytes hold the number of each of its words."""
        return self if self.vocabulary <= 1 << 16 else None

    @property
    def vocabulary(self) -> int:
        """The number of words."""
        return len(self._table)

    def read(self, texts: Sequence[tuple[str, Sequence[Span]]]) -> tuple[np.ndarray, list[SentenceWords]]:
        """The vectors of texts, and the words of their sentences; see `SentenceReader`. Each word is looked up once."""
        if len(texts) > TOGETHER and isinstance(self._tokens.vocabulary, stored_model.StoredVocabulary):
            self._tokens.vocabulary.all_of_them()
        sums = np.zeros((len(texts), self.dims), np.float32)
        parts: list[np.ndarray] = []
        found: list[tuple[list[int], list[int]]] = []
        for row in range(0, len(texts), TOGETHER):
            some = list(self._in_order(texts[row : row + TOGETHER]))
            found += some
            all_weights, all_vectors = self._looked_up(list(chain.from_iterable(numbers for numbers, _ in some)))
            first = 0
            for place, (numbers, ends) in enumerate(some, row):
                last = first + len(numbers)
                weights, vectors = all_weights[first:last], all_vectors[first:last]
                first = last
                parts += [weights[start:end] @ vectors[start:end] for start, end in pairwise(ends)]
                if len(texts[place][0]) > MOST_CHARACTERS:
                    weights, vectors = self._looked_up(self._numbers(texts[place][0]))
                sums[place] = weights[:MOST_TOKENS] @ vectors[:MOST_TOKENS]
        lengths = np.linalg.norm(np.array(parts, np.float32).reshape(len(parts), self.dims), axis=1).astype("<f4")
        return unit_rows(sums), list(_packed(found, lengths.tobytes()))

    def _in_order(self, texts: Sequence[tuple[str, Sequence[Span]]]) -> Iterator[tuple[list[int], list[int]]]:
        """The words of each text, as far as its vector or its sentences need them, and where each sentence ends.

        The first number is where the words before the first sentence end.
        """
        numbers_of_parts = iter(self._numbers_of_each(part for text, spans in texts for part in _parts(text, spans)))
        for text, spans in texts:
            numbers = next(numbers_of_parts)
            ends = [len(numbers)]
            for _ in spans[:MOST_SENTENCES]:
                numbers += next(numbers_of_parts)
                ends.append(len(numbers))
            if len(numbers) < MOST_TOKENS and len(spans) > MOST_SENTENCES:
                numbers += self._numbers(text[spans[MOST_SENTENCES][0] :])
            yield numbers, ends

    def nearest(self, texts: Sequence[SentenceWords], vector: np.ndarray) -> list[float]:
        """For each text, the highest cosine of a sentence of it with the vector; 0 for a text without any."""
        found = np.zeros(len(texts))
        full = [place for place, one in enumerate(texts) if one.sizes]
        if full:
            sizes, lengths, words = arrays([texts[place] for place in full])
            ends = np.cumsum(sizes)
            sums = np.cumsum(np.concatenate([[0.0], self._products(words, vector)]))
            products = sums[ends] - sums[ends - sizes]
            cosines = np.divide(products, lengths, out=np.zeros(len(sizes)), where=lengths > 0)
            counts = np.array([len(texts[place].sizes) // 2 for place in full])
            found[full] = np.maximum.reduceat(cosines, np.cumsum(counts) - counts)
        nearest: list[float] = found.tolist()
        return nearest

    def _products(self, words: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """The product of each word's weighted vector with a vector. A word that occurs twice is looked up once."""
        seen = np.zeros(self.vocabulary, bool)
        seen[words] = True
        different = np.flatnonzero(seen)
        weights, vectors = self._looked_up(different)
        products = np.empty(self.vocabulary, np.float32)
        # Not `@`: its other threads would spin for the rest of the question, on processors that somebody else may need.
        products[different] = weights * np.einsum("ij,j->i", vectors, vector.astype(np.float32))
        of_each: np.ndarray = products[words]
        return of_each


def _parts(text: str, spans: Sequence[Span]) -> list[str]:
    """What stands before the first sentence of a text, and its first sentences; a text without any is one part."""
    if not spans:
        return [text]
    return [text[: spans[0][0]], *[text[start:end] for start, end in spans[:MOST_SENTENCES]]]


def _packed(texts: Sequence[tuple[list[int], list[int]]], lengths: bytes) -> Iterator[SentenceWords]:
    """The sentence words of each text, of what `_in_order` gives and the lengths of all their sentences."""
    sizes = array("H", [end - start for _, ends in texts for start, end in pairwise(ends)])
    words = array("H", chain.from_iterable(numbers[ends[0] : ends[-1]] for numbers, ends in texts))
    if sys.byteorder == "big":
        sizes.byteswap()
        words.byteswap()
    all_sizes, all_words = sizes.tobytes(), words.tobytes()
    sentence = word = 0
    for _, ends in texts:
        next_sentence, next_word = sentence + len(ends) - 1, word + ends[-1] - ends[0]
        yield SentenceWords(
            all_sizes[2 * sentence : 2 * next_sentence],
            lengths[4 * sentence : 4 * next_sentence],
            all_words[2 * word : 2 * next_word],
        )
        sentence, word = next_sentence, next_word
