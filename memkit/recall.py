"""How an answer comes out: understand -> channels -> fuse -> rank -> cut -> expand -> hits with their reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from time import perf_counter
from typing import TYPE_CHECKING, Any

from memkit import find, fuse, order, rank, store
from memkit.errors import BadQuestion
from memkit.expand import SUPERSEDES, Came, expand, replaced
from memkit.find import Found, channel_of
from memkit.known import check
from memkit.results import Finding, Hit, LeftOut, Recall
from memkit.scope import Scope, without_notes
from memkit.strategies import Strategy
from memkit.times import parse_iso
from memkit.types import Memory
from memkit.understand import understand

if TYPE_CHECKING:
    from memkit.embed import Embedder

LEFT_OUT = 10  # candidates after the last hit that are still told about
MOST_HITS = 10_000
WEAK = "Nothing that was found is close to the question."


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


def recall(
    conn: Any, text: str, *, strategy: Strategy, scope: Scope, k: int = 10, embedder: Embedder | None = None
) -> Recall:
    """The best k memories for a question, with reasons, and what comes along with them by links.

    Same question, same database, same order. Raises BadQuestion where the question is no text or k no number from 0 on,
    and for a strategy whose settings name what does not exist; never anything because of the text.
    """
    if not isinstance(text, str):
        raise BadQuestion(f"A question is a text, not {text!r}.")
    if not isinstance(k, Integral) or k < 0:
        raise BadQuestion(f"k is how many memories to find: 0 or more, not {k!r}.")
    check(strategy)
    k = min(k, MOST_HITS)
    clock = Clock()
    scope = without_notes(conn, scope)
    question = understand(conn, text, embedder, strategy, parse_iso(scope.now))
    clock.lap("understand")
    found = Found()
    wide = replace(scope, superseded=bool(strategy.expand.depth and strategy.expand.latest))
    find.find_words(conn, question, strategy, wide, k, found)
    clock.lap("fulltext")
    find.find_meaning(conn, question, strategy, wide, k, found)
    clock.lap("vector")
    find.find_sentences(conn, question, strategy, embedder, k, found)
    clock.lap("sentence")
    find.find_connections(conn, question, strategy, wide, k, found)
    clock.lap("graph")
    find.find_recent(conn, strategy, scope, found)
    fused = order.settled(found, find.fused(strategy, found.rankings, k))
    fused = {key: parts for key, parts in fused.items() if key not in found.recent}
    boosts = order.boosts(conn, fused, question, strategy, scope)
    best = order.ordered(conn, fused, boosts, k + LEFT_OUT)
    answers = _answers(best, strategy, found, k)
    clock.lap("rank")
    chosen, took = replaced(conn, answers[:k], strategy.expand, scope)
    came = expand(conn, [key for key, _ in chosen], question, strategy.expand, scope, max(k, LEFT_OUT))
    clock.lap("expand")
    keys = {*(key for key, _ in best), *took, *(one.key for one in came), *found.recent}
    told = _Told(found, fused, boosts, store.memories(conn, sorted(keys)))
    hits = told.hits(chosen, came)
    left = told.left_out(best, {key for key, _ in answers}, k, {hit.memory.key for hit in hits})
    facts, entities = order.facts_and_entities(found.connected)
    clock.lap("why")
    return Recall(
        text,
        hits,
        strategy,
        found.states,
        left,
        clock.ms,
        scope.now,
        question.interval,
        facts=facts,
        entities=entities,
        recent=tuple(told.memories[key] for key in found.recent if key in told.memories),
        warnings=(WEAK,) if strategy.cut.method == "engram" and rank.weak([score for _, score in chosen]) else (),
    )


def _answers(best: Sequence[tuple[int, float]], strategy: Strategy, found: Found, k: int) -> list[tuple[int, float]]:
    """Those of the candidates that the strategy's cut lets through."""
    least = rank.CUTS[strategy.cut.method]([score for _, score in best[:k]], strategy.cut.value)
    kept = [(key, score) for key, score in best if score >= least]
    if strategy.cut.method == "similar" and "vector" in found.rankings:
        kept = [(key, score) for key, score in kept if found.similarity(key) >= strategy.cut.value]
    return kept


class _Told:
    """What is told about keys: their memories, and what each channel says of them."""

    def __init__(
        self,
        found: Found,
        fused: fuse.Contributions,
        boosts: Mapping[int, Mapping[str, float]],
        memories: Mapping[int, Memory],
    ):
        self.found, self.fused, self.boosts, self.memories = found, fused, boosts, memories
        self.places = {
            name: {key: place for place, key in enumerate(ranking, 1)} for name, ranking in found.rankings.items()
        }

    def why(self, key: int) -> dict[str, Finding]:
        """What each channel says of a memory. One is in one list of a channel only."""
        return {
            channel_of(name): Finding(self.places[name][key], ranking[key], self.fused[key].get(name, 0.0))
            for name, ranking in self.found.rankings.items()
            if key in ranking
        }

    def hits(self, chosen: Sequence[tuple[int, float]], came: Sequence[Came]) -> tuple[Hit, ...]:
        """The chosen as hits, and beside each what came along with it, which has its score."""
        along: dict[int, list[Came]] = {}
        for one in came:
            along.setdefault(one.hit, []).append(one)
        hits: list[Hit] = []
        for key, score in chosen:
            near = [(one, Hit(self.memories[one.key], score, via=one.via)) for one in along.get(key, ())]
            hits += [hit for one, hit in near if one.before]
            hits += [self._hit(key, score)]
            hits += [hit for one, hit in near if not one.before]
        return tuple(hits)

    def _hit(self, key: int, score: float) -> Hit:
        if key not in self.fused:
            return Hit(self.memories[key], score, via=SUPERSEDES)
        path = self.found.path(key) if self.fused[key].get("graph") else ()
        return Hit(self.memories[key], score, self.why(key), self.boosts.get(key, {}), path)

    def left_out(
        self, best: Sequence[tuple[int, float]], answers: set[int], k: int, kept: set[int]
    ) -> tuple[LeftOut, ...]:
        """The candidates that are no hit, each with the reason."""
        return tuple(
            LeftOut(
                self.memories[key],
                score,
                f"after the first {k}" if key in answers else "below the cut",
                self.why(key),
                self.boosts.get(key, {}),
            )
            for key, score in best
            if key not in kept
        )
