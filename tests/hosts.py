"""The hosts' own tests, with memkit installed and without: whether it changes them.

    python tests/hosts.py datasette sqlite-utils              their sources come from the package index
    python tests/hosts.py llm=../llm datasette=../datasette   sources that are here already

Each host is installed in an environment of its own, of the version that is installed beside memkit, or that of the
source. Its tests run there; then memkit is installed into the same environment, and they run again. Prints a Markdown
row for each host and every test that passed without memkit only. Those that list the plugins there are must differ.
What the index has of llm has no tests: give a checkout.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
TOOLS = ["pytest", "pytest-xdist", "pytest-timeout"]
# What each host's tests need, as it says itself.
NEEDED = {
    "datasette": ["pytest-asyncio", "beautifulsoup4", "black==24.4.2", "blacken-docs==1.12.1", "trustme", "cogapp"],
    "sqlite-utils": ["hypothesis", "black", "cogapp"],
    "llm": [
        "pytest-asyncio",
        "numpy",
        "httpx",
        "pytest-httpx",
        "httpx2-pytest>=2",
        "cogapp",
        "black",
        "pytest-recording",
        "syrupy",
        "llm-echo",
        "openai<3",  # the next one sends with httpx2: the tests of llm 0.32 stand in for httpx only, and would wait
    ],
}
LIST_PLUGINS = re.compile(r"plugin", re.IGNORECASE)


def source(host: str, folder: Path) -> Path:
    """The unpacked source of the installed version, with its tests."""
    wanted = ["--no-binary", host, "--no-deps", "--dest", str(folder), f"{host}=={version(host)}"]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *wanted], check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as packed:
        packed.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def install(python: Path, *what: object) -> None:
    """Installs packages into the environment of that Python."""
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *map(str, what)], check=True)


def outcomes(python: Path, tests: Path) -> dict[str, str]:
    """Runs the tests; each test's name, and whether it passed, failed or was skipped."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [str(python), "-m", "pytest", "-q", "-n", "2", "--timeout", "600", f"--junitxml={report.name}"]
        subprocess.run([*command, "-p", "no:cacheprovider", "tests"], cwd=tests, stdout=subprocess.DEVNULL, check=False)
        cases = ElementTree.parse(report.name).iter("testcase")
    kinds = {"failure": "failed", "error": "failed", "skipped": "skipped"}
    return {
        f"{case.get('classname')}::{case.get('name')}": next(
            (kinds[one.tag] for one in case if one.tag in kinds), "passed"
        )
        for case in cases
    }


def compare(host: str, given: str | None, folder: Path) -> tuple[str, list[str]]:
    """A row of the table, and the tests that passed only without memkit."""
    there = Path(given).resolve() if given else source(host, folder)
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    install(python, there, *TOOLS, *NEEDED[host])
    without = outcomes(python, there)
    install(python, ROOT)
    with_it = outcomes(python, there)
    lost = sorted(name for name, how in without.items() if how == "passed" and with_it.get(name) != "passed")
    passed = [sum(how == "passed" for how in found.values()) for found in (without, with_it)]
    here = subprocess.run([str(python), "-m", "pip", "show", host], capture_output=True, text=True, check=True).stdout
    known = re.search(r"^Version: (.*)$", here, re.MULTILINE)
    cells = [host, known[1] if known else "", len(without), *passed, len(lost)]
    return f"| {' | '.join(map(str, cells))} |", lost


def main() -> None:
    """Prints the table; fails if a test was lost that lists no plugins."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hosts", nargs="*", default=["datasette", "sqlite-utils"])
    lost = []
    sys.stdout.write(
        "| host | version | tests | passed without memkit | passed with it | lost |\n|---|---|---|---|---|---|\n"
    )
    for one in parser.parse_args().hosts:
        host, _, given = one.partition("=")
        with tempfile.TemporaryDirectory() as folder:
            row, names = compare(host, given, Path(folder))
        sys.stdout.write(f"{row}\n")  # the next host may fail
        sys.stdout.flush()
        lost += names
    sys.stdout.writelines(f"{'lists plugins' if LIST_PLUGINS.search(name) else 'LOST'}: {name}\n" for name in lost)
    sys.exit(any(not LIST_PLUGINS.search(name) for name in lost))


if __name__ == "__main__":
    main()
