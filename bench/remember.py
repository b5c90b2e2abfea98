"""How long it takes to remember one more thing: `python bench/remember.py [--memories N]`.

Made-up databases (`made_up.py`) with vectors and names. `first` is the first call of a process, `known` names only whom
the database knows, `new` also somebody that it does not.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import made_up
import numpy as np

from memkit import MemoryDatabase

ROUNDS = 20


def measured(call: Callable[[str], object], texts: list[str]) -> str:
    """Median and worst waiting time, and the median of the processor's, in ms."""
    waiting, working = [], []
    for text in texts:
        start, began = time.perf_counter(), time.process_time()
        call(text)
        waiting.append(1000 * (time.perf_counter() - start))
        working.append(1000 * (time.process_time() - began))
    return f"{np.median(waiting):9.1f} ms  worst {max(waiting):.1f}  processor {np.median(working):.1f}"


def report(path: Path, memories: int) -> None:
    made_up.make(path, memories)
    print(f"{memories:,} memories")
    with MemoryDatabase(path) as db:
        names = [row[0] for row in db.conn.execute("select name from entities order by key desc limit ?", (ROUNDS,))]
        print(f"  {'first':10} {measured(db.remember, ['The long report went to Ximena Quistgaard.'])}")
        texts = [f"The long report went to {name} in the end." for name in names]
        print(f"  {'known':10} {measured(db.remember, texts)}")
        texts = [f"The winter plan came from Ximena Quist{chr(97 + n)}berg." for n in range(ROUNDS)]
        print(f"  {'new':10} {measured(db.remember, texts)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=100_000)
    with TemporaryDirectory() as folder:
        report(Path(folder) / "memory.db", parser.parse_args().memories)
