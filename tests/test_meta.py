"""Facts about the code as a whole: which module leans on which, what importing costs, whether all SQL is SQL."""

from __future__ import annotations

import ast
import functools
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import memkit
from memkit.storage import driver, library, schema

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "memkit"

# The rooms, in the order of their imports: a room imports rooms before it, never one after it. What each is for stands
# in docs/architecture.md.
ROOMS = """
core
text
embedding
storage
sources
graph
ingestion
retrieval
maintenance
sharing
database
widgets
frontends
""".split()
BESIDE = {"__init__.py", "__main__.py", "py.typed"}  # what lies in memkit/ itself
CARRIED = {"templates", "samples", "metadata.yml"}  # what a wheel puts there

HEAVY = (
    "numpy",
    "pandas",
    "datasette",
    "llm",
    "ipywidgets",
    "sqlite_utils",
    *library.DRIVERS,
    "model2vec",
    "yaml",
)


@functools.cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def called(node: ast.AST) -> str:
    """The last name of an expression: `db` in `self.db`."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def written(node: ast.AST) -> str:
    """A text as it is written in the code; empty for what is none."""
    texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return "".join(texts) if isinstance(node, ast.Constant | ast.JoinedStr) else ""


def imports(path: Path) -> Iterator[str]:
    """The memkit modules that a file imports, wherever it does so: deferred, and for type checkers alone, too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are written in full"
            names = {f"{node.module}.{name.name}": name for name in node.names}
            inner = names.keys() & modules().keys()
            yield from inner
            if len(inner) < len(names) and (node.module or "").split(".")[0] == "memkit":
                yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.split(".")[0] == "memkit")
        elif isinstance(node, ast.Call) and called(node.func) == "import_module":
            yield from (word for word in map(written, node.args) if word.split(".")[0] == "memkit")


def room(module: str) -> str:
    """The room that a module is in."""
    return module.split(".")[1] if "." in module else "memkit"


GRAPH = {name: set(imports(path)) - {name} for name, path in modules().items()}


def test_only_rooms_lie_in_the_package() -> None:
    there = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert there - BESIDE - CARRIED == set(ROOMS)
    assert there >= BESIDE


def test_a_room_imports_only_rooms_before_it() -> None:
    against = [
        f"{module} imports {imported}"
        for module, found in GRAPH.items()
        for imported in found
        if room(module) in ROOMS and (room(imported) not in ROOMS or order(imported) > order(module))
    ]
    assert against == []


def test_the_pipeline_out_knows_neither_the_pipeline_in_nor_its_sources() -> None:
    """They meet in the file. The order of the rooms alone would allow it."""
    assert {room(imported) for module in GRAPH if room(module) == "retrieval" for imported in GRAPH[module]}.isdisjoint(
        {"ingestion", "sources"}
    )


def order(module: str) -> int:
    """The place of a module's room."""
    return ROOMS.index(room(module))


def test_no_two_files_import_each_other_by_any_way() -> None:
    """Deferred imports hide a circle, they do not remove it. Taking away what imports nothing must leave nothing."""
    left = {name: found & GRAPH.keys() for name, found in GRAPH.items()}
    while ends := [name for name, found in left.items() if not found & left.keys()]:
        for name in ends:
            del left[name]
    assert left == {}


# ---------------------------------------------------------------------------------------------- front ends

# A text that can only be SQL: "Select a person" and "Delete it for good" are English.
STATEMENT = re.compile(
    r"\s*(?:(?:select|SELECT|pragma|PRAGMA)\b|(?i:(?:insert|replace)\b[\w\s]*\binto\b|delete\s+from\b"
    r"|update\b[\w\s]*\bset\b|with\b[\w\s]*(?:\([^)]*\)\s*)?\bas\s*\("
    r"|(?:create|drop|alter)\b[\w\s]*\b(?:table|view|index|trigger)\b))"
)
DATABASES = {"db", "mem", "memory", "database", "opened"}  # what a MemoryDatabase is called in front ends
# One adds functions to connections, and shows SQL that uses them; of the other Datasette wants permissions as SQL.
OWN_SQL = ("memkit.frontends.sql_functions", "memkit.frontends.datasette.permission_rules")


