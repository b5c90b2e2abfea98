"""Loader options: the settings of a reader as one frozen value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from memkit.core.arguments import check
from memkit.core.errors import BadArgument, BadSource, one_of
from memkit.core.instants import from_clocks
from memkit.sources.file_states import FileStates
from memkit.sources.gzips import Gzipped
from memkit.sources.journals import Journals
from memkit.sources.limits import LIMITS, ReadLimits, Timer, read_limits
from memkit.sources.notes.page_blocks import PageBlocks
from memkit.sources.tars import Tarred
from memkit.sources.zips import Packed


class FolderReaders(Protocol):
    """What reads the files of a folder elsewhere."""

    def read(
        self, found: Iterable[Any], read: Callable[[Path, ReadOptions], Iterable[Any]], options: ReadOptions
    ) -> Iterator[tuple[Any, list[Any] | None]]:
        """Each of what was found, in order, with its records if it is a file that was read there; else with None."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a source: the names of the columns, the parts of a chat to keep, the length of a note's passages.

    `table` and `sql` choose what to read from a SQLite database. `include_tools`, `include_system` and
    `include_thinking` keep those parts of chats. With `mtime`, what has no date gets that of its file's last change.
    `max_tokens` is the most tokens of a passage. `timezone` is where the clocks were by which a source without a zone
    tells the time, such as `Europe/Paris` (None: this machine's zone). `day_first` says whether `01/12/24` is in
    December, where a file leaves it open. `limits` bound the work on each file. `root` is the folder that is being
    read: links out of it are not followed. `timer` says how long. `journals` knows the vaults' settings, `blocks`
    what references to blocks stand for, `files` which files need not be read again. `packed` is the file in a zip or
    a gzip that is read as if it lay in a folder. `readers` are Dask workers that read a folder's files. `skipped`
    counts what the reader of a file leaves out, by what it is; None if nobody asks for it.
    """

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
    mtime: bool = False
    max_tokens: int = 250
    timezone: str | None = None
    day_first: bool | None = None
    project: str | None = None
    limits: ReadLimits = LIMITS
    root: Path | None = None
    timer: Timer = field(default_factory=Timer, compare=False)
    journals: Journals = field(default_factory=Journals, compare=False)
    blocks: PageBlocks = field(default_factory=PageBlocks, compare=False)
    files: FileStates | None = field(default=None, compare=False)
    packed: Packed | Gzipped | Tarred | None = field(default=None, compare=False)
    readers: FolderReaders | None = field(default=None, compare=False)
    skipped: Counter[str] | None = field(default=None, compare=False)

    def skip(self, what: str) -> None:
        """Counts one thing that a reader leaves out: `what` is its name, a plural first: `notes in the trash`."""
        if self.skipped is not None:
            self.skipped[what] += 1


INTERNAL = {"root", "timer", "journals", "blocks", "files", "packed", "readers", "skipped"}
# The columns that the options can rename.
RENAMABLE = ("text", "id", "title", "timestamp", "session", "speaker")


def named_options(given: Mapping[str, Any], columns: Iterable[Any] | None = None) -> ReadOptions:
    """The options as a value. `text="body"` is short for `text_column="body"`, and so for each name in RENAMABLE.

    `limits` may be a dict of those that differ (`{"seconds": 60}`). If the `columns` of the source are given, the
    chosen columns must be among them. Raises BadSource for a missing column, TypeError for an unknown option or limit.
    """
    full = {f"{name}_column" if name in RENAMABLE else name: value for name, value in given.items()}
    known = {one.name for one in fields(ReadOptions)} - INTERNAL
    for name in full:
        if name not in known:
            raise TypeError(one_of("reading option", name, {*known, *RENAMABLE}))
    full["limits"] = read_limits(full.get("limits"))
    try:
        from_clocks(datetime(2000, 1, 1), full.get("timezone"))
    except ValueError as error:
        raise BadArgument(f"ingest(): {error}") from None
    chosen = ReadOptions(**check(ReadOptions, full, "ingest"))
    present = [str(column) for column in columns] if columns is not None else []
    wanted = {full[f"{name}_column"] for name in RENAMABLE if f"{name}_column" in full} | {chosen.text_column}
    if columns is not None and (missing := sorted(wanted - set(present))):
        raise BadSource(f"{one_of('column', missing[0], present)} Say which holds the text: ingest(df, text='...').")
    return chosen


# A reader takes the absolute path of a file, the options, and the name of the file (its path relative to the folder
# that is read). It yields drafts and failures, one at a time.
Reader = Callable[[Path, ReadOptions, str], Iterator[Any]]
