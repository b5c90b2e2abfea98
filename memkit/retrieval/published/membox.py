"""membox: triples around the named entities and raw text take turns; the page shows evidence and a footer with counts.

M03 to M14 and M18 in docs/behaviours.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memkit.core.classes import dataclass
from memkit.core.errors import IndexDamaged
from memkit.core.types import Memory
from memkit.graph import facts
from memkit.graph.facts import around, scored
from memkit.graph.project_view import whole
from memkit.graph.walk_results import Fact
from memkit.retrieval.channels.facts import RELATION, Connected, Rankings, entities_at, paths
from memkit.retrieval.context.layout import Layout
from memkit.retrieval.designs import Design, register
from memkit.retrieval.fusion import Contributions, Fuser, Ranking, minmax_normalised
from memkit.retrieval.packing import fit
from memkit.retrieval.question import Question
from memkit.retrieval.results import Recall
from memkit.retrieval.strategies import OWN_TEXT, PLAIN, Fulltext, Fuse, Graph, Pack, Strategy, Vector
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope

if TYPE_CHECKING:
    from memkit.retrieval.context.data import View
    from memkit.retrieval.context.values import Item, Plan, Room

T = TypeVar("T")
C = TypeVar("C")

# membox's index knows a word only as it is written, memkit's by its stem: another form counts half (M08).
OTHER_FORMS = 0.5

MEMBOX = Strategy(
    name="membox",
    fulltext=Fulltext(weight=1.0, query="content", columns=OWN_TEXT, limit=10, forms=OTHER_FORMS),
    vector=Vector(limit=0),
    graph=Graph(weight=1.0, walk="membox", depth=3, fan_out=100),
    fuse=Fuse(method="membox", alpha=0.6, decay=0.7),
    rank=PLAIN,
    pack=Pack(layout="membox"),
)
CHUNK_SHARE = 0.4  # kept for raw text: of the places among hits, and of the budget (M13)
SNIPPETS = 3  # triples whose evidence is shown (M12)

# ---------------------------------------------------------------------------------------------- the walk


def walk(
    conn: Connection, question: Question, strategy: Strategy, scope: Scope, rankings: Rankings, k: int
) -> Connected:
    """Relations around the named entities, best first, and the memories that state them, in that order (M03 to M08).

    memkit stores no vector for a triple: the cosine of its most similar evidence is used. Without vectors, only words
    decide (M05).
    """
    assert strategy.graph is not None
    settings = strategy.graph
    found = around(
        conn, [one.entity.key for one in question.named], scope, depth=settings.depth, fan_out=settings.fan_out
    )
    said = facts.facts(conn, found.relations, scope)
    scores = _scores(conn, question, strategy, scope, said)
    newest = {key: said[key].valid_from or "" for key in said}
    order = sorted(said, key=lambda key: newest[key], reverse=True)
    order.sort(key=lambda key: (-scores[key], said[key].depth))
    ranking: dict[int, float] = {}
    last: dict[int, tuple[str, int]] = {}
    for key in order:
        for one in said[key].evidence:
            ranking.setdefault(one.memory_key, scores[key])
            last.setdefault(one.memory_key, (RELATION, key))
    names = entities_at(conn, found.depths)
    listed = {key: scored(said[key], scores[key]) for key in order}
    return Connected(ranking, listed, names, path=paths(found, said, names, last))


def _scores(
    conn: Connection, question: Question, strategy: Strategy, scope: Scope, said: Mapping[int, Fact]
) -> dict[int, float]:
    """The score of each triple: its distance, and the words and the meaning of its evidence."""
    keys = sorted({one.memory_key for fact in said.values() for one in fact.evidence})
    words = bm25(conn, question, keys, scope, strategy.fulltext or Fulltext())
    raw = {
        key: max((words.get(one.memory_key, 0.0) for one in fact.evidence), default=0.0) for key, fact in said.items()
    }
    by_words = over_candidates(raw, list(said))
    similar = cosines(conn, question, keys)
    alpha = strategy.fuse.alpha if similar else 0.0
    scores = {}
    for key, fact in said.items():
        near = [similar[one.memory_key] for one in fact.evidence if one.memory_key in similar]
        sim = (1 + max(near)) / 2 if near else 0.0
        scores[key] = score(fact.depth, sim, by_words[key], alpha, strategy.fuse.decay)
    return scores


def score(hops: int, sim: float, bm25: float, alpha: float = 0.6, decay: float = 0.7) -> float:
    """The score of a triple: decay**hops x (alpha x sim + (1 - alpha) x bm25), sim and bm25 between 0 and 1 (M03)."""
    return decay**hops * (alpha * sim + (1 - alpha) * bm25)


def bm25(conn: Connection, question: Question, keys: Sequence[int], scope: Scope, words: Fulltext) -> dict[int, float]:
    """Memory key to BM25 for the question's words; memories without a match are missing (M07).

    A question with words and character pairs is searched in both indexes (M08, M15).
    """
    if not keys or not question.has_word:
        return {}
    from memkit.retrieval.channels import fulltext

    with suppress(IndexDamaged):  # the channel of words says so
        return fulltext.search(whole(conn), question.terms, question.cjk, scope, words, limit=len(keys), among=keys)
    return {}


def over_candidates(scores: Mapping[int, float], candidates: Sequence[int]) -> dict[int, float]:
    """BM25 scores moved to [0, 1] over all candidates; a candidate without a match counts as 0 (M06, M07).

    So the only match among many gets 1, and if all candidates match equally, all get 1.
    """
    found = {key: max(scores.get(key, 0.0), 0.0) for key in candidates}
    return minmax_normalised(found) if any(found.values()) else found


def cosines(conn: Connection, question: Question, keys: Sequence[int]) -> dict[int, float]:
    """Memory key to its cosine with the question; memories without a vector are missing, all without an embedder."""
    if question.vector is None or question.model_key is None or not keys:
        return {}
    from memkit.retrieval.channels import vector

    return vector.cosines(conn, question.model_key, question.vector, list(keys))


# ---------------------------------------------------------------------------------------------- fusion


def interleaved(rankings: Mapping[str, Ranking], weights: Mapping[str, float], first: str = "graph") -> Contributions:
    """The ranking `first` and all others by turns, because their scores have no common scale.

    The others get CHUNK_SHARE of the places, beginning with the first one. Only the position counts: a memory at place
    n gets 1 / n. Where one ranking ends, the other goes on.
    """
    ahead = list(rankings.get(first, ()))
    behind = [(name, key) for name, ranking in rankings.items() if name != first for key in ranking]
    fused: Contributions = {}
    taken = 0
    while ahead or behind:
        from_behind = bool(behind) and (not ahead or taken < CHUNK_SHARE * (len(fused) + 1))
        name, key = behind.pop(0) if from_behind else (first, ahead.pop(0))
        if key not in fused:
            taken += from_behind
            fused[key] = {name: 1.0 / (len(fused) + 1)}
    return fused


# ---------------------------------------------------------------------------------------------- the budget


@dataclass(frozen=True, slots=True)
class TwoPools(Generic[T, C]):
    """Triples and chunks that share a budget: those shown, and the chunk that is a triple's evidence."""

    triples: tuple[T, ...]
    evidence: tuple[tuple[T, C], ...]
    chunks: tuple[C, ...]