def past_the_door(tree: ast.AST) -> Iterator[str]:
    """Where a module goes past a database's public methods: to its connection, to its private parts, by SQL."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            private = node.attr.startswith("_") and not node.attr.endswith("__")
            if node.attr == "conn" or (private and called(node.value) in DATABASES):
                yield f"line {node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.Constant | ast.JoinedStr):
            if STATEMENT.match(written(node)):
                yield f"line {node.lineno}: SQL"
        elif isinstance(node, ast.Call) and called(node.func) == "execute" and any(map(written, node.args)):
            yield f"line {node.lineno}: SQL"


@pytest.mark.parametrize("module", [name for name in modules() if room(name) in ("widgets", "frontends")])
def test_a_front_end_asks_by_public_methods_only(module: str) -> None:
    found = list(past_the_door(ast.parse(modules()[module].read_text("utf-8"))))
    assert found == [] or module in OWN_SQL


@pytest.mark.parametrize(
    "line",
    [
        "memory.conn.close()",
        "with self.db._turn(): pass",
        "NAMES = 'select name from t'",
        "NAMES: str = '\\nSELECT name\\nFROM t'",
        "query = f'with some as (select {n}) select * from some'",
        "x.executemany('insert or ignore into t values (?)', rows)",
        "x.executescript('delete from t')",
        "x.execute(f'pragma {p}')",
        "x.execute(f'{pragma} = 1')",
    ],
)
def test_what_goes_past_the_door_is_seen(line: str) -> None:
    assert list(past_the_door(ast.parse(line)))


# ---------------------------------------------------------------------------------------------- files

# Calls that make a file or folder with the mode that the umask leaves, which others may read.
MAKING = set("write_text write_bytes mkdir makedirs touch copy2 copyfile copytree NamedTemporaryFile mkstemp".split())
WRITING_MODE = re.compile(r"[rwxabt+]*[wxa+][rwxabt+]*")
MAKES_FILES = (
    "memkit.core.files",  # makes them for all others
    "memkit.sharing.publish.staging",  # what is published is for others
    "memkit.sharing.publish.publishing",
    "memkit.storage.checkpoints",  # opens what is there, with mode=rw
    "memkit.storage.driver",  # has the file made before SQLite opens it
    "memkit.sources.read_only",  # opens with mode=ro
)


def made_files(tree: ast.AST) -> Iterator[str]:
    """Where a module makes files by other ways than those of `core/files.py`, which make them private."""
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
        texts = set(map(written, given))
        if called(node.func) == "open":
            flags = {called(part) for one in given for part in ast.walk(one)}
            makes = flags & {"O_CREAT", "O_WRONLY", "O_RDWR"} or any(map(WRITING_MODE.fullmatch, texts))
        else:
            opens = ast.unparse(node.func).endswith("sqlite3.connect") and ":memory:" not in texts
            makes = opens or called(node.func) in MAKING
        if makes:
            yield f"line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize("module", modules())
def test_files_are_made_in_one_place(module: str) -> None:
    found = list(made_files(ast.parse(modules()[module].read_text("utf-8"))))
    assert found == [] or module in MAKES_FILES


@pytest.mark.parametrize(
    "line",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "path.open('r+')",
        "path.write_text(text)",
        "path.parent.mkdir(parents=True)",
        "os.open(path, os.O_CREAT | os.O_WRONLY)",
        "shutil.copy2(a, b)",
        "sqlite3.connect(path)",
        "driver.sqlite3.connect(str(path), uri=True)",
    ],
)
def test_a_file_made_elsewhere_is_seen(line: str) -> None:
    assert list(made_files(ast.parse(line)))


# ---------------------------------------------------------------------------------------------- SQL

VERB = re.compile(r"\s*(select|insert|update|delete|with|pragma)\b")


def statements(module: str) -> dict[str, str]:
    """The SQL constants of a module, by name."""
    values = vars(importlib.import_module(module)).items()
    return {name: value for name, value in values if name.isupper() and isinstance(value, str) and VERB.match(value)}


def temporary(module: str) -> list[str]:
    """The constants of a module that make a table of the connection's own, or of a database without a name."""
    values = vars(importlib.import_module(module)).values()
    made = re.compile(r"\s*create (virtual table (\w+ )*temp\.|table )")
    return [one for one in values if isinstance(one, str) and made.match(one)]


# The sources' own statements read other programs' databases; these run on PostgreSQL (tests/test_postgres.py).
OTHER_SQL = {
    f"memkit.sharing.postgres.{name}"
    for name in ("server", "search_index", "vector_index", "part", "needs", "connections", "rights")
}


@pytest.mark.parametrize(
    "module", [name for name in modules() if room(name) not in ("sources", "__main__") and name not in OTHER_SQL]
)
def test_every_sql_constant_compiles_against_the_schema(module: str) -> None:
    conn = driver.connect()
    schema.ensure(conn, "test")
    memkit.register_sql_functions(conn)
    for made in temporary(module):
        conn.execute(made)
    for statement in statements(module).values():
        named = dict.fromkeys(re.findall(r"(?<!:):([a-z_]\w*)", statement))
        conn.execute(f"explain {statement}", named or [None] * statement.count("?"))
    conn.close()


def test_there_are_statements_to_compile() -> None:
    assert len(statements("memkit.storage.store")) > 15


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
        "import memkit.frontends.cli.main",
        "import memkit.frontends.cli.main; memkit.frontends.cli.main.cli(['--help'], standalone_mode=False)",
        "import memkit.frontends.cli.main; memkit.frontends.cli.main.cli(['recall', '--help'], standalone_mode=False)",
    ],
)
def test_importing_memkit_and_asking_for_help_load_nothing_heavy(code: str) -> None:
    assert not loaded(code) & set(HEAVY)


def test_a_database_opens_without_the_grammar_of_times(tmp_path: Path) -> None:
    """It takes a tenth of the time to open one, and only questions and statements need it."""
    code = f"from memkit import MemoryDatabase; MemoryDatabase({str(tmp_path / 'memory.db')!r}).info()"
    assert "memkit.text.times" not in loaded(code)


