"""From a key to its hits: how long a RecallBox takes to answer, at 10,000 memories. `python bench/widgets.py [N]`."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter

from made_up import make

from memkit import MemoryDatabase
from memkit.widgets import RecallBox
from memkit.widgets.debounce import PAUSE


def main(count: int) -> None:
    """Types a question letter by letter, and prints the milliseconds of each answer with the pause before it."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "memory.db")
        world = make(path, count)
        db = MemoryDatabase(path)
        box = RecallBox(db)
        question, times = f"who told {world.names[0]} about {world.names[1]} last spring?", []
        db.recall("what is loaded at first")
        for end in range(1, len(question) + 1):
            started = perf_counter()
            box.question.value = question[:end]
            times.append(1000 * (perf_counter() - started))
        db.close()
    pause = 1000 * PAUSE
    p50, p95 = median(times) + pause, quantiles(times, n=20)[-1] + pause
    print(f"{count:,} memories: key to hits p50 {p50:.0f} ms, p95 {p95:.0f} ms (of which {pause:.0f} ms is the pause)")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
