"""How long a sync takes that has nothing to do: `python bench/sync.py [--notes 10000]`.

Writes that many notes, takes them in, and prints the seconds of `memkit sync` as a command (with the start of Python),
the best and the median of five, when no note has changed, and when one has.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

WORDS = "quince pear plum garden Rosa planted spring autumn water soil letter bridge market harvest bees honey".split()


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000)
    notes = parser.parse_args().notes
    with tempfile.TemporaryDirectory() as folder:
        garden, file = Path(folder) / "garden", Path(folder) / "m.db"
        write(garden, notes)
        run("sources", file, "add", garden)
        run("sync", file)
        for what, change in (("nothing changed", lambda: None), ("one note changed", lambda: touch(garden))):
            print(f"{notes:,} notes, {what}: {seconds(file, change)}")


def write(garden: Path, notes: int) -> None:
    """Notes of sixty words, 500 in a folder."""
    random.seed(1)
    for number in range(notes):
        path = garden / str(number // 500) / f"note{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\n{' '.join(random.choices(WORDS, k=60))}.\n")


def touch(garden: Path) -> None:
    """Changes one note."""
    with (garden / "0" / "note0.md").open("a") as note:
        note.write("Once more.\n")


def seconds(file: Path, change) -> str:
    """The best and the median of five syncs, each after a change."""
    taken = []
    for _ in range(5):
        change()
        start = perf_counter()
        run("sync", file)
        taken.append(perf_counter() - start)
    return f"best {min(taken):.2f} s, median {statistics.median(taken):.2f} s"


def run(command: str, *words: object) -> None:
    """A command of memkit."""
    subprocess.run([sys.executable, "-m", "memkit", command, *map(str, words)], check=True, capture_output=True)


if __name__ == "__main__":
    main()