def two_pools(
    triples: Sequence[T],
    chunks: Sequence[C],
    budget: int,
    triple_cost: Callable[[T], int],
    chunk_cost: Callable[[C], int],
    evidence: Callable[[T], C | None] = lambda triple: None,
    compress: Callable[[C, int], C | None] | None = None,
) -> TwoPools[T, C]:
    """Two rankings in one budget (M11 to M13).

    Pass 1 admits triples, then the evidence of the best SNIPPETS of them. It may not use CHUNK_SHARE of the budget, or
    less if the chunks need less. Pass 2 admits chunks that are not shown as evidence yet, from that share and what pass
    1 left. Pass 3 admits more triples, without evidence. Triples stay in rank order.
    """

    def cost(ranked: tuple[int, T]) -> int:
        return triple_cost(ranked[1])

    budget = max(0, budget)
    reserved = min(int(CHUNK_SHARE * budget), sum(map(chunk_cost, chunks)))
    first = fit(enumerate(triples), budget - reserved, cost)
    proofs: list[tuple[T, C]] = []
    used = first.used
    for _, triple in first.items[:SNIPPETS]:
        chunk = evidence(triple)
        shown = [proof for _, proof in proofs]
        if chunk is not None and chunk not in shown:
            kept = fit([chunk], budget - reserved - used, chunk_cost, compress)
            proofs += [(triple, proof) for proof in kept.items]
            used += kept.used
    shown = [proof for _, proof in proofs]
    second = fit([chunk for chunk in chunks if chunk not in shown], budget - used, chunk_cost, compress)
    third = fit(first.left_out, budget - used - second.used, cost)
    lines = sorted(first.items + third.items, key=lambda pair: pair[0])
    return TwoPools(tuple(triple for _, triple in lines), tuple(proofs), second.items)


