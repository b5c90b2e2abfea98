"""Kept vectors: a model that does not embed a short text again that it embedded lately, such as the message (C40)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memkit.embedding.sentence_words import SentenceReader, reader_of

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder

MOST = 256  # texts: a message, the descriptions of tools and skills
AT_ONCE = 64  # more texts than this are no message

Kept = OrderedDict[tuple[str, str], Any]  # name of the model and text -> the vector


class KeptVectors:
    """The `model`, named `name`, with the vectors of the last 256 texts in `kept`, which several of these may share.

    An instant model is asked again: that is as quick.
    """

    def __init__(self, model: Embedder, name: str, kept: Kept):
        self._model, self._name, self._kept = model, name, kept

    @property
    def id(self) -> str:
        """The model's id."""
        return self._model.id

    @property
    def version(self) -> str:
        """The version of its vectors."""
        return self._model.version

    @property
    def dims(self) -> int:
        """The number of dimensions."""
        return self._model.dims

    @property
    def instant(self) -> bool:
        """Whether the model may embed hundreds of sentences while a question is answered."""
        return bool(getattr(self._model, "instant", False))

    @property
    def sentence_reader(self) -> SentenceReader | None:
        """The model, if what it reads can be stored (`sentence_words`). Raises EmbedderFailed."""
        return reader_of(self._model)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32, as the model gives it. Raises EmbedderFailed."""
        import numpy as np

        if self.instant or not 0 < len(texts) <= AT_ONCE:
            return self._model.encode(texts)
        new = [text for text in dict.fromkeys(texts) if (self._name, text) not in self._kept]
        for text, vector in zip(new, self._model.encode(new) if new else (), strict=True):
            self._kept[self._name, text] = vector
        found = []
        for text in texts:
            self._kept.move_to_end((self._name, text))
            found.append(self._kept[self._name, text])
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return np.stack(found)
