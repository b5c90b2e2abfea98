"""Template data: memories, facts and entities as values for templates.

Template code in a memory is never run, because its text reaches the template as a value. Every Item makes its values
harmless (`values.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field
from datetime import datetime
from math import floor
from pathlib import PurePath
from typing import Any

from memkit.core.classes import dataclass
from memkit.core.errors import BadQuestion
from memkit.core.formatting import when_text
from memkit.core.instants import age, clock_line, on_clocks, parse_iso
from memkit.core.types import Memory
from memkit.graph.relations import DOUBT
from memkit.graph.walk_results import Fact, FoundEntity
from memkit.retrieval.context.values import SAID, Block, Item, LeftOut, Said
from memkit.retrieval.results import Hit
from memkit.text.compress import compress
from memkit.text.sanitize import indented, one_line
from memkit.text.statements import named_speakers
from memkit.text.words import est_tokens

# The names of channels in the text for a model, as Construct published them (C20, C24, C31).
MATCHES = {"fulltext": "fts5", "vector": "embedding"}

# Relations that only say that a note links to another, or lists a person: the memory is found without them.
VAGUE = ("mentions", "people")


@dataclass(frozen=True)
class View:
    """What a page is made for: the message, its time, time zone and channel, the budget, and how tokens are counted.

    `said` holds the texts of the conversation so far, `triggers` what the message calls for (`triggers.py`). Raises
    BadQuestion for a budget or an offset below 0, and for an unknown time zone.
    """

    message: str
    now: str
    timezone: str = "UTC"
    channel: str | None = None
    budget: int = 2000
    offset: int = 0
    said: frozenset[str] = frozenset()
    tokens: Callable[[str], int] = est_tokens
    triggers: Collection[str] = ()
    moment: datetime = field(init=False)

    def __post_init__(self) -> None:
        for name, value in (("budget", self.budget), ("offset", self.offset)):
            if value < 0:
                raise BadQuestion(f"{name} is 0 or more, not {value}.")
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
        """A time as `YYYY-MM-DD HH:MM` in the time zone (C14); a day stays as it is, a month is `March 2023`."""
        if not time or len(time) <= DAY:
            return one_line(when_text(time))
        try:
            local = on_clocks(parse_iso(time), self.timezone)
        except ValueError:
            return one_line(time)
        return f"{local.year:04}-{local:%m-%d %H:%M}"

    def age(self, time: str | None) -> str:
        """How long ago it was: `3 days ago` (K30)."""
        try:
            return age(time, self.moment) if time else ""
        except ValueError:
            return ""

    def has_been_said(self, text: str) -> bool:
        """Whether a message of the conversation is this text."""
        return one_line(text).casefold() in self.said

    def unsaid(self, items: Iterable[Item]) -> tuple[list[Item], list[LeftOut]]:
        """The items whose text is no message of the conversation, and the others as left out."""
        new: list[Item] = []
        said: list[LeftOut] = []
        for item in items:
            if self.has_been_said(item.text):
                said.append(item.left_out(SAID))
            else:
                new.append(item)
        return new, said

    # ------------------------------------------------------------------------------------------ items

    def memory(self, section: str, memory: Memory, hit: Hit | None = None, *, share: str = "", **more: Any) -> Item:
        """A memory as an item; `hit` adds how it was found."""
        when = self.when(memory.when)
        values = {
            "id": memory.id,
            "kind": memory.kind,
            "category": memory.category,
            "key": (memory.slot_key or "").partition(":")[0]
            or _given(memory, "key"),  # of `prefers: tea` one of several
            "title": memory.title,
            "speaker": memory.speaker,
            "project": memory.project,
            "slot": memory.slot,
            "tags": list(memory.tags),
            "importance": memory.importance,
            "confidence": memory.confidence,
            "when": when,
            "date": when if len(memory.when) < DAY else when[:DAY],
            "happened": when if memory.happened_at else "",
            "place": " › ".join(filter(None, (memory.title, _given(memory, "heading")))),
            "file": PurePath(memory.source or "").name if memory.source and ":" not in memory.source else "",
            "age": self.age(memory.when),
            "size": len(memory.text),
            **_found(hit),
            **more,
        }
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
            "in_doubt": fact.method == DOUBT,
            **more,
        }
        text = Said(one_line(f"{fact.subject} {fact.label} {fact.object}"))
        return Item(section, ("fact", fact.key), str(fact.key), {**values, "text": text, "block": text}, share=share)

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
        return Item(section, ("entity", entity.key), entity.id, values, share=share)

    @staticmethod
    def text(text: str) -> dict[str, str]:
        """A text as values for a template: `text` on one line, `block` with its lines."""
        return {"text": text, "block": Block(indented(text))}

    def shortened(self, item: Item, most: int) -> Item | None:
        """The item with a text of at most `most` tokens: whole sentences, the most relevant to the message.

        None if nothing useful fits.
        """
        if not item.text or most < LEAST_TOKENS:
            return None
        scale = est_tokens(item.text) / max(1, self.tokens(item.text))
        speakers = named_speakers(item.values.get("speaker"))
        short = compress(item.text, self.message, int(most * min(1.0, scale)) - len(ENDS), speakers).strip()
        if not short:
            return None
        whole = item.text.strip()
        start, end = ("" if whole.startswith(short[:20]) else ENDS[0], "" if whole.endswith(short[-20:]) else ENDS[1])
        return item.shorter(short, self.text(f"{start}{short}{end}"))


ENDS = ("… ", " …")  # around a shortened text
LEAST_TOKENS = 12  # a shorter text says nothing
DAY = len("2025-03-01")


def day(time: str | None) -> str:
    """The day of a time (`2025-03-01`), the same in all time zones."""
    return one_line(time or "")[:DAY]


def _given(memory: Memory, name: str) -> str | None:
    value = memory.meta.get(name)
    return value if isinstance(value, str) else None


def _found(hit: Hit | None) -> Mapping[str, Any]:
    """How a hit was found; only a match by meaning has a percentage (C11, C41)."""
    if hit is None:
        return {"score": None, "match": None, "channels": [], "percent": None, "via": None, "path": None}
    match = MATCHES.get(hit.match, hit.match)
    cosine = hit.why["vector"].score if match == "embedding" and "vector" in hit.why else None
    return {
        "score": hit.score,
        "match": match,
        "channels": list(hit.why),
        "percent": None if cosine is None else floor(100 * cosine + 0.5),
        "via": hit.via,
        "path": hit.path_text,
    }
