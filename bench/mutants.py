"""How many small changes to the code of a behaviour its tests notice: mutation testing with cosmic-ray's operators.

    pip install cosmic-ray coverage
    python bench/mutants.py  # all that the page names
    python bench/mutants.py memkit/retrieval/published/engram.py --most 20 --seed 1 --any

Mutants are made of what docs/behaviours.md names: a module (`memkit/retrieval/packing.py`), or only some functions,
classes and constants of it (`memkit/retrieval/recall.py::kept`). Of each module so many are drawn (`--seed`), in a copy
of this checkout. Its tests are those that the page names for it. They run once with coverage, each in a process of its
own; then each mutant is put to those that run its statement, the quickest first, until one fails. A mutant that no test
runs survives, and so does one that only a process sees which a test starts. What survives is listed with its line, and
put to the other tests of the same files where `--any` is given: then a second figure is of all of these.

`bench/equal_mutants.json` lists changes of a line that make no difference, each with the reason. They are not counted.

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
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = "docs/behaviours.md"
NAMED = re.compile(r"`((?:memkit|tests)/[\w./-]+)(?:::([\w.]+))?`")
EQUAL = "bench/equal_mutants.json"
FOLDERS = ("memkit/retrieval/", "memkit/maintenance/")
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
    """The tests that docs/behaviours.md names for a module, and the files of which it names all."""
    lines = [names for names in in_lines() if module in {path for path, _ in names}]
    return {f"{path}::{test}" if test else path for names in lines for path, test in names if path.startswith("tests/")}


def in_lines() -> list[list[tuple[str, str]]]:
    """What each line of docs/behaviours.md names: a path, and a test, a function or nothing."""
    return [NAMED.findall(line) for line in Path(PAGE).read_text("utf-8").split("\n- ")]


def parts(module: str) -> set[str]:
    """What the page names of a module: functions, classes, methods (`Class.method`), constants; none for all of it."""
    found = {part for names in in_lines() for path, part in names if path == module}
    return set() if "" in found else found


def modules() -> list[str]:
    """The modules that the page names, of what recalls, builds contexts and keeps a memory in order."""
    return sorted({path for names in in_lines() for path, _ in names if path.startswith(FOLDERS)})


def equal(module: str) -> set[tuple[str, str]]:
    """The changes of a line of a module that make no difference, each the line before and after."""
    listed = json.loads(Path(EQUAL).read_text("utf-8"))
    return {(one["line"], one["changed"]) for one in listed.get(module, ())}


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


def named_parts(tree: ast.Module, names: set[str]) -> list[ast.stmt]:
    """The statements that define what has these names; all statements of a module for none."""
    found = {}
    for node in tree.body:
        found.update(dict.fromkeys(defined(node), node))
        if isinstance(node, ast.ClassDef):
            found.update({f"{node.name}.{name}": one for one in node.body for name in defined(one)})
    return [found[name] for name in sorted(names)] if names else tree.body


def defined(node: ast.stmt) -> list[str]:
    """The names that a statement gives to a function, a class or values."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for one in targets for each in ast.walk(one) if isinstance(each, ast.Name)]


def holds(node: ast.AST, at: tuple[int, int]) -> bool:
    """Whether a place, line and column, lies in a node."""
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    return begin <= at < end


def mutants(copy: Path, module: str) -> list[Mutant]:
    """All changes that can be made to what the page names of a module."""
    from cosmic_ray.commands.init import _all_work_items

    tree = ast.parse((copy / module).read_text("utf-8"))
    within, out = named_parts(tree, parts(module)), list(left_out(tree))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    bodies = [node for node in statements if isinstance(node, ast.FunctionDef)]
    found = []
    for item in _all_work_items([copy / module], {}):
        change = item.mutations[0]
        at = (change.start_pos[0], change.start_pos[1])
        if LEFT_OUT.search(change.operator_name) or any(holds(node, at) for node in out):
            continue
        if not any(holds(node, at) for node in within):
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


def functions_of(path: Path) -> list[FunctionType]:
    """Every function of a module that was loaded. To be asked before a fork: it touches all that there is."""
    found = [one for one in gc.get_objects() if isinstance(one, FunctionType) and one.__code__.co_filename == str(path)]
    gc.freeze()
    return found


