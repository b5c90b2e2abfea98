"""Retrievers: what each channel of a strategy finds for a question, and why a channel did not run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

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
from memkit.retrieval.strategies import PAGERANK, Fulltext, Graph, Strategy
from memkit.storage.connection import Connection
from memkit.storage.filters import PROJECT, Scope, eligible, eligible_among

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder
    from memkit.retrieval.channels.facts import Connected
    from memkit.retrieval.channels.fulltext import TermPostings
    from memkit.retrieval.channels.vector import Ahead


class Search(NamedTuple):
    """A search of all channels: a question, how it is to be answered, in which scope, and for how many memories."""

    conn: Connection
    question: Question
    strategy: Strategy
    scope: Scope
    k: int = 10
    embedder: Embedder | None = None


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


def fused(search: Search, found: Found) -> fusion.Contributions:
    """What each ranking so far contributes to each key, by the strategy's fuser. The next call may add to it."""
    fuser = FUSERS[search.strategy.fuse.method]
    settings = fuser.settings(search.strategy, search.k)
    new = found.rankings
    if fuser.adds:
        new = {name: ranking for name, ranking in new.items() if name not in found.added}
        settings = {**settings, "to": found.contributions}
        found.added.update(new)
    weights = {name: getattr(search.strategy, channel_of(name)).weight for name in new}
    return fuser.fuse(new, weights, **settings)


# ---------------------------------------------------------------------------------------------- words


def find_words(search: Search, found: Found) -> None:
    """Full-text search: adds one ranking, or one for each list of the strategy."""
    conn, question, words = search.conn, search.question, search.strategy.fulltext
    if words is None:
        return
    if not question.has_word:
        found.states["fulltext"] = "the question has no word"
        return
    from memkit.retrieval.channels import fulltext
    from memkit.retrieval.channels.kinds import has_any

    found.within = within = fulltext.own(conn, search.scope) if words.own_statistics else None
    try:
        found.searched = fulltext.searched(conn, within)
        for name, part, limit, also in LISTS[words.lists](
            search.scope, question, max(words.limit, search.k), words.limit
        ):
            if part.kinds is not None and not has_any(conn, part.kinds):
                continue
            ranking = fulltext.search(
                conn,
                tuple(dict.fromkeys((*question.terms, *also))),
                question.cjk,
                part,
                words,
                limit=limit,
                asides=question.asides,
                within=within,
                among=eligible(conn, part) if part.slot not in (None, PROJECT) else None,
            )
            found.rankings[f"fulltext {name}".rstrip()] = {key: score for key, score in ranking.items() if score > 0}
        found.states["fulltext"] = "ran"
    except IndexDamaged as error:
        found.states["fulltext"] = str(error)


def find_terms(search: Search, found: Found) -> None:
    """Where each word of the question stands; nowhere if the index is damaged, which full-text search has said."""
    if not search.question.has_word:
        return
    from memkit.retrieval.channels import fulltext

    terms, cjk, words = search.question.terms, search.question.cjk, search.strategy.fulltext or Fulltext()
    with suppress(IndexDamaged):
        found.terms = fulltext.term_postings(search.conn, terms, cjk, words, within=found.within)


# ---------------------------------------------------------------------------------------------- meaning


def look_ahead(search: Search) -> Ahead | None:
    """Begins the search by meaning while words are looked up; None if it may not run, or where that saves nothing."""
    meaning, question = search.strategy.vector, search.question
    if meaning is None or meaning.limit == 0 or FUSERS[search.strategy.fuse.method].in_turn:
        return None
    if question.vector is None or question.model_key is None:
        return None
    from memkit.retrieval.channels import vector

    limit = max(meaning.limit, search.k)
    return vector.look_ahead(search.conn, question.model_key, question.vector, search.scope, limit=limit)


def find_meaning(search: Search, found: Found, ahead: Ahead | None = None) -> None:
    """Vector search: adds a ranking, if the strategy uses it and full-text search left room for it.

    A procedure is as near as its text or its trigger, whichever is nearer.
    """
    conn, question, scope, meaning = search.conn, search.question, search.scope, search.strategy.vector
    if meaning is None or meaning.limit == 0:
        return
    if FUSERS[search.strategy.fuse.method].in_turn and len(found.rankings.get("fulltext", ())) >= search.k:
        found.states["vector"] = "full-text search found enough"
        return
    if question.vector is None or question.model_key is None:
        found.states["vector"] = question.no_vector
        return
    from memkit.retrieval.channels import procedures, vector

    limit = max(meaning.limit, search.k)
    scores = vector.search(conn, question.model_key, question.vector, scope, limit=limit, ahead=ahead)
    for key, cosine in procedures.search(conn, question.vector, search.embedder, scope).items():
        scores[key] = max(cosine, scores.get(key, cosine))
    if meaning.complete:
        others = sorted(set(found.rankings.get("fulltext", ())) - set(scores))
        scores |= vector.cosines(conn, question.model_key, question.vector, others)
    found.rankings["vector"] = best_first(item for item in scores.items() if item[1] >= meaning.threshold)
    found.states["vector"] = "ran"