def test_an_existing_database_is_read_and_written_without_the_hosts(tmp_path: Path) -> None:
    """To make or migrate one, sqlite-utils is imported; it brings pandas in where that is installed."""
    path = tmp_path / "memory.db"
    memkit.MemoryDatabase(path).close()
    code = f"from memkit import MemoryDatabase; m = MemoryDatabase({str(path)!r}); m.remember('Rosa'); m.recall('Rosa')"
    assert not loaded(code) & {"datasette", "llm", "pandas", "ipywidgets", "model2vec", "sqlite_utils"}


def test_the_list_of_sources_is_shown_without_the_readers_of_files(tmp_path: Path) -> None:
    """They take a second to load, in which a page of Datasette stood still at the first hit with an image."""
    path = tmp_path / "memory.db"
    with memkit.MemoryDatabase(path) as db:
        db.add_source(tmp_path)
    found = loaded(f"from memkit import MemoryDatabase; assert len(MemoryDatabase({str(path)!r}).sources()) == 1")
    assert not {name for name in found if name.startswith("memkit.sources")}


def test_llm_lists_tools_templates_and_fragments_without_the_database() -> None:
    """It loads those of all plugins to find one of them."""
    found = loaded("from memkit.frontends.llm import fragments, group, templates, toolbox")
    assert {room(name) for name in found if name.startswith("memkit.")} == {"core", "database", "frontends"}
    assert "memkit.database.memory_database" not in found


def test_a_recall_loads_nothing_for_zones_and_misspelt_names(tmp_path: Path) -> None:
    """The two take 3 of its 290 ms in a new process."""
    path = tmp_path / "memory.db"
    memkit.MemoryDatabase(path).close()
    code = f"from memkit import MemoryDatabase; MemoryDatabase({str(path)!r}, read_only=True).recall('Rosa')"
    assert not loaded(code) & {"difflib", "zoneinfo"}


def test_a_recall_loads_nothing_of_a_page() -> None:
    """It loads all published designs, but not what only their pages need."""
    modules = loaded("from memkit import MemoryDatabase; MemoryDatabase().recall('Rosa')")
    assert "memkit.retrieval.published.kira" in modules
    assert not modules & {f"memkit.retrieval.context.{name}" for name in ("data", "own", "page", "values")}
    assert "memkit.text.compress" not in modules


PATTERNS_COMPILED = """
import re._compiler
compiled, compile = [], re._compiler.compile
re._compiler.compile = lambda source, flags=0: compiled.append(source) or compile(source, flags)
from memkit import MemoryDatabase
MemoryDatabase({path!r}, read_only=True).recall("what did they say about the river and the old road?")
import sys
sys.stderr.write("\\n" + str(len(compiled)) + "\\n")
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="re has no such module")
def test_a_question_compiles_only_the_patterns_that_it_needs(tmp_path: Path) -> None:
    """Of more than 200 that its modules have. The grammar of times alone has 60, and needs none for this question."""
    path = tmp_path / "memory.db"
    with memkit.MemoryDatabase(path) as db:
        db.remember("They said that the road along the river is old.")
    code = PATTERNS_COMPILED.format(path=str(path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(done.stderr.split()[-1]) < 150


def test_a_recall_loads_no_library_of_models(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    memkit.MemoryDatabase(path).close()
    code = f"from memkit import MemoryDatabase; m = MemoryDatabase({str(path)!r}); m.remember('Rosa'); m.recall('Rosa')"
    assert not loaded(code) & {"safetensors", "tokenizers", "model2vec"}


def test_all_is_the_public_surface() -> None:
    assert sorted(memkit.__all__) == sorted(memkit._PUBLIC)
    for name in memkit.__all__:
        assert getattr(memkit, name).__name__ == name if name[0].isupper() and not name.isupper() else True
    assert dir(memkit) == sorted(memkit.__all__)  # what Tab offers
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


TOP = set(
    """.ci .gitignore CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md SECURITY.md bench datasette.yml docs
    memkit metadata.yml notebooks plugins pyproject.toml samples templates tests""".split()
)


def test_nothing_lies_at_the_top_by_mistake() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} == TOP


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


BY_CHANCE = {"__main__.py", "run.py", "trial.py", "killing.py"}


def test_no_test_holds_seconds_against_a_limit() -> None:
    """`tests/growth.py` counts, and compares work with work; how many seconds something takes is for bench/.

    Fuzzing looks for inputs that hang, and a kill comes at a moment by chance: they have a clock, but no limit.
    """
    clock = re.compile(r"\b(?:perf_counter|monotonic|process_time|thread_time)(?:_ns)?\(|\btime\.time\(")
    renamed = re.compile(r"^\s*from time import (?!sleep$)|\btimeit\b", re.M)
    texts = {path.name: path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)}
    texts = {name: text for name, text in texts.items() if name not in BY_CHANCE}
    assert {name for name, text in texts.items() if clock.search(text) or renamed.search(text)} == {"growth.py"}