def footer(triples: tuple[int, int], tokens: tuple[int, int], chunks: tuple[int, int] | None = None) -> str:
    """The last line, which says what was really returned (M14), from (shown, found) and (used, budget).

    Without chunks it has the published form, with chunks that of membox's own code. Its 20 or so tokens do not count.
    """
    shown = f"returned {triples[0]}/{triples[1]} triples"
    used = f"~{tokens[0]}/{tokens[1]} tokens"
    if chunks is None:
        return f"({shown}, {used})"
    return f"({shown}, {chunks[0]}/{chunks[1]} FTS chunks, {used}; raise --budget for more)"


# ---------------------------------------------------------------------------------------------- the page

EXCERPT = 170  # tokens, in whole sentences; published are 340 characters around a match, twice


def plan(conn: Connection, found: Recall, view: View, scope: Scope) -> Plan:
    """Triples best first, excerpts as evidence of the best ones, and excerpts that words found (M10 to M14)."""
    from memkit.retrieval.context.data import VAGUE
    from memkit.retrieval.context.values import Plan

    stated = [fact for fact in found.facts if fact.predicate not in VAGUE]
    triples = [view.fact("triples", fact) for fact in stated]
    proofs = _proofs(conn, stated, view)
    chunks, said = view.unsaid(_excerpt(view, "chunks", hit.memory, hit) for hit in found if "fulltext" in hit.why)
    evidence = list({item.key: item for item in proofs.values()}.values())

    def choose(items: Sequence[Item], room: Room) -> list[Item]:
        packed = two_pools(
            triples,
            chunks,
            room.budget,
            room.cost,
            room.cost,
            lambda triple: proofs.get(triple.key),
            room.shorten,
        )
        best = packed.triples[:SNIPPETS]
        return [*best, *(proof for _, proof in packed.evidence), *packed.chunks, *packed.triples[SNIPPETS:]]

    def counted(used: int, shown: Mapping[str, int]) -> str:
        return footer(
            (shown["triples"], len(triples)), (used, view.budget), (shown["chunks"], len(chunks)) if chunks else None
        )

    return Plan(
        {"triples": triples, "evidence": evidence, "chunks": chunks},
        choose=choose,
        footer=counted,
        left_out=said,
        beside=("evidence",),
    )


def _proofs(conn: Connection, facts: Sequence[Fact], view: View) -> dict[tuple[str, int], Item]:
    """The excerpt that states each triple, by the key of the triple's item."""
    keys = {fact.key: fact.evidence[0].memory_key for fact in facts if fact.evidence}
    memories = store.memories(conn, sorted(set(keys.values())))
    return {("fact", fact): _excerpt(view, "evidence", memories[key]) for fact, key in keys.items() if key in memories}


def _excerpt(view: View, section: str, memory: Memory, hit: Any = None) -> Item:
    """The part of a memory that is about the message, and its place: [project file ## section date]."""
    from memkit.text.compress import compress
    from memkit.text.statements import named_speakers

    short = compress(memory.text, view.message, EXCERPT, named_speakers(memory.speaker)) or memory.text
    item = view.memory(section, memory, hit)
    file, heading = item.values["file"] or memory.title, memory.meta.get("heading")
    place = " ".join(filter(None, (memory.project, file, f"## {heading}" if heading else "", item.values["date"])))
    return item.shorter(short, {**view.text(short), "place": " ".join(place.split())})


# ---------------------------------------------------------------------------------------------- the design

register(
    Design(
        MEMBOX,
        walk=walk,
        fuser=Fuser(interleaved),
        layouts={"membox": Layout(plan), "membox_grouped": Layout(plan)},
        policy={"steps": ("promote", "crystals", "purge")},
    )
)
