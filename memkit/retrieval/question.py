"""Question, the value that channels read: words, character pairs, named entities, a time, a vector."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memkit.core.classes import dataclass
from memkit.graph.question_entities import NamedEntity
from memkit.retrieval.intents import Classifier, intent
from memkit.text.words import has_cjk

if TYPE_CHECKING:
    import numpy as np

    from memkit.core.instants import Interval


@dataclass(frozen=True)
class Question:
    """A question as the channels read it.

    `cjk` holds character pairs. `asides` are the terms that occur only outside the sentences that ask, `of_time` those
    that occur only in the words of the time `interval`. `no_vector` is the reason why there is no vector, if there is
    none, and `trouble` a warning, if there should be one. `classify` finds the intent where the rules cannot. `remarks`
    say how the question was read, if not as everybody expects.
    """

    text: str
    terms: tuple[str, ...] = ()
    cjk: tuple[str, ...] = ()
    asides: frozenset[str] = frozenset()
    of_time: frozenset[str] = frozenset()
    named: tuple[NamedEntity, ...] = ()
    interval: Interval | None = None
    vector: np.ndarray | None = None
    model_key: int | None = None
    no_vector: str = ""
    trouble: str = ""
    classify: Classifier | None = None
    remarks: tuple[str, ...] = ()

    @property
    def has_word(self) -> bool:
        """Whether there is a word to search for."""
        return bool(self.terms) or has_cjk(self.text)

    @cached_property
    def intent(self) -> str:
        """What the question wants, in a word or two: `deploy_application` (K04); `classify` is asked once at most."""
        return intent(self.text, self.classify)
