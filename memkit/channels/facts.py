"""Connection, as the published designs find it: over relations from the entities that a question means.

construct   memories that name anything within two relations of the nodes found (C29 to C31)
kira        entities, facts and relations within two relations of the named entities, each with a bonus (K14 to K19)
membox      relations around the named entities, by hops, meaning and words of their evidence (M03 to M08)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memkit import fuse
from memkit.channels import evidence
from memkit.graph import entities, facts
from memkit.graph.facts import ALL, Around, Relation, around, scored
from memkit.results import Fact, FoundEntity, Step
from memkit.scope import Scope, eligible_among
from memkit.strategies import Fulltext, Strategy
from memkit.understand import Question

MOST_MENTIONS = 50  # what more memories name than that says little about any of them
EVIDENCE_SHARE = 0.5  # of a relation's score goes to its evidence: what only the graph found comes after words' best
MOST_LISTED = 200  # facts and entities that a recall carries

ENTITY, RELATION = "entity", "relation"


@dataclass
class Connected:
    """What was found in the graph: a ranking (of memories, for Kira also of things), facts, entities, and how.

    `behind` maps each thing to the memories that stand behind it, with their shares.
    """

    ranking: dict[Any, float] = field(default_factory=dict)
    facts: dict[int, Fact] = field(default_factory=dict)
    entities: dict[int, FoundEntity] = field(default_factory=dict)
    behind: dict[Any, dict[int, float]] = field(default_factory=dict)
    path: Callable[[int], tuple[Step, ...]] = lambda key: ()


def best_first(scores: Mapping[Any, float] | Iterable[tuple[Any, float]]) -> dict[Any, float]:
    """A ranking: highest score first, ties by key."""
    pairs = scores.items() if isinstance(scores, Mapping) else scores
    return dict(sorted(pairs, key=lambda item: (-item[1], str(type(item[0])), item[0])))


def _entities(conn: Any, depths: Mapping[int, int]) -> dict[int, FoundEntity]:
    known = entities.by_keys(conn, depths)
    return {
        key: FoundEntity(one.key, one.id, one.name, one.kind, one.description, depths[key])
        for key in depths
        if (one := known.get(key))
    }


def _paths(
    found: Around, said: Mapping[int, Fact], names: Mapping[int, FoundEntity], last: Mapping[int, tuple[str, int]]
) -> Callable[[int], tuple[Step, ...]]:
    """How each memory was reached: `last` gives what led to it, a relation that it says or an entity that it names."""
    called = {key: entity.name for key, entity in names.items()}

    def path(memory: int) -> tuple[Step, ...]:
        if memory not in last:
            return ()
        kind, key = last[memory]
        if kind == ENTITY:
            end = Step(called.get(key, ""), "named in", "this memory")
            return (*facts.steps(found, said, called, key), end)
        relation, fact = found.relations[key], said[key]
        near, far = relation.subject_key, relation.object_key
        if found.depths.get(far, ALL) < found.depths.get(near, ALL):
            near, far = far, near
        quote = next((one for one in fact.evidence if one.memory_key == memory), None)
        words = (quote.quote, quote.memory_id) if quote else ()
        end = Step(called.get(near, fact.subject), relation.predicate, called.get(far, fact.object), *words)
        return (*facts.steps(found, said, called, near), end)

    return path


# ---------------------------------------------------------------------------------------------- Construct


def construct(conn: Any, question: Question, strategy: Strategy, scope: Scope) -> Connected:
    """Memories that name what lies within two relations of the nodes that the question means, the closest first.

    The published query takes any five of them; here those come first that name what is nearest and rarest (C31).
    """
    from memkit.graph.nodes import search_nodes

    assert strategy.graph is not None
    named = [one.entity.key for one in question.named]
    nodes = search_nodes(
        conn, question.text, named, limit=strategy.graph.seeds, vector=question.vector, model_key=question.model_key
    )
    found = around(conn, nodes, scope, depth=strategy.graph.depth)
    said = facts.facts(conn, found.relations, scope)
    naming = facts.mentions(conn, found.depths, MOST_MENTIONS)
    for key, fact in said.items():
        for end in (found.relations[key].subject_key, found.relations[key].object_key):
            if end in found.depths:
                naming.setdefault(end, {}).update({one.memory_key: "relation" for one in fact.evidence})
    scores: dict[int, float] = {}
    last: dict[int, tuple[str, int]] = {}
    for entity, depth in found.depths.items():  # nearest first
        for memory in sorted(naming.get(entity, ())):
            scores[memory] = scores.get(memory, 0.0) + 1 / ((1 + depth) * len(naming[entity]))
            last.setdefault(memory, (ENTITY, entity))
    allowed = eligible_among(conn, list(scores), scope)
    names = _entities(conn, found.depths)
    return Connected(
        best_first({key: score for key, score in scores.items() if key in allowed}),
        said,
        names,
        path=_paths(found, said, names, last),
    )


# ---------------------------------------------------------------------------------------------- Kira


def kira(conn: Any, question: Question, strategy: Strategy, scope: Scope) -> Connected:
    """Bonuses of what lies around the named entities: of entities, of relations, and of memories that are facts."""
    assert strategy.graph is not None
    settings = strategy.graph
    seeds = [one.entity.key for one in question.named]
    found = around(conn, seeds, scope, depth=settings.depth, fan_out=settings.fan_out, least=settings.least_confidence)
    out = things(conn, found, scope)
    bonuses: dict[Any, float] = {(ENTITY, key): fuse.kira_bonus(found.depths[key]) for key in out.entities}
    bonuses |= {(RELATION, key): fuse.kira_bonus(fact.depth, fact.confidence) for key, fact in out.facts.items()}
    for entity, stated in facts.stated(conn, found.depths, scope, settings.fan_out).items():  # nearest first
        for memory, confidence in stated.items():
            bonus = fuse.kira_bonus(found.depths[entity], confidence)
            bonuses[memory] = max(bonuses.get(memory, 0.0), bonus)
    out.ranking = best_first(bonuses)
    return out


def things(conn: Any, found: Around, scope: Scope) -> Connected:
    """The entities and facts of a walk, each with the memories behind it, and paths to those.

    Behind a relation is each piece of its evidence, with half of its score; behind an entity the memories that have it
    as their title, or else each that names it, with equal shares.
    """
    said = facts.facts(conn, found.relations, scope)
    names = _entities(conn, found.depths)
    naming = facts.mentions(conn, names, MOST_MENTIONS)
    allowed = eligible_among(conn, sorted({memory for roles in naming.values() for memory in roles}), scope)
    behind: dict[Any, dict[int, float]] = {}
    last: dict[int, tuple[str, int]] = {}
    for key, fact in said.items():
        behind[RELATION, key] = dict.fromkeys((one.memory_key for one in fact.evidence), EVIDENCE_SHARE)
        for one in fact.evidence:
            last.setdefault(one.memory_key, (RELATION, key))
    for key, roles in naming.items():
        titled = [memory for memory, role in roles.items() if role == "title"]
        own = [memory for memory in titled or roles if memory in allowed]
        behind[ENTITY, key] = {memory: 1.0 / len(own) for memory in own}
        for memory in own:
            last.setdefault(memory, (ENTITY, key))
    return Connected(facts=said, entities=names, behind=behind, path=_paths(found, said, names, last))


# ---------------------------------------------------------------------------------------------- membox


def membox(conn: Any, question: Question, strategy: Strategy, scope: Scope) -> Connected:
    """Relations around the named entities, best first, and the memories that say them in that order.

    memkit stores no vector of a triple: the most similar of its evidence stands for it. Without vectors words alone
    decide (M05).
    """
    assert strategy.graph is not None
    settings = strategy.graph
    found = around(
        conn, [one.entity.key for one in question.named], scope, depth=settings.depth, fan_out=settings.fan_out
    )
    said = facts.facts(conn, found.relations, scope)
    keys = sorted({one.memory_key for fact in said.values() for one in fact.evidence})
    words = evidence.bm25(conn, question, keys, scope, strategy.fulltext or Fulltext())
    raw = {
        key: max((words.get(one.memory_key, 0.0) for one in fact.evidence), default=0.0) for key, fact in said.items()
    }
    bm25 = fuse.membox_bm25(raw, list(said))
    cosines = evidence.cosines(conn, question, keys)
    alpha = strategy.fuse.alpha if cosines else 0.0
    scores = {}
    for key, fact in said.items():
        near = [cosines[one.memory_key] for one in fact.evidence if one.memory_key in cosines]
        sim = (1 + max(near)) / 2 if near else 0.0
        scores[key] = fuse.membox_score(fact.depth, sim, bm25[key], alpha, strategy.fuse.decay)
    newest = {key: said[key].valid_from or "" for key in said}
    order = sorted(said, key=lambda key: newest[key], reverse=True)
    order.sort(key=lambda key: (-scores[key], said[key].depth))
    ranking: dict[int, float] = {}
    last: dict[int, tuple[str, int]] = {}
    for key in order:
        for one in said[key].evidence:
            ranking.setdefault(one.memory_key, scores[key])
            last.setdefault(one.memory_key, (RELATION, key))
    names = _entities(conn, found.depths)
    listed = {key: scored(said[key], scores[key]) for key in order}
    return Connected(ranking, listed, names, path=_paths(found, said, names, last))


WAYS: dict[str, Callable[[Any, Question, Strategy, Scope], Connected]] = {
    "construct": construct,
    "kira": kira,
    "membox": membox,
}


# ---------------------------------------------------------------------------------------------- Kira's other lists


def kira_words(
    conn: Any, question: Question, scope: Scope, limit: int = 10
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Two rankings by words: of entities, and of relations (K09, K10)."""
    from memkit.graph.words import words

    index = words(conn)
    entities_found = index.entities(question.terms, question.cjk, limit)
    relations_found = facts.relations(conn, index.relations(question.terms, question.cjk, 2 * limit), scope)
    scores = index.relations(question.terms, question.cjk, 2 * limit)
    kept = [key for key in scores if key in relations_found][:limit]
    return (
        {(ENTITY, key): score for key, score in entities_found.items()},
        {(RELATION, key): scores[key] for key in kept},
    )


