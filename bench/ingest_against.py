"""Whether ingest is slower than at another commit, and whether it finds the same: both in turn, in new processes.

    python bench/ingest_against.py COMMIT [FILE_OR_FOLDER ...] [--runs 3] [--n 12000] [--embed none] [--processes 2]
        [--most 1.05]

Without files, these are made up: the turns of `bench/ingest.py`, passages of 100 words, and a garden of Markdown notes.
Compared is the time of the processor, which other programs disturb less than the time that passes; `chrt -r 5 python
bench/...` keeps them away altogether. With `--processes 2` memkit may use a second process: then it is the time that
passes, and the memory of both. The last column says whether the tables that both databases have are equal, row
by row. Prints a Markdown table for bench/RESULTS.md. With `--most`, a ratio above it is a failure (exit status 1).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ingest import Speech, machine, rows

HERE = Path(__file__).resolve().parent.parent
WORDS = 100  # of a passage
# Two runs write the same, if the clock stands still. What tells one file from another is left out, and the blocks,
# whose keys are drawn by lot.
STEP = """
import hashlib, json, os, resource, sys, tempfile, time
from memkit.core import clock

class Still(clock.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 1, 2, 3, 4, 5, tzinfo=tz)

clock.datetime = Still
from memkit import MemoryDatabase

def digest(conn, table):
    columns = [row[1] for row in conn.execute(f'pragma table_info("{table}")') if row[1] != "applied_at"]
    names = ", ".join(f'"{column}"' for column in columns)
    but = " where name not in ('database', 'checked')" if table == "settings" else ""
    found = hashlib.sha256(names.encode())
    for row in conn.execute(f'select {names} from "{table}"{but}'):
        found.update(repr(tuple(row)).encode("utf-8", "surrogatepass"))
    return found.hexdigest()

with tempfile.TemporaryDirectory() as folder, MemoryDatabase(folder + "/memory.db", **eval(sys.argv[2])) as memory:
    now = time.process_time if os.environ["MEMKIT_PROCESSES"] == "1" else time.perf_counter
    started = now()
    report = memory.ingest(sys.argv[1])
    took = now() - started
    peak = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    assert report.added and not report.failed, report
    tables = memory.conn.execute("select name from sqlite_master where type = 'table'").fetchall()
    apart = ("code_blocks", "text_blocks", "sqlite_sequence", "_sqlite_migrations")
    found = {name: digest(memory.conn, name) for (name,) in tables if name not in apart}
print(json.dumps([1e6 * took / report.added, peak, found]))
"""


class Run(NamedTuple):
    """One ingest: the microseconds for each memory, the peak memory in MB, and a digest of each table."""

    time: float
    memory: float
    tables: dict[str, str]


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


def passages(n: int) -> Iterator[dict[str, str]]:
    """n passages of 100 words."""
    speech, words = Speech(5), list[str]()
    for number in range(n):
        while len(words) < WORDS:
            words += speech.sentence().split()
        yield {"id": f"p{number}", "text": " ".join(words[:WORDS])}
        del words[:WORDS]


def note(speech: Speech) -> str:
    """A Markdown note with front matter, headings, a list and links."""
    author, *linked = (speech.random.choice(speech.names) for _ in range(5))
    lines = ["---", f"author: {author} {linked[0]}", "tags: [made, up]", "---", ""]
    for name in linked:
        lines += [f"## {name}", "", " ".join(speech.sentence() for _ in range(4)), ""]
        lines += [f"- [[{name}]]: {speech.sentence()}", f"- **{speech.sentence()}**", ""]
    return "\n".join(lines)


def made_up(folder: Path, n: int) -> Iterator[Path]:
    """Sources of about as much text each: n turns, passages, and a garden."""
    for name, made in (("turns", rows(n)), ("passages", passages(n // 6))):
        source = folder / f"{name}.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
        yield source
    garden, speech = folder / "notes", Speech(6)
    garden.mkdir()
    for number, name in enumerate(islice(dict.fromkeys(speech.names), n // 24)):
        (garden / f"{name} {number}.md").write_text(note(speech), encoding="utf-8")
    yield garden


def measured(code: Path, source: Path, embed: str | None, processes: int) -> Run:
    """One ingest of a source by this code."""
    options = {} if embed is None else {"embed": embed}
    done = subprocess.run(
        [sys.executable, "-c", STEP, str(source), repr(options)],
        env={**os.environ, "PYTHONPATH": str(code), "MEMKIT_PROCESSES": str(processes)},
        cwd=code,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return Run(*json.loads(done.stdout))


def compared(then: Path, source: Path, runs: int, embed: str | None, processes: int) -> tuple[str, float]:
    """A line of the table: medians and ranges of both, the ratio of the medians, and what differs. And the ratio."""
    each: dict[Path, list[Run]] = {then: [], HERE: []}
    for code in each:
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(code / "memkit")], check=False)
    for _ in range(runs):
        for code, found in each.items():
            found.append(measured(code, source, embed, processes))
    cells, medians = [], []
    for found in each.values():
        times = [run.time for run in found]
        medians.append(statistics.median(times))
        cells.append(
            f"{medians[-1]:.0f} ({min(times):.0f} to {max(times):.0f}), {max(run.memory for run in found):.0f} MB"
        )
    ratio = medians[1] / medians[0]
    name = source.parent.name if source.stem == "corpus" else source.stem
    rows_ = told(*(found[-1].tables for found in each.values()))
    return f"| {name} | {' | '.join(cells)} | {1e6 / medians[1]:,.0f} | {ratio:.2f} | {rows_} |", ratio


def told(then: dict[str, str], now: dict[str, str]) -> str:
    """Which tables of two databases differ, of those that both have."""
    other = [table for table in sorted(then.keys() & now.keys()) if then[table] != now[table]]
    return "equal" if not other else f"other: {', '.join(other)}" if len(other) < 5 else f"{len(other)} tables differ"


def main() -> None:
    """Reads the arguments, measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--n", type=int, default=12_000, help="made-up turns, if no files are given")
    parser.add_argument("--embed", help="the model; none for none")
    parser.add_argument("--processes", type=int, default=1, help="2: with a second process, where there is one")
    parser.add_argument("--most", type=float, help="the ratio that none may exceed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, checked_out(given.commit) as then:
        sources: Iterable[Path] = given.files or made_up(Path(folder), given.n)
        lines = [compared(then, source.absolute(), given.runs, given.embed, given.processes) for source in sources]
    head = f"| microseconds a memory, peak memory | {given.commit} | now | a second | ratio | rows |"
    table = "\n".join([machine(), "", head, "|---|---|---|---|---|---|", *(line for line, _ in lines), ""])
    sys.stdout.write(table)
    if given.most and (slow := max(ratio for _, ratio in lines)) > given.most:
        raise SystemExit(f"A ratio of {slow:.2f} is above {given.most}.")


if __name__ == "__main__":
    main()
