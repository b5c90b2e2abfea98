"""What reading the graph gives: an entity's card, its neighbours, and the way from one entity to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memkit.graph.relations import Relation


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A memory that names an entity: `surface` is how it is written there, `role` where (text, title, speaker ...)."""

    id: str
    text: str
    when: str
    role: str
    surface: str
    confidence: float
    title: str | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity near another one: how many relations away, and the last of them."""

    id: str
    name: str
    kind: str
    depth: int
    confidence: float
    via: str

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class EntityCard:
    """Who or what something is: names, what holds about it and what did, and the memories that name it, by date.

    `relations` hold at `as_of`, surest first, each with its evidence; `history` held before or will; `conflicts` are
    pairs that cannot both be right. `mentioned` counts all memories that name it; `memories` are the newest of them.
    """

    id: str
    name: str
    kind: str
    as_of: str
    description: str | None = None
    aliases: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    history: tuple[Relation, ...] = ()
    conflicts: tuple[tuple[Relation, Relation], ...] = ()
    memories: tuple[Mentioned, ...] = ()
    mentioned: int = 0
    neighbours: tuple[Neighbour, ...] = ()
    known_at: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The card as JSON-able values."""
        return asdict(self)

    def __repr__(self) -> str:
        from memkit.render_graph import card_text

        return card_text(self)

    def _repr_html_(self) -> str:
        from memkit.render_graph import card_html

        return card_html(self)

    def _repr_markdown_(self) -> str:
        from memkit.render_graph import card_markdown

        return card_markdown(self)


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of the way: a relation (against its direction if not `forward`), or a memory that names both ends."""

    source: str
    label: str
    target: str
    forward: bool = True
    confidence: float = 1.0
    quote: str = ""
    memory_id: str | None = None
    source_id: str | None = None

    def __str__(self) -> str:
        arrow = f"-{self.label}->" if self.forward else f"<-{self.label}-"
        return f"{self.source} {arrow} {self.target}"


@dataclass(frozen=True, slots=True)
class Path:
    """The shortest way between two entities, each step with its evidence; false where there is none."""

    source: str
    target: str
    steps: tuple[PathStep, ...] = ()
    found: bool = True
    max_depth: int = field(default=0, repr=False)

    def __bool__(self) -> bool:
        return self.found

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[PathStep]:
        return iter(self.steps)

    def __str__(self) -> str:
        """The way as one line: `Alice -introduced to-> Nightshade -is a-> restaurant`."""
        if not self.found:
            return f"no way from {self.source} to {self.target} in {self.max_depth} steps"
        return self.source + "".join(str(step)[len(step.source) :] for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """The way as JSON-able values."""
        return {**asdict(self), "text": str(self)}

    def __repr__(self) -> str:
        from memkit.render_graph import path_text

        return path_text(self)

    def _repr_html_(self) -> str:
        from memkit.render_graph import path_html

        return path_html(self)

    def _repr_markdown_(self) -> str:
        from memkit.render_graph import path_markdown

        return path_markdown(self)


@dataclass(frozen=True, slots=True)
class GraphStats:
    """How large the graph is, and what it is made of: counts by kind, predicate and type; the best connected names."""

    memories: int
    entities: int
    aliases: int
    mentions: int
    relations: int
    links: int
    conflicts: int
    kinds: Mapping[str, int] = field(default_factory=dict)
    predicates: Mapping[str, int] = field(default_factory=dict)
    link_types: Mapping[str, int] = field(default_factory=dict)
    most_mentioned: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return asdict(self)

    def __repr__(self) -> str:
        from memkit.render_graph import stats_text

        return stats_text(self)

    def _repr_html_(self) -> str:
        from memkit.render_graph import stats_html

        return stats_html(self)
