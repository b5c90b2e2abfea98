"""Entity card, the value: all that is known about an entity, and its text and HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memkit.core.classes import dataclass
from memkit.core.formatting import (
    counted,
    escape_html,
    escape_markdown,
    html_table,
    markdown_table,
    short,
    when_text,
)
from memkit.core.frames import frame_of
from memkit.core.terminal_text import table
from memkit.graph.relations import DOUBT, Relation
from memkit.text.prose import plain, unlinked

if TYPE_CHECKING:
    import pandas as pd

SHOWN_MEMORIES = 12
_RELATION_HEADS = ("", "", "", "when", "sure", "evidence")
_MEMORY_HEADS = ("when", "memory", "where", "id")


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A memory that names an entity: `surface` is the name as it is written, `role` is text, title, speaker ..."""

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
    """An entity near another one: `depth` is the number of relations between them, `via` the last one as text."""

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
    """What is known about an entity: names, relations, the memories that name it, and its neighbours.

    `relations` are true at `as_of`, the highest confidence first, each with its evidence. `history` has relations that
    are true at other times, earlier or later. `conflicts` are pairs of relations that cannot both be true. `mentioned`
    counts all memories that name the entity; `memories` has the newest of them.
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

    def to_df(self) -> pd.DataFrame:
        """The relations as a pandas DataFrame, those of other times too: the fields of `Relation`, and `holds`.

        Raises NeedsPackage if pandas is not installed.
        """
        found = frame_of(Relation, (*self.relations, *self.history), without=("key",))
        found["holds"] = [True] * len(self.relations) + [False] * len(self.history)
        return found

    def __repr__(self) -> str:
        lines = [" ".join(self.name.split()), f"  {_head(self)}"]
        for heading, rows in _sections(self):
            lines += [f"  {heading}:", table([[short(cell, 60) for cell in row] for row in rows], "    ")]
        lines.append(f"  {self._named_in()}:")
        lines += [f"    {when:16} {short(text, 90)} [{id}]" for when, text, _, id in _memory_rows(self)]
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        parts = [f"### {escape_markdown(self.name)}", escape_markdown(_head(self))]
        for heading, rows in _sections(self):
            parts += [f"**{heading}**", markdown_table(_RELATION_HEADS, rows)]
        parts += [f"**{self._named_in()}**", markdown_table(_MEMORY_HEADS, _memory_rows(self))]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [f"<h3>{escape_html(self.name)}</h3><p>{escape_html(_head(self))}</p>"]
        parts += [html_table(heading, _RELATION_HEADS, rows) for heading, rows in _sections(self)]
        return "".join([*parts, html_table(self._named_in(), _MEMORY_HEADS, _memory_rows(self))])

    def _named_in(self) -> str:
        return f"Named in {counted(self.mentioned, 'memories')}"


def span_text(since: str | None, until: str | None) -> str:
    """A period as text: `2022-09-01 to 2025-03-01`, or `since ...` or `until ...` if one end is open."""
    begin, end = (when_text(when).removesuffix(" 00:00") for when in (since, until))
    if begin and end:
        return f"{begin} to {end}"
    return f"since {begin}" if begin else f"until {end}" if end else ""


def _relation_row(one: Relation) -> tuple[str, ...]:
    proof = next((e for e in one.evidence if e.quote), one.evidence[0] if one.evidence else None)
    said = "" if proof is None else f"“{short(unlinked(proof.quote), 160)}”" if proof.quote else proof.method
    more = f" (+{len(one.evidence) - 1})" if len(one.evidence) > 1 else ""
    when = ("in doubt " if one.method == DOUBT else "") + span_text(one.valid_from, one.valid_until)
    return (one.subject, one.label, one.object, when, f"{one.confidence:.2f}", said + more)


def _relation_rows(relations: Iterable[Relation]) -> list[tuple[str, ...]]:
    return [_relation_row(one) for one in relations]


def _head(card: EntityCard) -> str:
    also = ", ".join(alias for alias in card.aliases if alias != card.name)
    about = [card.kind, short(card.description or "", 200), f"also {short(also, 200)}" if also else ""]
    return " · ".join(part for part in about if part)


def _memory_rows(card: EntityCard) -> list[tuple[str, ...]]:
    return [
        (when_text(one.when), short(plain(one.text), 200), " · ".join(filter(None, (one.title, one.role))), one.id)
        for one in card.memories[:SHOWN_MEMORIES]
    ]


def _sections(card: EntityCard) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The card's sections: a heading and rows of relations; without empty ones."""
    disputed = [row for pair in card.conflicts for row in _relation_rows(pair)]
    sections = [
        ("What holds", _relation_rows(card.relations)),
        ("What cannot both be right", disputed),
        ("At other times", _relation_rows(card.history)),
    ]
    return [section for section in sections if section[1]]
