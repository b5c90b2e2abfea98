"""Frozen data classes that the other packages share: what readers yield, and Memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import PurePath
from typing import Any

from memkit.core.classes import dataclass
from memkit.core.unicode import UNPRINTABLE

Meta = Mapping[str, Any]


# ---------------------------------------------------------------------------------------------- what sources yield


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A document as a reader found it: a note, a chat, a notebook or a table.

    `source` is its identity: an absolute path, a uri such as `chatgpt:<conversation id>`, or `<path>#<session>` for one
    of several documents in a file. `fields` are typed values about the whole document (front matter). `aliases` are
    other names of its subject. `whole` is true if the reader yields the complete document in one run: then memories
    that it no longer yields are archived. It is false for rows of a table or a JSONL file. `shared` is for partial
    documents whose records keep their ids wherever they are copied to: the source of all documents that may hold the
    same record, or what stands before the `:` in their sources (`claude-code`). Such a record is one memory, and what
    several files say of it is joined. `by_clock` is true if its times are told by a clock that does not say in which
    zone it is. `file` is the path it was read from, if `source` is not that path. A reader yields the document itself
    only if it has no text.
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
    shared: str | None = None
    file: str | None = field(default=None, compare=False)
    by_clock: bool = field(default=False, compare=False)


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


_NOT_IN_A_LINE = re.compile(rf"[\n\t]|{UNPRINTABLE.pattern}")


def _printable(text: str) -> str:
    """The text in one line without control characters."""
    return _NOT_IN_A_LINE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


@dataclass(frozen=True, slots=True)
class _AboutSource:
    """A sentence about a file or a record. As text it is one line without control characters, whatever its name is."""

    source: str
    reason: str
    line: int | None = None

    def __post_init__(self) -> None:
        for name in ("source", "reason"):
            if not (text := getattr(self, name)).isascii():  # a name that is no UTF-8 could be neither stored nor shown
                object.__setattr__(self, name, text.encode("utf-8", "backslashreplace").decode())

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line is not None else self.source
        return _printable(f"{place}: {self.reason}")


@dataclass(frozen=True, slots=True)
class Failure(_AboutSource):
    """A record that could not be read: where it is and why. The other records are still read."""


@dataclass(frozen=True, slots=True)
class ReadWarning(_AboutSource):
    """A record that was read, though something about it was not: where it is, and what."""


SHOWN = "a page that shows what is in the export"  # why a page of an export is left out
WITHOUT_TEXT = "without text"  # why a note or notebook is left out that was read
FORGOTTEN_BEFORE = "forgotten before"  # why what a person took back is left out


@dataclass(frozen=True, slots=True)
class LeftOut(_AboutSource):
    """A file that was not read, and why. `needs` is what has to be installed to read it, if that would help."""

    needs: str = ""

    @property
    def kind(self) -> str:
        """What the file is called by, to count it with its like: the ending of its name, else its name."""
        name = PurePath(self.source)
        return _printable(name.suffix.lower() or name.name)


@dataclass(frozen=True, slots=True)
class Restated:
    """All that a speaker said in a document at a moment, by ids, where a message was edited or deleted since.

    What else is stored of them at this moment is how that message was before.
    """

    document: DocumentDraft
    speaker: str
    happened_at: str
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file that is as it was when it was last read, and so was not read again."""

    source: str


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
        """`happened_at` if known, else when it was told; empty for a part of an undated document.

        What was told to memkit itself has no document. When a document was read says nothing about its age.
        """
        return self.happened_at or ("" if self.document_key else self.created_at)
