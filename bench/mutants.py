"""How many small changes to the code of a behaviour its tests notice: mutation testing with cosmic-ray's operators.

    pip install cosmic-ray coverage
    python bench/mutants.py memkit/retrieval/published/engram.py --most 20 --seed 1

Of each module so many mutants are drawn (`--seed`), in a copy of this checkout. The tests of a module are those of the
files that docs/behaviours.md names for it. They run once with coverage; then each mutant is put to those that run its
statement: first what the page names, then the quickest, until one fails. A mutant that no test runs survives. Each is
tried in a fork of one process, which has loaded all but memkit and the tests. What survives is listed with its line.
With `--named` each mutant is put to the tests that the page names for its module, and to no others; nothing is traced.

Left out is what no test can tell, or ought to: annotations, decorators, what is raised, `zip(strict=True)`, other ways
of reading a type, and `is` in the place of `==`.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import importlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = "docs/behaviours.md"
NAMED = re.compile(r"`((?:memkit|tests)/[\w./-]+)(?:::(test_\w+))?`")
LEFT_OUT = re.compile(r"BitOr|RemoveDecorator|ReplaceComparisonOperator_(?:Is(?:Not)?_(?!Is)|Eq_Is$|NotEq_IsNot)")
LOADED = "numpy pytest hypothesis pytest_asyncio sqlite_utils jinja2 html.parser unittest.mock multiprocessing"
BROKEN = 70  # this program failed, not a test
PYTEST = ("-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist")


@dataclass(frozen=True)
class Mutant:
    """One change: what makes it, and the lines of the statement in which it is."""

    operator: str
    occurrence: int
    line: int
    lines: range
    imported: bool  # runs when the module is imported, before there is a test


def named(module: str) -> set[str]:
    """The tests that docs/behaviours.md names for a module."""
    found = [NAMED.findall(line) for line in (ROOT / PAGE).read_text("utf-8").split("\n- ")]
    return {f"{path}::{test}" for names in found if (module, "") in names for path, test in names if test}


def in_a_fork(work: Callable[[], int], seconds: float) -> int:
    """The exit code of some work in a process of its own, with whatever it started; 1 for what took too long."""
    pid = os.fork()
    if not pid:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        code = BROKEN
        try:
            code = work()
        finally:  # whatever happens, nothing of this process's own goes on here
            os._exit(code)
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0.02)
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1


def pytest_of(tests: list[str], plugins: list[Any]) -> int:
    """What pytest says of these tests."""
    import pytest

    return int(pytest.main([*PYTEST, *tests], plugins=plugins))


class Contexts:
    """A plugin of pytest: coverage notes which test runs a line, and this, how long the test took."""

    def __init__(self, coverage: Any, times: Path) -> None:
        self.coverage, self.times = coverage, times

    def pytest_runtest_setup(self, item: Any) -> None:
        """Lines from here on are this test's."""
        self.coverage.switch_context(item.nodeid.split("[")[0])

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A line for each phase of a test."""
        with self.times.open("a", encoding="utf-8") as out:
            out.write(f"{report.duration} {report.nodeid.split('[')[0]}\n")


@dataclass(frozen=True)
class Traced:
    """Which tests ran which line of a file, and the seconds that each took."""

    tests: dict[str, dict[int, set[str]]]
    seconds: dict[str, float]

    def those_of(self, module: str, mutant: Mutant, files: list[str], first: set[str]) -> list[str]:
        """The tests of these files that run a mutant's statement, those in `first` before the others."""
        lines = self.tests[module]
        of_files = {test for tests in lines.values() for test in tests if test.split("::")[0] in files}
        ran = of_files if mutant.imported else {test for line in mutant.lines for test in lines[line]} & of_files
        return sorted(ran, key=lambda test: (test not in first, self.seconds[test], test))


def traced(copy: Path, files: list[str]) -> Traced:
    """The tests of these files, run once with coverage; they all have to pass."""
    import coverage

    data, times = copy / ".coverage-of-tests", copy / ".times-of-tests"
    seen: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    seconds: dict[str, float] = defaultdict(float)
    for file in files:

        def run(file: str = file) -> int:
            measured = coverage.Coverage(data_file=str(data), source=[str(copy / "memkit")])
            measured.start()
            code = pytest_of([file], [Contexts(measured, times)])
            measured.stop()
            measured.save()
            return code

        data.unlink(missing_ok=True)
        times.unlink(missing_ok=True)
        if code := in_a_fork(run, 1200):
            raise SystemExit(f"{file}: the tests fail without a mutant ({code})")
        kept = coverage.CoverageData(str(data))
        kept.read()
        for path in kept.measured_files():
            for line, tests in kept.contexts_by_lineno(path).items():
                seen[str(Path(path).relative_to(copy))][line] |= {test for test in tests if test}
        for text in times.read_text("utf-8").splitlines():
            took, _, test = text.partition(" ")
            seconds[test] += float(took)
    return Traced(seen, seconds)


