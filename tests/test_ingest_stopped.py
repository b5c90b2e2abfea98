"""An ingest that cannot go on says what is stored, loses nothing, and goes on when it is called again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memkit import MemoryDatabase
from memkit.core.errors import Busy, DiskFull
from memkit.frontends.cli.main import cli
from memkit.ingestion import pipeline, writer
from memkit.storage import driver

ROWS = [{"id": str(n), "text": f"Rosa met Otto {n} at the sluice number {n}."} for n in range(30)]
TABLES = ("memories", "mentions", "relations", "evidence", "links", "word_cases")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "BATCH", 10)


def told(db: MemoryDatabase) -> dict[str, int]:
    return {table: db.conn.execute(f"select count(*) from {table}").fetchone()[0] for table in TABLES}


def undisturbed() -> dict[str, int]:
    with MemoryDatabase(embed="none") as db:
        db.ingest(ROWS)
        return told(db)


def rows_until(last: int, then: Any) -> Iterator[dict[str, str]]:
    yield from ROWS[:last]
    then()
    yield from ROWS[last:]


def fill(db: MemoryDatabase) -> None:
    """From now on, the file may not grow."""
    db.conn.execute(f"pragma max_page_count = {db.conn.execute('pragma page_count').fetchone()[0]}")


def test_a_full_disk_is_told_with_what_is_stored(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        long = [{**row, "text": row["text"] * 400} for row in ROWS[20:]]

        def rows() -> Iterator[dict[str, str]]:
            yield from ROWS[:20]
            yield long[0]
            fill(db)
            yield from long[1:]

        with pytest.raises(DiskFull, match=r"no room left .* Stored before that: 20 records. The same again does the"):
            db.ingest(rows())
        assert told(db)["memories"] == 20
        db.conn.execute("pragma max_page_count = 1000000")
        assert db.ingest(ROWS).added == 10
        assert told(db) == undisturbed()


def test_a_disk_that_is_full_at_once_has_stored_nothing(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        fill(db)
        with pytest.raises(DiskFull, match=r"so this was not written\. Make room, and do it again\.$"):
            db.ingest([{"text": "The sluice is open. " * 4000}])
        assert told(db)["memories"] == 0


def test_a_database_that_is_locked_for_long_is_told_with_what_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db, closing(driver.connect(path)) as other:
        db.conn.execute("pragma busy_timeout = 20")
        with pytest.raises(Busy, match=r"Try again when it is done\. Stored before that: 10 records\."):
            db.ingest(rows_until(15, lambda: other.execute("begin immediate")))
        other.execute("rollback")
        assert told(db)["memories"] == 10
        assert db.ingest(ROWS).added == 20
        assert told(db) == undisturbed()


@pytest.mark.parametrize("stage", ["connect", "vectors.fill", "stored_arrays.store"])
def test_an_interrupt_in_any_stage_says_that_the_same_again_does_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    path, notes = tmp_path / "m.db", tmp_path / "notes.md"
    notes.write_text("Rosa Lind met Otto Berg at the sluice.", "utf-8")

    def interrupted(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"{pipeline.__name__}.{stage}", interrupted)
        result = CliRunner().invoke(cli, ["ingest", str(path), str(notes), "--no-embed"])
    assert result.exit_code == 1
    assert "Stopped. What was written until now is stored; the same again does the rest." in result.output
    assert CliRunner().invoke(cli, ["ingest", str(path), str(notes), "--no-embed"]).exit_code == 0
    with MemoryDatabase(path, embed="none") as db:
        assert db.about("Rosa Lind").to_dict()["name"] == "Rosa Lind"
