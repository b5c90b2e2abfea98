"""How an answer comes out: understand -> channels -> fuse -> rank -> cut -> expand -> hits with their reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from memkit import fuse, rank, store
from memkit.errors import BadQuestion
from memkit.results import Finding, Hit, LeftOut, Recall, Step
from memkit.scope import Scope, eligible_among
from memkit.store import keys_json
from memkit.strategies import Strategy
from memkit.times import parse_iso
from memkit.understand import Question, understand

if TYPE_CHECKING:
    from memkit.embed import Embedder

LEFT_OUT = 10  # candidates after the last hit that are still told about
MOST_HITS = 10_000

SELECT_ABOUT = """
select m.key, m.kind, m.importance, m.confidence, m.project, coalesce(m.happened_at, m.created_at) as at,
    coalesce(a.count, 0) as accesses, a.last_at
from memories as m left join access as a on a.memory_key = m.key
where m.key in (select value from json_each(:keys))
"""
SELECT_TITLED = """
select entity_key, memory_key from mentions
where role = 'title' and entity_key in (select value from json_each(:keys))
order by entity_key, memory_key
"""
SELECT_IDS = "select key, id from memories where key in (select value from json_each(:keys))"


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


@dataclass
class Found:
    """What the channels found: a ranking for each, what became of each, and the way the graph took."""

    rankings: dict[str, dict[int, float]] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    path: Callable[[int], tuple[Step, ...]] = lambda key: ()


def recall(
    conn: Any, text: str, *, strategy: Strategy, scope: Scope, k: int = 10, embedder: Embedder | None = None
) -> Recall:
    """The best k memories for a question, with reasons. Same question, same database, same order.

    Raises BadQuestion for a negative k; never anything because of the text.
    """
    if k < 0:
        raise BadQuestion(f"k is how many memories to find: 0 or more, not {k}.")
    k = min(k, MOST_HITS)
    clock = Clock()
    question = understand(conn, text, embedder, strategy, parse_iso(scope.now))
    clock.lap("understand")
    found = Found()
    _find_words(conn, question, strategy, scope, k, found)
    clock.lap("fulltext")
    _find_meaning(conn, question, strategy, scope, k, found)
    clock.lap("vector")
    _find_connections(conn, question, strategy, scope, k, found)
    clock.lap("graph")
    fused = _fused(strategy, found.rankings)
    boosts = _boosts(conn, fused, question, strategy, scope)
    order = _ordered(conn, fused, boosts, k + LEFT_OUT)
    clock.lap("rank")
    hits, left = _hits(conn, order, strategy, found, fused, boosts, k)
    clock.lap("why")
    return Recall(text, hits, strategy, found.states, left, clock.ms, scope.now, question.interval)


# ---------------------------------------------------------------------------------------------- channels


def _find_words(conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    words = strategy.fulltext
    if words is None:
        return
    if not question.terms and not question.cjk:
        found.states["fulltext"] = "the question has no word"
        return
    from memkit.channels import fulltext

    found.rankings["fulltext"] = fulltext.search(
        conn,
        question.terms,
        question.cjk,
        scope,
        limit=max(words.limit, k),
        weights=words.columns,
        common=words.common,
    )
    found.states["fulltext"] = "ran"


def _find_meaning(conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    meaning = strategy.vector
    if meaning is None:
        return
    if question.vector is None or question.model_key is None:
        found.states["vector"] = question.no_vector
        return
    from memkit.channels import vector

    scores = vector.search(conn, question.model_key, question.vector, scope, limit=max(meaning.limit, k))
    if meaning.complete:
        others = sorted(set(found.rankings.get("fulltext", ())) - set(scores))
        scores |= vector.cosines(conn, question.model_key, question.vector, others)
    found.rankings["vector"] = _best_first((key, score) for key, score in scores.items() if score >= meaning.threshold)
    found.states["vector"] = "ran"


def _find_connections(conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    settings = strategy.graph
    if settings is None:
        return
    seeds = _memory_seeds(strategy, found.rankings)
    entities = {named.entity.key: settings.entities * named.weight for named in question.named}
    for key, weight in _titled(conn, entities).items():
        seeds[key] = seeds.get(key, 0.0) + weight
    if not seeds and not entities:
        found.states["graph"] = "nothing in the question leads into the graph"
        return
    from dataclasses import asdict

    from memkit.channels import graph

    walked = graph.search(
        conn,
        seeds,
        entities,
        walk=settings.walk,
        settings={name: getattr(settings, name) for name in WALK_SETTINGS[settings.walk]},
        edges=asdict(settings.edges),
        limit=max(settings.limit, k),
    )
    allowed = eligible_among(conn, list(walked.ranking), scope)
    found.rankings["graph"] = {key: score for key, score in walked.ranking.items() if key in allowed}
    found.states["graph"], found.path = "ran", walked.path


WALK_SETTINGS = {
    "pagerank": ("damping", "specificity"),
    "breadth_first": ("depth", "decay"),
    "neighbours": ("depth", "fan_out"),
    "spreading_activation": ("depth", "decay"),
}


def _memory_seeds(strategy: Strategy, rankings: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    """The best memories so far, each with its score, sharpened."""
    assert strategy.graph is not None
    fused = fuse.ranked(_fused(strategy, rankings))[: strategy.graph.seeds]
    top = fused[0][1] if fused else 0.0
    return {key: (score / top) ** strategy.graph.sharpness for key, score in fused if score > 0} if top > 0 else {}


def _titled(conn: Any, entities: Mapping[int, float]) -> dict[int, float]:
    """The memories that have a named entity as their title, which share its weight."""
    by_entity: dict[int, list[int]] = {}
    for row in conn.execute(SELECT_TITLED, {"keys": keys_json(entities)}):
        by_entity.setdefault(row["entity_key"], []).append(row["memory_key"])
    return {key: entities[entity] / len(keys) for entity, keys in by_entity.items() for key in keys}


# ---------------------------------------------------------------------------------------------- fuse, rank, cut


def _best_first(scores: Iterable[tuple[int, float]]) -> dict[int, float]:
    return dict(sorted(scores, key=lambda item: (-item[1], item[0])))


def _fused(strategy: Strategy, rankings: Mapping[str, Mapping[int, float]]) -> fuse.Contributions:
    """What each channel contributes to each memory, by the strategy's way of fusing."""
    weights = {name: getattr(strategy, name).weight for name in rankings}
    if strategy.fuse.method == "rrf":
        return fuse.rrf(rankings, weights, strategy.fuse.k)
    return fuse.weighted(rankings, weights, strategy.fuse.normalise)


