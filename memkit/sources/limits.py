"""Read limits: how much a single file may ask of its reader. A file that asks for more fails alone.

A file from a stranger can be small and still ask for everything: a zip unpacks to gigabytes, a view of a database
never ends, brackets are nested until a parser dies. With these limits, the work on any file is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from memkit.core.errors import BadArgument, MemkitError, one_of
from memkit.core.validation import Refusal, changed, field_types


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What one file may have at most. Sizes are in bytes, of text that is unpacked already."""

    # of a file that is read at once: a JSON array, a notebook, a chat export, also inside a zip; of a database's value
    file_size: int = field(default=500_000_000, metadata={"low": 1})
    # values in a JSON file that is read at once: its brackets and commas are counted
    json_values: int = field(default=30_000_000, metadata={"low": 1})
    # of a note or another text file
    note_size: int = field(default=100_000_000, metadata={"low": 1})
    # of a line of JSONL or CSV, of the text of a row, and of a message of a chat in lines
    line_size: int = field(default=10_000_000, metadata={"low": 1})
    # how many times larger than its zip a file in it is; a file below 10 MB may be any times larger
    ratio: float = field(default=200, metadata={"low": 1})
    # files in a zip
    entries: int = field(default=100_000, metadata={"low": 1})
    # lists and objects inside each other, in front matter and in the values of a row; folders in folders
    depth: int = field(default=100, metadata={"low": 1, "high": 200})
    # values in the front matter of a note, or in one column of a row
    values: int = field(default=10_000, metadata={"low": 1})
    # passages of one note or notebook, turns of one chat
    passages: int = field(default=200_000, metadata={"low": 1})
    # records of a file: rows, turns, passages
    records: int = field(default=10_000_000, metadata={"low": 1})
    # bad records that are listed one by one; the rest of them is counted
    failures: int = field(default=10_000, metadata={"low": 1})
    # how long its reader may work on it, for each 100 MB; it is asked after each record, and inside a database's query
    seconds: float = field(default=600, metadata={"low": 0})


LIMITS = ReadLimits()
_AT_A_TIME = 100_000_000  # bytes of a file that the limit of seconds is for


class Timer:
    """How long the reader of a file has worked on it, without what is done with its records in between."""

    def __init__(self) -> None:
        self._before = 0.0
        self._since: float | None = None
        self._size = 0

    def reset(self, size: int) -> None:
        """A new file of so many bytes begins."""
        self._before, self._since, self._size = 0.0, None, size

    def start(self) -> None:
        """The reader is asked for a record."""
        self._since = perf_counter()

    def stop(self) -> None:
        """The reader has given one."""
        self._before, self._since = self.seconds, None

    @property
    def seconds(self) -> float:
        """The time so far."""
        return self._before + (0.0 if self._since is None else perf_counter() - self._since)

    def is_over(self, limits: ReadLimits) -> bool:
        """Whether that is longer than the limit for a file of its size."""
        return self.seconds > limits.seconds * max(1.0, self._size / _AT_A_TIME)


class OverLimit(ValueError):
    """A file goes over a limit. The message says which one, and how to raise it; `limit` is its name."""

    def __init__(self, limit: str, limits: ReadLimits, unit: str):
        self.limit = limit
        most = f"{getattr(limits, limit):,}".removesuffix(".0")
        super().__init__(f"more than {most} {unit}; to read it all the same: --limit {limit}=N")


def took_too_long(limits: ReadLimits) -> OverLimit:
    """The error for a file whose reader is over the limit of seconds."""
    return OverLimit("seconds", limits, "seconds for each 100 MB")


def read_limits(given: Mapping[str, Any] | ReadLimits | None) -> ReadLimits:
    """The limits with these values changed. Raises BadArgument for an unknown name or an impossible value."""
    return given if isinstance(given, ReadLimits) else changed(LIMITS, given or {}, _REFUSAL)


def _unknown(part: Any, name: str, path: str) -> MemkitError:
    return BadArgument(f"ingest(): {one_of('limit', name, field_types(type(part)))}")


def _unfit(path: str, value: Any, wanted: str | type) -> MemkitError:
    return BadArgument(f"ingest(): the limit {path} must be {wanted}, not {value!r}.")


_REFUSAL = Refusal(_unknown, _unfit)
