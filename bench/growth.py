"""How everything grows with a memory: one file, from 10,000 memories to millions, and the powers of what it takes.

    python bench/growth.py [--n 10000 --n 100000 --n 1000000] [--folder FOLDER] [--questions 60] [--write]

One file grows from step to step by turns of `bench/ingest.py`. At each step: how fast the rows of the step went in (by
the clock and by the processor, which other work on the machine slows less), the file, a new process's first question,
new questions, the same again, and each channel alone. The last line has the power of n with which each grows, by least
squares of the logarithms. At the last step the long works run as commands, each in a process of its own: their time and
the most memory that they had. Prints Markdown for bench/RESULTS.md; --write draws docs/images/growth.svg.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import TIMEOUT_MAX, Timer

import ingest
import recall
from ingest import Speech, in_new_process, machine

from memkit import MemoryDatabase

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
DIAGRAM = Path(__file__).parent.parent / "docs/images/growth.svg"
CHANNELS = ("fulltext", "vector", "sentence", "graph", "bridge")
COLUMNS = {
    "in": "in, a second",
    "worked": "by the processor",
    "peak": "ingest, MB",
    "size": "file, kB a memory",
    "cold": "new process, ms",
    "p50": "new, p50 ms",
    "p95": "p95",
    "again": "again, p50",
    "p50 worked": "new, processor",
    "memory": "asking, MB",
    **{name: name for name in CHANNELS},
}
WORKS = {
    "backup": ("backup", "{db}", "{out}/copy.db"),
    "full text made anew": ("reindex", "{db}", "--fts"),
    "all vectors made anew": ("reindex", "{db}"),
    "export": ("export", "{db}", "{out}/all.jsonl"),
    "publish of a project with all of it": ("publish", "{db}", "{out}/site", "--project", "global"),
    "upkeep, with nothing due": ("maintain", "{db}", "--now", "2100-01-01"),
    "upkeep that sums up all turns": ("maintain", "{db}", "--now", "2100-01-01"),
}
COLOURS = {"cold": "#9333ea", "p95": "#dc2626", "p50": "#2563eb", "again": "#16a34a"}


# ---------------------------------------------------------------------------------------------- measuring


def grown(path: Path, rows: Iterable[dict[str, str]], folder: Path) -> dict[str, float]:
    """What taking these rows into the file took."""
    source = folder / "turns.jsonl"
    with source.open("w", encoding="utf-8") as file:  # one by one: a process begins with its parent's peak of memory
        file.writelines(json.dumps(row) + "\n" for row in rows)
    took = in_new_process("ingest", str(path), str(source))
    return {"in": took["added"] / took["all"], "worked": took["added"] / took["worked"], "peak": took["peak"]}


def asked(path: Path, questions: Sequence[str]) -> dict[str, float]:
    """What questions to the file took."""
    found = recall.in_new_process(path, list(questions), "memkit", processor=False)
    new, again = found["new"], found["warm"]
    return {
        "cold": cold(path, questions[0]),
        "p50": new["all"][0],
        "p95": new["all"][1],
        "again": again["all"][0],
        "p50 worked": new["processor"][0],
        "memory": found["memory"],
        **{name: new[name][0] for name in CHANNELS if name in new},
    }


def cold(path: Path, question: str) -> float:
    """Milliseconds of a process that asks one question; the file is in the system's cache."""
    return 1000 * run(("recall", str(path), question))[0]


