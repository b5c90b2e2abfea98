"""Reading on Dask workers: those who see the same folder read its files, a part at a time, and send the records.

A worker reads a file only if it sees it as this process does, of the same size and time, and would read it in the same
way: with the same version of memkit, the same formats, and a clock of the same zone. Anything else is read here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memkit.core.types import Failure, LeftOut
from memkit.core.version import __version__
from memkit.core.workers import in_order
from memkit.sources.file_states import Seen, seen
from memkit.sources.journals import Journals
from memkit.sources.limits import Timer
from memkit.sources.notes.page_blocks import PageBlocks
from memkit.sources.options import ReadOptions
from memkit.sources.registry import formats

if TYPE_CHECKING:
    from distributed import Client

FILES, BYTES = 50, 2_000_000  # of a part: small enough that a worker that is lost loses little
LARGEST = 50_000_000  # bytes of a file whose records are sent all at once; a larger one is read here, one by one
MONTH = 30 * 86_400
LAST = 2**31  # a time, in seconds

Item = Path | Failure | LeftOut
Read = Callable[[Path, ReadOptions], Iterable[Any]]  # the records of one file


@dataclass(frozen=True)
class _Part:
    files: list[tuple[Path, Seen]]
    read: Read
    options: ReadOptions
    how: tuple[Any, ...]
    run: str


class Readers:
    """The workers of a Dask `client`, as readers of the files of a folder."""

    def __init__(self, client: Client):
        self._client = client

    def read(self, found: Iterable[Item], read: Read, options: ReadOptions) -> Iterator[tuple[Item, list[Any] | None]]:
        """Each of `found`, in order, with its records if it is a file that a worker has read; else with None."""
        for group, answer in in_order(self._client, _read, _parts(found, read, options)):
            records = answer if isinstance(answer, dict) else {}
            yield from ((one, records.get(one) if isinstance(one, Path) else None) for one in group)


def _parts(found: Iterable[Item], read: Read, options: ReadOptions) -> Iterator[tuple[list[Item], _Part | None]]:
    """What was found, in groups, and of each the part that is sent: a folder, and a file too large, is none."""
    bare = replace(options, readers=None, journals=Journals(), blocks=PageBlocks(), timer=Timer())
    how, run = _how(), uuid4().hex
    group: list[Item] = []
    files: list[tuple[Path, Seen]] = []
    for one in found:
        group.append(one)
        if isinstance(one, Path) and (before := seen(one)) and before[0] <= LARGEST:
            files.append((one, before))
        if len(group) == FILES or sum(size for _, (size, _) in files) > BYTES:
            yield group, _Part(files, read, bare, how, run) if files else None
            group, files = [], []
    if group:
        yield group, _Part(files, read, bare, how, run) if files else None


def _read(part: _Part) -> dict[Path, list[Any]]:
    """The records of the files that look the same from here; none if they might be read otherwise here."""
    if part.how != _how():
        return {}
    journals, blocks = _vaults(part.run)
    options = replace(part.options, journals=journals, blocks=blocks, timer=Timer())
    return {path: list(part.read(path, options)) for path, before in part.files if seen(path) == before}


@lru_cache(maxsize=4)
def _vaults(run: str) -> tuple[Journals, PageBlocks]:
    """What is known of the vaults of one run, which each of its parts would else find out again."""
    return Journals(), PageBlocks()


@lru_cache(maxsize=1)
def _how() -> tuple[Any, ...]:
    """What decides how a file is read, besides itself and the options."""
    known = tuple(sorted((name, format.missing) for name, format in formats().items()))
    clock = tuple(time.localtime(at).tm_gmtoff for at in range(0, LAST, MONTH))
    return __version__, known, clock
