"""How long a coding agent waits for `memkit advise`, and what it gets by the deadline.

    python bench/advise.py [--n 10000] [--runs 40]

Every run is a process of its own, as a hook is. Prints a Markdown table for bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from made_up import make

HOOK = json.dumps({"prompt": "what did they say about the river and the old road?", "cwd": "/srv/garden"}).encode()
PATIENT = 60_000  # milliseconds: a deadline that is never reached


def advised(path: Path, deadline: int) -> tuple[float, float, str]:
    """Clock and processor milliseconds of one run, and what came of it."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = [sys.executable, "-m", "memkit", "advise", str(path), "--deadline", str(deadline)]
    done = subprocess.run(run, input=HOOK, capture_output=True, check=True, cwd=Path.home())
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = "all" if not done.stderr else "words" if done.stdout else "nothing"
    return 1000 * clock, 1000 * cpu, said


def row(path: Path, deadline: int, runs: int) -> str:
    """A line of the table: p50, p95 and the longest of the clock, the processor's p50, and what was told."""
    clocks, cpus, said = zip(*(advised(path, deadline) for _ in range(runs)), strict=True)
    times = (median(clocks), quantiles(clocks, n=20, method="inclusive")[-1], max(clocks), median(cpus))
    counts = (said.count(kind) for kind in ("all", "words", "nothing"))
    return f"| {deadline:,} ms | {' | '.join(f'{ms:,.0f}' for ms in times)} | {' | '.join(map(str, counts))} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        make(path, given.n)
        advised(path, PATIENT)
        lines = [row(path, deadline, given.runs) for deadline in (PATIENT, 800)]
    heads = "| deadline | p50 ms | p95 ms | longest | processor p50 | all told | by words | nothing |"
    load = f"{given.n:,} memories, load {os.getloadavg()[0]:.1f}"
    sys.stdout.write("\n".join([load, "", heads, f"|{'---|' * 8}", *lines, ""]))


if __name__ == "__main__":
    main()