def run(command: Sequence[str], longest: float = math.inf) -> tuple[float, float]:
    """Seconds that a command of memkit took, and the megabytes that it had at most; it is killed after `longest`."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "memkit", *command], stdout=subprocess.DEVNULL)
    timer = Timer(min(longest, TIMEOUT_MAX), process.kill)
    timer.start()
    _, status, used = os.wait4(process.pid, 0)
    timer.cancel()
    if status and time.perf_counter() - start < longest:
        raise RuntimeError(f"memkit {' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, used.ru_maxrss / 1024


def measured(path: Path, sizes: Sequence[int], questions: int, folder: Path) -> dict[int, dict[str, float]]:
    """The figures of each size, to which the file grows from the one before."""
    turns, there, found = ingest.rows(max(sizes)), 0, {}
    for n in sorted(sizes):
        took = grown(path, islice(turns, n - there), folder)
        speech = Speech(n)  # other questions at each size
        new = asked(path, [speech.question() for _ in range(questions + 1)])
        found[n], there = {**took, "size": path.stat().st_size / n / 1000, **new}, n
        sys.stderr.write(f"{n:,}: {took['in']:,.0f} a second, new {new['p50']:.1f} ms\n")
    return found


# ---------------------------------------------------------------------------------------------- the report


def power(values: Mapping[int, float]) -> float:
    """The power of n with which the values grow: the slope of their logarithms, by least squares."""
    points = [(math.log(n), math.log(value)) for n, value in values.items() if value > 0]
    middle_x, middle_y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0


def lines(found: Mapping[int, Mapping[str, float]]) -> list[str]:
    """The table, with the powers below it."""
    shown = {name: title for name, title in COLUMNS.items() if all(one.get(name) is not None for one in found.values())}
    rows = [f"| memories | {' | '.join(shown.values())} |", f"|{'---|' * (len(shown) + 1)}"]
    rows += [f"| {n:,} | {' | '.join(number(one[name]) for name in shown)} |" for n, one in found.items()]
    powers = (f"{power({n: one[name] for n, one in found.items()}):.2f}" for name in shown)
    return [*rows, f"| power of n | {' | '.join(powers)} |"]


def number(value: float) -> str:
    """A figure with as many digits as say something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def diagram(found: Mapping[int, Mapping[str, float]]) -> str:
    """The times over the size, both in powers of ten, as SVG."""
    left, right = math.log10(min(found)), math.log10(max(found))
    top = math.ceil(math.log10(max(one[name] for one in found.values() for name in COLOURS)))

    def place(n: float, ms: float) -> tuple[float, float]:
        across = (math.log10(n) - left) / (right - left or 1)
        return 50 + 330 * across, 300 - 270 * math.log10(max(ms, 1)) / top

    parts = []
    for tens in range(top + 1):
        y = place(min(found), 10**tens)[1]
        parts.append(f'<path d="m50,{y:.0f} h330" stroke="#ddd"/>')
        parts.append(f'<text x="44" y="{y + 4:.0f}" text-anchor="end">{10**tens:,}</text>')
    for n in found:
        x = place(n, 1)[0]
        parts.append(f'<path d="m{x:.0f},300 v-270" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.0f}" y="318" text-anchor="middle">{short(n)}</text>')
    for at, (name, colour) in enumerate(COLOURS.items()):
        points = [place(n, one[name]) for n, one in found.items()]
        path = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{colour}"/>' for x, y in points]
        parts.append(f'<text x="392" y="{50 + 18 * at}" fill="{colour}">{COLUMNS[name]}</text>')
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 345" width="500" role="img"'
    style = ' font-family="system-ui,sans-serif" font-size="11" fill="#222">'
    names = '<text x="215" y="338" text-anchor="middle">memories</text><text x="50" y="18">milliseconds</text>'
    return "\n".join([head + style, '<rect width="100%" height="100%" fill="#fff"/>', *parts, names, "</svg>\n"])


def short(n: int) -> str:
    """`30k`, `3M`."""
    return f"{n / 1_000_000:g}M" if n >= 1_000_000 else f"{n / 1000:g}k"


def without_vectors(path: Path) -> None:
    """Takes all vectors out of the file."""
    with MemoryDatabase(path) as db:
        db.conn.execute("delete from embeddings")


def with_turns_summed_up(path: Path) -> None:
    """Lets upkeep sum up turns of chats, which it leaves alone unless told to."""
    with MemoryDatabase(path) as db:
        db.set_policy(settings={"episodes.compact_kinds": '["episode", "turn"]'})


BEFORE = {"all vectors made anew": without_vectors, "upkeep that sums up all turns": with_turns_summed_up}


def worked(path: Path, folder: Path, longest: float) -> list[str]:
    """What the long works took, as a table."""
    rows = ["| work | seconds | at most, MB |", "|---|---|---|"]
    for name, command in WORKS.items():
        if prepare := BEFORE.get(name):
            prepare(path)
        seconds, megabytes = run([part.format(db=path, out=folder) for part in command], longest)
        stopped = ", then stopped" if seconds >= longest else ""
        rows.append(f"| {name} | {seconds:,.0f}{stopped} | {megabytes:,.0f} |")
        sys.stderr.write(rows[-1] + "\n")
    return rows


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, action="append")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--longest", type=float, default=math.inf, help="seconds of one long work")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with TemporaryDirectory(dir=given.folder) as made:
        folder = Path(made)
        path = folder / "memory.db"
        found = measured(path, given.n or SIZES, given.questions, folder)
        text = [machine(), "", *lines(found), "", *worked(path, folder, given.longest)]
    if given.write:
        DIAGRAM.write_text(diagram(found), "utf-8")
    sys.stdout.write("\n".join([*text, ""]))


if __name__ == "__main__":
    main()
