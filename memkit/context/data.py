"""Memories, facts and entities as the data that templates are told: text that stays text.

What a memory says can neither end its line nor open or close the block that it is shown in, and no template code in it
is ever run: it reaches a template as a value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import floor
from pathlib import PurePath
from typing import Any

from memkit.compress import compress
from memkit.context.values import Item
from memkit.errors import BadQuestion
from memkit.results import Fact, FoundEntity, Hit
from memkit.text import est_tokens
from memkit.times import age, clock_line, on_clocks, parse_iso
from memkit.types import Memory

# How a hit says which channel found it, in Construct's words (C20, C24, C31).
MATCHES = {"fulltext": "fts5", "vector": "embedding"}

# Relations that say no more than that a note links to another, or lists somebody: its memory is found without them.
VAGUE = ("mentions", "people")

_MARK = re.compile(r"<(?=\s*/?\s*memkit-context)", re.IGNORECASE)
_LINES = "\n\t"


def harmless(text: str) -> str:
    """The text without control characters, and with memkit's own marks made unreadable as marks."""
    kept = "".join(c if c in _LINES or unicodedata.category(c) not in ("Cc", "Cs") else " " for c in text)
    return _MARK.sub("‹", kept)


def one_line(text: str) -> str:
    """The text on one line: what follows it can only be what the layout writes."""
    return " ".join(harmless(text).split())


def indented(text: str, by: str = "    ") -> str:
    """The text with its lines, all but the first moved in: none of them can be a heading or an item of the page."""
    lines = [line.rstrip() for line in harmless("\n".join(text.splitlines())).split("\n")]
    return f"\n{by}".join(line for line in lines if line).strip()


def _folded(value: Any) -> Any:
    return one_line(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class View:
    """How things are seen: for which message, at which time, on which clocks, counted how."""

    message: str
    now: str
    timezone: str = "UTC"
    channel: str | None = None
    budget: int = 2000
    offset: int = 0
    said: frozenset[str] = frozenset()
    tokens: Callable[[str], int] = est_tokens
    moment: datetime = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "moment", parse_iso(self.now))
        try:
            on_clocks(self.moment, self.timezone)
        except ValueError as error:
            raise BadQuestion(str(error)) from error

    @property
    def clock(self) -> str:
        """The time line (C13)."""
        return clock_line(self.moment, one_line(self.timezone), one_line(self.channel or "") or None)

    def when(self, time: str | None) -> str:
        """A time as `YYYY-MM-DD HH:MM` on the clocks of the zone (C14); a day or a year, without an hour, as it is."""
        if not time or len(time) <= DAY:
            return one_line(time or "")
        try:
            local = on_clocks(parse_iso(time), self.timezone)
        except (ValueError, OverflowError):
            return one_line(time)
        return f"{local.year:04}-{local:%m-%d %H:%M}"

    def age(self, time: str | None) -> str:
        """How long ago it was: `3 days ago` (K30)."""
        try:
            return age(time, self.moment) if time else ""
        except ValueError:
            return ""

    def has_been_said(self, text: str) -> bool:
        """Whether the conversation has this text already."""
        return one_line(text).casefold() in self.said

    # ------------------------------------------------------------------------------------------ items

    def memory(self, section: str, memory: Memory, hit: Hit | None = None, *, share: str = "", **more: Any) -> Item:
        """A memory as an item; `hit` adds how it was found."""
        values = {
            "id": memory.id,
            "kind": memory.kind,
            "category": memory.category,
            "key": memory.slot_key or _given(memory, "key"),
            "title": memory.title,
            "speaker": memory.speaker,
            "project": memory.project,
            "slot": memory.slot,
            "tags": [one_line(tag) for tag in memory.tags],
            "importance": memory.importance,
            "confidence": memory.confidence,
            "when": self.when(memory.when),
            "date": self.when(memory.when)[:10],
            "happened": self.when(memory.happened_at),
            "place": " › ".join(filter(None, (memory.title, _given(memory, "heading")))),
            "file": PurePath(memory.source or "").name if memory.source and ":" not in memory.source else "",
            "age": self.age(memory.when),
            "size": len(memory.text),
            **_found(hit),
            **more,
        }
        values = {name: _folded(value) for name, value in values.items()}
        return Item(
            section, ("memory", memory.key), memory.id, {**values, **self.text(memory.text)}, memory.text, share=share
        )

    def fact(self, section: str, fact: Fact, *, share: str = "", **more: Any) -> Item:
        """A relation as an item."""
        values = {
            "kind": "relation",
            "subject": fact.subject,
            "predicate": fact.label,
            "object": fact.object,
            "confidence": fact.confidence,
            "depth": fact.depth,
            "score": fact.score,
            "since": day(fact.valid_from),
            "until": day(fact.valid_until),
            **more,
        }
        folded = {name: _folded(value) for name, value in values.items()}
        text = f"{folded['subject']} {folded['predicate']} {folded['object']}"
        return Item(section, ("fact", fact.key), str(fact.key), {**folded, "text": text, "block": text}, share=share)

    def entity(self, section: str, entity: FoundEntity, *, share: str = "") -> Item:
        """An entity as an item."""
        values = {
            "id": entity.id,
            "kind": entity.kind,
            "name": entity.name,
            "description": entity.description,
            "depth": entity.depth,
            "score": entity.score,
        }
        folded = {name: _folded(value) for name, value in values.items()}
        return Item(section, ("entity", entity.key), entity.id, folded, share=share)

    @staticmethod
    def text(text: str) -> dict[str, str]:
        """A text as templates get it: `text` on one line, `block` with its lines."""
        return {"text": one_line(text), "block": indented(text)}

    def shortened(self, item: Item, most: int) -> Item | None:
        """The item with a text of at most `most` tokens: the sentences that say most about the message."""
        if not item.text or most < LEAST_TOKENS:
            return None
        scale = est_tokens(item.text) / max(1, self.tokens(item.text))
        short = compress(item.text, self.message, int(most * min(1.0, scale)))
        return item.shorter(short, self.text(short)) if short.strip() else None


LEAST_TOKENS = 12  # less of a text than that says nothing
DAY = len("2025-03-01")


def day(time: str | None) -> str:
    """The day of a time from which something holds: the same day on all clocks."""
    return one_line(time or "")[:DAY]


def _given(memory: Memory, name: str) -> str | None:
    value = memory.meta.get(name)
    return value if isinstance(value, str) else None


def _found(hit: Hit | None) -> Mapping[str, Any]:
    """How a hit was found; the percentage is that of an embedding alone (C11, C41)."""
    if hit is None:
        return {"score": None, "match": None, "percent": None, "via": None, "path": None}
    match = MATCHES.get(hit.match, hit.match)
    cosine = hit.why["vector"].score if match == "embedding" and "vector" in hit.why else None
    return {
        "score": hit.score,
        "match": match,
        "percent": None if cosine is None else floor(100 * cosine + 0.5),
        "via": hit.via,
        "path": hit.path_text,
    }
