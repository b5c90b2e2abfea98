"""Measures embedding on Dask workers: the time of an ingest with 1, 2 and 4 of them, and of one without Dask.

    python bench/on_workers.py                        5 ms a text, 4,000 texts
    python bench/on_workers.py --texts 20000 --busy   the 5 ms are computed, so more workers than cores gain nothing

The embedder waits for 5 ms at each text, as for a model on a card or a server of its own. Prints Markdown for
bench/RESULTS.md: seconds, times as fast as one worker, and the share of linear. Fails if a row differs.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from memkit import MemoryDatabase
from memkit.embedding import unit_rows

NOW = "2026-03-01T12:00:00Z"
SECONDS = 0.005
DIMS = 384
TABLES = ("documents", "memories", "embeddings", "entities", "aliases", "mentions", "relations", "evidence")


class Slow:
    """An embedder that takes 5 ms for each text; its vectors depend on the text alone."""

    id, version, dims = "slow", "1", DIMS

    def __init__(self, busy: bool):
        self.busy = busy

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        until = time.perf_counter() + SECONDS * len(texts)
        while self.busy and time.perf_counter() < until:
            pass
        time.sleep(max(0.0, until - time.perf_counter()))
        seeds = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") for text in texts]
        return unit_rows(np.array([np.random.default_rng(seed).standard_normal(DIMS) for seed in seeds], np.float32))


def measured(folder: Path, name: str, rows: list[dict[str, str]], busy: bool, client: Any) -> tuple[float, list[Any]]:
    """The seconds of an ingest, and the rows that it made."""
    with MemoryDatabase(folder / f"{name}.db", embed=Slow(busy)) as db:
        started = time.perf_counter()
        db.ingest(rows, client=client, now=NOW)
        taken = time.perf_counter() - started
        return taken, [tuple(row) for table in TABLES for row in db.conn.execute(f"select * from {table}")]


def say(line: str) -> None:
    """Writes a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=4000)
    parser.add_argument("--busy", action="store_true", help="compute for 5 ms, instead of waiting")
    options = parser.parse_args()
    rows = [{"id": str(n), "text": f"The tree with the number {n} bore {n % 97} pears."} for n in range(options.texts)]
    say("| workers | seconds | times as fast as one | of linear |")
    say("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        alone, expected = measured(folder, "alone", rows, options.busy, None)
        say(f"| none | {alone:.1f} | | |")
        first = 0.0
        for workers in (1, 2, 4):
            with (
                LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
                Client(cluster) as client,
            ):
                taken, found = measured(folder, str(workers), rows, options.busy, client)
            if found != expected:
                sys.exit(f"with {workers} workers the rows differ")
            first = first or taken
            say(f"| {workers} | {taken:.1f} | {first / taken:.2f} | {first / taken / workers:.2f} |")


if __name__ == "__main__":
    main()
