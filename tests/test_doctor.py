"""Facts about the doctor: two SQLite libraries on one file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.storage import driver
from memkit.storage.doctor import BROKEN, DEGRADED, OK, Check, doctor

other_library = pytest.mark.skipif(driver.sqlite3 is sqlite3, reason="there is only one SQLite library here")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory database."""
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.remember("Rosa planted the quince.")
    return tmp_path / "memory.db"


def broken(path: Path) -> list[Check]:
    """What does not work."""
    return [check for check in doctor(path).checks if check.state == BROKEN]


@other_library
def test_a_file_that_another_library_has_open_in_this_process_is_warned_of(path: Path, tmp_path: Path) -> None:
    with MemoryDatabase(path), closing(sqlite3.connect(path)) as other:
        other.execute("select 1 from memories")
        (check,) = broken(path)
        assert check.name == "one library"
        assert "is open with sqlite3 too" in check.text
        assert "db.sql" in check.text
    assert broken(path) == []


@other_library
def test_another_file_of_another_library_is_nobodys_business(path: Path, tmp_path: Path) -> None:
    closed = sqlite3.connect(path)
    closed.close()
    with closing(sqlite3.connect(tmp_path / "other.db")), closing(sqlite3.connect(":memory:")):
        assert broken(path) == []


def test_a_file_that_is_being_written_is_not_called_broken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "BUSY_SECONDS", 0)
    with closing(driver.connect(path)) as other:
        other.execute("begin immediate")
        checks = {check.name: check for check in doctor(path).checks}
    assert broken(path) == []
    assert checks["full-text pages"].state == DEGRADED
    assert "another process is writing" in checks["full-text pages"].text


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
