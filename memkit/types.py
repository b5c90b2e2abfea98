"""The values that travel between the layers: frozen, comparable, without behaviour that needs a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Meta = Mapping[str, Any]


# ---------------------------------------------------------------------------------------------- what sources yield


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A thing with a source, as a reader found it: a note, a chat, a notebook, a table.

    `source` is its identity: an absolute path, or a uri such as `chatgpt:<conversation id>`, or `<path>#<session>` for
    one of several documents in a file. `fields` are typed values that a person wrote about the whole document (front
    matter); `aliases` are other names of what it is about. `whole` says that the reader yields all of it in one run, so
    that what it no longer yields has gone; rows of a table or a JSONL file are not like that. One that is there and has
    no text is yielded by itself. `file` is the path it was read from, where the source does not say so.
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
    """One memory to be, as a reader found it. Times are ISO 8601 text (UTC, or naive and then taken as UTC).

    `source_id` is the id the source itself gave (a row's `id`, a message's uuid); a passage of a note has none and is
    known by its text. `sequential` is False for rows that only share a file: they are not each other's neighbours.
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
    """A record that could not be read: where it is, and why. The rest goes in."""

    source: str
    reason: str
    line: int | None = None

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line is not None else self.source
        return f"{place}: {self.reason}"


# ---------------------------------------------------------------------------------------------- what the store holds


GLOBAL = "global"  # the project of what belongs to none


@dataclass(frozen=True, slots=True)
class Memory:
    """The unit that is recalled. `key` is the row, `id` is what users see and keep."""

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
        """When it happened, or else when it became known."""
        return self.happened_at or self.created_at
