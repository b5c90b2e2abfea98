"""Frozen data classes that the other packages share: DocumentDraft, Draft, Failure and Memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Meta = Mapping[str, Any]


# ---------------------------------------------------------------------------------------------- what sources yield


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A document as a reader found it: a note, a chat, a notebook or a table.

    `source` is its identity: an absolute path, a uri such as `chatgpt:<conversation id>`, or `<path>#<session>` for one
    of several documents in a file. `fields` are typed values about the whole document (front matter). `aliases` are
    other names of its subject. `whole` is true if the reader yields the complete document in one run: then memories
    that it no longer yields are archived. It is false for rows of a table or a JSONL file. `file` is the path it was
    read from, if `source` is not that path. A reader yields the document itself only if it has no text.
    """

    source: str
    kind: str = "note"
    title: str | None = None
    project: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    fields: Meta = field(default_factory=dict)
    meta: Meta = field(default_factory=dict)
    whole: bool = True
    file: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory before it is stored, as a reader found it. Times are ISO 8601 text; without an offset they are UTC.

    `source_id` is the id in the source: a row's `id`, a message's uuid, the name and heading of a note's passage.
    `sequential` is False for rows that only share a file: they are not neighbours of each other.
    """

    text: str
    document: DocumentDraft
    source_id: str | None = None
    kind: str = "passage"
    title: str | None = None
    speaker: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    project: str | None = None
    slot: str | None = None
    slot_key: str | None = None
    importance: float | None = None
    confidence: float | None = None
    happened_at: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    expires_at: str | None = None
    sequential: bool = True
    meta: Meta = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that could not be read: where it is and why. The other records are still read.

    As text it is one line without control characters, whatever the name of the file holds.
    """

    source: str
    reason: str
    line: int | None = None

    def __post_init__(self) -> None:
        for name in ("source", "reason"):
            if not (text := getattr(self, name)).isascii():  # a name that is no UTF-8 could be neither stored nor shown
                object.__setattr__(self, name, text.encode("utf-8", "backslashreplace").decode())

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line is not None else self.source
        text = f"{place}: {self.reason}"
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


# ---------------------------------------------------------------------------------------------- what is stored


GLOBAL = "global"  # the project of memories without one


@dataclass(frozen=True, slots=True)
class Memory:
    """The unit that is stored and recalled. `key` is the primary key; `id` is stable and is what users see.

    Times are ISO 8601 text in UTC. `importance` is 1 to 10, `confidence` 0 to 1, `tokens` an estimate for the text.
    `compression` is `raw`, `compressed` or `distilled`. `source` is that of its document.
    """

    key: int
    id: str
    text: str
    kind: str = "passage"
    title: str | None = None
    speaker: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    project: str = GLOBAL
    slot: str | None = None
    slot_key: str | None = None
    importance: float = 5.0
    confidence: float = 1.0
    source_id: str | None = None
    document_key: int | None = None
    position: int | None = None
    happened_at: str | None = None
    created_at: str = ""
    updated_at: str = ""
    valid_from: str | None = None
    valid_until: str | None = None
    expires_at: str | None = None
    archived_at: str | None = None
    compression: str = "raw"
    tokens: int = 0
    source: str | None = None
    meta: Meta = field(default_factory=dict)

    @property
    def when(self) -> str:
        """`happened_at` if known, else `created_at`."""
        return self.happened_at or self.created_at
