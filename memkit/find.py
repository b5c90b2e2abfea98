"""What each channel of a strategy finds for a question: rankings, and a word on every channel that did not run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memkit import fuse
from memkit.results import Step
from memkit.scope import PROJECT, Scope, eligible, eligible_among
from memkit.store import keys_json
from memkit.strategies import Strategy
from memkit.understand import Question

if TYPE_CHECKING:
    from memkit.channels.facts import Connected
    from memkit.embed import Embedder

SELECT_TITLED = """
select entity_key, memory_key from mentions
where role = 'title' and entity_key in (select value from json_each(:keys))
order by entity_key, memory_key
"""

COUNT_MENTIONS = """
select entity_key, count(*) from mentions
where entity_key in (select value from json_each(:keys)) group by entity_key
"""
UNFOUND = 0.01  # what a memory of the right title is worth that words and meaning did not find; the best found is 1

STATED = ("fact", "preference")  # kinds that Kira keeps as facts
PROCEDURE = "procedure"


@dataclass
class Found:
    """What the channels found.

    A ranking is named after its channel, or after its channel and list where that parts the memories: `fulltext facts`.
    `connected` is what a walk over relations found beside memories; `recent` the newest memories that are shown apart.
    """

    rankings: dict[str, dict[Any, float]] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    path: Callable[[int], tuple[Step, ...]] = lambda key: ()
    connected: Connected | None = None
    recent: tuple[int, ...] = ()

    def similarity(self, key: int) -> float:
        """How near a memory is to the question in meaning, as a whole or by its nearest sentence (cosine)."""
        return max(self.rankings.get(name, {}).get(key, 0.0) for name in ("vector", "sentence"))


def channel_of(ranking: str) -> str:
    """The channel that a ranking comes from."""
    return ranking.partition(" ")[0]


def best_first(scores: Iterable[tuple[int, float]]) -> dict[int, float]:
    """A ranking of memories: highest score first, ties by key."""
    return dict(sorted(scores, key=lambda item: (-item[1], item[0])))


def fused(strategy: Strategy, rankings: Mapping[str, Mapping[Any, float]], k: int = 10) -> fuse.Contributions:
    """What each ranking contributes to each key, by the strategy's way of fusing."""
    weights = {name: getattr(strategy, channel_of(name)).weight for name in rankings}
    how = strategy.fuse
    own: dict[str, dict[str, Any]] = {
        "rrf": {"k": how.k},
        "kira": {"k": how.k},
        "weighted": {"normalise": how.normalise, "as_is": ("graph",) if _flows(strategy) else ()},
        "waterfall": {"limit": k, "places": _appended(strategy, k)},
    }
    return fuse.FUSERS[how.method](rankings, weights, **own.get(how.method, {}))


def _flows(strategy: Strategy) -> bool:
    """Whether the graph's scores are what a PageRank brought, on the scale of the seeds."""
    return strategy.graph is not None and strategy.graph.walk == "pagerank"


