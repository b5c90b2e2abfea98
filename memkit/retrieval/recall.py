"""Recall, the pipeline: understand -> channels -> fuse -> rank -> cut -> judge -> expand -> hits, with reasons."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from operator import itemgetter
from time import perf_counter
from typing import TYPE_CHECKING

from memkit.core.errors import BadQuestion
from memkit.core.instants import parse_iso
from memkit.core.types import Memory
from memkit.graph.walk_results import WalkStep
from memkit.retrieval import compound, confidence, cross_encoding, fusion, reranking, retrievers, succession
from memkit.retrieval.channels import time
from memkit.retrieval.expansion import SUPERSEDES, Came, expand, replaced
from memkit.retrieval.intents import Classifier
from memkit.retrieval.question import Question
from memkit.retrieval.registry import CUTS, DESIGNS, FUSERS
from memkit.retrieval.results import Finding, Hit, LeftOut, Recall
from memkit.retrieval.retrievers import Found, Search, channel_of
from memkit.retrieval.strategies import Strategy
from memkit.retrieval.strategy_check import check
from memkit.retrieval.understanding import understand
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope, without_notes

if TYPE_CHECKING:
    from memkit.embedding import Embedder

LEFT_OUT = 10  # candidates after the last hit that are still reported
MOST_HITS = 10_000
DAY = len("2025-02-01")
EARLIER = "Nothing is known of the latest such time, so the question was read as one about {}."
WEAK = "Nothing that was found is close to the question."


class Clock:
    """Milliseconds per stage, in order."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        """Ends a stage: the time since the last call belongs to it."""
        now = perf_counter()
        self.ms[stage] = self.ms.get(stage, 0.0) + 1000 * (now - self._last)
        self._last = now


def recall(
    conn: Connection,
    text: str,
    *,
    strategy: Strategy,
    scope: Scope,
    k: int = 10,
    embedder: Embedder | None = None,
    classify: Classifier | None = None,
) -> Recall:
    """The best `k` memories for a question (10,000 at most), each with its reasons, and the memories linked to them.

    `classify` finds what the message wants done, where rules cannot tell and the strategy asks.

    The same question to the same database gives the same order. Raises BadQuestion if the question is not a text, if k
    is not a whole number of 0 or more, or if a setting of the strategy has an unknown name. Any text is a valid
    question.
    """
    if not isinstance(text, str):
        raise BadQuestion(f"A question is a text, not {text!r}.")
    if not isinstance(k, Integral) or k < 0:
        raise BadQuestion(f"k is how many memories to find: 0 or more, not {k!r}.")
    check(strategy)
    k = min(k, MOST_HITS)
    clock = Clock()
    scope = without_notes(conn, scope)
    asking = partial(_understood, conn, embedder=embedder, strategy=strategy, scope=scope)
    question = asking(text, classify=classify)
    parts = compound.parts(text) if strategy.fuse.compound else []
    asked = [question, *map(asking, parts)]
    clock.lap("understand")
    searches = [Search(conn, one, strategy, scope, k, embedder) for one in asked]
    found, fused = compound.merged([_search(one, clock) for one in searches])
    if found.recent:
        fused = {key: by for key, by in fused.items() if key not in found.recent}
    most = max(k, succession.AMONG, strategy.rerank.limit if strategy.rerank else 0) + LEFT_OUT
    scores = fusion.scores(fused)
    factors = reranking.factors(searches[0], scores, found, most)
    best = reranking.ordered(conn, fused, scores, factors, most)
    later = [] if parts else _later(searches[0], found, best)
    raised = succession.raised(best, later)
    _note(factors, "later", raised)
    best = sorted(((key, score * raised.get(key, 1.0)) for key, score in best), key=lambda one: -one[1])
    clock.lap("rank")
    read = cross_encoding.read(conn, question.text, best, strategy.rerank)
    _note(factors, "rerank", read.factors)
    if strategy.rerank:
        clock.lap("rerank")
    best = read.best[: k + LEFT_OUT]
    answers = _answers(best, strategy, found, k)
    judged = confidence.judged(searches[0], answers, fused, found)
    answers = [one for one in answers if judged.hits[one[0]] >= strategy.cut.least_confidence]
    weak = confidence.is_weak(searches[0], found, judged.confidence)
    clock.lap("confidence")
    chosen, took = replaced(conn, answers[:k], strategy.expand, scope)
    own = dict(answers)
    newest = {key: score / own[key] for key, score in chosen if score > own.get(key, score) > 0}
    _note(factors, "later", newest)  # a newest version, before the older ones
    came = expand(conn, [key for key, _ in chosen], question, strategy.expand, scope, max(k, LEFT_OUT))
    clock.lap("expand")
    keys = {*(key for key, _ in best), *took, *(one.key for one in came), *found.recent}
    builder = _Builder(found, fused, factors, store.memories(conn, sorted(keys)), judged)
    hits = _marked(builder.hits(chosen, came), later)
    left = builder.left_out(best, {key for key, _ in answers}, k, {hit.memory.key for hit in hits})
    facts, entities = reranking.facts_and_entities(found.connected)
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
        recent=tuple(builder.memories[key] for key in found.recent if key in builder.memories),
        warnings=tuple(_warnings(question, read.failure, strategy, chosen or best[:k], weak=weak)),
        degraded=question.trouble or read.failure,
        confidence=judged.confidence,
        weak=weak,
        measures=judged.measures,
    )


def _note(factors: dict[int, Mapping[str, float]], name: str, by: Mapping[int, float]) -> None:
    """Adds a factor of this name to those of each memory (by key)."""
    for key, factor in by.items():
        factors[key] = {**factors.get(key, {}), name: factor}


def _understood(
    conn: Connection,
    text: str,
    *,
    embedder: Embedder | None,
    strategy: Strategy,
    scope: Scope,
    classify: Classifier | None = None,
) -> Question:
    """The question of a text. A time that comes again (`in April`) is the last one in which something happened."""
    question = understand(conn, text, embedder, strategy, parse_iso(scope.now), classify)
    earlier = time.earlier(conn, question, scope) if strategy.time else None
    return replace(question, interval=earlier, remarks=(EARLIER.format(earlier),)) if earlier else question


def kept(conn: Connection, strategy: Strategy, asked: Hashable, find: Callable[[], Recall]) -> Recall:
    """`find()`, or its answer to what was `asked` before, where the strategy's design keeps answers (K35)."""
    design = DESIGNS.get(strategy.name)
    if design is None or design.answers is None:
        return find()
    return design.answers.answer(conn, asked, find, good=lambda found: not found.degraded)


