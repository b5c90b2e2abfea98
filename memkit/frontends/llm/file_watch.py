"""File watching: detects writes to a SQLite file without opening it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

State = tuple[tuple[int, int] | None, ...]


def changes(path: Path, every: float) -> Iterator[State]:
    """The state of a file at the beginning (if it exists) and after each change; ends with Ctrl-C."""
    last: State = (None, None)
    try:
        while True:
            now = state(path)
            if now != last:
                yield now
            last = now
            time.sleep(every)
    except KeyboardInterrupt:
        return


def state(path: Path) -> State:
    """Size and modification time of a SQLite file and of its write-ahead log."""
    return tuple(_look(one) for one in (path, path.with_name(f"{path.name}-wal")))


def _look(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
