"""Graph search over relations only, as the published designs do it, each with its own walk.

Here is what these walks share: their result, the entities that they met, and the path to each memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from memkit.core.classes import dataclass
from memkit.graph import entities, facts
from memkit.graph.facts import ALL, Around
from memkit.graph.walk_results import Fact, FoundEntity, WalkStep
from memkit.retrieval.question import Question
from memkit.retrieval.strategies import Strategy
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope

MOST_MENTIONS = 50  # an entity that more memories name says little about any of them
MOST_LISTED = 200  # facts in a recall at most, and entities

ENTITY, RELATION = "entity", "relation"


@dataclass
class Connected:
    """What a walk over relations found: a ranking (of memories, maybe of things, too), facts, entities, and paths.

    A thing is an entity or a relation. `behind` maps each thing to the memories behind it, with their shares.
    """

    ranking: dict[Any, float] = field(default_factory=dict)
    facts: dict[int, Fact] = field(default_factory=dict)
    entities: dict[int, FoundEntity] = field(default_factory=dict)
    behind: dict[Any, dict[int, float]] = field(default_factory=dict)
    path: Callable[[int], tuple[WalkStep, ...]] = lambda key: ()


Rankings = dict[str, dict[Any, float]]

# (connection, question, strategy, scope, the rankings of the other channels, the number of memories wanted) -> what was
# found. A walk may add rankings of its own to those given.
RelationWalk = Callable[[Connection, Question, Strategy, Scope, Rankings, int], Connected]


def entities_at(conn: Connection, depths: Mapping[int, int]) -> dict[int, FoundEntity]:
    """The entities that a walk met, each with its depth."""
    known = entities.by_keys(conn, depths)
    return {
        key: FoundEntity(one.key, one.id, one.name, one.kind, one.description, depths[key])
        for key in depths
        if (one := known.get(key))
    }


def paths(
    found: Around, said: Mapping[int, Fact], names: Mapping[int, FoundEntity], last: Mapping[int, tuple[str, int]]
) -> Callable[[int], tuple[WalkStep, ...]]:
    """A function from a memory's key to the path that led to it.

    `last` maps a memory to the end of that path: a relation that it states, or an entity that it names.
    """
    called = {key: entity.name for key, entity in names.items()}

    def path(memory: int) -> tuple[WalkStep, ...]:
        if memory not in last:
            return ()
        kind, key = last[memory]
        if kind == ENTITY:
            end = WalkStep(called.get(key, ""), "named in", "this memory")
            return (*facts.steps(found, said, called, key), end)
        relation, fact = found.relations[key], said[key]
        near, far = relation.subject_key, relation.object_key
        if found.depths.get(far, ALL) < found.depths.get(near, ALL):
            near, far = far, near
        quote = next((one for one in fact.evidence if one.memory_key == memory), None)
        words = (quote.quote, quote.memory_id) if quote else ()
        end = WalkStep(called.get(near, fact.subject), relation.predicate, called.get(far, fact.object), *words)
        return (*facts.steps(found, said, called, near), end)

    return path
