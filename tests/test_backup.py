"""Facts about backups: one moment of the database, verified, and never a half copy under the final name."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import environment, everything

import memkit.retrieval.recall
import memkit.storage.backup
from memkit import MemoryDatabase
from memkit.core.errors import BadArgument, BadQuestion, Busy, MemkitError
from memkit.frontends.cli.main import cli
from memkit.storage import driver
from memkit.storage.backup import BackupReport, backup
from memkit.storage.doctor import DEGRADED, OK, Check, doctor

NOON = "2026-03-01T12:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory database with memories, a graph and vectors."""
    with MemoryDatabase(tmp_path / "memory.db") as db:
        db.ingest([{"id": str(n), "text": f"Rosa gave Kofi {n} quinces."} for n in range(20)])
    return tmp_path / "memory.db"


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """A folder for copies."""
    (tmp_path / "copies").mkdir()
    return tmp_path / "copies"


def rows(path: Path) -> dict[str, Any]:
    """All rows but settings, and tables that only SQLite reads."""
    with MemoryDatabase(path, read_only=True) as db:
        return {name: those for name, those in everything(db).items() if name != "settings"}


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_a_copy_has_every_row_and_is_one_private_file(path: Path, copies: Path) -> None:
    with MemoryDatabase(path) as db:
        report = db.backup(copies / "copy.db", now=NOON)
    assert names(copies) == ["copy.db"]
    assert stat.S_IMODE((copies / "copy.db").stat().st_mode) == 0o600
    assert rows(copies / "copy.db") == rows(path)
    assert (report.path, report.at, report.memories) == (copies / "copy.db", NOON, 20)
    assert "20 memories" in report.sentence
    assert not doctor(copies / "copy.db").broken


