"""Whether ingest is slower than at another commit: the same texts in turn, each time in a new process.

    python bench/ingest_against.py COMMIT [FILE ...] [--runs 3] [--n 12000] [--embed none]

Without files, these are the turns of `bench/ingest.py`. Compared is the time of the processor, which other programs
disturb less than the time that passes; `chrt -r 5 python bench/...` keeps them away altogether. Prints a Markdown table
for bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest import machine, rows

HERE = Path(__file__).resolve().parent.parent
STEP = """
import resource, sys, tempfile, time
from memkit import MemoryDatabase

with tempfile.TemporaryDirectory() as folder, MemoryDatabase(folder + "/memory.db", **eval(sys.argv[2])) as memory:
    started = time.process_time()
    report = memory.ingest(sys.argv[1])
    took = time.process_time() - started
assert report.added and not report.failed, report
print(1e6 * took / report.added, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A folder with the files of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "then"
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(place), commit], check=True)
        try:
            yield place
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def measured(code: Path, source: Path, embed: str | None) -> tuple[float, float]:
    """The processor's microseconds for each memory of an ingest by this code, and its peak memory in MB."""
    options = {} if embed is None else {"embed": embed}
    done = subprocess.run(
        [sys.executable, "-c", STEP, str(source), repr(options)],
        env={**os.environ, "PYTHONPATH": str(code)},
        cwd=code,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    time, memory = done.stdout.split()
    return float(time), float(memory)


def compared(then: Path, source: Path, runs: int, embed: str | None) -> str:
    """A line of the table: medians and ranges of both, and the ratio of the medians."""
    each: dict[Path, list[tuple[float, float]]] = {then: [], HERE: []}
    for code in each:
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(code / "memkit")], check=False)
    for _ in range(runs):
        for code, found in each.items():
            found.append(measured(code, source, embed))
    cells, medians = [], []
    for found in each.values():
        times = [time for time, _ in found]
        medians.append(statistics.median(times))
        cells.append(f"{medians[-1]:.0f} ({min(times):.0f} to {max(times):.0f}), {max(mb for _, mb in found):.0f} MB")
    name = source.parent.name if source.stem == "corpus" else source.stem
    return f"| {name} | {' | '.join(cells)} | {medians[1] / medians[0]:.2f} |"


def main() -> None:
    """Reads the arguments, measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--n", type=int, default=12_000, help="made-up turns, if no files are given")
    parser.add_argument("--embed", help="the model; none for none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, checked_out(given.commit) as then:
        made_up = Path(folder) / "turns.jsonl"
        if not given.files:
            made_up.write_text("".join(json.dumps(row) + "\n" for row in rows(given.n)), encoding="utf-8")
        lines = [compared(then, file.absolute(), given.runs, given.embed) for file in given.files or [made_up]]
    head = f"| microseconds a memory, peak memory | {given.commit} | now | ratio |"
    sys.stdout.write("\n".join([machine(), "", head, "|---|---|---|---|", *lines, ""]))


if __name__ == "__main__":
    main()
