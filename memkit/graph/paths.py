"""Path, the value: the path from one entity to another, each step with its evidence, and its text and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, field
from typing import Any

from memkit.core.classes import dataclass
from memkit.core.formatting import escape_markdown, html_table, markdown_table, short
from memkit.core.frames import Framed

_HEADINGS = ("from", "", "to", "sure", "evidence", "memory")


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step of a path: a relation (in reverse if not `forward`), or a memory that names both ends.

    `quote` is the evidence, `memory_id` and `source_id` the memory that has it; without one it was stated by hand.
    """

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
class Path(Framed):
    """The shortest path between two entities, each step with its evidence; falsy if there is no path."""

    KIND = PathStep
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
        """The path as one line: `Alice -introduced to-> Nightshade -is a-> restaurant`."""
        if not self.found:
            return f"no path from {short(self.source)} to {short(self.target)} within {self.max_depth} steps"
        way = self.source + "".join(str(step)[len(step.source) :] for step in self.steps)
        return " ".join(way.split())  # a name may contain line breaks

    def to_dict(self) -> dict[str, Any]:
        """The path as JSON-able values."""
        return {**asdict(self), "text": str(self)}

    def __repr__(self) -> str:
        lines = [str(self)]
        for step in self:
            said = f"“{short(step.quote, 120)}”" if step.quote else "(stated by hand)"
            lines.append(f"  {said}" + (f" [{step.memory_id}]" if step.memory_id else ""))
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        steps = "\n\n" + markdown_table(_HEADINGS, _rows(self)) if self.steps else ""
        return f"**{escape_markdown(str(self))}**{steps}"

    def _repr_html_(self) -> str:
        return html_table(str(self), _HEADINGS, _rows(self))


def _rows(path: Path) -> list[tuple[str, ...]]:
    return [
        (
            step.source,
            f"{'' if step.forward else '← '}{step.label}{' →' if step.forward else ''}",
            step.target,
            f"{step.confidence:.2f}",
            short(step.quote, 200),
            step.memory_id or "",
        )
        for step in path
    ]
