"""Query understanding: how a text becomes a Question, with its words, names, time and vector, each found once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from memkit.core.errors import EmbedderFailed
from memkit.core.unicode import well_formed
from memkit.graph.question_entities import named_in
from memkit.retrieval.intents import Classifier
from memkit.retrieval.question import Question
from memkit.retrieval.registry import QUERIES
from memkit.retrieval.results import NO_MEMORY
from memkit.retrieval.strategies import PAGERANK, Strategy
from memkit.storage import vectors
from memkit.storage.connection import Connection
from memkit.text.question_words import without_question_words
from memkit.text.words import asking, cjk_terms, latin_terms, words

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder
    from memkit.retrieval.channels.time import Spoken

MOST_TERMS = 256  # the first words of a pasted page say what it is about; each further term costs a scan
MOST_CHARACTERS = 20_000

# Strangers may read it, so it does not quote what the model's server said.
WITHOUT_MEANING = "Not searched by meaning, only by words and connections: {}. memkit doctor FILE says more."

IS_EMPTY = "select not exists (select 1 from memories)"


def understand(
    conn: Connection,
    text: str,
    embedder: Embedder | None,
    strategy: Strategy,
    now: datetime,
    classify: Classifier | None = None,
) -> Question:
    """The Question for a text, of which the first 20,000 characters are read. Any text is a valid question."""
    text = well_formed(text[:MOST_CHARACTERS].replace("\0", " "))
    said = without_question_words(text)
    terms, cjk = QUERIES[strategy.fulltext.query](said) if strategy.fulltext else (), _cjk(said)
    vector, model_key, why, trouble = None, None, "the strategy does not use it", ""
    if strategy.vector is not None:
        try:
            vector, model_key, why = _embedded(conn, text, embedder)
        except EmbedderFailed as error:
            why = f"the model {vectors.active_model(conn)['id']!r} {error.reason}"
            trouble = WITHOUT_MEANING.format(why)
    spoken = _spoken(text, now)
    return Question(
        text,
        terms=tuple(terms)[:MOST_TERMS],
        cjk=tuple(cjk)[:MOST_TERMS],
        asides=_outside(asking(text), text, terms, cjk),
        of_time=_outside(spoken.rest, text, terms, cjk) if spoken else frozenset(),
        # The published designs know names only; that I is somebody is memkit's own.
        named=named_in(conn, text, me=strategy.graph.walk == PAGERANK) if strategy.graph else (),
        interval=spoken.interval if spoken else None,
        vector=vector,
        model_key=model_key,
        no_vector=why,
        trouble=trouble,
        classify=classify,
    )


def _cjk(text: str) -> list[str]:
    return cjk_terms(text) or latin_terms(text)


def _outside(part: str, text: str, terms: Iterable[str], cjk: Iterable[str]) -> frozenset[str]:
    """The terms of a text that are not in a part of it: not in what it asks, or only in the words of a time."""
    if part == text:
        return frozenset()
    near = set(words(part))
    return frozenset(term for term in terms if near.isdisjoint(words(term))) | (
        set(cjk) - set(_cjk(without_question_words(part)))
    )


def _spoken(text: str, now: datetime) -> Spoken | None:
    from memkit.retrieval.channels.time import spoken_of

    return spoken_of(text, now)


def _embedded(conn: Connection, text: str, embedder: Embedder | None) -> tuple[np.ndarray | None, int | None, str]:
    row = vectors.active_model(conn)
    if row is None:
        missing = "this database has no vectors: `memkit reindex` makes them"
        return None, None, NO_MEMORY if conn.execute(IS_EMPTY).fetchone()[0] else missing
    if embedder is None:
        return None, None, f"the model {row['id']!r} is not loaded"
    if (embedder.id, embedder.version) != (row["id"], row["version"]):
        raise EmbedderFailed("", f"is no longer version {row['version']}: `memkit reindex` makes new vectors")
    if not text.strip():
        return None, None, "the question is empty"
    vector = embedder.encode([text])[0]
    return (vector, row["key"], "") if vector.any() else (None, None, "the model knows no word of the question")
