"""Tries to break a file: processes write, load, read and check at once; then every page and memory is checked.

    python bench/writers.py                       4 writers and 2 readers, 60 seconds
    python bench/writers.py --writers 8 --seconds 600 --pages 20

Each writer remembers short texts, one commit each, and now and then many at once. A checkpoint follows every `--pages`
pages, much more often than usual, so that checkpoints and commits of different processes meet. `--sqlite` leaves the
checkpoints to SQLite, for comparison. Every text that was promised must be there in the end, and `integrity_check`,
`foreign_key_check` and the full-text index must be sound. Prints Markdown for bench/RESULTS.md, and fails if anything
is lost.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

from recall import machine

from memkit import MemoryDatabase
from memkit.core.errors import Busy
from memkit.storage import checkpoints
from memkit.storage.doctor import BROKEN, doctor
from memkit.storage.driver import sqlite3


def configure(pages: int, by_sqlite: bool) -> None:
    """Makes checkpoints frequent, by memkit or by SQLite."""
    checkpoints.USUAL = checkpoints.LOADING = pages * checkpoints.PAGE
    if by_sqlite:
        checkpoints.TAKE_OVER = (f"pragma wal_autocheckpoint = {pages}",)


def write(path: Path, number: int, until: float, pages: int, by_sqlite: bool) -> None:
    """Remembers until the time is up, and writes down what has been promised."""
    configure(pages, by_sqlite)
    made = [0]
    own = checkpoints.checkpoint

    def counted(file: str) -> None:
        own(file)
        made[0] += 1

    checkpoints.checkpoint = counted
    promised, busy, count = [], 0, 0
    while time.time() < until:
        with MemoryDatabase(path, embed="none") as db:  # opened anew now and then, as by a command
            for _ in range(50):
                count += 1
                texts = [f"Writer {number} said {count} and {n}." for n in range(20 if count % 10 == 0 else 1)]
                try:
                    db.ingest([{"id": text, "text": text} for text in texts]) if len(texts) > 1 else db.remember(
                        texts[0]
                    )
                    promised += texts
                except Busy:
                    busy += 1
    report = {"promised": promised, "busy": busy, "commits": count - busy, "checkpoints": made[0]}
    Path(f"{path}.{number}.json").write_text(json.dumps(report), encoding="utf-8")


def read(path: Path, until: float) -> None:
    """Asks and counts; what is there must never become less."""
    before = 0
    with MemoryDatabase(path, read_only=True, embed="none") as db:
        while time.time() < until:
            db.recall("who said what?")
            now = db.conn.execute("select count(*) from memories").fetchone()[0]
            assert now >= before, f"{before} memories became {now}"
            assert db.conn.execute("pragma quick_check(1)").fetchone()[0] == "ok"
            before = now


def run(folder: Path, writers: int, readers: int, seconds: int, pages: int, by_sqlite: bool) -> tuple[str, bool]:
    """A row of the table, and whether nothing was lost."""
    path = folder / "memory.db"
    MemoryDatabase(path, embed="none").close()
    until = time.time() + seconds
    jobs = [multiprocessing.Process(target=write, args=(path, n, until, pages, by_sqlite)) for n in range(writers)]
    jobs += [multiprocessing.Process(target=read, args=(path, until)) for _ in range(readers)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    reports = [json.loads(Path(f"{path}.{n}.json").read_text("utf-8")) for n in range(writers)]
    with MemoryDatabase(path, embed="none") as db:
        there = {row[0] for row in db.conn.execute("select text from memories")}
    lost = sum(text not in there for report in reports for text in report["promised"])
    broken = [check.name for check in doctor(path).checks if check.state == BROKEN]
    ended = [job.exitcode for job in jobs if job.exitcode]
    figures = [sum(report[name] for report in reports) for name in ("commits", "checkpoints", "busy")]
    cells = ["SQLite" if by_sqlite else "memkit", writers, readers, seconds, *figures, lost, len(broken), len(ended)]
    return f"| {' | '.join(map(str, cells))} |", not (lost or broken or ended)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--pages", type=int, default=20, help="a checkpoint after so many pages of the log")
    parser.add_argument("--sqlite", action="store_true", help="leave the checkpoints to SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        row, sound = run(Path(folder), options.writers, options.readers, options.seconds, options.pages, options.sqlite)
    head = (
        "checkpoints by | writers | readers | s | commits | checkpoints | busy | lost | broken checks | crashed".split(
            " | "
        )
    )
    lines = [f"{machine()}, SQLite {sqlite3.sqlite_version}, load {os.getloadavg()[0]:.0f}", ""]
    lines += [f"| {' | '.join(head)} |", "|---" * len(head) + "|", row]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(not sound)


if __name__ == "__main__":
    main()
