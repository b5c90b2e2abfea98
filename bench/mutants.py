"""How many small changes to the code of a behaviour its tests notice: mutation testing with cosmic-ray.

    pip install cosmic-ray
    python bench/mutants.py memkit/retrieval/published/engram.py --most 60

Of each module so many mutants are drawn (`--seed`), in a copy of this checkout. Each runs the tests that
docs/behaviours.md names for this module. What survives is listed with its line. Left out are annotations, and mutants
that cannot be told from the code: other ways of reading a type, of naming an error.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = "docs/behaviours.md"
NAMED = re.compile(r"`((?:memkit|tests)/[\w./-]+)(?:::(test_\w+))?`")
# `|` joins types in annotations; a decorator that is removed leaves what a test cannot see (a cache) or breaks at once.
LEFT_OUT = re.compile(r"BitOr|RemoveDecorator|ReplaceComparisonOperator_Is(?:Not)?_(?!Is)")
CONFIG = """
[cosmic-ray]
module-path = "{module}"
timeout = {seconds}.0
excluded-modules = []
test-command = "{python} -m pytest -q -x -p no:cacheprovider {tests}"
[cosmic-ray.distributor]
name = "local"
"""
SELECT_MUTANTS = "select job_id, operator_name, start_pos_row from mutation_specs order by 1"
SELECT_SURVIVORS = """
select s.start_pos_row, s.operator_name, r.diff from work_results as r join mutation_specs as s on s.job_id = r.job_id
where r.test_outcome = 'SURVIVED' order by 1
"""
COUNT_KILLED = "select count(*) from work_results where test_outcome = 'KILLED'"


def tests_of(module: str) -> list[str]:
    """The tests that docs/behaviours.md names for a module."""
    lines = (ROOT / PAGE).read_text("utf-8").split("\n- ")
    named = [NAMED.findall(line) for line in lines]
    return sorted({f"{path}::{test}" for found in named if (module, "") in found for path, test in found if test})


def drawn(session: Path, most: int, seed: int) -> int:
    """Leaves at most so many mutants in a session; returns their number."""
    with sqlite3.connect(session) as conn:
        found = [row[0] for row in conn.execute(SELECT_MUTANTS) if not LEFT_OUT.search(row[1])]
        kept = random.Random(seed).sample(found, min(most, len(found)))
        marks = ",".join("?" * len(kept))
        for table in ("mutation_specs", "work_items"):
            conn.execute(f"delete from {table} where job_id not in ({marks})", kept)
    return len(kept)


def survivors(copy: Path, module: str, most: int, seed: int, seconds: int) -> Iterator[str]:
    """A line for each mutant of a module that no test noticed, after one with the figures."""
    tests = tests_of(module)
    if not tests:
        yield f"{module}: no behaviour names a test"
        return
    session, config = copy / "session.sqlite", copy / "cosmic-ray.toml"
    session.unlink(missing_ok=True)
    config.write_text(CONFIG.format(module=module, seconds=seconds, python=sys.executable, tests=" ".join(tests)))
    for run in (["baseline", config.name], ["init", config.name, session.name]):  # the tests pass without a mutant
        subprocess.run(["cosmic-ray", *run], cwd=copy, check=True)
    made = drawn(session, most, seed)
    subprocess.run(["cosmic-ray", "exec", config.name, session.name], cwd=copy, check=True)
    with sqlite3.connect(session) as conn:
        killed = conn.execute(COUNT_KILLED).fetchone()[0]
        yield f"{module}: {killed} of {made} killed by {len(tests)} tests"
        for line, operator, diff in conn.execute(SELECT_SURVIVORS).fetchall():
            changed = [text for text in diff.splitlines() if re.match(r"[-+](?![-+])", text)]
            yield f"  {line} {operator.removeprefix('core/')}: {' => '.join(text[1:].strip() for text in changed)}"


def main() -> None:
    """Prints the figures and the survivors of each module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "memkit")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv*", "node_modules", "__pycache__"))
        for module in options.modules:
            for line in survivors(copy, module, options.most, options.seed, options.seconds):
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