def left_out(tree: ast.Module) -> Iterator[ast.AST]:
    """The parts of a module of which no mutant is made."""
    for node in ast.walk(tree):
        for_types = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        if for_types or isinstance(node, ast.Raise) or (isinstance(node, ast.keyword) and node.arg == "strict"):
            yield node
        yield from getattr(node, "decorator_list", ())
        for name in ("annotation", "returns"):
            if (note := getattr(node, name, None)) is not None:
                yield note


def holds(node: ast.AST, at: tuple[int, int]) -> bool:
    """Whether a place, line and column, lies in a node."""
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    return begin <= at < end


def mutants(copy: Path, module: str) -> list[Mutant]:
    """All changes that can be made to a module."""
    from cosmic_ray.commands.init import _all_work_items

    tree = ast.parse((copy / module).read_text("utf-8"))
    out = list(left_out(tree))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    bodies = [node for node in statements if isinstance(node, ast.FunctionDef)]
    found = []
    for item in _all_work_items([copy / module], {}):
        change = item.mutations[0]
        at = (change.start_pos[0], change.start_pos[1])
        if LEFT_OUT.search(change.operator_name) or any(holds(node, at) for node in out):
            continue
        inner = min((one for one in statements if holds(one, at)), key=lambda one: (one.end_lineno or 0) - one.lineno)
        # Of a statement with a body only the head counts: its body may run for other reasons.
        last = min([one.lineno for one in ast.walk(inner) if isinstance(one, ast.stmt) and one is not inner] or [0])
        lines = range(inner.lineno, max(at[0] + 1, last or (inner.end_lineno or 0) + 1))
        imported = not any(holds(body, at) and at[0] >= body.body[0].lineno for body in bodies)
        found.append(Mutant(change.operator_name, change.occurrence, at[0], lines, imported))
    return sorted(found, key=lambda one: (one.line, one.operator, one.occurrence))


def put(path: Path, source: str) -> None:
    """Writes a module, without what was compiled of it before."""
    path.write_text(source, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def survives(copy: Path, module: str, mutant: Mutant, tests: list[str], seconds: float) -> str | None:
    """The line that no test misses, before and after; None where a test fails."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    path = copy / module
    source = path.read_text("utf-8")
    mutated = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    put(path, mutated)
    try:
        code = in_a_fork(lambda: pytest_of(tests, []), seconds) if tests else 0
        if code in (BROKEN, 5):  # 5: pytest found no test
            raise SystemExit(f"{module}:{mutant.line}: the tests could not be run")
        if code:
            return None
    finally:
        put(path, source)
    old, new = source.splitlines(), mutated.splitlines()
    changed = [f"{a.strip()} => {b.strip()}" for a, b in zip(old, new, strict=False) if a != b]
    return f"{mutant.operator.removeprefix('core/')}: {changed[0]} ({len(tests)} tests)"


def report(copy: Path, module: str, known: Traced | None, files: list[str], most: int, seed: int) -> tuple[int, int]:
    """Prints a module's survivors and figures; returns how many mutants were noticed, of how many."""
    first = named(module)
    everything = mutants(copy, module)
    drawn = random.Random(f"{seed} {module}").sample(everything, min(most, len(everything)))
    noticed = 0
    for mutant in sorted(drawn, key=lambda one: one.line):
        tests = known.those_of(module, mutant, files, first) if known else sorted(first, reverse=True)
        longest = 30 + 5 * sum(known.seconds[test] for test in tests) if known else 60 + 10 * len(tests)
        survivor = survives(copy, module, mutant, tests, longest)
        noticed += survivor is None
        if survivor:
            sys.stdout.write(f"  {module}:{mutant.line} {survivor}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{module}: {noticed} of {len(drawn)}, of {len(everything)} that could be drawn\n")
    sys.stdout.flush()
    return noticed, len(drawn)


def main() -> None:
    """Prints the figures and the survivors of each module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--named", action="store_true", help="only the tests that the page names for a module")
    options = parser.parse_args()
    files = {module: sorted({test.split("::")[0] for test in named(module)}) for module in options.modules}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "memkit").resolve()
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv*", "node_modules", "__pycache__"))
        compileall.compile_dir(copy, quiet=2)
        os.chdir(copy)
        os.environ.update(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.pathsep.join([str(copy), *sys.path[1:]]))
        sys.dont_write_bytecode = True
        sys.path[:] = [str(copy), *(place for place in sys.path[1:] if place and Path(place).resolve() != ROOT)]
        for name in LOADED.split():
            importlib.import_module(name)
        known = None if options.named else traced(copy, sorted({file for each in files.values() for file in each}))
        sums = [report(copy, one, known, files[one], options.most, options.seed) for one in options.modules]
        noticed, drawn = (sum(column) for column in zip(*sums, strict=True))
        sys.stdout.write(f"{noticed} of {drawn}: {noticed / drawn:.3f}\n")


if __name__ == "__main__":
    main()
