"""What a reader can be told, as one value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a source: which columns mean what, what of a chat to keep, how long a note's passages may be."""

    table: str | None = None
    sql: str | None = None
    text_column: str = "text"
    id_column: str = "id"
    title_column: str = "title"
    timestamp_column: str = "timestamp"
    session_column: str = "session"
    speaker_column: str = "speaker"
    include_tools: bool = False
    include_system: bool = False
    include_thinking: bool = False
    max_tokens: int = 250
    project: str | None = None


# A reader takes the file's absolute path, the options, and the name the file goes by (its path in the folder that is
# being read). It yields drafts and failures, one at a time.
Reader = Callable[[Path, ReadOptions, str], Iterator[Any]]
