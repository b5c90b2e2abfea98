"""A published design is one file: without it and its line, memkit imports, finds and packs by what is left."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import memkit
from memkit.retrieval.registry import DESIGNS, STRATEGIES

PACKAGE = Path(memkit.__file__).parent
PUBLISHED = Path("memkit", "retrieval", "published")
# `slots` is a word of its own, too: here it means the slots of memories.
OF_MEMORIES = (
    "memkit/storage/caches.py",
    "memkit/maintenance/policy.py",  # the step that fills them
    "memkit/sharing/selection.py",
    "memkit/sharing/publish/options.py",
)

USED = """
import sys
from memkit import STRATEGIES, MemoryDatabase
from memkit.core.errors import NotFound
from memkit.maintenance.policy import PRESETS

import memkit

assert memkit.__file__.startswith(sys.argv[1]), memkit.__file__
rows = [
    {"id": "m1", "text": "Rosa planted the quince behind the shed.", "title": "Garden", "slot": "project"},
    {"id": "m2", "text": "Rosa lives in Porto.", "kind": "fact", "slot": "user"},
    {"id": "m3", "text": "Theo works at Harbor Museum with Rosa."},
]
db = MemoryDatabase()
db.ingest(rows)
for name in STRATEGIES:
    found = db.recall("where does Rosa live?", strategy=name)
    assert "m2" in [hit.memory.source_id for hit in found], name
    assert "Porto" in found.context(500), name
    assert "Porto" in str(db.context("where does Rosa live?", strategy=name)), name
    assert db.set_policy(name).preset == name
assert list(STRATEGIES) == list(PRESETS)
try:
    db.recall("Rosa", strategy=sys.argv[2])
except NotFound as error:
    print(error)
"""


@cache
def nodes() -> list[tuple[Path, ast.AST]]:
    """All of the code but the list of the designs."""
    paths = [path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py")]
    return [
        (path, node)
        for path in paths
        if path != PUBLISHED / "__init__.py"
        for node in ast.walk(ast.parse((PACKAGE.parent / path).read_text("utf-8")))
    ]


@pytest.mark.slow
def test_no_module_imports_a_designs_file() -> None:
    """Not even another design's file does."""
    listed = "memkit.retrieval.published"
    imported = {
        f"{path}, line {node.lineno}: {name}"
        for path, node in nodes()
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (".".join(filter(None, (getattr(node, "module", ""), one.name))) for one in node.names)
        if name.startswith(listed) and name not in (f"{listed}.DESIGNS", f"{listed}.StrategyName")
    }
    assert imported == set()


def test_no_module_knows_a_design_by_its_name() -> None:
    named = {
        (path.as_posix(), node.value)
        for path, node in nodes()
        if isinstance(node, ast.Constant) and node.value in DESIGNS and path.parent != PUBLISHED
    }
    assert named == {(path, "slots") for path in OF_MEMORIES}


def copied(folder: Path) -> Path:
    """A copy of the package as it is imported: the code, and beside it what a checkout has."""
    shutil.copytree(PACKAGE, folder / "memkit", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE.parent / "templates", folder / "templates")
    return folder


def used(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """What a Python says that asks this copy by every strategy, and then by this one."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", USED, str(folder), name]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", DESIGNS)
def test_without_its_file_and_its_line_a_design_is_gone_and_all_else_works(name: str, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / PUBLISHED / f"{name}.py").unlink()
    listed = folder / PUBLISHED / "__init__.py"
    lines = listed.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.endswith(f" import {name}\n")]
    assert len(kept) == len(lines) - 1
    listed.write_text("".join(kept), "utf-8")
    done = used(folder, name)
    assert done.returncode == 0, done.stderr
    left = sorted(one for one in STRATEGIES if one != name)
    assert done.stdout == f"{name!r} is not a strategy. There are: {', '.join(left)}.\n"