def _appended(strategy: Strategy, k: int) -> dict[str, int]:
    """How many of k places the graph has for itself where it only appends: up to a third, as 5 after 10 are (C31)."""
    if strategy.graph is None or not strategy.graph.append:
        return {}
    return {"graph": min(strategy.graph.append, k // 3)}


# ---------------------------------------------------------------------------------------------- words


def find_words(conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    """By words: one ranking, or one for each list of the strategy."""
    words = strategy.fulltext
    if words is None:
        return
    if not question.has_word:
        found.states["fulltext"] = "the question has no word"
        return
    from memkit.channels import fulltext
    from memkit.channels.kinds import has_any

    for name, part, limit in LISTS[words.lists](scope, question, max(words.limit, k), words.limit):
        if part.kinds is not None and not has_any(conn, part.kinds):
            continue
        ranking = fulltext.search(
            conn,
            question.terms,
            question.cjk,
            part,
            limit=limit,
            weights=words.columns,
            common=words.common,
            asides=question.asides if words.aside != 1 else frozenset(),
            aside=words.aside,
            own_statistics=words.own_statistics,
            among=eligible(conn, part) if part.slot not in (None, PROJECT) else None,
        )
        found.rankings[f"fulltext {name}".rstrip()] = {key: score for key, score in ranking.items() if score > 0}
    found.states["fulltext"] = "ran"


Part = tuple[str, Scope, int]  # a list's name, the memories that it may hold, and how many of them


def _one(scope: Scope, question: Question, most: int, limit: int) -> list[Part]:
    """All memories in one list."""
    return [("", scope, most)]


def _kira(scope: Scope, question: Question, most: int, limit: int) -> list[Part]:
    """Episodes, of the time that the question speaks of, facts and procedures (K08, K09, K11).

    Both ends of the time count; bm25 cannot be compared between tables, so each list is ranked on its own (K10).
    """
    episodes = replace(scope, but_kinds=(*STATED, PROCEDURE))
    if question.interval:
        since = max(filter(None, (scope.since, question.interval.start)), default=None)
        until = min(filter(None, (scope.until, question.interval.end)), default=None)
        episodes = replace(episodes, since=since, until=until)
    return [
        ("episodes", episodes, most),
        ("facts", _of_kinds(scope, STATED), max(10, most // 2)),
        ("procedures", _of_kinds(scope, (PROCEDURE,)), max(10, most // 2)),
    ]


def _of_kinds(scope: Scope, kinds: tuple[str, ...]) -> Scope:
    """The scope with only these of its kinds."""
    return replace(scope, kinds=kinds if scope.kinds is None else tuple(set(kinds) & set(scope.kinds)))


def _slots(scope: Scope, question: Question, most: int, limit: int) -> list[Part]:
    """Each slot on its own, `limit` memories at most (S02); the project's are those of the project asked in (S01)."""
    here = replace(scope, only_project=bool(scope.project))
    parts = (("user", scope), (PROJECT, here), ("agent", scope))
    return [(slot, replace(part, slot=slot), limit) for slot, part in parts]


LISTS: dict[str, Callable[[Scope, Question, int, int], list[Part]]] = {"one": _one, "kira": _kira, "slots": _slots}


# ---------------------------------------------------------------------------------------------- meaning


def find_meaning(conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    """By meaning, where the strategy searches by it and there is room left for what it finds."""
    meaning = strategy.vector
    if meaning is None or meaning.limit == 0:
        return
    if strategy.fuse.method == "waterfall" and len(found.rankings.get("fulltext", ())) >= k:
        found.states["vector"] = "words found enough"
        return
    if question.vector is None or question.model_key is None:
        found.states["vector"] = question.no_vector
        return
    from memkit.channels import vector

    scores = vector.search(conn, question.model_key, question.vector, scope, limit=max(meaning.limit, k))
    if meaning.complete:
        others = sorted(set(found.rankings.get("fulltext", ())) - set(scores))
        scores |= vector.cosines(conn, question.model_key, question.vector, others)
    found.rankings["vector"] = best_first((key, score) for key, score in scores.items() if score >= meaning.threshold)
    found.states["vector"] = "ran"


def find_sentences(
    conn: Any, question: Question, strategy: Strategy, embedder: Embedder | None, k: int, found: Found
) -> None:
    """By the nearest sentence of what words and meaning found."""
    settings = strategy.sentence
    if settings is None:
        return
    if question.vector is None or embedder is None:
        found.states["sentence"] = question.no_vector
        return
    if not getattr(embedder, "instant", False):
        found.states["sentence"] = f"the model {embedder.id!r} is too slow for it"
        return
    from memkit.channels import sentence

    best = [key for key, _ in fuse.ranked(fused(strategy, found.rankings, k))[: settings.limit]]
    found.rankings["sentence"] = sentence.search(conn, embedder, question.vector, best)
    found.states["sentence"] = "ran"


# ---------------------------------------------------------------------------------------------- connection


def find_connections(conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    """By connection: a walk over everything from what was found and named, or over relations from what was named."""
    if strategy.graph is None:
        return
    if strategy.graph.walk in WALK_SETTINGS:
        _walk(conn, question, strategy, scope, k, found)
    else:
        _walk_relations(conn, question, strategy, scope, k, found)


def _walk(conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    settings = strategy.graph
    assert settings is not None
    seeds = _memory_seeds(strategy, found.rankings)
    entities = _shared(conn, question, settings.entities)
    titled = _titled(conn, {named.entity.key: settings.titled * named.weight for named in question.named}, seeds)
    if not seeds and not entities:
        found.states["graph"] = "nothing in the question leads into the graph"
        return
    from memkit.channels import graph

    walked = graph.search(
        conn,
        seeds,
        titled,
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
    "pagerank": ("damping", "specificity", "least_strength"),
    "breadth_first": ("depth", "decay"),
    "neighbours": ("depth", "fan_out"),
    "spreading_activation": ("depth", "decay"),
}


def _memory_seeds(strategy: Strategy, rankings: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    """The best memories so far, each with its score, sharpened."""
    assert strategy.graph is not None
    best = fuse.ranked(fused(strategy, rankings))[: strategy.graph.seeds]
    top = best[0][1] if best else 0.0
    return {key: (score / top) ** strategy.graph.sharpness for key, score in best if score > 0} if top > 0 else {}


def _shared(conn: Any, question: Question, weight: float) -> dict[int, float]:
    """The entities named in the question, each with its part of the weight: a name that everything mentions says little
    (node specificity, HippoRAG)."""
    keys = keys_json(named.entity.key for named in question.named)
    spread = {row[0]: row[1] for row in conn.execute(COUNT_MENTIONS, {"keys": keys})}
    return {n.entity.key: weight * n.weight / max(spread.get(n.entity.key, 1), 1) for n in question.named}


def _titled(conn: Any, entities: Mapping[int, float], found: Mapping[int, float]) -> dict[int, float]:
    """The memories that have a named entity as their title share its weight; those that were found get more of it."""
    by_entity: dict[int, list[int]] = {}
    for row in conn.execute(SELECT_TITLED, {"keys": keys_json(entities)}):
        by_entity.setdefault(row["entity_key"], []).append(row["memory_key"])
    shared: dict[int, float] = {}
    for entity, keys in by_entity.items():
        likely = {key: found.get(key, 0.0) + UNFOUND for key in keys}
        for key, part in likely.items():
            shared[key] = shared.get(key, 0.0) + entities[entity] * part / sum(likely.values())
    return shared


def _walk_relations(conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    from memkit.channels import facts

    assert strategy.graph is not None
    connected = facts.WAYS[strategy.graph.walk](conn, question, strategy, scope)
    if strategy.graph.walk == "kira":
        connected = _kira_lists(conn, question, strategy, scope, k, found, connected)
    nothing = not connected.entities and not connected.facts
    found.states["graph"] = "nothing in the question leads into the graph" if nothing else "ran"
    found.connected, found.path = connected, connected.path
    ranking = connected.ranking
    if strategy.graph.append:
        others = {key for other in found.rankings.values() for key in other}
        ranking = dict([item for item in ranking.items() if item[0] not in others][: strategy.graph.append])
    if ranking:
        found.rankings["graph"] = ranking


def _kira_lists(
    conn: Any, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found, connected: Connected
) -> Connected:
    """Entities and relations as lists of their own by words, and among the memories by meaning (K09, K10, K12)."""
    from memkit.channels import facts

    entities, relations = facts.kira_words(conn, question, scope)
    found.rankings |= {
        name: ranking
        for name, ranking in (("fulltext entities", entities), ("fulltext relations", relations))
        if ranking
    }
    if strategy.vector and "vector" in found.rankings:
        most = max(strategy.vector.limit, k)
        similar = found.rankings["vector"] | facts.kira_meaning(conn, question, scope, strategy.vector.limit)
        found.rankings["vector"] = dict(list(facts.best_first(similar).items())[:most])
    keys = {key for ranking in found.rankings.values() for key in ranking if isinstance(key, tuple)}
    return facts.kira_things(conn, sorted(keys), connected, scope)


# ---------------------------------------------------------------------------------------------- the newest


def find_recent(conn: Any, strategy: Strategy, scope: Scope, found: Found) -> None:
    """The newest memories: a ranking, or, with a weight of 0, beside the hits and never among them (C03, C06)."""
    if strategy.recent is None:
        return
    from memkit.channels import recent

    newest = recent.search(conn, scope, limit=strategy.recent.limit)
    found.states["recent"] = "ran"
    if strategy.recent.weight:
        found.rankings["recent"] = {key: 1.0 / place for place, key in enumerate(newest, 1)}
    else:
        found.recent = tuple(newest)
