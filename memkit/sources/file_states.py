"""File states: which files are as they were when they were last read, so that they need not be read again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memkit.core.types import WITHOUT_TEXT, DocumentDraft, Failure, LeftOut, ReadWarning, Unchanged

Seen = tuple[int, int]  # the size of a file in bytes, and the time of its last change in nanoseconds
# The same, and why it was left out ("" if it was not).
State = tuple[int, int, str]


class FileStates:
    """The states of files at their last reading, and as they are found now.

    A file of the same size and time is passed over: `same` gives what stands for it. A file of which something could
    not be read has no state, so it is read again each time.
    """

    def __init__(self, known: Mapping[str, Any]):
        self._known = {path: tuple(state) for path, state in known.items() if _is_state(state)}
        self.found: dict[str, State] = {}

    def same(self, path: Path) -> list[Unchanged | LeftOut]:
        """What stands for a file that is as it was; empty if it has to be read."""
        source = path.as_posix()
        if (before := self._known.get(source)) is None or seen(path) != before[:2]:
            return []
        self.found[source] = before
        return [Unchanged(source), *([LeftOut(source, before[2])] if before[2] else [])]

    def watched(self, path: Path, records: Iterator[Any]) -> Iterator[Any]:
        """The records of a file; when all are read, and nothing was wrong with them, its state is noted."""
        before = seen(path)  # of a file that changes while it is read, the time is another afterwards
        wrong, why, source = False, "", path.as_posix()
        for one in records:
            wrong = wrong or isinstance(one, Failure | ReadWarning) or (isinstance(one, LeftOut) and bool(one.needs))
            if isinstance(one, DocumentDraft):
                why = WITHOUT_TEXT
            elif isinstance(one, LeftOut) and one.source == source:  # and not only a file in this zip
                why = one.reason
            yield one
        if before and not wrong:
            self.found[source] = (*before, why)


def seen(path: Path) -> Seen | None:
    """The size and time of a file; None for a folder, and for what cannot be seen."""
    with suppress(OSError):
        if not path.is_dir():
            found = os.stat(path)
            return found.st_size, found.st_mtime_ns
    return None


def _is_state(value: Any) -> bool:
    return isinstance(value, list | tuple) and list(map(type, value)) == [int, int, str]