def find_sentences(search: Search, found: Found) -> None:
    """Sentence search: adds a ranking of the best memories so far by their nearest sentence."""
    settings, question, embedder = search.strategy.sentence, search.question, search.embedder
    if settings is None:
        return
    if question.vector is None or question.model_key is None or embedder is None:
        found.states["sentence"] = question.no_vector
        return
    if not getattr(embedder, "instant", False):
        found.states["sentence"] = f"the model {embedder.id!r} is too slow to embed sentences during a recall"
        return
    from memkit.retrieval.channels import sentence

    best = list(fusion.ranked(fused(search, found), settings.limit))
    try:
        found.rankings["sentence"] = sentence.search(search.conn, embedder, question.model_key, question.vector, best)
        found.states["sentence"] = "ran"
    except EmbedderFailed as error:
        found.states["sentence"] = f"the model {error.reason}"


# ---------------------------------------------------------------------------------------------- connection


def find_connections(search: Search, found: Found) -> None:
    """Graph search: a walk over the whole graph, or a walk over relations as the published designs do it."""
    if search.strategy.graph is not None:
        walk = _walk if search.strategy.graph.walk == PAGERANK else _walk_relations
        walk(search, search.strategy.graph, found)


def _walk(search: Search, settings: Graph, found: Found) -> None:
    entries = entry_nodes(search.conn, search.question, fused(search, found), settings)
    if not entries.found and not entries.entities:
        found.states["graph"] = NO_ENTRY
        return
    from memkit.retrieval.channels import graph

    seen = view_of_scope(search.conn, search.scope)
    walked = graph.search(search.conn, entries, settings, seen=seen, limit=max(settings.limit, search.k))
    allowed = eligible_among(search.conn, list(walked.ranking), search.scope)
    found.rankings["graph"] = {key: score for key, score in walked.ranking.items() if key in allowed}
    found.states["graph"], found.path, found.paths = "ran", walked.path, walked.paths


def _walk_relations(search: Search, settings: Graph, found: Found) -> None:
    conn, question, strategy, scope, k, _ = search
    seen = view_of_scope(conn, scope)
    connected = RELATION_WALKS[settings.walk](seen, question, strategy, scope, found.rankings, k)
    nothing = not connected.entities and not connected.facts
    found.states["graph"] = NO_ENTRY if nothing else "ran"
    found.connected, found.path = connected, connected.path
    ranking = connected.ranking
    if settings.append:
        others = {key for other in found.rankings.values() for key in other}
        ranking = dict([item for item in ranking.items() if item[0] not in others][: settings.append])
    if ranking:
        found.rankings["graph"] = ranking


# ---------------------------------------------------------------------------------------------- bridges


def add_bridges(search: Search, contributions: fusion.Contributions, found: Found) -> None:
    """Bridge search: adds a ranking, and to the contributions what the best memories lead to over a name in both."""
    settings = search.strategy.bridge
    if settings is None:
        return
    best = list(fusion.ranked(contributions, settings.sources).items())
    top = best[0][1] if best else 0.0
    if top <= 0 or not found.terms:
        found.states["bridge"] = NO_BRIDGE
        return
    from memkit.retrieval.channels import bridge

    seen = view_of_scope(search.conn, search.scope)
    sources = {key: score / top for key, score in best if score > 0}
    bridges = bridge.search(seen, sources, found.terms, search.question, settings)
    allowed = eligible_among(search.conn, list(bridges.ranking), search.scope)
    found.rankings["bridge"] = {key: score for key, score in bridges.ranking.items() if key in allowed}
    found.states["bridge"], found.bridge_path = "ran", partial(bridges.path, seen)
    for key, score in found.rankings["bridge"].items():
        contributions.setdefault(key, {})["bridge"] = settings.weight * top * score


# ---------------------------------------------------------------------------------------------- time


def find_time(search: Search, found: Found) -> Search:
    """Time search: adds a ranking of what happened in the time that the question speaks of.

    Returns the search, with the greater weight of time where the question asks for nothing else.
    """
    settings, question = search.strategy.time, search.question
    if settings is None or question.interval is None:  # most questions speak of none: that needs no saying
        return search
    from memkit.retrieval.channels import time

    found.only_time = time.alone(question, search.scope.now)
    most = None if found.only_time else time.MANY
    limit = max(settings.limit, search.k)
    found.rankings["time"] = time.search(search.conn, question.interval, search.scope, limit=limit, most=most)
    found.states["time"] = "ran"
    if not found.only_time:
        return search
    return search._replace(strategy=search.strategy.replace(time={"weight": settings.alone}))


# ---------------------------------------------------------------------------------------------- the newest


def find_recent(search: Search, found: Found) -> None:
    """The newest memories: adds a ranking, or, with a weight of 0, keeps them beside the hits (C03, C06)."""
    settings = search.strategy.recent
    if settings is None:
        return
    from memkit.retrieval.channels import recent

    newest = recent.search(search.conn, search.scope, limit=settings.limit)
    found.states["recent"] = "ran"
    if settings.weight:
        found.rankings["recent"] = {key: 1.0 / place for place, key in enumerate(newest, 1)}
    else:
        found.recent = tuple(newest)
