"""Bad luck beside a kill: no room on the disk, a folder without write permission, a jumping clock, many writers.

After each, the database is whole, nothing is lost that was acknowledged, and the operation done again gives what it
gives without a disturbance.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from disturbances import (
    Forked,
    files_of_at_most,
    forked,
    full_disk,
    jumping_clock,
    only_my_rights,
    read_only_folder,
    small_disk,
)
from fuzz.soundness import check_file, must
from killing import warm
from operations import LATER, NOW, OPERATIONS, Operation, done, file_of, must_be_same, sentences, whole

from memkit import MemkitError, MemoryDatabase
from memkit.core.errors import Busy
from memkit.storage.driver import sqlite3

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
]
each_operation = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
linux = pytest.mark.skipif(sys.platform != "linux", reason="the rights of root are taken away as Linux does it")
REFUSALS = (MemkitError, sqlite3.Error, OSError)


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm()


def unharmed(trouble: str) -> None:
    """Fails with the whole of what went wrong in a process, if anything did."""
    if trouble:
        pytest.fail(trouble, pytrace=False)


def without_room(operation: Operation, folder: Path, disturbed: Callable[[Path, int], object]) -> None:
    """Tries the operation with less and more room, then with enough."""
    fresh, work = folder / "fresh", folder / "work"
    fresh.mkdir()
    operation.prepare(fresh)
    shutil.copytree(fresh, folder / "undisturbed")
    wanted = done(operation, folder / "undisturbed")
    shutil.rmtree(folder / "undisturbed")
    for room in (0, 20_000, 200_000):
        shutil.copytree(fresh, work)
        told: list[str] = []
        with suppress(*REFUSALS), disturbed(work, room), MemoryDatabase(file_of(work)) as db:  # type: ignore[attr-defined]
            operation.do(db, work, told.append)
        whole(operation, work, told)
        must_be_same(wanted, done(operation, work))
        shutil.rmtree(work)


@pytest.mark.parametrize("operation", [OPERATIONS[name] for name in ("ingest", "remember", "maintain")], ids=str)
def test_without_room_for_a_longer_file_nothing_is_lost(operation: Operation, tmp_path: Path) -> None:
    def limited(folder: Path, room: int) -> object:
        return files_of_at_most(file_of(folder).stat().st_size + room)

    unharmed(forked(lambda: without_room(operation, tmp_path, limited)))


@each_operation
def test_on_a_full_disk_nothing_is_lost(operation: Operation, tmp_path: Path) -> None:
    if forked(lambda: small_disk(tmp_path, 1 << 20)):
        pytest.skip("this user may not mount a disk")

    def work() -> None:
        small_disk(tmp_path, 24 << 20)
        without_room(operation, tmp_path, full_disk)

    unharmed(forked(work))


@linux
@each_operation
def test_in_a_folder_without_write_permission_nothing_is_changed_and_all_is_read(
    operation: Operation, tmp_path: Path
) -> None:
    operation.prepare(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def work() -> None:
        only_my_rights()
        with read_only_folder(tmp_path):
            with pytest.raises(MemkitError) as refused, MemoryDatabase(file_of(tmp_path)) as db:
                operation.do(db, tmp_path, lambda text: None)
            must(str(refused.value), "an error without words")
            with MemoryDatabase(file_of(tmp_path), read_only=True) as db:
                repr(db.recall("rosa quince"))
                db.info()

    unharmed(forked(work))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@each_operation
def test_a_clock_that_jumps_harms_nothing(operation: Operation, tmp_path: Path) -> None:
    def work() -> None:
        operation.prepare(tmp_path)
        with jumping_clock(3), MemoryDatabase(file_of(tmp_path)) as db:
            for number in range(6):
                kept = db.remember(f"Rosa said so the {number}. time.")
                db.recall("what did Rosa say?", ledger=True, track=True)
                db.maintain()
                db.feedback(kept.id, True)
                db.correct(kept.id, f"Otto said so the {number}. time.")
                found = db.recall("Otto said so", 20, everything=True)
                must(any(f"the {number}. time" in hit.memory.text for hit in found), "not found again")
        check_file(file_of(tmp_path))

    unharmed(forked(work))


@pytest.mark.parametrize("writers", [2, 8])
def test_several_writers_and_a_reader_lose_nothing(writers: int, tmp_path: Path) -> None:
    """Each remembers texts of its own; one also keeps the database up, one makes the index anew; one only reads."""
    path = tmp_path / "memory.db"
    MemoryDatabase(path).close()

    def write(number: int) -> None:
        with MemoryDatabase(path) as db:
            for n, text in enumerate(sentences(8, number)):
                patiently(lambda text=text: db.remember(f"{number}: {text}", now=NOW))
                if number == 0 and n == 4:
                    patiently(lambda: db.maintain(now=LATER))
                if number == 1 and n == 4:
                    patiently(lambda: db.reindex(fts=True, now=LATER))

    def read() -> None:
        with MemoryDatabase(path, read_only=True) as db:
            seen = 0
            for _ in range(30):
                found = len(db)
                must(found >= seen, "memories are gone")
                seen = found
                repr(db.recall("rosa quince"))

    told = [one.trouble() for one in [*(Forked(lambda n=n: write(n)) for n in range(writers)), Forked(read)]]
    assert told == [""] * (writers + 1)
    check_file(path)
    with MemoryDatabase(path, embed="none") as db:
        known = {row[0] for row in db.conn.execute("select text from memories")}
    assert known >= {f"{number}: {text}" for number in range(writers) for text in sentences(8, number)}


def patiently(work: Callable[[], object]) -> None:
    """Does it; again, if others have been writing for too long."""
    while True:
        with suppress(Busy):
            work()
            return
