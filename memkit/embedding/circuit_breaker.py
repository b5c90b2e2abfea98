"""Circuit breaker: an embedding model that is not asked again after its first failure.

Storing and recall go on without the vectors of a model that fails, so they must not wait for it ten thousand times. All
that can go wrong with a model is one error here: EmbedderFailed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from memkit.core.errors import BadArgument, EmbedderFailed, MemkitError
from memkit.core.time_limit import within
from memkit.embedding import BUILT_IN
from memkit.embedding.sentence_words import SentenceReader, reader_of
from memkit.embedding.vectors import usable

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder

Result = TypeVar("Result")

VARIABLE = "MEMKIT_EMBED_SECONDS"
SECONDS = 8.0  # how long to wait for the vector of a question; others wait for the write lock for 10 seconds
FOREVER = float("inf")
AT_ONCE = 100  # texts; llm's hosted models take as many in a request
SECONDS_EACH = 1.0  # and how much longer for each text, because a model without a graphics card takes its time


class CircuitBreaker:
    """An embedding model, loaded by `load` at its first use. After its first failure every use raises EmbedderFailed.

    `name` is its id in messages. `failure` is the first failure, or None. A model that is not `instant` is waited for
    `seconds` (and one more for each text), in portions of 100 texts (for each of its `workers`, if it has some);
    FOREVER is without a limit.
    """

    def __init__(self, name: str, load: Callable[[], Embedder], seconds: float | None = None):
        self.name, self._load = name, load
        self.seconds = patience() if seconds is None else seconds
        self.failure: EmbedderFailed | None = None

    @cached_property
    def model(self) -> Embedder:
        """The model itself. Raises EmbedderFailed if it cannot be loaded."""
        return self._guarded(self._load, 0 if self.name == BUILT_IN else self.seconds)

    @property
    def id(self) -> str:
        """The model's id."""
        return self._guarded(lambda: self.model.id)

    @property
    def instant(self) -> bool:
        """Whether the model may embed hundreds of sentences while a question is answered."""
        return bool(getattr(self.model, "instant", False))

    @property
    def dims(self) -> int:
        """The number of dimensions; a hosted model is asked for it."""
        return self._about[0]

    @property
    def version(self) -> str:
        """The version of the vectors; a hosted model is asked for it."""
        return self._guarded(lambda: self._about[1])

    @cached_property
    def _about(self) -> tuple[int, str]:
        model = self.model
        return self._guarded(lambda: (model.dims, model.version), self._patience(1))

    @property
    def sentence_reader(self) -> SentenceReader | None:
        """The model, if what it reads can be stored (`sentence_words`). Raises EmbedderFailed."""
        return self._guarded(lambda: reader_of(self.model))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32 with rows of length 1, or zeros. Raises EmbedderFailed."""
        import numpy as np

        at_once = AT_ONCE * getattr(self.model, "workers", 1)
        if self.instant or len(texts) <= at_once:
            return self._portion(texts)
        starts = range(0, len(texts), at_once)
        return np.concatenate([self._portion(texts[start : start + at_once]) for start in starts])

    def _portion(self, texts: Sequence[str]) -> np.ndarray:
        """The vectors of these texts, if they are what the model promised."""
        model, dims = self.model, self.dims
        return self._guarded(
            lambda: usable(model.encode(texts), self.name, len(texts), dims), self._patience(len(texts))
        )

    def failed(self, message: str, reason: str = "") -> EmbedderFailed:
        """The failure with this message, which every later use raises again."""
        self.failure = EmbedderFailed(message, reason)
        return self.failure

    def _patience(self, texts: int) -> float:
        """The seconds to wait for so many texts; 0 for an instant model, which is not waited for in another thread."""
        return 0 if self.instant else self.seconds + SECONDS_EACH * texts

    def _guarded(self, work: Callable[[], Result], seconds: float = 0) -> Result:
        """The result of the work. Whatever it raises is the model's failure."""
        if self.failure is not None:
            raise EmbedderFailed(str(self.failure), self.failure.reason)
        try:
            return within(seconds, self.name, work) if 0 < seconds < FOREVER else work()
        except EmbedderFailed as error:
            self.failure = error
            raise
        except TimeoutError as error:
            more = f" To wait longer, set {VARIABLE}."
            raise self.failed(
                f"The embedding model {self.name!r} failed: {error}.{more}", "did not answer in time"
            ) from error
        except MemkitError as error:
            raise self.failed(str(error), "is not loaded") from error
        except Exception as error:  # whatever a plugin raises: no key, no network, a refused text
            kind = type(error).__name__
            raise self.failed(
                f"The embedding model {self.name!r} failed: {error or kind}", f"failed ({kind})"
            ) from error


def patience() -> float:
    """The seconds to wait for the vector of a question: MEMKIT_EMBED_SECONDS, or 8. Raises BadArgument."""
    given = os.environ.get(VARIABLE)
    try:
        seconds = float(given) if given else SECONDS
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < FOREVER:
        raise BadArgument(f"{VARIABLE} must be a number of seconds above 0, not {given!r}.")
    return seconds
