"""Recall and Hit, the values: what was found, with reasons, and their views as text, HTML, Markdown and DataFrame."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, overload

from memkit.core.classes import dataclass
from memkit.core.formatting import (
    counted,
    escape_html,
    escape_markdown,
    html_table,
    isolated,
    markdown_table,
    notes_html,
    short,
    when_text,
)
from memkit.core.frames import pandas
from memkit.core.terminal_text import hanging
from memkit.core.types import Memory
from memkit.graph.walk_results import Fact, FoundEntity, WalkStep
from memkit.retrieval.everyday import channel_name
from memkit.text.prose import plain

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Finding:
    """Where one channel found a memory.

    `rank` is the place in the channel's ranking, from 1. `score` is the channel's own score. `contribution` is what it
    added to the fused score.
    """

    rank: int
    score: float
    contribution: float

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON-able values."""
        return {"rank": self.rank, "score": round(self.score, 6), "contribution": round(self.contribution, 6)}


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers a question, its score, and the reasons.

    `why` maps each channel that found the memory to its Finding. `boosts` maps each boost to the factor by which it
    changed the fused score. `path` is the way through the graph to this memory. `match` is the channel that
    contributed most (C41). A linked memory, which no channel found, has the type of its link in `via`: `supersedes`,
    `superseded`, `contradicts`, `part_of` ...

    `later` is the id of a later hit that may say what holds by now (`retrieval/succession.py`), or empty, and
    `later_at` the day of the first that followed (`2025-02-01`, or a month, or a year).

    `confidence` is the chance that this memory is an answer, from 0 to 1, and `measures` are the numbers that say so
    (`retrieval/confidence.py`).
    """

    memory: Memory
    score: float
    why: Mapping[str, Finding] = field(default_factory=dict)
    boosts: Mapping[str, float] = field(default_factory=dict)
    path: tuple[WalkStep, ...] = ()
    via: str | None = None
    confidence: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)
    later: str = ""
    later_at: str = ""

    @property
    def match(self) -> str:
        """The channel that contributed most; for a linked memory, the type of its link."""
        return max(self.why, key=lambda name: self.why[name].contribution) if self.why else self.via or ""

    @property
    def why_text(self) -> str:
        """Why it is a hit, as one line: `words #1, meaning #4 · question -> Rosa -planted-> quince`."""
        places = (f"{channel_name(channel)} #{finding.rank}" for channel, finding in self.why.items())
        found = ", ".join(places) or (self.via or "").replace("_", " ")
        return " · ".join(filter(None, (self.until_text, found, self.path_text)))

    @property
    def until_text(self) -> str:
        """Until when it was true: `until 2025-02-01` if that is stored, `perhaps until May 2024: see ID`, or empty."""
        if self.memory.valid_until:
            return f"until {when_text(self.memory.valid_until)}"
        return f"perhaps until {when_text(self.later_at)}: see {self.later}" if self.later else ""

    @property
    def path_text(self) -> str:
        """The path as one line: `question -> Alice -introduced-> Nightshade`."""
        if not self.path:
            return ""
        way = f"question -> {self.path[0].source}" + "".join(f" -{s.label}-> {s.target}" for s in self.path)
        return " ".join(way.split())  # a name may contain line breaks

    def to_dict(self) -> dict[str, Any]:
        """The hit as `recall --format json` prints it."""
        memory = self.memory
        return {
            "id": memory.id,
            "source_id": memory.source_id,
            "score": round(self.score, 6),
            "confidence": round(self.confidence, 3),
            "text": memory.text,
            "kind": memory.kind,
            "title": memory.title,
            "happened_at": memory.happened_at,
            "project": memory.project,
            "why": {channel: finding.to_dict() for channel, finding in self.why.items()},
            "boosts": {name: round(factor, 6) for name, factor in self.boosts.items()},
            "path": self.path_text,
            "later": self.later,
            "until": self.until_text,
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that is not a hit, and the reason: `below the cut` or `after the first 10`."""

    memory: Memory
    score: float
    reason: str
    why: Mapping[str, Finding] = field(default_factory=dict)
    boosts: Mapping[str, float] = field(default_factory=dict)


NO_ENTRY = "nothing in the question leads into the graph"
NO_BRIDGE = "nothing was found to begin at"
NO_MEMORY = "there is no memory yet"
SAID_BY_NO_HITS = (NO_ENTRY, NO_BRIDGE, NO_MEMORY)


