"""Whatever memkit writes on a connection that another program opened is committed when the call ends.

Python's driver begins a transaction before a write on such a connection. One that stays open would hold the write lock:
Datasette's would keep every other process from writing.
"""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import NOW

from memkit import MemoryDatabase
from memkit.core.errors import BadArgument
from memkit.frontends.sqlite_utils_plugin import prepare_connection
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
# What deletes rows to which others refer.
DELETES: dict[str, Callable[[MemoryDatabase, list[str]], object]] = {
    "forget for good": lambda db, ids: [db.forget(id, hard=True, now=NOW) for id in ids[1:4]],
    "an edited note": lambda db, ids: db.ingest(_edited(db), now=NOW, sync=True),
    "upkeep over years": lambda db, ids: [db.maintain(now=f"{year}-01-01T00:00:00Z") for year in (2027, 2029)],
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


@pytest.mark.parametrize("change", DELETES)
def test_what_refers_to_a_deleted_row_goes_without_foreign_keys_too(tmp_path: Path, change: str) -> None:
    """A plain connection of Python has them off."""
    left = {}
    for keys in ("on", "off"):
        (folder := tmp_path / keys / "notes").mkdir(parents=True)
        (folder / "a.md").write_text("# Garden\n\nRosa met Otto in Oslo.\n\n## Bees\n\nOtto feeds the bees.\n")
        ids = _half_full(path := folder.parent / "m.db")
        with MemoryDatabase(path) as db:
            db.ingest(folder, now=NOW, sync=True)
            db.recall("Who met Otto?", ledger=True, track=True)
        own = sqlite3.connect(path)
        own.execute(f"pragma foreign_keys = {keys}")
        DELETES[change](MemoryDatabase(path, conn=own), ids)
        assert own.execute("pragma foreign_keys").fetchone() == (int(keys == "on"),)
        assert own.execute("pragma foreign_key_check").fetchall() == []
        tables = [row[0] for row in own.execute("select name from sqlite_master where type = 'table'")]
        left[keys] = {name: own.execute(f"select count(*) from [{name}]").fetchone()[0] for name in tables}
        own.close()
    assert left["on"] == left["off"]


def _edited(db: MemoryDatabase) -> Path:
    folder = Path(db.file).parent / "notes"
    (folder / "a.md").write_text("# Garden\n\nNobody was there.\n")
    return folder


@pytest.mark.parametrize(
    "rows", [None, sqlite3.Row, lambda cursor, row: dict(enumerate(row)), lambda cursor, row: row[-1]]
)
def test_a_connection_with_rows_of_any_kind_is_one(tmp_path: Path, rows: object) -> None:
    _half_full(tmp_path / "m.db")
    own = sqlite3.connect(tmp_path / "m.db", isolation_level=None)
    own.row_factory = rows  # type: ignore[assignment]
    db = MemoryDatabase(conn=own)
    db.remember("Otto planted the pear.")
    assert db.recall("pear").hits[0].memory.text == "Otto planted the pear."
    prepare_connection(own)  # as sqlite-utils does for every connection
    assert own.row_factory is rows
    own.close()


def test_a_connection_whose_texts_are_bytes_is_refused_in_words(tmp_path: Path) -> None:
    _half_full(tmp_path / "m.db")
    own = sqlite3.connect(tmp_path / "m.db")
    own.text_factory = bytes
    prepare_connection(own)
    with pytest.raises(BadArgument, match=r"Set `conn\.text_factory = str`"):
        MemoryDatabase(conn=own)
    own.text_factory = lambda data: str(data, "utf-8", "replace")
    assert MemoryDatabase(conn=own).recall("Rosa").hits
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
