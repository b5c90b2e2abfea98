"""What memkit costs in `llm`: recall against `llm --version`, and what starting `llm` takes with the plugin in it.

    python bench/llm.py [--n 10000] [--runs 9]

Every run is a process of its own. Processor seconds are the figure to go by; the clock's depend on who else is busy.
Prints a Markdown table for bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from made_up import make

RECALL = ("-m", "llm", "memory", "recall", "what did they say about the river and the old road?")
VERSION = ("-m", "llm", "--version")
START = ("-c", "import llm.cli")
# What llm does with memkit when it starts, alone: its modules, and the group of commands.
PLUGIN = """
import time, llm.cli, click
begun = time.perf_counter()
from memkit.frontends import llm
llm.register_commands(click.Group())
print(1000 * (time.perf_counter() - begun))
"""


def seconds(arguments: tuple[str, ...], **environment: str) -> tuple[float, float]:
    """Processor and clock seconds of one run of Python."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = [sys.executable, *arguments]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}, cwd=Path.home())
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - start


def medians(rows: dict[str, tuple[tuple[str, ...], dict[str, str]]], runs: int) -> dict[str, tuple[float, float]]:
    """Processor and clock seconds of each row, the median of runs that take turns."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
    for _ in range(runs):
        for name, (arguments, environment) in rows.items():
            taken[name].append(seconds(arguments, **environment))
    return {
        name: (statistics.median(cpu for cpu, _ in all), statistics.median(clock for _, clock in all))
        for name, all in taken.items()
    }


def plugin(runs: int) -> str:
    """The milliseconds that starting `llm` takes longer with memkit's plugin."""
    environment = {**os.environ, "LLM_LOAD_PLUGINS": ""}
    run = [sys.executable, "-c", PLUGIN]
    taken = sorted(float(subprocess.check_output(run, env=environment, cwd=Path.home())) for _ in range(runs))
    return (
        f"loading memkit's plugin takes {taken[0]:.1f} ms (least of {runs}; median {statistics.median(taken):.1f} ms)"
    )


def bench(n: int, runs: int) -> str:
    """The table."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "memory.db", n)
        home = {"LLM_USER_PATH": folder}
        found = medians(
            {
                "`import llm.cli` without plugins": (START, {**home, "LLM_LOAD_PLUGINS": ""}),
                "`import llm.cli` with memkit": (START, {**home, "LLM_LOAD_PLUGINS": "datasette-memkit"}),
                "`llm --version`": (VERSION, home),
                f"`llm memory recall`, {n:,} memories": (RECALL, home),
            },
            runs,
        )
    base = found["`llm --version`"]
    lines = ["| run | processor s | clock s | against `llm --version` |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {cpu:.2f} | {clock:.2f} | {cpu / base[0]:.2f} (clock {clock / base[1]:.2f}) |"
        for name, (cpu, clock) in found.items()
    ]
    return "\n".join([*lines, "", plugin(runs)])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=9)
    given = parser.parse_args()
    sys.stdout.write(f"{bench(given.n, given.runs)}\n")


if __name__ == "__main__":
    main()
