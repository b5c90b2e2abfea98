"""Facts about checkpoints where SQLite has the WAL-reset bug: none is made while somebody else can commit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlite_utils
from datasettes import datasette

from memkit import MemoryDatabase
from memkit.storage import checkpoints, driver, library
from memkit.storage.driver import sqlite3, writing

SIZE = 100_000  # bytes: a few pages for each row
ADD = "insert into settings values (hex(randomblob(8)), :value)"
COUNT = "select count(*) from settings where length(value) = 100000"


@pytest.mark.parametrize(
    ("version", "has"),
    [
        ((3, 38, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 9), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 0), False),
    ],
)
def test_which_versions_have_the_bug(version: tuple[int, int, int], has: bool) -> None:
    assert library.has_reset_bug(version) is has


@pytest.fixture(params=[True, False], ids=["bug", "mended"])
def bug(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """A library that has the bug, and one that does not."""
    monkeypatch.setattr(checkpoints, "has_reset_bug", lambda: request.param)
    return bool(request.param)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory database, made by a library that has the bug."""
    monkeypatch.setattr(checkpoints, "has_reset_bug", lambda: True)
    MemoryDatabase(tmp_path / "memory.db", embed="none").close()
    return tmp_path / "memory.db"


@pytest.fixture
def conn(path: Path) -> Iterator[Any]:
    """memkit's connection to it."""
    with closing(driver.connect(path)) as conn:
        yield conn


def add(conn: Any, times: int = 1) -> None:
    """Commits of 100 kB each."""
    for _ in range(times):
        with writing(conn):
            conn.execute(ADD, {"value": "x" * SIZE})


def log(path: Path) -> int:
    """The bytes of the write-ahead log."""
    return os.stat(f"{path}-wal").st_size


def copied(path: Path) -> int:
    """How many rows stand in the database itself, without its log."""
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as conn:
        return int(conn.execute(COUNT).fetchone()[0])


def pages(conn: Any) -> int:
    """After how many pages SQLite makes a checkpoint itself; 0: never."""
    return int(conn.execute("pragma wal_autocheckpoint").fetchone()[0])


async def test_sqlite_makes_no_checkpoint_by_itself_where_it_has_the_bug(bug: bool, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        assert (pages(db.conn) == 0) is bug
    with closing(sqlite_utils.Database(path)) as utils:
        assert (pages(utils.conn) == 0) is bug
    served = datasette(path).get_database("memory")
    assert (await served.execute_write_fn(pages) == 0) is bug


def test_a_database_without_memories_keeps_its_owners_checkpoints(bug: bool, tmp_path: Path) -> None:
    with closing(sqlite_utils.Database(tmp_path / "own.db")) as own:
        assert pages(own.conn) == 1000


def test_the_log_is_copied_and_begun_anew(conn: Any, path: Path) -> None:
    add(conn, 200)  # 20 MB
    assert log(path) < 2 * checkpoints.USUAL
    assert copied(path) > 150
    assert conn.execute(COUNT).fetchone()[0] == 200


def test_nobody_can_commit_during_a_checkpoint(conn: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Copier:
        def __init__(self, real: Any):
            self.real = real

        def execute(self, statement: str) -> Any:
            if "wal_checkpoint" in statement:
                with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
                    with pytest.raises(sqlite3.OperationalError, match="locked"):
                        other.execute("begin immediate")
                    seen.append(other.execute(COUNT).fetchone()[0])
            return self.real.execute(statement)

        def close(self) -> None:
            self.real.close()

    second = checkpoints._second
    monkeypatch.setattr(checkpoints, "_second", lambda file: Copier(second(file)))
    add(conn, 50)
    (rows,) = seen  # one checkpoint, which others can read during
    assert 34 <= rows <= 40  # at about 4 MB; a page more or less depends on how the file was written


def test_while_somebody_else_writes_there_is_no_checkpoint_and_no_waiting(
    conn: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(conn, 5)
    monkeypatch.setattr(checkpoints, "USUAL", SIZE)
    with closing(driver.connect(path)) as other:
        other.execute("begin immediate")
        checkpoints.after_commit(conn)
        assert copied(path) == 0
        other.execute("rollback")
    checkpoints.after_commit(conn)
    assert copied(path) == 5


def test_what_a_reader_still_reads_stays_in_the_log_until_it_is_done(conn: Any, path: Path) -> None:
    add(conn)
    with closing(driver.connect(path)) as reader:
        with driver.reading(reader):
            assert reader.execute(COUNT).fetchone()[0] == 1
            add(conn, 99)
            assert reader.execute(COUNT).fetchone()[0] == 1
            assert log(path) > 99 * SIZE
        add(conn, 2)
    assert log(path) < checkpoints.USUAL
    assert copied(path) >= 101


def test_a_checkpoint_that_fails_is_no_failed_commit(conn: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: str) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(checkpoints, "checkpoint", full)
    add(conn, 50)
    monkeypatch.undo()
    assert conn.execute(COUNT).fetchone()[0] == 50


def test_much_that_is_loaded_is_copied_seldom(conn: Any, path: Path, bug: bool) -> None:
    with closing(driver.connect(path)) as conn, driver.loading(conn):
        add(conn, 100)
        assert log(path) > 100 * SIZE
        assert pages(conn) == (0 if bug else 16_384)


def test_a_rollback_journal_is_left_alone(path: Path) -> None:
    with closing(driver.connect(path)) as conn:
        conn.execute("pragma journal_mode = delete")
        add(conn, 60)
        assert not Path(f"{path}-wal").exists()
    assert copied(path) == 60
