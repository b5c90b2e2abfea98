"""Graph statistics, the value: the size of the graph, and its most frequent kinds, predicates and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from memkit.core.classes import dataclass
from memkit.core.formatting import html_table, short
from memkit.core.frames import OneRow
from memkit.core.terminal_text import table


@dataclass(frozen=True, slots=True)
class GraphStats(OneRow):
    """The size of the graph: counts of its parts, and counts by kind, predicate, link type and most mentioned name."""

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
        return table(self._rows())

    def _repr_html_(self) -> str:
        return html_table("The graph", ("", ""), self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        names = ("memories", "entities", "aliases", "mentions", "relations", "links", "conflicts")
        rows = [(name, f"{getattr(self, name):,}") for name in names]
        for name in ("kinds", "predicates", "link_types", "most_mentioned"):
            some = ", ".join(f"{short(what, 40)} {count:,}" for what, count in getattr(self, name).items())
            rows.append((name.replace("_", " "), some))
        return rows