def kira_meaning(conn: Any, question: Question, scope: Scope, limit: int) -> dict[Any, float]:
    """Entities by cosine of "name: description", and their relations, which inherit it (K12)."""
    from memkit.graph.entity_vectors import nearest_entities

    if question.vector is None or question.model_key is None:
        return {}
    found = nearest_entities(conn, question.vector, question.model_key, threshold=0.0, limit=limit)
    near = {entity.key: cosine for entity, cosine in found}
    inherited: dict[Any, float] = {(ENTITY, key): score for key, score in near.items()}
    for relation in around(conn, near, scope, depth=0, fan_out=10).relations.values():
        scores = [near[end] for end in (relation.subject_key, relation.object_key) if end in near]
        inherited[RELATION, relation.key] = max(scores)
    return inherited


def kira_things(conn: Any, keys: Sequence[Any], known: Connected, scope: Scope) -> Connected:
    """Entities and relations that words or meaning found, beside those that the walk knows already."""
    fresh = {key for kind, key in keys if kind == ENTITY and key not in known.entities}
    said = {key for kind, key in keys if kind == RELATION and key not in known.facts}
    found = Around(dict.fromkeys(sorted(fresh), 0), _relations(conn, said, scope))
    more = things(conn, found, scope)
    return Connected(
        known.ranking,
        {**known.facts, **more.facts},
        {**known.entities, **more.entities},
        {**known.behind, **more.behind},
        lambda memory: known.path(memory) or more.path(memory),
    )


def _relations(conn: Any, keys: set[int], scope: Scope) -> dict[int, Relation]:
    return facts.relations(conn, sorted(keys), scope) if keys else {}