def replace_code(functions: list[FunctionType], path: Path, old: str, new: str) -> None:
    """These functions of a module do from now on what its new source says."""
    pairs = zip(codes(compile(old, path, "exec")), codes(compile(new, path, "exec")), strict=True)
    changed = {before: after for before, after in pairs if before != after}
    for function in functions:
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
    return f"{mutant.operator.removeprefix('core/')}: {' => '.join(change(source, changed))}"


def change(source: str, changed: str) -> tuple[str, str]:
    """The line in which two sources differ, before and after."""
    lines = zip(source.splitlines(), changed.splitlines(), strict=False)
    return next((old.strip(), new.strip()) for old, new in lines if old != new)


def differ(path: Path, module: str, drawn: list[Mutant]) -> list[Mutant]:
    """The mutants without those that are known to make no difference."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    source, same = path.read_text("utf-8"), equal(module)
    changed = [str(mutate_code(source, get_operator(one.operator)(), one.occurrence)) for one in drawn]
    return [one for one, text in zip(drawn, changed, strict=True) if change(source, text) not in same]


def inside(module: str, copy: Path, drawn: list[Mutant], others: bool, into: Path) -> int:
    """Traces a module's tests, and puts to them the mutants inside functions: what is found is written to a file."""

    def work(tests: Tests) -> None:
        try:
            into.write_text(json.dumps(put_to(tests)), encoding="utf-8")
        except NotRun as error:
            into.write_text(json.dumps(str(error)), encoding="utf-8")

    def put_to(tests: Tests) -> list[Any]:
        path, known, first = copy / module, Traced(), named(module)
        functions = functions_of(path)
        for test in sorted(tests.items):
            if others == (test in first or test.split("::")[0] in first):
                continue
            try:
                known.seconds[test] = traced(tests, path, test, into)
                known.lines[test] = json.loads(into.read_text("utf-8"))
            except NotRun:
                if not others:
                    raise
        if not known.lines:
            raise NotRun("docs/behaviours.md names no test")
        found = {}
        for mutant in drawn:
            if mutant.imported:
                continue
            those = known.those_of(mutant)

            def run(old: str, new: str, those: list[str] = those) -> int:
                replace_code(functions, path, old, new)
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
    drawn = differ(copy / module, module, sorted(drawn, key=lambda one: one.line))
    missed = survivors(copy, module, drawn, others=False)
    left = missed if only or not missed else survivors(copy, module, [*missed], others=True)
    for mutant, line in missed.items():
        where = "" if mutant in left else ", noticed by a test that the page does not name"
        sys.stdout.write(f"  {module}:{mutant.line} {line}{where}\n")
    counts = len(drawn) - len(missed), len(drawn) - len(left), len(drawn)
    sys.stdout.write(f"{module}: {counts[0]}, {counts[1]} of {counts[2]}, of {len(everything)} that could be drawn\n")
    sys.stdout.flush()
    return counts


def in_a_copy(chosen: list[str], options: argparse.Namespace) -> list[tuple[int, int, int]]:
    """The counts of each of some modules, found in a copy of this checkout."""
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
        counts = []
        for one in chosen:
            try:
                counts.append(report(copy, one, options.most, options.seed, only=not options.any))
            except NotRun as error:
                sys.stdout.write(f"{error}\n")
                sys.stdout.flush()
        os.chdir(ROOT)
    return counts


def main() -> None:
    """Prints the figures and the survivors of each module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="all that the page names, unless given")
    parser.add_argument("--most", type=int, default=8, help="mutants of a module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--any", action="store_true", help="what survives is put to the other tests of the files, too")
    parser.add_argument("--jobs", type=int, default=2, help="modules at the same time")
    options = parser.parse_args()
    os.chdir(ROOT)  # until there is a copy: what the page says is that of one moment
    chosen = options.modules or modules()
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        shares = [chosen[n :: options.jobs] for n in range(options.jobs)]
        counts = [one for share in pool.map(in_a_copy, shares, repeat(options)) for one in share]
    by_named, by_any, drawn = (sum(column) for column in zip(*counts, strict=True))
    sys.stdout.write(f"{by_named}, {by_any} of {drawn}: {by_named / drawn:.3f}, {by_any / drawn:.3f}\n")


if __name__ == "__main__":
    main()
