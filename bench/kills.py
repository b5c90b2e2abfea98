"""Kills (`kill -9`) at random moments of all that writes: `PYTHONPATH=tests python bench/kills.py [--kills 1000]`.

After each kill the file is opened and looked at by SQLite's checks and `memkit doctor`, and what was acknowledged must
be there. After every second one or so the operation is done again, to its end: the result must be as without a kill.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from killing import Kills, warm
from operations import OPERATIONS


def main() -> int:
    """Prints a table; 1 if something was lost or harmed."""
    said = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    said.add_argument("--kills", type=int, default=1000, help="how many in all")
    said.add_argument("--seed", type=int, default=1)
    said.add_argument("--only", nargs="+", choices=OPERATIONS, default=list(OPERATIONS))
    given = said.parse_args()
    warm()
    each = -(-given.kills // len(given.only))
    harmed = total = 0
    print("| operation | ms undisturbed | kills | done again and the same | harmed |\n|---|---|---|---|---|")
    for name in given.only:
        bad = 0
        with TemporaryDirectory() as folder:
            kills = Kills(OPERATIONS[name], Path(folder) / "0", Random(f"{given.seed} {name}"))
            took, finished, count = kills.seconds, 0, 0
            while count < each:
                try:
                    kills.once()
                    count += 1
                except Exception as error:  # noqa: BLE001 (counted, and shown)
                    bad, count = bad + 1, count + 1
                    print(f"{name}: {type(error).__name__}: {str(error)[-1500:]}", file=sys.stderr)
                    finished += kills.finished
                    random = Random(f"{given.seed} {name} {count}")
                    kills = Kills(OPERATIONS[name], Path(folder) / str(count), random)
            finished += kills.finished
        print(f"| {name} | {1000 * took:.0f} | {count} | {finished} | {bad} |", flush=True)
        harmed, total = harmed + bad, total + count
    print(f"\n{total:,} kills, {harmed:,} harmed", flush=True)
    return int(bool(harmed))


if __name__ == "__main__":
    began = time.perf_counter()
    code = main()
    print(f"{time.perf_counter() - began:,.0f} s")
    sys.exit(code)
