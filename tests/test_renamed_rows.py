"""A table, a calendar or a file of sessions that is renamed or moved is the same: its memories keep their ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.ingestion.report import IngestReport

ROWS = ["Ida Moss planted the quince.", "Hanno Grell pruned the pear.", "Rosa Lind picked the plum."]
EVENT = """BEGIN:VEVENT
UID:{0}@example.org
DTSTAMP:20260301T000000Z
DTSTART:2026040{0}T100000Z
SUMMARY:{1}
END:VEVENT
"""
EVENTS = "".join(EVENT.format(number, text) for number, text in enumerate(ROWS, 1))
FILES = {
    "rows.csv": "id,text\n" + "".join(f"{number},{text}\n" for number, text in enumerate(ROWS)),
    "plain.csv": "text,title\n" + "".join(f"{text},Garden\n" for text in ROWS),
    "sessions.jsonl": "".join(
        json.dumps({"id": str(number), "text": text, "session": f"s{number % 2}"}) + "\n"
        for number, text in enumerate(ROWS)
    ),
    "garden.ics": f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//a//b//EN\n{EVENTS}END:VCALENDAR\n".replace("\n", "\r\n"),
}


@pytest.fixture
def db() -> MemoryDatabase:
    return MemoryDatabase(embed="none")


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (folder := tmp_path / "garden").mkdir()
    (folder / request.param).write_bytes(FILES[request.param].encode())
    return folder / request.param


def known(db: MemoryDatabase) -> list[tuple[str, str]]:
    return sorted(map(tuple, db.conn.execute("select id, text from memories where archived_at is null")))


def counts(report: IngestReport) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.unchanged, report.removed


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("new", ["new {}", "deep/er/{}"])
def test_it_keeps_its_memories(db: MemoryDatabase, file: Path, new: str, sync: bool) -> None:
    db.ingest(file.parent)
    before = known(db)
    to = file.parent / new.format(file.name)
    to.parent.mkdir(parents=True, exist_ok=True)
    file.rename(to)
    assert counts(db.ingest(file.parent, sync=sync, dry_run=True)) == (0, 0, 3, 0)
    assert counts(db.ingest(file.parent, sync=sync)) == (0, 0, 3, 0)
    assert known(db) == before
    sources = [row[0] for row in db.conn.execute("select source from documents where archived_at is null")]
    assert {source.partition("#")[0] for source in sources} == {to.as_posix()}


@pytest.mark.parametrize("text", ROWS)
def test_what_was_forgotten_of_it_stays_forgotten(db: MemoryDatabase, file: Path, text: str) -> None:
    db.ingest(file.parent)
    db.forget(next(id for id, said in known(db) if text in said))
    before = known(db)
    to = file.rename(file.with_name(f"new {file.name}"))
    db.ingest(file.parent)
    assert known(db) == before
    report = db.forget_source(to)
    assert (report.memories, report.kept) == (2, {})
    last = to.rename(file.with_name(f"last {file.name}"))
    assert counts(db.ingest(file.parent)) == (0, 0, 0, 0)
    db.bring_back(last)
    db.ingest(file.parent)
    assert known(db) == before


def test_a_copy_is_one_of_its_own(db: MemoryDatabase, file: Path) -> None:
    db.ingest(file.parent)
    file.with_name(f"new {file.name}").write_bytes(file.read_bytes())
    assert counts(db.ingest(file.parent)) == (3, 0, 3, 0)


def test_other_rows_in_the_place_of_a_file_that_is_gone_are_new(db: MemoryDatabase, tmp_path: Path) -> None:
    (old := tmp_path / "rows.csv").write_text(FILES["rows.csv"])
    db.ingest(tmp_path)
    old.unlink()
    (tmp_path / "other.csv").write_text("id,text\n0,The kettle is red.\n1,The lantern is old.\n")
    assert counts(db.ingest(tmp_path, sync=True)) == (2, 0, 0, 3)


def test_a_large_table_is_known_by_its_first_rows(db: MemoryDatabase, tmp_path: Path) -> None:
    rows = "".join(f"{number},The kettle number {number} is red.\n" for number in range(2500))
    (old := tmp_path / "rows.csv").write_text(f"id,text\n{rows}")
    db.ingest(tmp_path)
    old.rename(tmp_path / "new.csv")
    assert counts(db.ingest(tmp_path, sync=True)) == (0, 0, 2500, 0)
    db.forget_source(tmp_path / "new.csv")
    (tmp_path / "new.csv").rename(tmp_path / "last.csv")
    assert counts(db.ingest(tmp_path, sync=True)) == (0, 0, 0, 0)
