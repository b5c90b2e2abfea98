"""Retrievers: what each channel of a strategy finds for a question, and why a channel did not run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

from memkit.core.classes import dataclass
from memkit.core.errors import EmbedderFailed, IndexDamaged
from memkit.graph.project_view import view_of_scope
from memkit.graph.walk_results import WalkStep
from memkit.retrieval import fusion
from memkit.retrieval.entry_nodes import entry_nodes
from memkit.retrieval.fusion import best_first
from memkit.retrieval.question import Question
from memkit.retrieval.registry import FUSERS, LISTS, RELATION_WALKS
from memkit.retrieval.results import NO_BRIDGE, NO_ENTRY
from memkit.retrieval.strategies import PAGERANK, Fulltext, Strategy
from memkit.storage.connection import Connection
from memkit.storage.filters import PROJECT, Scope, eligible, eligible_among

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder
    from memkit.retrieval.channels.facts import Connected
    from memkit.retrieval.channels.fulltext import TermPostings
    from memkit.retrieval.channels.vector import Ahead


@dataclass
class Found:
    """What the channels found.

    A ranking has the name of its channel, or of channel and list if memories are split into lists: `fulltext facts`.
    `states` maps a channel to `ran`, or to the reason why it did not run. `connected` is what a walk over relations
    found. `recent` holds the newest memories, if they are shown beside the hits. `terms` says where each word of
    the question stands, `searched` how many memories there were to search. `only_time` says that the
    question asks for nothing but a time. `path` leads to one memory; `paths` finds at once those that it can.
    `contributions` are those of the rankings `added`, where the fuser adds one to the others.
    """

    rankings: dict[str, dict[Any, float]] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    path: Callable[[int], tuple[WalkStep, ...]] = lambda key: ()
    paths: Callable[[Sequence[int]], Mapping[int, tuple[WalkStep, ...]]] = lambda keys: {}
    bridge_path: Callable[[int], tuple[WalkStep, ...]] = lambda key: ()
    connected: Connected | None = None
    recent: tuple[int, ...] = ()
    terms: Sequence[TermPostings] = ()
    searched: int = 0
    within: np.ndarray | None = None
    only_time: bool = False
    contributions: fusion.Contributions = field(default_factory=dict)
    added: set[str] = field(default_factory=set)

    def words(self) -> dict[int, float]:
        """The BM25 score of each memory that full-text search found, in any of its lists."""
        lists = [ranking for name, ranking in self.rankings.items() if channel_of(name) == "fulltext"]
        return {key: score for ranking in reversed(lists) for key, score in ranking.items()}

    def similarity(self, key: int) -> float:
        """The cosine of a memory with the question: of the whole memory or of its nearest sentence, the higher one."""
        return max(self.rankings.get(name, {}).get(key, 0.0) for name in ("vector", "sentence"))


def channel_of(ranking: str) -> str:
    """The channel that a ranking comes from."""
    return ranking.partition(" ")[0]


def fused(strategy: Strategy, found: Found, k: int) -> fusion.Contributions:
    """What each ranking so far contributes to each key, by the strategy's fuser. The next call may add to it."""
    fuser = FUSERS[strategy.fuse.method]
    settings = fuser.settings(strategy, k)
    new = found.rankings
    if fuser.adds:
        new = {name: ranking for name, ranking in new.items() if name not in found.added}
        settings = {**settings, "to": found.contributions}
        found.added.update(new)
    weights = {name: getattr(strategy, channel_of(name)).weight for name in new}
    return fuser.fuse(new, weights, **settings)


# ---------------------------------------------------------------------------------------------- words


