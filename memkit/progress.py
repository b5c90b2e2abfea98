"""How far a long job is: for a person who watches and waits, and for nobody else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 2.0  # seconds before a bar appears

# About how many bytes of a file make one memory, for the time left. Of files with a record a line, lines are counted.
BYTES = {".md": 500, ".markdown": 500, ".txt": 800, ".json": 1500, ".ipynb": 1500}
ONE_A_LINE = {".jsonl", ".ndjson", ".csv", ".tsv"}


@contextmanager
def bar(total: int | None = None, unit: str = "memories") -> Iterator[Callable[..., None]]:
    """A function to call with what is done since the last call (and, if it is known by now, the total).

    On a terminal and in a notebook it draws count, rate and time left on stderr, after PATIENCE seconds; elsewhere it
    says nothing.
    """
    if not (sys.stderr.isatty() or in_notebook()):
        yield lambda done, total=None: None
        return
    from tqdm import tqdm

    shown = {"delay": PATIENCE, "leave": False, "dynamic_ncols": True, "mininterval": 0}  # it is told of batches
    with tqdm(total=total, unit=f" {unit}", file=sys.stderr, **shown) as drawn:

        def tell(done: int, total: int | None = None) -> None:
            drawn.total = total or drawn.total
            drawn.update(done)

        yield tell


@contextmanager
def watched(tell: Callable[..., None] | None, total: int | None = None, unit: str = "memories") -> Iterator[Any]:
    """What to tell of a long job: the function given, or else a bar for somebody who waits in a notebook, or None."""
    if tell is not None or not in_notebook():
        yield tell
        return
    with bar(total, unit) as drawn:
        yield drawn


def in_notebook() -> bool:
    """Whether this runs in a Jupyter kernel."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")


def expected(paths: Iterable[Path]) -> int | None:
    """About how many memories these files and folders hold; None where there is no telling, or nobody watches."""
    if not sys.stderr.isatty():
        return None
    counts = [_expected(path) for path in paths]
    return None if None in counts else sum(filter(None, counts))


def _expected(path: Path) -> int | None:
    if path.is_dir():
        return sum(
            _expected(file) or 0 for file in path.rglob("*") if file.suffix in BYTES or file.suffix in ONE_A_LINE
        )
    try:
        if path.suffix in ONE_A_LINE:
            return _lines(path)
        return path.stat().st_size // BYTES[path.suffix] + 1 if path.suffix in BYTES else None
    except OSError:
        return None


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