def test_a_path_may_begin_at_home(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    with MemoryDatabase(path, embed="none") as db:
        db.backup("~/copy.db")
        db.export("~/all.jsonl")
        db.publish("~/out", project="global", embed="none")
        assert db.check_published("~/out").sound
    assert names(tmp_path / "home") == ["all.jsonl", "copy.db", "out"]
    assert not doctor("~/copy.db").broken


def test_a_database_in_memory_is_copied_too(copies: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("Rosa planted the quince.")
        db.backup(copies / "copy.db")
    with MemoryDatabase(copies / "copy.db") as copy:
        assert len(copy) == 1


def test_others_may_write_meanwhile_and_the_copy_is_one_moment(path: Path, copies: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        with MemoryDatabase(path, embed="none") as other:
            while not stop.wait(0.005):  # without a pause it outruns the copies, each larger than the last
                other.remember("Aiko brought a pear.")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with MemoryDatabase(path) as db:
            for number in range(5):
                db.backup(copies / f"{number}.db")
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        assert not doctor(copies / f"{number}.db").broken


def test_equal_memories_in_any_number_are_copied(path: Path, copies: Path) -> None:
    with MemoryDatabase(path, embed="none") as db:
        for number in range(40):  # the scores of 16 and 25 differ in the last digit from those of their copies
            db.remember("Aiko brought a pear.")
            assert db.backup(copies / f"{number}.db", recorded=False).memories == 21 + number


def test_a_copy_that_answers_something_else_is_refused(path: Path, copies: Path) -> None:
    def answering(*answers: list[tuple[str, float]]) -> BackupReport:
        said = iter(answers)
        with MemoryDatabase(path, embed="none") as db:
            return backup(db.conn, copies / "copy.db", NOON, lambda _: next(said))

    for copied in ([("a", 2.0), ("c", 1.5)], [("a", 2.0)], [("c", 2.0), ("b", 1.0)], []):
        with pytest.raises(MemkitError, match="another answer"):
            answering(copied, [("a", 2.0), ("b", 1.0)])
    assert names(copies) == []
    assert answering([("a", 2.0), ("c", 1.0)], [("a", 2.0 + 1e-15), ("b", 1.0)]).memories == 20


def test_a_later_copy_takes_the_place_of_the_first(path: Path, copies: Path) -> None:
    with MemoryDatabase(path) as db:
        db.backup(copies / "copy.db")
        db.remember("Aiko brought a pear.")
        db.backup(copies / "copy.db")
    assert names(copies) == ["copy.db"]
    assert rows(copies / "copy.db") == rows(path)


def test_as_many_copies_stay_as_asked(path: Path, copies: Path) -> None:
    (copies / "copy-20200101T000000Z.db").write_text("not a backup")
    with MemoryDatabase(path) as db:
        for day in range(1, 6):
            report = db.backup(copies / "copy.db", keep=3, now=f"2026-03-0{day}T12:00:00Z")
    dated = ["copy-20260303T120000Z.db", "copy-20260304T120000Z.db"]
    assert names(copies) == ["copy-20200101T000000Z.db", *dated, "copy.db"]
    assert [one.name for one in report.older] == dated[::-1]
    assert not doctor(copies / dated[0]).broken


# ---------------------------------------------------------------------------------------------- what is not overwritten


def test_nothing_but_an_unchanged_backup_of_the_same_database_is_overwritten(path: Path, copies: Path) -> None:
    (copies / "notes.md").write_text("Rosa")
    with MemoryDatabase(copies / "other.db") as other:
        other.remember("Aiko brought a pear.")
    with MemoryDatabase(path) as db:
        db.backup(copies / "used.db")
        with MemoryDatabase(copies / "used.db", embed="none") as used:
            used.remember("It is in use as a database itself.")
        for name in ("notes.md", "other.db", "used.db"):
            before = (copies / name).read_bytes()
            with pytest.raises(BadQuestion, match="It is not overwritten"):
                db.backup(copies / name)
            assert (copies / name).read_bytes() == before
        with pytest.raises(BadQuestion, match="is the database itself"):
            db.backup(path)
        with pytest.raises(BadQuestion, match="no folder"):
            db.backup(copies / "none" / "copy.db")
        with pytest.raises(BadQuestion, match="keep must be 1 or more"):
            db.backup(copies / "copy.db", keep=0)


def test_a_backup_from_a_backup_does_not_overwrite_what_was_written_since(path: Path, copies: Path) -> None:
    """The two paths are easily mixed up."""
    with MemoryDatabase(path, embed="none") as db:
        db.backup(copies / "copy.db")
        db.remember("Aiko brought a pear.")
    with MemoryDatabase(copies / "copy.db") as copy, pytest.raises(BadQuestion, match="It is not overwritten"):
        copy.backup(path)
    with MemoryDatabase(path) as db:
        assert len(db) == 21


def test_a_copy_in_use_stays(path: Path, copies: Path) -> None:
    with MemoryDatabase(path) as db:
        db.backup(copies / "copy.db")
        with closing(driver.connect(copies / "copy.db")) as reader:
            reader.execute("select * from memories").fetchone()
            with pytest.raises(Busy, match="open in another program"):
                db.backup(copies / "copy.db")


# ---------------------------------------------------------------------------------------------- failures


def fails(db: MemoryDatabase, copies: Path, match: str) -> None:
    """A backup that fails leaves the one that is there, and nothing else."""
    before = (copies / "copy.db").read_bytes()
    with pytest.raises(MemkitError, match=match):
        db.backup(copies / "copy.db", keep=3)
    assert names(copies) == ["copy.db"]
    assert (copies / "copy.db").read_bytes() == before


@pytest.mark.parametrize("what", ["full disk", "other rows", "other answer", "not sound"])
def test_a_copy_that_cannot_be_verified_is_not_put_into_place(
    path: Path, copies: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MemoryDatabase(path) as db:
        db.backup(copies / "copy.db")
        if what == "full disk":
            connect = driver.connect

            def small(at: Any, **options: Any) -> Any:
                conn: Any = connect(at, **options)
                if "making" in str(at):
                    conn.execute("pragma max_page_count = 5")
                return conn

            monkeypatch.setattr(driver, "connect", small)
            fails(db, copies, r"no new backup at .*copy.db: .* What was there is unchanged")
        elif what == "other rows":
            count = iter([{"memories": 20}, {"memories": 21}])
            monkeypatch.setattr(memkit.storage.backup, "_counts", lambda _: next(count))
            fails(db, copies, "other rows than the database, so it was not put into place: memories")
        elif what == "other answer":
            real, asked = memkit.retrieval.recall.recall, iter("first then the other".split())
            monkeypatch.setattr("memkit.storage.store.newest_text", lambda _: next(asked))
            monkeypatch.setattr(
                memkit.retrieval.recall,
                "recall",
                lambda conn, question, **how: real(conn, "Rosa " * (question == "first"), **how),
            )
            fails(db, copies, "another answer than the database")
        else:
            broken = Check("integrity", "broken", "page 7")
            monkeypatch.setattr(memkit.storage.backup, "soundness", lambda *_: [broken])
            fails(db, copies, "not sound.* integrity: page 7")


def test_a_damaged_database_does_not_take_the_place_of_a_good_copy(path: Path, copies: Path) -> None:
    with MemoryDatabase(path) as db:
        db.backup(copies / "copy.db")
        page = db.conn.execute("select rootpage from sqlite_master where name = 'mentions_entity'").fetchone()[0]
        size = db.conn.execute("pragma page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with MemoryDatabase(path) as db:
        fails(db, copies, "not sound|malformed|damaged")


KILLED = """
import sys
from pathlib import Path
from moments import Moments
from memkit import MemoryDatabase
_, path, copy, last = sys.argv
db = MemoryDatabase(path)
moments = Moments(int(last)).of_statements().of_files(str(Path(copy).parent))
db.backup(copy, keep=2)
print(moments.seen)
"""


@pytest.mark.slow
def test_a_backup_that_is_killed_leaves_a_good_copy_or_none(path: Path, copies: Path) -> None:
    shutil.copy(path, copies / "source.db")

    def run(last: int) -> str:
        command = [sys.executable, "-c", KILLED, str(copies / "source.db"), str(copies / "copy.db"), str(last)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
        assert done.returncode in (0, -9), done.stderr
        return done.stdout

    run(0)
    takes = int(run(0))
    for last in range(1, takes, max(1, takes // 12)):
        run(last)
        assert not doctor(copies / "copy.db").broken
        with MemoryDatabase(copies / "copy.db") as copy:
            assert len(copy) == 20
    run(0)
    assert not [name for name in names(copies) if "making" in name]


# ---------------------------------------------------------------------------------------------- its age


def about_backup(path: Path) -> Check:
    """What the doctor says of the last backup."""
    (check,) = (check for check in doctor(path).checks if check.name == "backup")
    return check


def test_the_doctor_names_the_age_of_the_last_backup(path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert about_backup(path).text == f"none yet. To make one, run: memkit backup {path} COPY.db"
    with MemoryDatabase(path) as db:
        assert db.info().backup is None
        db.backup(copies / "copy.db", now=NOON)
        assert db.info().backup == NOON
        assert f"backup     {NOON}" in repr(db.info())
    monkeypatch.setattr("memkit.storage.doctor.utc_now", lambda: "2026-03-04T01:00:00Z")
    assert about_backup(path).text == f"the last one was made 3 days ago ({NOON}): {copies / 'copy.db'}"
    for copied in (copies / "copy.db", Path(shutil.copy(copies / "copy.db", copies / "restored.db"))):
        said = f"this file is a backup, or was restored from one, made 3 days ago ({NOON})"
        assert about_backup(copied) == Check("backup", OK, said)
    (copies / "copy.db").unlink()
    found = about_backup(path)
    assert found.state == DEGRADED
    assert found.text.startswith(f"the last one, made 3 days ago ({NOON}), is not at")


def test_by_the_command(path: Path, copies: Path) -> None:
    done = CliRunner().invoke(cli, ["backup", str(path), str(copies / "copy.db"), "--keep", "2"])
    assert done.exit_code == 0, done.output
    assert "copy.db: 20 memories" in done.output
    done = CliRunner().invoke(cli, ["backup", str(path), str(path)])
    assert done.exit_code == 1
    assert "is the database itself" in done.output


# ---------------------------------------------------------------------------------------------- power cuts


def test_how_long_a_commit_waits_for_the_disk_can_be_set(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in ((None, 1), ("normal", 1), ("FULL", 2), ("extra", 3)):
        if name:
            monkeypatch.setenv("MEMKIT_SYNCHRONOUS", name)
        with closing(driver.connect(path)) as conn:
            assert conn.execute("pragma synchronous").fetchone()[0] == number
        (said,) = (check.text for check in doctor(path).checks if check.name == "power cut")
        assert f"synchronous = {(name or 'normal').lower()}" in said
    monkeypatch.setenv("MEMKIT_SYNCHRONOUS", "off")
    with pytest.raises(BadArgument, match="MEMKIT_SYNCHRONOUS: 'off' is not a level"):
        driver.connect(path)