def _search(search: Search, clock: Clock) -> tuple[Found, fusion.Contributions]:
    """What all channels find for a question, and what each contributes to each memory."""
    found, expand = Found(), search.strategy.expand
    wide = search._replace(scope=replace(search.scope, superseded=bool(expand.depth and expand.latest)))
    ahead = retrievers.look_ahead(wide)
    retrievers.find_words(wide, found)
    retrievers.find_terms(wide, found)
    clock.lap("fulltext")
    retrievers.find_meaning(wide, found, ahead)
    clock.lap("vector")
    retrievers.find_sentences(wide, found)
    clock.lap("sentence")
    retrievers.find_connections(wide, found)
    clock.lap("graph")
    retrievers.find_recent(search, found)
    wide = retrievers.find_time(wide, found)
    fused = reranking.settled(found, retrievers.fused(wide, found), FUSERS[wide.strategy.fuse.method].most)
    retrievers.add_bridges(wide, fused, found)
    clock.lap("bridge")
    return found, fused


def _warnings(
    question: Question, unread: str, strategy: Strategy, nearest: Sequence[tuple[int, float]], *, weak: bool
) -> Iterator[str]:
    """What the user should know of a recall. `unread` says why no cross-encoder read the hits, if one should have.

    `nearest` are the hits, or, where none is left, what was cut off.
    """
    if question.trouble:
        yield question.trouble
    if unread:
        yield unread
    yield from question.remarks
    if nearest and (weak or CUTS[strategy.cut.method].weak([score for _, score in nearest])):
        yield WEAK


def _later(search: Search, found: Found, best: Sequence[tuple[int, float]]) -> list[succession.Later]:
    """Which of the candidates are followed by later ones, for a question about now."""
    if not search.strategy.rank.later or not succession.apply(search.question, search.scope):
        return []
    return succession.later(search.conn, search.question, found.terms, [key for key, _ in best])


