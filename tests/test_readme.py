"""Every example in README.md and docs/ runs, and what it shows is what comes out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
pytestmark = pytest.mark.slow
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the samples, and `memkit`, `llm` and `sqlite-utils` on the path."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    bin = tmp_path / "bin"
    bin.mkdir()
    for name in ("memkit", "llm", "sqlite-utils"):
        module = name.replace("-", "_")
        (bin / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        (bin / name).chmod(0o755)
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    monkeypatch.delenv("MEMKIT_DATABASE", raising=False)
    monkeypatch.setenv("PATH", f"{bin}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_runs_and_prints_what_it_shows(page: Path, folder: Path) -> None:
    names: dict[str, object] = {}
    for language, code in BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            exec(compile(code, page.name, "exec"), names)
        else:
            for command, shown in commands(code):
                run(command, shown)


def commands(block: str) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that it is shown to print."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(part.splitlines()[0], part.splitlines()[1:]) for part in parts]


def run(command: str, shown: list[str]) -> None:
    """Runs one command; the lines shown come in this order, and … stands for anything. `make` is run by CI itself."""
    if command.startswith("make "):
        assert re.search(rf"^{command.split()[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    lines = iter(done.stdout.splitlines())
    for line in shown:
        pattern = re.escape(line).replace("…", ".*")
        assert any(re.fullmatch(pattern, printed) for printed in lines), f"{command} does not print {line!r}"