@dataclass(frozen=True)
class Recall(Sequence[Hit]):
    """A question and its hits, best first. It is a sequence of hits, a table in a notebook, and text for a prompt.

    `channels` maps each channel to `ran`, or to the reason why it did not run. `left_out` holds the best candidates
    that are not hits. `ms` maps each stage to its milliseconds. `now` is the time of the question, `interval` the time
    that the question speaks of, if any. `facts` and `entities` are what a walk over relations found, best first.
    `recent` holds the newest memories, if the strategy shows them beside the hits. `warnings` are sentences. `degraded`
    is the one that the embedding model failed, so that a part of the strategy did not run, or empty.

    `read_as` is what was searched for, if that is not the question word by word: without what says where to look, and
    with words as memories spell them.

    `confidence` is the chance that the first five hits hold an answer, from 0 to 1, `measures` are the numbers that say
    so (`retrieval/confidence.py`), and `weak` says that they most likely hold none.
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
    degraded: str = ""
    confidence: float = 0.0
    weak: bool = False
    measures: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)
    read_as: str = field(default="", repr=False)
    packer: Any = field(default=None, repr=False, compare=False)

    @property
    def searched(self) -> str:
        """What was searched for: the question, or what it was read as."""
        return self.read_as or self.question

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

    @property
    def notes(self) -> list[str]:
        """Sentences for who reads the hits: which channels did not run and why, and the warnings.

        Without hits, a channel that had nothing to begin at is not listed: no hits say that.
        """
        if not self.question.strip():
            return ["The question is empty."]
        reasons: dict[str, list[str]] = {}
        for channel, state in self.channels.items():
            if state != "ran" and (self or state not in SAID_BY_NO_HITS):
                reasons.setdefault(state, []).append(channel_name(channel))
        return [f"{', '.join(channels)}: {reason}" for reason, channels in reasons.items()] + [*self.warnings]

    def to_dicts(self) -> list[dict[str, Any]]:
        """The hits as JSON-able dicts, as `recall --format json` prints them."""
        return [hit.to_dict() for hit in self.hits]

    def to_json(self) -> str:
        """The hits as a JSON array."""
        return json.dumps(self.to_dicts(), ensure_ascii=False)

    def to_df(self) -> pd.DataFrame:
        """The hits as a pandas DataFrame, indexed by rank from 1: id, score, text, ..., one column per channel.

        `happened_at` is a timestamp in UTC. A channel's column holds its contribution. Raises NeedsPackage if pandas is
        not installed.
        """
        pd = pandas()
        channels = sorted({channel for hit in self for channel in hit.why})
        rows = [_frame_row(hit) for hit in self]
        frame = pd.DataFrame(rows, columns=[*COLUMNS, *channels], index=pd.RangeIndex(1, len(rows) + 1, name="rank"))
        frame["happened_at"] = pd.to_datetime(frame["happened_at"], utc=True, errors="coerce", format="ISO8601")
        frame["kind"] = frame["kind"].astype("category")
        return frame

    def __repr__(self) -> str:
        """The question, the hits with score, time and reasons, then the channels that did not run, and the warnings."""
        lines = [short(f"{self.question!r}: {counted(len(self), 'memories')}", 200) + self._sure()]
        for n, hit in enumerate(self, 1):
            place = " · ".join(filter(None, (when_text(hit.memory.happened_at), hit.memory.title, hit.memory.speaker)))
            lines.append(f"{n:3}. {short(plain(hit.memory.text), 200)}")
            lines.append(f"     {hit.score:.3f} [{hit.memory.id}] {place}".rstrip())
            lines.append(f"     {hit.why_text}")
        return "\n".join(hanging(line, "     ") for line in (*lines, *(f"     ({note})" for note in self.notes)))

    def _repr_html_(self) -> str:
        caption = f"{isolated(short(self.question, 120))} — {counted(len(self), 'memories')}{self._sure()}"
        shown = html_table(caption, HEADINGS, self._cells()) if self else f"<p><b>{escape_html(caption)}</b></p>"
        return shown + notes_html(self.notes)

    def _repr_markdown_(self) -> str:
        return f"**{escape_markdown(self.question)}**\n\n" + markdown_table(HEADINGS, self._cells())

    def _sure(self) -> str:
        return f", confidence {self.confidence:.2f}" if self else ""

    def _cells(self) -> list[tuple[str, ...]]:
        return [_cells(n, hit) for n, hit in enumerate(self, 1)]


HEADINGS = ("", "score", "memory", "when", "where", "why")
COLUMNS = (
    "id",
    "score",
    "confidence",
    "text",
    "kind",
    "title",
    "speaker",
    "project",
    "happened_at",
    "source_id",
    "path",
)


def _cells(n: int, hit: Hit) -> tuple[str, ...]:
    memory = hit.memory
    project = memory.project if memory.project != "global" else ""
    place = " · ".join(filter(None, (memory.title, memory.speaker, project)))
    return (str(n), f"{hit.score:.3f}", short(plain(memory.text)), when_text(memory.happened_at), place, hit.why_text)


def _frame_row(hit: Hit) -> dict[str, Any]:
    row = {**hit.to_dict(), "speaker": hit.memory.speaker}
    why = {channel: finding.contribution for channel, finding in hit.why.items()}
    return {name: row[name] for name in COLUMNS} | why
