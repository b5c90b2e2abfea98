"""What a recall gives: hits with their reasons, as one value that prints well everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from memkit.types import Memory

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Finding:
    """What one channel says of a memory: its place from 1, its own score, and what that added to the fused one."""

    rank: int
    score: float
    contribution: float

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return {"rank": self.rank, "score": round(self.score, 6), "contribution": round(self.contribution, 6)}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path through the graph: from a name over a label to another, and the words that say so."""

    source: str
    label: str
    target: str
    quote: str = ""
    memory_id: str | None = None

    def __str__(self) -> str:
        return f"{self.source} -{self.label}-> {self.target}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A memory that says a fact, and the words in which it does."""

    memory_id: str
    memory_key: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that a strategy found: subject, predicate and object by name, and the memories that say so.

    `depth` is how many relations lie between it and what the question named, `score` what the strategy makes of it.
    """

    key: int
    subject: str
    predicate: str
    object: str
    confidence: float = 1.0
    depth: int = 0
    score: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    valid_from: str | None = None
    valid_until: str | None = None

    @property
    def label(self) -> str:
        """The predicate as people read it: `works at`."""
        return self.predicate.replace("_", " ")

    def __str__(self) -> str:
        return f"{self.subject} {self.label} {self.object}"


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity that a strategy found, `depth` relations away from what the question named."""

    key: int
    id: str
    name: str
    kind: str
    description: str | None = None
    depth: int = 0
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers a question, its score, and why.

    `why` maps each channel that found it to its Finding; `boosts` maps what changed the fused score to its factor;
    `path` is how the graph led here; `match` names the channel that says most about it (C41); `via` says by which link
    a memory came along that no channel brought: `supersedes`, `contradicts`, `part_of` ...
    """

    memory: Memory
    score: float
    why: Mapping[str, Finding] = field(default_factory=dict)
    boosts: Mapping[str, float] = field(default_factory=dict)
    path: tuple[Step, ...] = ()
    via: str | None = None

    @property
    def match(self) -> str:
        """The channel that contributed most."""
        return max(self.why, key=lambda name: self.why[name].contribution) if self.why else self.via or ""

    @property
    def path_text(self) -> str:
        """The path as one line: `question -> Alice -introduced-> Nightshade`."""
        if not self.path:
            return ""
        way = f"question -> {self.path[0].source}" + "".join(f" -{s.label}-> {s.target}" for s in self.path)
        return " ".join(way.split())  # names are as they were given

    def to_dict(self) -> dict[str, Any]:
        """The hit as `recall --format json` prints it."""
        memory = self.memory
        return {
            "id": memory.id,
            "source_id": memory.source_id,
            "score": round(self.score, 6),
            "text": memory.text,
            "kind": memory.kind,
            "title": memory.title,
            "happened_at": memory.happened_at,
            "project": memory.project,
            "why": {channel: finding.to_dict() for channel, finding in self.why.items()},
            "boosts": {name: round(factor, 6) for name, factor in self.boosts.items()},
            "path": self.path_text,
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that is no hit, and the reason."""

    memory: Memory
    score: float
    reason: str
    why: Mapping[str, Finding] = field(default_factory=dict)
    boosts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Recall(Sequence[Hit]):
    """A question and its hits, best first. It is a sequence, a table in a notebook, and text for a prompt.

    `channels` says of each channel that it ran, or why it did not; `left_out` holds the best candidates that are no
    hits; `ms` the milliseconds of each stage. `facts` and `entities` are what a strategy that knows them found in the
    graph, best first; `recent` the newest memories, for one that shows them beside its hits; `warnings` are sentences.
    """

    question: str
    hits: tuple[Hit, ...] = ()
    strategy: Any = None
    channels: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    ms: Mapping[str, float] = field(default_factory=dict)
    now: str = ""
    interval: Any = None
    facts: tuple[Fact, ...] = ()
    entities: tuple[FoundEntity, ...] = ()
    recent: tuple[Memory, ...] = ()
    warnings: tuple[str, ...] = ()
    packer: Any = field(default=None, repr=False, compare=False)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @property
    def ids(self) -> list[str]:
        """The ids of the hits, best first."""
        return [hit.memory.id for hit in self.hits]

    def context(self, budget: int | None = None) -> str:
        """The hits as a language model should read them, in at most `budget` tokens (the strategy's own by default)."""
        return "" if self.packer is None else self.packer(self, budget)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The hits as JSON-able dicts, as `recall --format json` prints them."""
        return [hit.to_dict() for hit in self.hits]

    def to_json(self) -> str:
        """The hits as a JSON array."""
        return json.dumps(self.to_dicts(), ensure_ascii=False)

    def to_df(self) -> pd.DataFrame:
        """The hits as a pandas DataFrame, indexed by rank from 1: id, score, text, ..., one column per channel.

        Raises NeedsPackage where pandas is not installed.
        """
        from memkit.frames import recall_frame

        return recall_frame(self)

    def __repr__(self) -> str:
        from memkit.render import recall_text

        return recall_text(self)

    def _repr_html_(self) -> str:
        from memkit.render import recall_html

        return recall_html(self)

    def _repr_markdown_(self) -> str:
        from memkit.render import recall_markdown

        return recall_markdown(self)
