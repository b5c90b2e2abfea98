"""Shortest path (bidirectional search) between entities, over relations and memories, with quotes as evidence."""

from __future__ import annotations

from typing import NamedTuple

from memkit.core.errors import MemkitError
from memkit.graph import entities, relations
from memkit.graph.edges import Tie, related, shared_mentions
from memkit.graph.entities import Entity
from memkit.graph.paths import Path, PathStep
from memkit.graph.quotes import quote_for
from memkit.storage.connection import Connection

MOST_DEPTH = 6
MOST_FRONTIER = 500  # entities to go on from in one step, those with the lowest cost
MOST_RELATIONS = 1000  # of one entity

SELECT_MEMORY = "select id, source_id, text from memories where key = :key"


def path(conn: Connection, a: str, b: str, *, max_depth: int = 4, as_of: str | None = None) -> Path:
    """The shortest path between two entities over confident edges, each step with its quote.

    A step is a relation, or a memory that names both ends and few others. Of paths of the same length, the one with the
    most relations wins, then the one with the highest confidence, then the one over the oldest entities. `as_of` uses
    what was true at that time. The search goes on from both ends, each time from the end with fewer entities.
    Raises NotFound for an unknown name, MemkitError for a negative depth.
    """
    if max_depth < 0:
        raise MemkitError(f"max_depth must be 0 or more, not {max_depth}.")
    start, goal = entities.find(conn, a), entities.find(conn, b)
    sides = _Side(start.key), _Side(goal.key)
    middle = start.key if start.key == goal.key else None
    for _ in range(min(max_depth, MOST_DEPTH)):
        if middle is not None or not all(side.frontier for side in sides):
            break
        side, other = sorted(sides, key=lambda side: len(side.frontier))
        side.go_on(conn, as_of)
        middle = side.meets(other)
    if middle is None:
        return Path(start.name, goal.name, found=False, max_depth=max_depth)
    there, back = (side.way(middle) for side in sides)
    return Path(
        start.name, goal.name, _proved(conn, [*there, *(tie.turned for tie in reversed(back))]), max_depth=max_depth
    )


class _Cost(NamedTuple):
    """The cost of a path: its steps, then its steps that are no relations, then the sum of (1 - confidence)."""

    steps: int = 0
    meetings: int = 0
    doubt: float = 0.0

    def over(self, tie: Tie) -> _Cost:
        """The cost with one more step."""
        return self.and_(_Cost(1, int(tie.relation is None), 1 - tie.confidence))

    def and_(self, other: _Cost) -> _Cost:
        """The cost of both together."""
        doubt = round(self.doubt + other.doubt, 6)  # the same for every order of the sum
        return _Cost(self.steps + other.steps, self.meetings + other.meetings, doubt)


class _Side:
    """The search from one end: the entities reached, the cost of each, and the last edge to each."""

    def __init__(self, key: int):
        self.came: dict[int, Tie] = {}
        self.costs = {key: _Cost()}
        self.frontier = [key]

    def go_on(self, conn: Connection, as_of: str | None) -> None:
        """Goes one step further."""
        reached: dict[int, tuple[_Cost, Tie]] = {}
        for tie in [*related(conn, self.frontier, MOST_RELATIONS, as_of), *shared_mentions(conn, self.frontier, as_of)]:
            if tie.other not in self.costs:
                cost = self.costs[tie.own].over(tie)
                if tie.other not in reached or cost < reached[tie.other][0]:
                    reached[tie.other] = cost, tie
        self.costs |= {key: cost for key, (cost, _) in reached.items()}
        self.came |= {key: tie for key, (_, tie) in reached.items()}
        self.frontier = sorted(reached, key=lambda key: (self.costs[key], key))[:MOST_FRONTIER]

    def meets(self, other: _Side) -> int | None:
        """The entity at which the cheapest path between the two ends meets; None if there is no path yet."""
        both = self.costs.keys() & other.costs.keys()
        return min(both, key=lambda key: (self.costs[key].and_(other.costs[key]), key), default=None)

    def way(self, key: int) -> list[Tie]:
        """The edges from this side's end to an entity that it has reached."""
        ties: list[Tie] = []
        while key in self.came:
            ties.append(self.came[key])
            key = ties[-1].own
        return ties[::-1]


# ---------------------------------------------------------------------------------------------- evidence


def _proved(conn: Connection, ties: list[Tie]) -> tuple[PathStep, ...]:
    known = entities.by_keys(conn, {key for tie in ties for key in (tie.own, tie.other)})
    return tuple(_step(conn, tie, known) for tie in ties)


def _step(conn: Connection, tie: Tie, known: dict[int, Entity]) -> PathStep:
    """A step with its quote."""
    source, target = known[tie.own].name, known[tie.other].name
    plain = (source, tie.label, target, tie.forward, tie.confidence)
    if tie.relation is not None:
        proof = relations.of_keys(conn, [tie.relation])[0].evidence
        best = next((one for one in proof if one.quote), proof[0] if proof else None)
        return PathStep(*plain, best.quote, best.memory_id, best.source_id) if best else PathStep(*plain)
    row = conn.execute(SELECT_MEMORY, {"key": tie.memory}).fetchone()
    return PathStep(*plain, quote_for(row["text"], source, target) or row["text"][:200], row["id"], row["source_id"])
