"""Facts about the doctor: two SQLite libraries on one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils
from conftest import unguarded, with_two_libraries

import memkit
from memkit import MemoryDatabase, register_sql_functions
from memkit.core.errors import NeedsPackage
from memkit.storage import driver, library
from memkit.storage.doctor import BROKEN, DEGRADED, OK, Check, doctor


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory database."""
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.remember("Rosa planted the quince.")
    return tmp_path / "memory.db"


def broken(path: Path) -> list[Check]:
    """What does not work."""
    return [check for check in doctor(path).checks if check.state == BROKEN]


def test_a_file_that_another_library_has_open_in_this_process_is_warned_of(path: Path) -> None:
    code = """
from memkit import MemoryDatabase
from memkit.storage.doctor import doctor
with MemoryDatabase("memory.db") as db:
    other = own.connect("memory.db")
    other.execute("select 1 from memories")
    print(doctor("memory.db"))
    other.close()
    assert not doctor("memory.db").broken
"""
    done = with_two_libraries(path.parent, code)
    assert (done.returncode, done.stderr) == (0, "")
    assert "is open with sqlite3 too" in done.stdout
    assert "db.sql" in done.stdout


def test_another_file_of_another_library_is_nobodys_business(path: Path) -> None:
    code = """
from memkit.storage.doctor import doctor
closed, other, in_memory = (own.connect(name) for name in ("memory.db", "other.db", ":memory:"))
closed.close()
assert not doctor("memory.db").broken
"""
    done = with_two_libraries(path.parent, code)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_that_is_being_written_is_not_called_broken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "BUSY_SECONDS", 0)
    with closing(driver.connect(path)) as other:
        other.execute("begin immediate")
        checks = {check.name: check for check in doctor(path).checks}
    assert broken(path) == []
    assert checks["full-text pages"].state == DEGRADED
    assert "another process is writing" in checks["full-text pages"].text


@pytest.fixture
def old_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A SQLite that is older than any that memkit can use."""
    monkeypatch.setattr(library, "OLDEST", (99, 0, 0))
    library.check_library.cache_clear()
    yield
    library.check_library.cache_clear()


def test_a_sqlite_that_is_too_old_is_named_with_what_to_do(path: Path, old_library: None) -> None:
    said = r"This Python has SQLite 3\.[\d.]+\. memkit.* 3\.38 or newer.* Run: pip install 'datasette-memkit\[driver\]'"
    with pytest.raises(NeedsPackage, match=said):
        MemoryDatabase(path)
    with pytest.raises(NeedsPackage, match=said):
        memkit.ingest(sqlite_utils.Database(memory=True), ["Rosa planted the quince."])
    assert [check.name for check in broken(path)][:1] == ["sqlite"]


def test_a_sqlite_that_is_too_old_stops_no_host(path: Path, old_library: None) -> None:
    """Its other databases work, and only what asks memkit is told."""
    with closing(driver.sqlite3.connect(path)) as conn:
        register_sql_functions(conn)
        assert conn.execute("select count(*) from memories").fetchone()[0] == 1
        assert "3.38 or newer" in conn.execute("select recall('quince')").fetchone()[0]


def test_memkits_own_connections_are_no_other_library(path: Path) -> None:
    with MemoryDatabase(path), MemoryDatabase(path):
        assert broken(path) == []


def test_the_empty_rows_of_what_went_need_no_vectors(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    rows = [{"id": str(n), "text": f"Rosa picked {n} quinces.", "kind": "episode"} for n in range(3)]
    with MemoryDatabase(path) as db:
        db.set_policy(settings={"episodes.least_tokens": "1"})
        db.ingest(rows, now="2026-03-01T12:00:00Z")
        for day in ("2026-03-03", "2026-03-20"):
            db.maintain(now=f"{day}T12:00:00Z")
        assert db.conn.execute("select count(*) from memories where text = ''").fetchone()[0] == 3
        (vectors,) = (check for check in doctor(path).checks if check.name == "vectors")
        assert (vectors.state, vectors.text) == (OK, "1 of memkit")
        assert db.reindex().vectors == 0


def test_fix_mends_full_text_and_vectors(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path) as db:
        db.ingest([{"text": f"Rosa met Otto in Lisbon {n} times.", "session": "s"} for n in range(3)])
        db.conn.execute("delete from settings where name = 'database'")
        assert db.recall("Lisbon")
        db.conn.execute("delete from embeddings where memory_key = 2")
        db.conn.execute("update embeddings set code = x''")
        db.conn.execute("delete from memories_fts where rowid = 3")
    assert {check.name for check in broken(path)} == {"full text", "vectors"}
    doctor(path, fix=True)
    assert broken(path) == []


def test_fix_mends_what_refers_to_a_missing_row(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        db.ingest([{"text": f"Rosa met Otto in Lisbon {n} times.", "session": "s"} for n in range(3)])
        db.conn.execute("create table visits (at text, memory_key integer references memories)")
        db.conn.execute("create table lost (pear integer references pears(id))")
        db.conn.execute("insert into visits select 'noon', key from memories")
        db.conn.execute("pragma foreign_keys = off")
        with unguarded(db.conn):
            db.conn.execute("delete from memories where key = 1")
            db.conn.execute("delete from documents")
    (found,) = (check.text for check in broken(path) if check.name == "references")
    assert found.endswith(f". Run: memkit doctor {path} --fix")
    said = [check.text for check in doctor(path, fix=True).checks if check.name == "fixed"]
    assert any(one.startswith("emptied memories.document_key") for one in said)
    assert any(one.startswith("deleted from mentions") for one in said)
    assert "deleted from visits what refers to no memories: 1 row" in said
    assert broken(path) == []


def test_a_published_file_may_be_read_by_others(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db") as db:
        db.remember("Rosa planted the quince.", project="garden")
        db.publish(tmp_path / "out", project="garden")
    published = tmp_path / "out" / "garden.db"
    assert published.stat().st_mode & 0o044
    (found,) = (check for check in doctor(published).checks if check.name == "privacy")
    assert (found.state, found.text) == (OK, "others can read it, as it is published")
