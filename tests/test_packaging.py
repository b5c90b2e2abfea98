"""What pyproject.toml declares is what is so: each import, each extra, the version."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import memkit
from memkit.core.errors import NeedsPackage
from memkit.sources import Format
from memkit.storage import library

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# What nobody has to install for memkit, and why it is imported all the same.
HOSTS = {
    "datasette-agent": "only that calls the hook in which it is imported",
    "ipython": "only its kernels show a widget as it is shown with it",
}
# Distributions that are not called as what they hold, where they are not installed, or Python can't tell (3.10).
CALLED = {"frontmatter": {"python-frontmatter"}, "markdown_it": {"markdown-it-py"}}
LOOKED_FOR = ("import_module", "find_spec")


def normal(name: str) -> str:
    """A distribution's name as packaging compares it, without what follows."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", name)[0]).lower()  # type: ignore[index]


def imported(path: Path) -> set[str]:
    """The packages that a file imports, wherever it does so, or looks for by name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in LOOKED_FOR:
            found |= {one.value for one in node.args if isinstance(one, ast.Constant)}
    return {name.split(".")[0] for name in found} - sys.stdlib_module_names - {"memkit", "tomllib"}


IMPORTED = {package: path for path in sorted((ROOT / "memkit").rglob("*.py")) for package in imported(path)}
DISTRIBUTIONS = packages_distributions()
NEEDED = {normal(line) for line in PROJECT["dependencies"]}
EXTRAS = {name: {normal(line) for line in lines} for name, lines in PROJECT["optional-dependencies"].items()}


def holding(package: str) -> set[str]:
    """The distributions that may have brought this package in."""
    return {normal(name) for name in DISTRIBUTIONS.get(package, [])} or CALLED.get(package, {normal(package)})


@pytest.mark.parametrize("package", sorted(IMPORTED))
def test_whatever_is_imported_is_declared(package: str) -> None:
    declared = NEEDED.union(*EXTRAS.values()) | HOSTS.keys()
    assert holding(package) & declared, f"{IMPORTED[package]} imports {package}"


def test_whatever_is_declared_is_imported() -> None:
    there = set().union(*map(holding, IMPORTED), *CALLED.values())
    assert NEEDED.union(*EXTRAS.values()) - there == set()


def test_whoever_needs_an_extra_is_told_its_name() -> None:
    """What is installed with the rest needs no such message, and every extra of which something depends has one."""
    told = {}
    for path in (ROOT / "memkit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == NeedsPackage.__name__:
                package, install = map(ast.literal_eval, (node.args[0], node.args[2]))
                told[normal(package)] = install
            if isinstance(node, ast.Call) and ast.unparse(node.func) == Format.__name__:
                given = {one.arg: one.value for one in node.keywords}
                needs = ast.literal_eval(given["needs"]) if "needs" in given else ()
                for package in set().union(*map(holding, needs)):
                    told[package] = f"'{PROJECT['name']}[{ast.literal_eval(given['extra'])}]'"
    without_it = {"anywidget"}  # without it, the same drawing stands still
    assert told == {
        package: f"'{PROJECT['name']}[{extra}]'"
        for extra, packages in EXTRAS.items()
        for package in packages - without_it
    }


def test_the_extras_are_those_of_the_readme() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)) >= EXTRAS.keys()


def test_no_sqlite_library_is_required() -> None:
    """Datasette, sqlite-utils and llm would use it, too: installing memkit must not change them."""
    assert not NEEDED & {normal(name) for name in (*library.DRIVERS, "pysqlite3-binary", "sqlean.py")}


def test_the_version_stands_in_one_place() -> None:
    """pyproject.toml has it from the package, as `memkit --version` and what is published have; see also the wheel."""
    assert "version" in PROJECT["dynamic"]
    assert "version" not in PROJECT
    done = subprocess.run([sys.executable, "-m", "memkit", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"memkit, version {memkit.__version__}\n"
    assigns = re.compile(r"__version__\s*(?::[^=\n]*)?=(?!=)")
    assigned = [path for path in (ROOT / "memkit").rglob("*.py") if assigns.search(path.read_text("utf-8"))]
    assert assigned == [ROOT / "memkit" / "core" / "version.py"]
