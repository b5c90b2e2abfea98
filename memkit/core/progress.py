"""Progress bars for long jobs, on a terminal and in a notebook."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memkit.core.opening import open_regular

if TYPE_CHECKING:
    from memkit.core.job_bar import JobBar

Batch = TypeVar("Batch", bound=Sequence[object])

PATIENCE = 2.0  # seconds before a bar appears

# About how many bytes of a file make one memory, to estimate the time left. In files with one record per line, lines
# are counted instead.
BYTES = {".md": 500, ".markdown": 500, ".txt": 800, ".json": 1500, ".ipynb": 1500}
ONE_A_LINE = {".jsonl", ".ndjson", ".csv", ".tsv"}
_DEEPEST = 100  # folders in folders that are counted
_SHOWN: ContextVar[JobBar | None] = ContextVar("shown", default=None)  # the bar that `phase` tells
_FOR_A_PERSON: ContextVar[bool] = ContextVar("for_a_person", default=False)


@contextmanager
def bar(total: int | None = None, unit: str = "memories") -> Iterator[Callable[..., None]]:
    """A function to call with the number done since the last call (and with the total, once it is known).

    After PATIENCE seconds, it shows what is done now, how much of it, and the time left: in a notebook as an output of
    its cell, and on a terminal in a line on stderr. Elsewhere it shows nothing.
    """
    made = _kind()
    if made is None:
        yield lambda done, total=None: None
        return
    with made(total, unit, PATIENCE) as shown:
        before = _SHOWN.set(shown)
        try:
            yield shown.tell
        finally:
            _SHOWN.reset(before)


def _kind() -> type[JobBar] | None:
    if in_notebook():
        from memkit.core.notebook_bar import NotebookBar

        return NotebookBar
    if sys.stderr.isatty():
        from memkit.core.terminal_bar import TerminalBar

        return TerminalBar
    return None


@contextmanager
def for_a_person() -> Iterator[None]:
    """Within it, long jobs show a bar on a terminal, too. A program that only uses memkit has its own output there."""
    before = _FOR_A_PERSON.set(True)
    try:
        yield
    finally:
        _FOR_A_PERSON.reset(before)


def phase(name: str, total: int | None = None, *, done: int = 0, unit: str | None = None) -> None:
    """Says on the bar, if there is one, what a long job does now, and of how much `done` is done."""
    shown = _SHOWN.get()
    if shown is not None:
        shown.phase(name, total, done, unit)


def in_phase(name: str, batches: Iterable[Batch], total: int) -> Iterator[Batch]:
    """The batches, which have `total` items in all, counted as a phase of a long job once each is done."""
    phase(name, total)
    for batch in batches:
        yield batch
        advance(len(batch))


def advance(done: int) -> None:
    """Counts as many more as done on the bar, if there is one."""
    shown = _SHOWN.get()
    if shown is not None:
        shown.tell(done)


@contextmanager
def watched(
    tell: Callable[..., None] | None, total: int | None = None, unit: str = "memories"
) -> Iterator[Callable[..., None] | None]:
    """The progress function of a long job: `tell` if given, else that of a bar if somebody watches, else None."""
    if tell is not None or not (in_notebook() or _FOR_A_PERSON.get()):
        yield tell
        return
    with bar(total, unit) as drawn:
        yield drawn


def in_notebook() -> bool:
    """Whether this runs in a Jupyter kernel."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")


def expected(paths: Iterable[Path]) -> int | None:
    """An estimate of the memories in these files and folders; None if unknown, or if nobody is shown a bar."""
    if not _SHOWN.get():
        return None
    counts = [_expected(path) for path in paths]
    return None if None in counts else sum(filter(None, counts))


def _expected(path: Path) -> int | None:
    try:
        if path.is_dir():
            return sum(_expected(file) or 0 for file in _files(path))
        if path.suffix in ONE_A_LINE:
            return _lines(path)
        return path.stat().st_size // BYTES[path.suffix] + 1 if path.suffix in BYTES else None
    except OSError:
        return None


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder whose memories can be estimated; no links."""
    for place, inner, names in os.walk(folder):
        if len(Path(place).parts) - len(folder.parts) >= _DEEPEST:
            inner.clear()
        for path in (Path(place, name) for name in names):
            if (path.suffix in BYTES or path.suffix in ONE_A_LINE) and not path.is_symlink():
                yield path


def _lines(path: Path) -> int:
    with open_regular(path) as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
