"""How an answer comes out: question -> channels -> fuse -> rank -> cut -> hits with their reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from memkit import fuse, store, vectors
from memkit.errors import BadQuestion
from memkit.results import Finding, Hit, LeftOut, Recall
from memkit.scope import Scope
from memkit.strategies import Strategy
from memkit.text import cjk_terms, content_words

if TYPE_CHECKING:
    import numpy as np

    from memkit.embed import Embedder

MOST_TERMS = 64  # of a pasted page the first words tell what it is about; each one more costs a scan
MOST_CHARACTERS = 20_000


@dataclass(frozen=True)
class Question:
    """A question as the channels read it; everything in it is computed once."""

    text: str
    words: tuple[str, ...]
    cjk: tuple[str, ...]
    vector: np.ndarray | None = None
    model_key: int | None = None
    no_vector: str = ""


class Clock:
    """Milliseconds per stage, in order."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        """Ends a stage."""
        now = perf_counter()
        self.ms[stage] = self.ms.get(stage, 0.0) + 1000 * (now - self._last)
        self._last = now


def understand(conn: Any, text: str, embedder: Embedder | None, strategy: Strategy) -> Question:
    """The question's words, character pairs and vector. Any text is a legal question."""
    text = text[:MOST_CHARACTERS].replace("\0", " ").encode("utf-8", "replace").decode()
    terms = tuple(cjk_terms(text))[:MOST_TERMS]
    words = tuple(_without_cjk(content_words(text)))[:MOST_TERMS]
    vector, model_key, why = None, None, "the strategy does not use it"
    if strategy.vector is not None:
        vector, model_key, why = _embedded(conn, text, embedder)
    return Question(text, words, terms, vector, model_key, why)


_WHOLLY_CJK = re.compile(r"[⺀-鿿가-힯豈-﫿\U00020000-\U0003134f]+")


def _without_cjk(words: list[str]) -> list[str]:
    return [word for word in words if not _WHOLLY_CJK.fullmatch(word)]


def _embedded(conn: Any, text: str, embedder: Embedder | None) -> tuple[np.ndarray | None, int | None, str]:
    row = vectors.active_model(conn)
    if row is None:
        return None, None, "this database has no vectors: memkit reindex makes them"
    if embedder is None:
        return None, None, f"the model {row['id']!r} is not loaded"
    if not text.strip():
        return None, None, "the question is empty"
    vector = embedder.encode([text])[0]
    return (vector, row["key"], "") if vector.any() else (None, None, "the model knows no word of the question")


def recall(
    conn: Any, text: str, *, strategy: Strategy, scope: Scope, k: int = 10, embedder: Embedder | None = None
) -> Recall:
    """The best k memories for a question, with reasons. Same question, same database, same order.

    Raises BadQuestion for a negative k; never anything because of the text.
    """
    if k < 0:
        raise BadQuestion(f"k is how many memories to find: 0 or more, not {k}.")
    clock = Clock()
    question = understand(conn, text, embedder, strategy)
    clock.lap("understand")
    rankings, states = _channels(conn, question, strategy, scope, k, clock)
    weights = {name: getattr(strategy, name).weight for name in rankings}
    fused = _fused(strategy, rankings, weights)
    memories = store.memories(conn, [key for key, _ in fuse.ranked(fused)][: k + LEFT_OUT])
    ids = {key: memory.id for key, memory in memories.items()}
    order = [(key, score) for key, score in fuse.ranked({key: fused[key] for key in memories}, ids)]
    clock.lap("fuse")
    ranks = {name: {key: rank for rank, key in enumerate(ranking, 1)} for name, ranking in rankings.items()}
    hits = tuple(
        Hit(memories[key], score, _why(key, rankings, ranks, fused[key]))
        for key, score in order[:k]
    )
    left = tuple(LeftOut(memories[key], score, f"after the first {k}") for key, score in order[k:])
    clock.lap("why")
    return Recall(text, hits, strategy, states, left, clock.ms, scope.now)


LEFT_OUT = 10


def _fused(strategy: Strategy, rankings: Mapping[str, fuse.Ranking], weights: Mapping[str, float]) -> fuse.Contributions:
    if strategy.fuse.method == "weighted":
        return fuse.weighted(rankings, weights, strategy.fuse.normalise)
    return fuse.rrf(rankings, weights, strategy.fuse.k)


def _channels(
    conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, clock: Clock
) -> tuple[dict[str, dict[int, float]], dict[str, str]]:
    """Each channel's ranking, and what became of each channel."""
    from memkit.channels import fulltext

    rankings: dict[str, dict[int, float]] = {}
    states: dict[str, str] = {}
    if (words := strategy.fulltext) is not None:
        if question.words or question.cjk:
            rankings["fulltext"] = fulltext.search(
                conn, question.words, question.cjk, scope,
                limit=max(words.limit, k), weights=words.columns, common=words.common,
            )
        states["fulltext"] = "ran" if "fulltext" in rankings else "the question has no word"
        clock.lap("fulltext")
    if (meaning := strategy.vector) is not None:
        if question.vector is not None and question.model_key is not None:
            from memkit.channels import vector

            found = vector.search(conn, question.model_key, question.vector, scope, limit=max(meaning.limit, k))
            if meaning.complete:
                others = sorted(set(rankings.get("fulltext", ())) - set(found))
                found |= vector.cosines(conn, question.model_key, question.vector, others)
            kept = [(key, score) for key, score in found.items() if score >= meaning.threshold]
            rankings["vector"] = dict(sorted(kept, key=lambda item: (-item[1], item[0])))
        states["vector"] = "ran" if "vector" in rankings else question.no_vector
        clock.lap("vector")
    return rankings, states


def _why(
    key: int, rankings: Mapping[str, fuse.Ranking], ranks: Mapping[str, Mapping[int, int]], parts: Mapping[str, float]
) -> dict[str, Finding]:
    return {
        channel: Finding(ranks[channel][key], ranking[key], parts.get(channel, 0.0))
        for channel, ranking in rankings.items()
        if key in ranking
    }
