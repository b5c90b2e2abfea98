"""`python -m fuzz`: tries inputs, saves what it finds, and prints how many there were."""

# ruff: noqa: T201  (printing is what a command is for)

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from fuzz import cases, targets, trial
from fuzz.run import Plan, run
from fuzz.worker import Finding, Task

SAVED = Path("fuzz-findings")


def main() -> int:
    """Runs as the arguments say; 1 if there were findings."""
    said = argparse.ArgumentParser(description=__doc__, prog="python -m fuzz")
    said.add_argument("target", nargs="*", help=f"of: {', '.join(targets.NAMES)} (all)")
    said.add_argument("--seconds", type=float, help="how long (60, if --blocks says nothing)")
    said.add_argument("--blocks", type=int, help="how many blocks of each target, instead of seconds")
    said.add_argument("--first", type=int, default=0, help="the number of the first block (0)")
    said.add_argument("--seed", type=int, default=None, help="the same seed makes the same inputs (of the clock)")
    said.add_argument("--jobs", type=int, default=2, help="processes (2)")
    said.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="tries saved inputs again")
    given = said.parse_args()
    if unknown := set(given.target) - set(targets.NAMES):
        said.error(f"there is no target {', '.join(unknown)}")
    if given.replay:
        return replay(given.replay)
    seed = int(time.time()) if given.seed is None else given.seed
    seconds = 60.0 if given.blocks is None and given.seconds is None else given.seconds
    return fuzz(given.target or targets.NAMES, seed, given.jobs, given.first, given.blocks, seconds)


def fuzz(names: list[str], seed: int, jobs: int, first: int, blocks: int | None, seconds: float | None) -> int:
    """Tries, and prints a table; 1 if there were findings."""
    print(f"seed {seed}", flush=True)
    SAVED.mkdir(exist_ok=True)
    tried, found, files = Counter(dict.fromkeys(names, 0)), Counter[tuple[str, str]](), set()
    plan, began = Plan(names, first=first, blocks=blocks, seconds=seconds), time.monotonic()

    def on_block(task: Task) -> None:
        tried[task.name] += targets.target(task.name).BLOCK

    def on_finding(finding: Finding) -> None:
        found[finding.name, finding.sign] += 1
        if finding.inputs:
            files.add(path := save(finding, seed))
            print(f"{finding.name} block {finding.block} input {finding.number}: {finding.sign}\n  {path}", flush=True)

    with suppress(KeyboardInterrupt):  # Ctrl-C ends it with its table
        run(plan, seed, jobs, on_finding, on_block)
    took = time.monotonic() - began
    print("\n| target | inputs | findings |\n|---|---|---|")
    for name in names:
        print(f"| {name} | {tried[name]:,} | {sum(n for (where, _), n in found.items() if where == name):,} |")
    total = sum(tried.values())
    print(f"| all | {total:,} | {sum(found.values()):,} |")
    print(f"\n{took:,.0f} s, {total / max(took, 0.01):,.0f} inputs a second")
    for (name, sign), times in found.most_common():
        print(f"{times:6,} {name}: {sign}")
    return int(bool(found))


def save(finding: Finding, seed: int) -> Path:
    """Writes a finding's inputs to a file, which --replay and the corpus take, with its trace beside it."""
    sign = re.sub(r"\W+", "-", finding.sign)[:80].strip("-")
    path = SAVED / finding.name / f"{sign}-{hashlib.sha256(finding.inputs.encode()).hexdigest()[:8]}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(finding.inputs)
    path.with_suffix(".txt").write_text(f"seed {seed} block {finding.block} input {finding.number}\n{finding.said}")
    return path


def replay(paths: list[Path]) -> int:
    """Tries saved inputs in this process, and prints what comes of them; 1 if something does."""
    bad = 0
    for path in paths:
        inputs = cases.loaded(path.read_text())
        for _, outcome in trial.tried(path.parent.name, inputs):
            bad = 1
            print(f"{path}: {outcome.sign}\n{outcome.said}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
