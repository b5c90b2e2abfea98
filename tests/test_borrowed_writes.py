"""Whatever memkit writes on a connection that another program opened is committed when the call ends.

Python's driver begins a transaction before a write on such a connection. One that stays open would hold the write lock:
Datasette's would keep every other process from writing.
"""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.storage.borrowed import Borrowed

WRITES: dict[str, Callable[[MemoryDatabase, list[str]], object]] = {
    "remember": lambda db, ids: db.remember("Otto planted the pear."),
    "correct": lambda db, ids: db.correct(ids[0], "Rosa planted the pear."),
    "forget": lambda db, ids: db.forget(ids[1]),
    "ingest": lambda db, ids: db.ingest([{"id": "x", "text": "The plum came last."}]),
    "extract": lambda db, ids: db.extract(),
    "relate": lambda db, ids: db.relate("Rosa", "likes", "pears"),
    "maintain": lambda db, ids: db.maintain(),
    "reindex": lambda db, ids: db.reindex(),
    "recall": lambda db, ids: db.recall("Who planted it?", ledger=True, track=True),
    "merge": lambda db, ids: db.merge("Rosa", "Otto"),
}


def _half_full(path: Path) -> list[str]:
    """A database of six memories; their ids."""
    with MemoryDatabase(path) as db:
        db.ingest([{"id": str(n), "text": f"Rosa met Otto on day {n}.", "session": "s"} for n in range(6)])
        return [row[0] for row in db.conn.execute("select id from memories order by key")]


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("write", WRITES)
def test_no_transaction_stays_open_on_a_borrowed_connection(tmp_path: Path, write: str, copied: bool) -> None:
    path = tmp_path / "m.db"
    ids = _half_full(path)
    if copied:  # its pages are looked through before the first write, and that this was done is written down
        path = Path(shutil.copy(path, tmp_path / "copy.db"))
    own = sqlite3.connect(path)
    own.execute("pragma foreign_keys = on")
    WRITES[write](MemoryDatabase(path, conn=Borrowed(own)), ids)
    assert not own.in_transaction
    with sqlite3.connect(path, timeout=0) as other:
        other.execute("begin immediate")
    own.close()


def test_what_is_remembered_in_a_copy_is_there_for_others(tmp_path: Path) -> None:
    ids = _half_full(tmp_path / "m.db")
    path = shutil.copy(tmp_path / "m.db", tmp_path / "copy.db")
    own = sqlite3.connect(path)
    own.execute("pragma foreign_keys = on")
    kept = MemoryDatabase(conn=Borrowed(own)).remember("Otto planted the pear.")
    with MemoryDatabase(path, read_only=True) as other:
        assert kept.id in [memory.id for memory in other]
        assert len(other) == len(ids) + 1
    own.close()
