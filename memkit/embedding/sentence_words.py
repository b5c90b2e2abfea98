"""Sentence words: the sentences of a text as numbers of words, from which an instant model compares them at once.

To split a long text and to look up its words takes longer than all the rest of a question. So both are done when the
text is embedded, and the numbers are stored: two bytes a word.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np

Key = TypeVar("Key", bound=Hashable)
Span = tuple[int, int]  # start and end

MOST_SENTENCES = 40  # of one text


class SentenceWords(NamedTuple):
    """The sentences of one text, little-endian.

    `sizes` are the numbers of words of each (uint16), `lengths` the lengths of the sums of their vectors (float32), and
    `words` the numbers of all their words (uint16).
    """

    sizes: bytes
    lengths: bytes
    words: bytes


class SentenceReader(Protocol):
    """A model that makes sentence words and compares them. `vocabulary` is the number of its words."""

    @property
    def vocabulary(self) -> int: ...

    def read(self, texts: Sequence[tuple[str, Sequence[Span]]]) -> tuple[np.ndarray, list[SentenceWords]]:
        """The vectors of texts as `encode` makes them, and the words of their first sentences, whose spans are given.

        Between the sentences is white space. What stands before the first one (a title) belongs to the vector only.
        """
        ...

    def nearest(self, texts: Sequence[SentenceWords], vector: np.ndarray) -> list[float]:
        """For each text, the highest cosine of a sentence of it with the vector; 0 for a text without any."""
        ...


def reader_of(embedder: Any) -> SentenceReader | None:
    """The model behind an embedder, if it can store what it reads; None for others. Raises EmbedderFailed."""
    reader: SentenceReader | None = getattr(embedder, "sentence_reader", None)
    return reader


def sound(texts: Mapping[Key, SentenceWords], vocabulary: int = 1 << 16) -> Mapping[Key, SentenceWords]:
    """Those of these texts that can be sentence words of a model with so many words.

    Another program may have written any bytes.
    """
    if _are_sound(list(texts.values()), vocabulary):
        return texts
    return {key: one for key, one in texts.items() if _are_sound([one], vocabulary)}


def _are_sound(texts: Sequence[SentenceWords], vocabulary: int) -> bool:
    import numpy as np

    counts = [len(one.sizes) // 2 for one in texts]
    expected = [(2 * n, 4 * n, 0) for n in counts]
    if [(len(one.sizes), len(one.lengths), len(one.words) % 2) for one in texts] != expected:
        return False
    sizes, lengths, words = arrays(texts)
    ends = np.concatenate([[0], np.cumsum(sizes)])[np.cumsum([0, *counts])]
    return bool(
        np.array_equal(np.diff(ends), [len(one.words) // 2 for one in texts])
        and (words < vocabulary).all()
        and (np.isfinite(lengths) & (lengths >= 0)).all()
    )


def arrays(texts: Sequence[SentenceWords]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sizes, lengths and words of all these texts, one after the other."""
    import numpy as np

    sizes, lengths, words = (b"".join(column) for column in zip(*texts, strict=True)) if texts else (b"", b"", b"")
    return (
        np.frombuffer(sizes, "<u2").astype(np.intp),
        np.frombuffer(lengths, "<f4"),
        np.frombuffer(words, "<u2"),
    )