def find_words(conn: Connection, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    """Full-text search: adds one ranking, or one for each list of the strategy."""
    words = strategy.fulltext
    if words is None:
        return
    if not question.has_word:
        found.states["fulltext"] = "the question has no word"
        return
    from memkit.retrieval.channels import fulltext
    from memkit.retrieval.channels.kinds import has_any

    found.within = within = fulltext.own(conn, scope) if words.own_statistics else None
    try:
        found.searched = fulltext.searched(conn, within)
        for name, part, limit, also in LISTS[words.lists](scope, question, max(words.limit, k), words.limit):
            if part.kinds is not None and not has_any(conn, part.kinds):
                continue
            ranking = fulltext.search(
                conn,
                tuple(dict.fromkeys((*question.terms, *also))),
                question.cjk,
                part,
                limit=limit,
                weights=words.columns,
                common=words.common,
                asides=question.asides if words.aside != 1 else frozenset(),
                aside=words.aside,
                within=within,
                forms=words.forms,
                among=eligible(conn, part) if part.slot not in (None, PROJECT) else None,
            )
            found.rankings[f"fulltext {name}".rstrip()] = {key: score for key, score in ranking.items() if score > 0}
        found.states["fulltext"] = "ran"
    except IndexDamaged as error:
        found.states["fulltext"] = str(error)


def find_terms(conn: Connection, question: Question, strategy: Strategy, found: Found) -> None:
    """Where each word of the question stands; nowhere if the index is damaged, which full-text search has said."""
    if not question.has_word:
        return
    from memkit.retrieval.channels import fulltext

    words = strategy.fulltext or Fulltext()
    with suppress(IndexDamaged):
        found.terms = fulltext.term_postings(
            conn, question.terms, question.cjk, weights=words.columns, common=words.common, within=found.within
        )


# ---------------------------------------------------------------------------------------------- meaning


def look_ahead(conn: Connection, question: Question, strategy: Strategy, scope: Scope, k: int) -> Ahead | None:
    """Begins the search by meaning while words are looked up; None if it may not run, or where that saves nothing."""
    meaning = strategy.vector
    if meaning is None or meaning.limit == 0 or FUSERS[strategy.fuse.method].in_turn:
        return None
    if question.vector is None or question.model_key is None:
        return None
    from memkit.retrieval.channels import vector

    return vector.look_ahead(conn, question.model_key, question.vector, scope, limit=max(meaning.limit, k))


def find_meaning(
    conn: Connection,
    question: Question,
    strategy: Strategy,
    scope: Scope,
    embedder: Embedder | None,
    k: int,
    found: Found,
    ahead: Ahead | None = None,
) -> None:
    """Vector search: adds a ranking, if the strategy uses it and full-text search left room for it.

    A procedure is as near as its text or its trigger, whichever is nearer.
    """
    meaning = strategy.vector
    if meaning is None or meaning.limit == 0:
        return
    if FUSERS[strategy.fuse.method].in_turn and len(found.rankings.get("fulltext", ())) >= k:
        found.states["vector"] = "full-text search found enough"
        return
    if question.vector is None or question.model_key is None:
        found.states["vector"] = question.no_vector
        return
    from memkit.retrieval.channels import procedures, vector

    scores = vector.search(conn, question.model_key, question.vector, scope, limit=max(meaning.limit, k), ahead=ahead)
    for key, cosine in procedures.search(conn, question.vector, embedder, scope).items():
        scores[key] = max(cosine, scores.get(key, cosine))
    if meaning.complete:
        others = sorted(set(found.rankings.get("fulltext", ())) - set(scores))
        scores |= vector.cosines(conn, question.model_key, question.vector, others)
    found.rankings["vector"] = best_first(item for item in scores.items() if item[1] >= meaning.threshold)
    found.states["vector"] = "ran"


def find_sentences(
    conn: Connection, question: Question, strategy: Strategy, embedder: Embedder | None, k: int, found: Found
) -> None:
    """Sentence search: adds a ranking of the best memories so far by their nearest sentence."""
    settings = strategy.sentence
    if settings is None:
        return
    if question.vector is None or question.model_key is None or embedder is None:
        found.states["sentence"] = question.no_vector
        return
    if not getattr(embedder, "instant", False):
        found.states["sentence"] = f"the model {embedder.id!r} is too slow to embed sentences during a recall"
        return
    from memkit.retrieval.channels import sentence

    best = list(fusion.ranked(fused(strategy, found, k), settings.limit))
    try:
        found.rankings["sentence"] = sentence.search(conn, embedder, question.model_key, question.vector, best)
        found.states["sentence"] = "ran"
    except EmbedderFailed as error:
        found.states["sentence"] = f"the model {error.reason}"


# ---------------------------------------------------------------------------------------------- connection


def find_connections(
    conn: Connection, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found
) -> None:
    """Graph search: a walk over the whole graph, or a walk over relations as the published designs do it."""
    if strategy.graph is None:
        return
    if strategy.graph.walk == PAGERANK:
        _walk(conn, question, strategy, scope, k, found)
    else:
        _walk_relations(conn, question, strategy, scope, k, found)


def _walk(conn: Connection, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> None:
    settings = strategy.graph
    assert settings is not None
    entries = entry_nodes(conn, question, fused(strategy, found, k), settings)
    if not entries.found and not entries.entities:
        found.states["graph"] = NO_ENTRY
        return
    from memkit.retrieval.channels import graph

    walked = graph.search(
        conn,
        entries.found,
        entries.titled,
        entries.entities,
        seen=view_of_scope(conn, scope),
        damping=settings.damping,
        specificity=settings.specificity,
        least_strength=settings.least_strength,
        edges=vars(settings.edges),
        limit=max(settings.limit, k),
    )
    allowed = eligible_among(conn, list(walked.ranking), scope)
    found.rankings["graph"] = {key: score for key, score in walked.ranking.items() if key in allowed}
    found.states["graph"], found.path, found.paths = "ran", walked.path, walked.paths


def _walk_relations(
    conn: Connection, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found
) -> None:
    assert strategy.graph is not None
    connected = RELATION_WALKS[strategy.graph.walk](
        view_of_scope(conn, scope), question, strategy, scope, found.rankings, k
    )
    nothing = not connected.entities and not connected.facts
    found.states["graph"] = NO_ENTRY if nothing else "ran"
    found.connected, found.path = connected, connected.path
    ranking = connected.ranking
    if strategy.graph.append:
        others = {key for other in found.rankings.values() for key in other}
        ranking = dict([item for item in ranking.items() if item[0] not in others][: strategy.graph.append])
    if ranking:
        found.rankings["graph"] = ranking


# ---------------------------------------------------------------------------------------------- bridges


def add_bridges(
    conn: Connection,
    question: Question,
    strategy: Strategy,
    scope: Scope,
    contributions: fusion.Contributions,
    found: Found,
) -> None:
    """Bridge search: adds a ranking, and to the contributions what the best memories lead to over a name in both."""
    settings = strategy.bridge
    if settings is None:
        return
    best = list(fusion.ranked(contributions, settings.sources).items())
    top = best[0][1] if best else 0.0
    if top <= 0 or not found.terms:
        found.states["bridge"] = NO_BRIDGE
        return
    from memkit.retrieval.channels import bridge

    seen = view_of_scope(conn, scope)
    bridges = bridge.search(
        seen,
        {key: score / top for key, score in best if score > 0},
        found.terms,
        question.text,
        (named.entity.key for named in question.named),
        most=settings.most,
        base=settings.base,
    )
    allowed = eligible_among(conn, list(bridges.ranking), scope)
    found.rankings["bridge"] = {key: score for key, score in bridges.ranking.items() if key in allowed}
    found.states["bridge"], found.bridge_path = "ran", partial(bridges.path, seen)
    for key, score in found.rankings["bridge"].items():
        contributions.setdefault(key, {})["bridge"] = settings.weight * top * score


# ---------------------------------------------------------------------------------------------- time


def find_time(conn: Connection, question: Question, strategy: Strategy, scope: Scope, k: int, found: Found) -> Strategy:
    """Time search: adds a ranking of what happened in the time that the question speaks of.

    Returns the strategy, with the greater weight of time where the question asks for nothing else.
    """
    settings = strategy.time
    if settings is None or question.interval is None:  # most questions speak of none: that needs no saying
        return strategy
    from memkit.retrieval.channels import time

    found.only_time = time.alone(question, scope.now)
    most = None if found.only_time else time.MANY
    found.rankings["time"] = time.search(conn, question.interval, scope, limit=max(settings.limit, k), most=most)
    found.states["time"] = "ran"
    return strategy.replace(time={"weight": settings.alone}) if found.only_time else strategy


# ---------------------------------------------------------------------------------------------- the newest


def find_recent(conn: Connection, strategy: Strategy, scope: Scope, found: Found) -> None:
    """The newest memories: adds a ranking, or, with a weight of 0, keeps them beside the hits (C03, C06)."""
    if strategy.recent is None:
        return
    from memkit.retrieval.channels import recent

    newest = recent.search(conn, scope, limit=strategy.recent.limit)
    found.states["recent"] = "ran"
    if strategy.recent.weight:
        found.rankings["recent"] = {key: 1.0 / place for place, key in enumerate(newest, 1)}
    else:
        found.recent = tuple(newest)
