"""Years of conversations given to upkeep at once: `python bench/backlog.py [--turns 10000]`.

Made-up turns in sessions of 20 (`bench/ingest.py`) are taken in, and everything that is due is done: summed up, the raw
ones let go, the summaries distilled, what went ended. Prints, for each, seconds and what recall can find.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from ingest import machine, rows
from year import size, text

from memkit import MemoryDatabase

TAKEN_IN = "2026-01-01T00:00:00Z"
# When the steps are due that follow from having been taken in on that day.
STEPS = (
    ("summed up", "facts, compress", "2026-01-02T12:00:00Z"),
    ("raw ones gone", "expire", "2026-01-08T18:00:00Z"),
    ("distilled", "distil", "2026-01-10T00:00:00Z"),
    ("no longer kept for undoing", "purge", "2026-03-01T00:00:00Z"),
)


def measure(path: Path, turns: int) -> None:
    """Prints the table."""
    with MemoryDatabase(path) as db:
        db.set_policy(settings={"episodes.compact_kinds": '["episode", "turn"]'})
        started = time.perf_counter()
        db.ingest(list(rows(turns)), now=TAKEN_IN)
        show("taken in", time.perf_counter() - started, db, path, TAKEN_IN)
        for name, steps, now in STEPS:
            started = time.perf_counter()
            db.maintain(now=now, only=steps.split(", "))
            show(name, time.perf_counter() - started, db, path, now)
        started = time.perf_counter()
        db.vacuum(now=now)
        show("vacuumed", time.perf_counter() - started, db, path, now)


def show(name: str, seconds: float, db: MemoryDatabase, path: Path, now: str) -> None:
    """Prints a line of the table."""
    print(f"| {name} | {seconds:.1f} | {text(db, now):,} | {size(path):.1f} |", flush=True)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=10_000)
    turns = parser.parse_args().turns
    print(f"{turns:,} turns; {machine()}\n\n| | s | tokens that recall finds | MB |\n|---|---|---|---|")
    with TemporaryDirectory() as folder:
        measure(Path(folder) / "memory.db", turns)


if __name__ == "__main__":
    main()
