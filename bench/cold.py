"""How long a new process takes for one question, with the stored arrays and without them.

    python bench/cold.py [--n 10000 --n 100000] [--runs 15] [--keep FOLDER]

Each run is a process of its own: `memkit --version`, which asks nothing, `memkit recall`, and `memkit advise` as an
agent's hook calls it. They take turns, on the same two files. The modules are compiled, as they are where memkit is
installed. Prints Markdown for bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from made_up import make
from recall import machine

from memkit import MemoryDatabase

QUESTION = "what did they say about the river and the old road?"
HOOK = json.dumps({"prompt": QUESTION, "cwd": "/srv/garden"})
DROP = ("delete from code_blocks", "delete from graph_arrays", "vacuum")


def took(compiled: Path, *arguments: str) -> float:
    """Milliseconds of a process of memkit, whose compiled modules are in a folder."""
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "memkit", *arguments]
    start = time.perf_counter()
    subprocess.run(
        command,
        input=HOOK,
        env={**settings, "PYTHONPYCACHEPREFIX": str(compiled)},
        capture_output=True,
        check=True,
        text=True,
    )
    return 1000 * (time.perf_counter() - start)


def files(folder: Path, n: int) -> dict[str, Path]:
    """The same memories in a file with stored arrays and in one without."""
    stored, plain = folder / f"made-up-{n}.db", folder / f"made-up-{n}-plain.db"
    if not stored.exists():
        make(stored, n)
    if not plain.exists():
        shutil.copy(stored, plain)
        with MemoryDatabase(plain) as db:
            for statement in DROP:
                db.conn.execute(statement)
    return {"stored": stored, "plain": plain}


def row(folder: Path, n: int, runs: int) -> str:
    """A line of the table: medians in ms, how many times `--version` they take, and the megabytes of the arrays."""
    both = files(folder, n)
    calls = {"version": ("--version",)}
    for name, path in both.items():
        calls[f"recall {name}"] = ("recall", str(path), QUESTION)
        calls[f"advise {name}"] = ("advise", str(path), "--deadline", "60000")
    for call in calls.values():
        took(folder / "compiled", *call)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            times[name].append(took(folder / "compiled", *call))
    middle = {name: median(all) for name, all in times.items()}
    least = middle["version"]
    shown = [f"{ms:,.0f} ({ms / least:.1f})" for name, ms in middle.items() if name != "version"]
    larger = (both["stored"].stat().st_size - both["plain"].stat().st_size) / 1e6
    whole = both["stored"].stat().st_size / 1e6
    return f"| {n:,} | {least:.0f} | {' | '.join(shown)} | {larger:,.1f} of {whole:,.0f} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, action="append")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    heads = "| memories | version, ms | recall, stored | advise, stored | recall, plain | advise, plain | arrays, MB |"
    with tempfile.TemporaryDirectory() as folder:
        lines = [row(given.keep or Path(folder), n, given.runs) for n in given.n or [10_000, 100_000]]
    sys.stdout.write("\n".join([machine(), "", heads, f"|{'---|' * 7}", *lines, ""]))


if __name__ == "__main__":
    main()
