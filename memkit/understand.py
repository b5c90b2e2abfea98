"""A question as the channels read it: words, character pairs, named entities, a time, a vector; each computed once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memkit import vectors
from memkit.graph.named import Named, named_in
from memkit.queries import QUERIES, intent
from memkit.strategies import Strategy
from memkit.text import asking, cjk_terms, has_cjk, latin_terms, words

if TYPE_CHECKING:
    import numpy as np

    from memkit.embed import Embedder
    from memkit.times import Interval

MOST_TERMS = 256  # of a pasted page the first words tell what it is about; each one more costs a scan
MOST_CHARACTERS = 20_000

IS_EMPTY = "select not exists (select 1 from memories)"


@dataclass(frozen=True)
class Question:
    """A question as the channels read it.

    `asides` are those of the terms that stand only outside the sentences that ask, `no_vector` says why there is no
    vector, if there is none.
    """

    text: str
    terms: tuple[str, ...] = ()
    cjk: tuple[str, ...] = ()
    asides: frozenset[str] = frozenset()
    named: tuple[Named, ...] = ()
    interval: Interval | None = None
    vector: np.ndarray | None = None
    model_key: int | None = None
    no_vector: str = ""

    @property
    def has_word(self) -> bool:
        """Whether there is anything to look for by words."""
        return bool(self.terms) or has_cjk(self.text)

    @property
    def intent(self) -> str:
        """What the question is after, in a word or two: `deploy_application` (K04)."""
        return intent(self.text)


def understand(conn: Any, text: str, embedder: Embedder | None, strategy: Strategy, now: datetime) -> Question:
    """What a question says. Any text is a legal question."""
    text = text[:MOST_CHARACTERS].replace("\0", " ").encode("utf-8", "replace").decode()
    terms = QUERIES[strategy.fulltext.query](text) if strategy.fulltext else ()
    vector, model_key, why = None, None, "the strategy does not use it"
    if strategy.vector is not None:
        vector, model_key, why = _embedded(conn, text, embedder)
    return Question(
        text,
        terms=tuple(terms)[:MOST_TERMS],
        cjk=tuple(_cjk(text))[:MOST_TERMS],
        asides=_asides(text, terms),
        named=named_in(conn, text) if strategy.graph else (),
        interval=_interval(text, now),
        vector=vector,
        model_key=model_key,
        no_vector=why,
    )


def _cjk(text: str) -> list[str]:
    return cjk_terms(text) or latin_terms(text)


def _asides(text: str, terms: Iterable[str]) -> frozenset[str]:
    """The terms that no sentence that asks has: what somebody tells before coming to the question."""
    asked = asking(text)
    if asked == text:
        return frozenset()
    near = set(words(asked))
    return frozenset(term for term in terms if near.isdisjoint(words(term))) | (set(_cjk(text)) - set(_cjk(asked)))


def _interval(text: str, now: datetime) -> Interval | None:
    from memkit.times import find_interval

    found = find_interval(text, now)
    return found[0] if found else None


def _embedded(conn: Any, text: str, embedder: Embedder | None) -> tuple[np.ndarray | None, int | None, str]:
    row = vectors.active_model(conn)
    if row is None:
        missing = "this database has no vectors: memkit reindex makes them"
        return None, None, "there is no memory yet" if conn.execute(IS_EMPTY).fetchone()[0] else missing
    if embedder is None:
        return None, None, f"the model {row['id']!r} is not loaded"
    if (embedder.id, embedder.version) != (row["id"], row["version"]):
        return None, None, f"the vectors were made by {row['id']!r} ({row['version']}): memkit reindex makes new ones"
    if not text.strip():
        return None, None, "the question is empty"
    vector = embedder.encode([text])[0]
    return (vector, row["key"], "") if vector.any() else (None, None, "the model knows no word of the question")
