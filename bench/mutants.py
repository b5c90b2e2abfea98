"""How many small changes to the code of a behaviour its tests notice: mutation testing with cosmic-ray's operators.

    pip install cosmic-ray coverage
    python bench/mutants.py memkit/retrieval/published/engram.py --most 20 --seed 1

Of each module so many mutants are drawn (`--seed`), in a copy of this checkout. Its tests are those that
docs/behaviours.md names for it. They run once with coverage, each in a process of its own; then each mutant is put to
those that run its statement, the quickest first, until one fails. A mutant that no test runs survives, and so does one
that only a process sees which a test starts. What survives is listed with its line, and put to the other tests of the
same files, unless `--named` is given. The first figure is of the named tests, the second of all.

All that a mutant costs is a fork of a process that has loaded memkit and the tests: the code of its functions is
replaced there. What runs when a module is imported is put to a process that has loaded neither yet.

Left out is what no test can tell, or ought to: annotations, decorators, what is raised, `zip(strict=True)`, which
fields a `repr` shows, the stars of arguments, other ways of reading a type, and `is` in the place of `==`.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import gc
import importlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = "docs/behaviours.md"
NAMED = re.compile(r"`((?:memkit|tests)/[\w./-]+)(?:::(test_\w+))?`")
LEFT_OUT = re.compile(r"BitOr|RemoveDecorator|ReplaceComparisonOperator_(?:Is(?:Not)?_(?!Is)|Eq_Is$|NotEq_IsNot)")
OUT = {"strict", "repr", "compare"}
LOADED = "numpy pytest hypothesis pytest_asyncio sqlite_utils jinja2 html.parser unittest.mock multiprocessing coverage"
BROKEN = 70  # this program failed, not a test
PYTEST = ("-q", "-s", "-x", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist")
STARTS = 60  # seconds that a process has beside those that the tests took: other programs run, too


class NotRun(Exception):
    """Tests could not be run, or fail without a mutant."""


@dataclass(frozen=True)
class Mutant:
    """One change: what makes it, and the lines of the statement in which it is."""

    operator: str
    occurrence: int
    line: int
    lines: range
    imported: bool  # it runs when the module is imported, before there is a test


@dataclass
class Traced:
    """What tests do: the lines of a module that each runs, and its seconds."""

    lines: dict[str, list[int]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def those_of(self, mutant: Mutant) -> list[str]:
        """The tests that run a mutant's statement, the quickest first."""
        ran = [test for test, lines in self.lines.items() if mutant.imported or {*lines} & {*mutant.lines}]
        return sorted(ran, key=lambda test: (self.seconds[test], test))

    def longest(self, tests: list[str]) -> float:
        """Seconds after which a mutant runs for ever."""
        return STARTS + 5 * sum(self.seconds[test] for test in tests)


def named(module: str) -> set[str]:
    """The tests that docs/behaviours.md names for a module."""
    found = [NAMED.findall(line) for line in (ROOT / PAGE).read_text("utf-8").split("\n- ")]
    return {f"{path}::{test}" for names in found if (module, "") in names for path, test in names if test}


def in_a_fork(work: Callable[[], int], seconds: float) -> int:
    """The exit code of some work in a process of its own, with whatever it started; 1 for what took too long."""
    folder = tempfile.mkdtemp()
    pid = os.fork()
    if not pid:
        os.setsid()
        tempfile.tempdir = os.environ["TMPDIR"] = folder  # what is left there goes with the process
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
    shutil.rmtree(folder, ignore_errors=True)
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1


class Tests:
    """A plugin of pytest that loads tests once, does some work with them, and runs those that the work asks for."""

    def __init__(self, work: Callable[[Tests], None]) -> None:
        self.work = work
        self.failed = False
        self.items: dict[str, list[Any]] = {}

    def pytest_runtestloop(self, session: Any) -> bool:
        """In the place of running what was collected."""
        for item in session.items:
            self.items.setdefault(item.nodeid.split("[")[0], []).append(item)
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A phase of a test has ended."""
        self.failed = self.failed or report.failed

    def run(self, tests: list[str]) -> int:
        """1 where one fails, and none after it is run."""
        items = [item for test in tests for item in self.items[test]]
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self.failed:
                return 1
        return 0


def pytest_of(tests: list[str], plugins: list[Any]) -> int:
    """What pytest says of these tests."""
    import pytest

    return int(pytest.main([*PYTEST, *tests], plugins=plugins))


def traced(tests: Tests, path: Path, test: str, into: Path) -> float:
    """The seconds that a test takes; which lines of a module it runs is written to a file."""

    def run() -> int:
        import coverage

        measured = coverage.Coverage(data_file=None, include=[str(path)])
        measured.start()
        code = tests.run([test])
        measured.stop()
        into.write_text(json.dumps(measured.get_data().lines(str(path)) or []), encoding="utf-8")
        return code

    began = time.monotonic()
    if code := in_a_fork(run, 600):
        raise NotRun(f"{test}: fails without a mutant ({code})")
    return time.monotonic() - began


def left_out(tree: ast.Module) -> Iterator[ast.AST]:
    """The parts of a module of which no mutant is made."""
    for node in ast.walk(tree):
        for_types = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        if for_types or isinstance(node, ast.Raise) or (isinstance(node, ast.keyword) and node.arg in OUT):
            yield node
        yield from getattr(node, "decorator_list", ())
        for name in ("annotation", "returns"):
            if (note := getattr(node, name, None)) is not None:
                yield note


def calculates(tree: ast.Module, at: tuple[int, int]) -> bool:
    """Whether the sign of a calculation stands at a place: no star of `*arguments`, `**named` or `*, named`."""
    between = [
        ((node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp | ast.AugAssign)
    ]
    return any(
        (left.end_lineno, left.end_col_offset) <= at < (right.lineno, right.col_offset) for left, right in between
    )


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
        if "BinaryOperator" in change.operator_name and not calculates(tree, at):
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


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a module and of every function in it, in the order in which they stand."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def replace_code(path: Path, old: str, new: str) -> None:
    """Every function of a module that was loaded does from now on what its new source says."""
    pairs = zip(codes(compile(old, path, "exec")), codes(compile(new, path, "exec")), strict=True)
    changed = {before: after for before, after in pairs if before != after}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(path):
            function.__code__ = changed.get(function.__code__, function.__code__)


def survives(path: Path, mutant: Mutant, run: Callable[[str, str], int], seconds: float) -> str | None:
    """The line that no test misses, before and after; None where a test fails."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    source = path.read_text("utf-8")
    changed = str(mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence))
    put(path, changed)
    try:
        code = in_a_fork(lambda: run(source, changed), seconds)
        if code in (BROKEN, 5):  # 5: pytest found no test
            raise NotRun(f"{path}:{mutant.line}: the tests could not be run")
        if code:
            return None
    finally:
        put(path, source)
    lines = zip(source.splitlines(), changed.splitlines(), strict=False)
    old, new = next((old.strip(), new.strip()) for old, new in lines if old != new)
    return f"{mutant.operator.removeprefix('core/')}: {old} => {new}"


