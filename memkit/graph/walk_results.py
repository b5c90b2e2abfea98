"""Graph results: the entities, facts with their evidence, and steps of a path that a walk finds."""

from __future__ import annotations

from memkit.core.classes import dataclass


@dataclass(frozen=True, slots=True)
class WalkStep:
    """A step of a path through the graph: from one name over a label to another, with a quote as evidence."""

    source: str
    label: str
    target: str
    quote: str = ""
    memory_id: str | None = None

    def __str__(self) -> str:
        return f"{self.source} -{self.label}-> {self.target}"


@dataclass(frozen=True, slots=True)
class FactEvidence:
    """A memory that states a fact, and its words."""

    memory_id: str
    memory_key: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that a strategy found: subject, predicate and object by name, and its evidence.

    `depth` is the number of relations between it and the entities of the question; `score` is the strategy's.
    """

    key: int
    subject: str
    predicate: str
    object: str
    confidence: float = 1.0
    depth: int = 0
    score: float = 0.0
    evidence: tuple[FactEvidence, ...] = ()
    valid_from: str | None = None
    valid_until: str | None = None
    method: str = ""

    @property
    def label(self) -> str:
        """The predicate as people read it: `works at`."""
        return self.predicate.replace("_", " ")

    def __str__(self) -> str:
        return f"{self.subject} {self.label} {self.object}"


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity that a strategy found, `depth` relations away from the entities of the question."""

    key: int
    id: str
    name: str
    kind: str
    description: str | None = None
    depth: int = 0
    score: float = 0.0
