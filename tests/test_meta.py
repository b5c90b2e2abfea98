"""Facts about the code as a whole: which module leans on which, what importing costs, whether all SQL is SQL."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import memkit
from memkit import driver, schema

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "memkit"

# Who stands on whom, from the ground up. A module imports only from rows above its own (or from its own package). The
# numbers are the levels of the architecture; a letter says that within a level some stand on others.
LEVELS = """
0   types errors clock _files
1a  text times rank fuse budget render metrics matching walks layout plots progress
1b  arguments redact compress passages strategies frames queries render_graph render_life unite
1c  results cards summarize phrases
1d  digest
2a  driver embed
2b  extract
2c  sources
2d  query_files
3a  store schema caches
3b  vectors scope former slots record projects
3c  graph
3d  understand
3e  channels
4a  unmet ingest lifecycle info doctor reindex bounded connect_relations eval_runs find expand around moments tables
4b  connect_fields evaluate order known
4c  connect recall
4d  extracting by_hand
4e  knowledge context life
4f  upkeep publish
4g  export
5   database
6a  demo serve sql_functions usual
6b  tools advise widgets
6c  mcp_server
6d  commands sqlite_utils_plugin datasette_plugin
6e  cli llm_plugin
6f  __main__
"""
ROW = {module: row for row, line in enumerate(LEVELS.strip().splitlines()) for module in line.split()[1:]}

HEAVY = (
    "numpy",
    "pandas",
    "datasette",
    "llm",
    "ipywidgets",
    "sqlite_utils",
    "sqlite3",
    "pysqlite3",
    "model2vec",
    "yaml",
)


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def imports(path: Path) -> Iterator[str]:
    """The memkit modules that a file imports, wherever it does so; imports for type checkers alone do not run."""
    tree = ast.parse(path.read_text("utf-8"))
    for_types = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "memkit":
            whole = {f"{node.module}.{name.name}" for name in node.names} & modules().keys()
            yield from whole or {str(node.module)}
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.split(".")[0] == "memkit")


def part(module: str) -> str:
    """The module or package directly below memkit that a module belongs to."""
    return module.split(".")[1] if "." in module else "memkit"


@pytest.mark.parametrize("module", [name for name in modules() if name != "memkit"])
def test_a_module_imports_only_from_lower_levels(module: str) -> None:
    """Deferred imports count: they hide a cycle, they do not remove it."""
    assert part(module) in ROW, f"{part(module)} has no level yet: put it into LEVELS in {Path(__file__).name}"
    for imported in imports(modules()[module]):
        if part(imported) not in (part(module), "memkit"):
            assert ROW[part(imported)] < ROW[part(module)], f"{module} imports {imported}, which is not below it"


def test_every_level_lists_modules_that_exist() -> None:
    assert set(ROW) == {part(module) for module in modules()} - {"memkit"}


# ---------------------------------------------------------------------------------------------- SQL

VERB = re.compile(r"\s*(select|insert|update|delete|with|pragma)\b")


def statements(module: str) -> dict[str, str]:
    """The SQL constants of a module, by name."""
    values = vars(importlib.import_module(module)).items()
    return {name: value for name, value in values if name.isupper() and isinstance(value, str) and VERB.match(value)}


# The sources' own statements read other programs' databases.
@pytest.mark.parametrize("module", [name for name in modules() if part(name) not in ("sources", "__main__")])
def test_every_sql_constant_compiles_against_the_schema(module: str) -> None:
    conn = driver.connect()
    schema.ensure(conn, "test")
    memkit.register_sql_functions(conn)
    for statement in statements(module).values():
        named = dict.fromkeys(re.findall(r"(?<!:):([a-z_]\w*)", statement))
        conn.execute(f"explain {statement}", named or [None] * statement.count("?"))
    conn.close()


def test_there_are_statements_to_compile() -> None:
    assert len(statements("memkit.store")) > 15


# ---------------------------------------------------------------------------------------------- importing


def loaded(code: str) -> set[str]:
    """The modules that are there after this code ran in a fresh Python."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "code",
    [
        "import memkit",
        "import memkit.cli",
        "import memkit.cli; memkit.cli.cli(['--help'], standalone_mode=False)",
        "import memkit.cli; memkit.cli.cli(['recall', '--help'], standalone_mode=False)",
    ],
)
def test_importing_memkit_and_asking_for_help_load_nothing_heavy(code: str) -> None:
    assert not loaded(code) & set(HEAVY)


def test_an_existing_database_is_read_and_written_without_the_hosts(tmp_path: Path) -> None:
    """To make or migrate one, sqlite-utils is imported; it brings pandas in where that is installed."""
    path = tmp_path / "memory.db"
    memkit.MemoryDatabase(path).close()
    code = f"from memkit import MemoryDatabase; m = MemoryDatabase({str(path)!r}); m.remember('Rosa'); m.recall('Rosa')"
    assert not loaded(code) & {"datasette", "llm", "pandas", "ipywidgets", "model2vec", "sqlite_utils"}


def test_all_is_the_public_surface() -> None:
    assert sorted(memkit.__all__) == sorted(memkit._PUBLIC)
    for name in memkit.__all__:
        assert getattr(memkit, name).__name__ == name if name[0].isupper() and not name.isupper() else True
    assert dir(memkit) == sorted([*memkit.__all__, "__version__"])  # what Tab offers
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        memkit.nonsense  # noqa: B018


def test_every_public_class_and_method_has_a_docstring() -> None:
    for name in memkit.__all__:
        public = getattr(memkit, name)
        if isinstance(public, type):
            methods = {m for m in vars(public) if not m.startswith("_") and callable(getattr(public, m))}
            assert public.__doc__, name
            assert [m for m in methods if not getattr(public, m).__doc__] == []


# ---------------------------------------------------------------------------------------------- the checkout

# What only one machine has, and what must never be in a file that others get.
PRIVATE = re.compile(
    r"(?<![\w.])/(?:home/[a-z]|Users/|root/|work/|farm/)[\w.-]+|pypi\.org/simple|--index-url|//[^/\s]*:[^/\s]*@"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|\bsk-[A-Za-z0-9]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}"
)


def tracked() -> list[Path]:
    """The files that git knows, if this is a checkout."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_machine_a_registry_or_a_secret() -> None:
    texts = {
        path: path.read_bytes() for path in tracked() if path.suffix not in (".safetensors", ".db", ".png", ".zip")
    }
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path, text in texts.items()
        if path != Path(__file__)
        for match in PRIVATE.finditer(text.decode("utf-8", "replace"))
    }
    assert found == set()