def inside(module: str, copy: Path, drawn: list[Mutant], others: bool, into: Path) -> int:
    """Traces a module's tests, and puts to them the mutants inside functions: what is found is written to a file."""

    def work(tests: Tests) -> None:
        try:
            into.write_text(json.dumps(put_to(tests)), encoding="utf-8")
        except NotRun as error:
            into.write_text(json.dumps(str(error)), encoding="utf-8")

    def put_to(tests: Tests) -> list[Any]:
        path, known, first = copy / module, Traced(), named(module)
        for test in sorted({*tests.items} - first if others else {*tests.items} & first):
            try:
                known.seconds[test] = traced(tests, path, test, into)
                known.lines[test] = json.loads(into.read_text("utf-8"))
            except NotRun:
                if not others:
                    raise
        found = {}
        for mutant in drawn:
            if mutant.imported:
                continue
            those = known.those_of(mutant)

            def run(old: str, new: str, those: list[str] = those) -> int:
                replace_code(path, old, new)
                return tests.run(those)

            with suppress(NotRun):  # code that stands where the old cannot: it is imported, as other mutants are
                found[drawn.index(mutant)] = survives(path, mutant, run, known.longest(those))
        return [known.lines, known.seconds, found]

    return pytest_of(sorted({test.split("::")[0] for test in named(module)}), [Tests(work)])


def survivors(copy: Path, module: str, drawn: list[Mutant], others: bool) -> dict[Mutant, str]:
    """The mutants that the tests miss which the page names for a module, or the others of their files."""
    into = copy / ".found-by-mutants"
    code = in_a_fork(lambda: inside(module, copy, drawn, others, into), 24 * 3600)
    told = json.loads(into.read_text("utf-8"))
    if code or isinstance(told, str):
        raise NotRun(f"{module}: {told if isinstance(told, str) else code}")
    lines, seconds, found = told
    known = Traced(lines, seconds)
    for at, mutant in enumerate(drawn):
        if str(at) not in found:
            those = known.those_of(mutant)
            run = lambda _old, _new, those=those: pytest_of(those, []) if those else 0  # noqa: E731
            found[str(at)] = survives(copy / module, mutant, run, known.longest(those))
    return {mutant: missed for at, mutant in enumerate(drawn) if (missed := found[str(at)])}


def report(copy: Path, module: str, most: int, seed: int, *, only: bool) -> tuple[int, int, int]:
    """Prints a module's survivors and figures: noticed by the named tests, by these or others, and all mutants."""
    everything = mutants(copy, module)
    drawn = random.Random(f"{seed} {module}").sample(everything, min(most, len(everything)))
    drawn.sort(key=lambda one: one.line)
    missed = survivors(copy, module, drawn, others=False)
    left = missed if only or not missed else survivors(copy, module, [*missed], others=True)
    for mutant, line in missed.items():
        where = "" if mutant in left else ", noticed by a test that the page does not name"
        sys.stdout.write(f"  {module}:{mutant.line} {line}{where}\n")
    counts = len(drawn) - len(missed), len(drawn) - len(left), len(drawn)
    sys.stdout.write(f"{module}: {counts[0]}, {counts[1]} of {counts[2]}, of {len(everything)} that could be drawn\n")
    sys.stdout.flush()
    return counts


def main() -> None:
    """Prints the figures and the survivors of each module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--named", action="store_true", help="only the tests that the page names for a module")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "memkit").resolve()
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv*", "node_modules", "__pycache__"))
        for part in ("memkit", "tests"):
            compileall.compile_dir(copy / part, quiet=2)
        os.chdir(copy)
        os.environ.update(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.pathsep.join([str(copy), *sys.path[1:]]))
        sys.dont_write_bytecode = True
        sys.path[:] = [str(copy), *(place for place in sys.path[1:] if place and Path(place).resolve() != ROOT)]
        for name in LOADED.split():
            importlib.import_module(name)
        sums = []
        for one in options.modules:
            try:
                sums.append(report(copy, one, options.most, options.seed, only=options.named))
            except NotRun as error:
                sys.stdout.write(f"{error}\n")
        by_named, by_any, drawn = (sum(column) for column in zip(*sums, strict=True))
        sys.stdout.write(f"{by_named}, {by_any} of {drawn}: {by_named / drawn:.3f}, {by_any / drawn:.3f}\n")


if __name__ == "__main__":
    main()