def _boosts(
    conn: Any, fused: fuse.Contributions, question: Question, strategy: Strategy, scope: Scope
) -> dict[int, dict[str, float]]:
    """What multiplies each memory's fused score, by name; nothing is asked of the database where nothing can."""
    rules = strategy.rank
    named = {"recency": rules.recency, "importance": rules.importance, "confidence": rules.confidence}
    chosen = {name: RULES[name][rule] for name, rule in named.items() if rule != "none"}
    if not (chosen or scope.project or question.interval):
        return {}
    now = parse_iso(scope.now)
    boosts: dict[int, dict[str, float]] = {}
    for row in conn.execute(SELECT_ABOUT, {"keys": keys_json(fused)}):
        about = _about(row, now)
        factors = {name: rule(about) for name, rule in chosen.items()}
        if scope.project:
            same, everyone = row["project"] == scope.project, row["project"] == "global"
            factors["project"] = rules.project if same else rules.global_project if everyone else 1.0
        if question.interval and question.interval.contains(row["at"]):
            factors["interval"] = rules.interval
        boosts[row["key"]] = {name: factor for name, factor in factors.items() if factor != 1.0}
    return boosts


RULES = {"recency": rank.RECENCY, "importance": rank.IMPORTANCE, "confidence": rank.CONFIDENCE}


def _about(row: Any, now: Any) -> rank.About:
    return rank.About(
        importance=row["importance"],
        confidence=row["confidence"],
        age=_days(row["at"], now),
        accesses=row["accesses"],
        unread=_days(row["last_at"], now),
        stated=row["kind"] in ("fact", "preference", "procedure"),
    )


def _days(when: str | None, now: Any) -> float | None:
    try:
        return None if not when else (now - parse_iso(when)).total_seconds() / 86400
    except ValueError:
        return None


def _ordered(
    conn: Any, fused: fuse.Contributions, boosts: Mapping[int, Mapping[str, float]], most: int
) -> list[tuple[int, float]]:
    """Keys with their final scores, best first, equal ones by id."""
    scores = {key: sum(parts.values()) for key, parts in fused.items()}
    for key, factors in boosts.items():
        for factor in factors.values():
            scores[key] *= factor
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    kept = [item for item in best if item[1] >= best[min(most, len(best)) - 1][1]]  # ties at the end are decided by id
    ids = dict(tuple(row) for row in conn.execute(SELECT_IDS, {"keys": keys_json(key for key, _ in kept)}))
    return sorted((item for item in kept if item[0] in ids), key=lambda item: (-item[1], ids[item[0]]))[:most]


def _hits(
    conn: Any,
    order: list[tuple[int, float]],
    strategy: Strategy,
    found: Found,
    fused: fuse.Contributions,
    boosts: Mapping[int, Mapping[str, float]],
    k: int,
) -> tuple[tuple[Hit, ...], tuple[LeftOut, ...]]:
    least = rank.CUTS[strategy.cut.method]([score for _, score in order], strategy.cut.value)
    memories = store.memories(conn, [key for key, _ in order])
    order = [(key, score) for key, score in order if key in memories]
    ranks = {name: {key: n for n, key in enumerate(ranking, 1)} for name, ranking in found.rankings.items()}
    chosen = [(key, score) for key, score in order if score >= least][:k]
    hits = tuple(
        Hit(
            memories[key],
            score,
            {
                channel: Finding(ranks[channel][key], ranking[key], fused[key].get(channel, 0.0))
                for channel, ranking in found.rankings.items()
                if key in ranking
            },
            boosts.get(key, {}),
            found.path(key) if fused[key].get("graph") else (),
        )
        for key, score in chosen
    )
    kept = {key for key, _ in chosen}
    left = tuple(
        LeftOut(memories[key], score, f"after the first {k}" if score >= least else "below the cut")
        for key, score in order
        if key not in kept
    )
    return hits, left
