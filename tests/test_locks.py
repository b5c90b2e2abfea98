"""Reading a database file as a file must not end the locks that SQLite holds on it in this process.

On Unix, closing any handle on a file ends them all. Then another process that closes the file takes itself for the last
one, deletes the write-ahead log, and what this process writes from then on is lost without a word.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlite_utils

import memkit
from memkit import MemoryDatabase
from memkit.core.progress import expected
from memkit.sources import detect
from memkit.storage import schema
from memkit.storage.doctor import doctor

COMES_AND_GOES = """
import sqlite3, sys
conn = sqlite3.connect(sys.argv[1])
conn.execute("select count(*) from memories")
conn.close()
"""


def passing(path: Path) -> None:
    """Another process opens the file, reads it, and closes it."""
    subprocess.run([sys.executable, "-c", COMES_AND_GOES, str(path)], check=True)


READINGS: dict[str, Callable[[MemoryDatabase, Path], object]] = {
    "none": lambda db, path: None,
    "detect": lambda db, path: detect(path),
    "ingest of its folder": lambda db, path: db.ingest(path.parent),
    "progress": lambda db, path: expected([path.parent]),
    "another opening": lambda db, path: MemoryDatabase(path, embed="none").close(),
    "opening to read": lambda db, path: MemoryDatabase(path, embed="none", read_only=True).close(),
    "backup": lambda db, path: db.backup(path.with_name("copy.db")),
    "doctor": lambda db, path: doctor(str(path)),
    "whether it is empty": lambda db, path: schema._has_other_bytes(str(path)),
}


@pytest.mark.parametrize("reading", READINGS)
def test_what_reads_the_file_keeps_its_locks(tmp_path: Path, reading: str) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db:
        db.remember("before")
        READINGS[reading](db, path)
        log = path.with_name("m.db-wal").stat().st_ino
        passing(path)
        assert path.with_name("m.db-wal").stat().st_ino == log
        db.remember("after")
        with MemoryDatabase(path, embed="none", read_only=True) as other:
            assert {"before", "after"} <= {row[0] for row in other.conn.execute("select text from memories")}


def test_a_connection_of_others_keeps_its_locks_too(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none"):
        pass
    own = sqlite_utils.Database(path)
    memkit.ingest(own, path.parent)
    gc.collect()  # what memkit made for the call is gone, the connection is not
    assert detect(path) == "sqlite"
    log = path.with_name("m.db-wal").stat().st_ino
    passing(path)
    assert path.with_name("m.db-wal").stat().st_ino == log
    own.conn.close()


MANY = """
import os, sys
from pathlib import Path
from memkit import MemoryDatabase
from memkit.sources import detect
before = len(os.listdir("/proc/self/fd"))
for number in range(50):
    path = Path(sys.argv[1]) / f"{number}.db"
    MemoryDatabase(path, embed="none").close()
    assert detect(path) == "sqlite"
    path.unlink()
print(len(os.listdir("/proc/self/fd")) - before)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no list of open files here")
def test_a_file_that_is_read_stays_open_only_while_it_is_a_database_of_this_process(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", MANY, str(tmp_path)], capture_output=True, text=True, check=True)
    assert int(ran.stdout) <= 2
