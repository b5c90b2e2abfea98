"""What a write costs through sqlite-utils' tables, and as SQL: `python bench/tables.py [--rows 20000]`.

Both ways in turn, in one process, on one file of memkit's; the ratio is of the medians. `import` is what the first of
such writes in a process costs beside that, in processes of their own, with pandas (which sqlite-utils brings in where
it is installed) and without. Prints a Markdown table for bench/RESULTS.md.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from memkit import MemoryDatabase
from memkit.storage import store
from memkit.storage.driver import writing

ROUNDS = 7
IMPORT = "import time, sqlite3, click; t = time.perf_counter(); import sqlite_utils; print(time.perf_counter() - t)"
WITHOUT_PANDAS = f"import sys; sys.modules['pandas'] = sys.modules['numpy'] = None; {IMPORT}"
INSERT_PROPOSAL = """
insert into proposals (id, kind, members, text, why, created_at) values (:id, 'merge', :id, 'one', 'alike', :now)
"""
NOW = "2026-03-01T12:00:00Z"


def compare(db: MemoryDatabase, rows: int) -> dict[str, tuple[float, float]]:
    """Seconds for each kind of write: through the tables, and as SQL."""
    tables = db.tables
    key = db.remember("Who has read this?", now=NOW).key
    marks = [{"memory_key": key, "extractor": str(n), "hash": "x", "at": NOW, "error": None} for n in range(rows)]
    named = [{"key": key, "extractor": str(n), "hash": "x", "now": NOW, "error": None} for n in range(rows)]

    def settings_tables(n: int) -> None:
        tables["settings"].upsert({"name": "policy", "value": f'"{n}"'}, pk="name")

    def settings_sql(n: int) -> None:
        with writing(db.conn):
            store.set_setting(db.conn, "policy", str(n))

    def row_tables(n: int) -> None:
        id = f"tables {n}"
        tables["proposals"].insert(
            {"id": id, "kind": "merge", "members": id, "text": "one", "why": "alike", "created_at": NOW}
        )

    def row_sql(n: int) -> None:
        with writing(db.conn):
            db.conn.execute(INSERT_PROPOSAL, {"id": f"sql {n}", "now": NOW})

    def many_tables(n: int) -> None:
        tables["extractions"].upsert_all(marks, pk=("memory_key", "extractor"))

    def many_sql(n: int) -> None:
        with writing(db.conn):
            db.conn.executemany(store.MARK_READ, named)

    return {
        "a setting, `upsert`": in_turn(settings_tables, settings_sql, 50),
        "a proposal, `insert`": in_turn(row_tables, row_sql, 50),
        f"{rows:,} marks, `upsert_all`": in_turn(many_tables, many_sql, 1),
    }


def in_turn(one: Callable[[int], None], other: Callable[[int], None], calls: int) -> tuple[float, float]:
    """The median seconds of a call of each."""
    took: tuple[list[float], list[float]] = [], []
    for number in range(ROUNDS):
        for call, times in zip((one, other), took, strict=True):
            start = time.perf_counter()
            for n in range(calls):
                call(number * calls + n)
            times.append((time.perf_counter() - start) / calls)
    return median(took[0]), median(took[1])


def imported(code: str) -> float:
    """The median seconds that importing takes."""
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return median(float(run.stdout) for run in runs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder, MemoryDatabase(Path(folder) / "memory.db", embed="none") as made:
        found = compare(made, arguments.rows)
    print("| write | tables, ms | SQL, ms | ratio |\n|---|---|---|---|")
    for name, (tables, sql) in found.items():
        print(f"| {name} | {1000 * tables:.2f} | {1000 * sql:.2f} | {tables / sql:.1f} |")
    print(f"\nimport: {1000 * imported(IMPORT):.0f} ms with pandas, {1000 * imported(WITHOUT_PANDAS):.0f} ms without")