def _marked(hits: tuple[Hit, ...], later: Sequence[succession.Later]) -> tuple[Hit, ...]:
    """The hits, each with the newest of those that followed it and stand above it, and the day of the first."""
    place = {hit.memory.key: n for n, hit in enumerate(hits)}
    above: dict[int, list[tuple[Memory, str]]] = {}
    for one in later:
        if one.old in place and one.new in place and place[one.new] < place[one.old]:
            new = hits[place[one.new]].memory
            above.setdefault(one.old, []).append((new, one.at or new.when))

    def marked(hit: Hit) -> Hit:
        followed = sorted(above.get(hit.memory.key, ()), key=itemgetter(1))
        return replace(hit, later=followed[-1][0].id, later_at=followed[0][1][:DAY]) if followed else hit

    return tuple(map(marked, hits)) if above else hits


def _answers(best: Sequence[tuple[int, float]], strategy: Strategy, found: Found, k: int) -> list[tuple[int, float]]:
    """The candidates that pass the strategy's cut."""
    least = CUTS[strategy.cut.method].least([score for _, score in best[:k]], strategy.cut.value)
    kept = [(key, score) for key, score in best if score >= least]
    if strategy.cut.method == "similar" and "vector" in found.rankings:
        kept = [(key, score) for key, score in kept if found.similarity(key) >= strategy.cut.value]
    return kept


class _Builder:
    """Builds hits and left-out candidates from memories, rankings, contributions and boosts, all by memory key."""

    def __init__(
        self,
        found: Found,
        fused: fusion.Contributions,
        boosts: Mapping[int, Mapping[str, float]],
        memories: Mapping[int, Memory],
        judged: confidence.Judged,
    ):
        self.found, self.fused, self.boosts, self.memories = found, fused, boosts, memories
        self.judged = judged
        self.lists = [
            (channel_of(name), name, ranking, {key: place for place, key in enumerate(ranking, 1)})
            for name, ranking in found.rankings.items()
        ]

    def why(self, key: int) -> dict[str, Finding]:
        """The Finding of each channel for a memory. A memory is in only one list of a channel."""
        return {
            channel: Finding(places[key], ranking[key], self.fused[key].get(name, 0.0))
            for channel, name, ranking, places in self.lists
            if key in places
        }

    def hits(self, chosen: Sequence[tuple[int, float]], came: Sequence[Came]) -> tuple[Hit, ...]:
        """The chosen memories as hits; their linked memories stand beside them and have the same score."""
        along: dict[int, list[Came]] = {}
        for one in came:
            along.setdefault(one.hit, []).append(one)
        hits: list[Hit] = []
        paths = self.found.paths([key for key, _ in chosen if self._over_graph(key)])
        for key, score in chosen:
            here = self._hit(key, score, paths.get(key))
            near = [
                (one, Hit(self.memories[one.key], score, via=one.via, confidence=here.confidence))
                for one in along.get(key, ())
            ]
            hits += [hit for one, hit in near if one.before]
            hits += [here]
            hits += [hit for one, hit in near if not one.before]
        return tuple(hits)

    def _over_graph(self, key: int) -> bool:
        """Whether the graph brought more of a memory than the bridges did."""
        parts = self.fused.get(key, {})
        return parts.get("graph", 0.0) > 0 and parts.get("graph", 0.0) >= parts.get("bridge", 0.0)

    def _hit(self, key: int, score: float, path: tuple[WalkStep, ...] | None) -> Hit:
        chance = self.judged.hits.get(key, self.judged.confidence)
        if key not in self.fused:
            return Hit(self.memories[key], score, via=SUPERSEDES, confidence=chance)
        parts = self.fused[key]
        if path is None:
            over = self.found.path if self._over_graph(key) else self.found.bridge_path
            path = over(key) if parts.get("graph") or parts.get("bridge") else ()
        measures = self.judged.hit_measures.get(key, {})
        return Hit(
            self.memories[key],
            score,
            self.why(key),
            self.boosts.get(key, {}),
            path,
            confidence=chance,
            measures=measures,
        )

    def left_out(
        self, best: Sequence[tuple[int, float]], answers: set[int], k: int, kept: set[int]
    ) -> tuple[LeftOut, ...]:
        """The candidates that are not hits, each with the reason."""
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
