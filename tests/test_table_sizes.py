"""What takes the room in a file, by table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from memkit import MemkitError, MemoryDatabase
from memkit.frontends.cli.main import cli
from memkit.storage import table_sizes


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path) as db:
        db.ingest([{"id": str(n), "text": f"The quince of row {n} grows by gate {n}."} for n in range(40)])
    return path


def test_the_tables_are_all_of_the_file(database: Path) -> None:
    with MemoryDatabase(database) as db:
        sizes = db.table_sizes()
        pages, page_size = (db.conn.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size"))
        assert sum(one.bytes for one in sizes) == pages * page_size
        assert [one.bytes for one in sizes] == sorted((one.bytes for one in sizes), reverse=True)
        assert all(one.indexes + one.unused <= one.bytes for one in sizes if not one.indexes)
        assert len(sizes.to_df()) == len(sizes)


def test_a_full_text_table_has_what_lies_in_its_own_tables_and_a_table_its_indexes(database: Path) -> None:
    with MemoryDatabase(database) as db:
        sizes = {one.table: one for one in db.table_sizes()}
        assert not [name for name in sizes if name.startswith(("memories_fts_", "memories_cjk_", "sqlite_autoindex"))]
        trees = dict(db.conn.execute("select name, pgsize from dbstat where aggregate = true"))
        shadow = sum(size for name, size in trees.items() if name.startswith("memories_fts_"))
        assert sizes["memories_fts"].bytes == shadow > 0
        assert sizes["memories"].indexes == sizes["memories"].bytes - trees["memories"] > 0


def test_free_pages_are_named(database: Path) -> None:
    with MemoryDatabase(database) as db:
        db.conn.execute("create table tried as select hex(randomblob(9000)) as value")
        db.conn.execute("drop table tried")
        assert table_sizes.FREE in {one.table for one in db.table_sizes()}


def test_the_command_prints_a_table_or_json(database: Path) -> None:
    text = CliRunner().invoke(cli, ["info", str(database), "--size"]).output
    assert text.splitlines()[0].split()[:3] == ["table", "size", "share"]
    assert text.splitlines()[-1].split()[0] == "all"
    assert "100.0%" in text.splitlines()[-1]
    rows = json.loads(CliRunner().invoke(cli, ["info", str(database), "--size", "--format", "json"]).output)
    assert {"table", "bytes", "indexes", "unused"} == set(rows[0])


def test_a_sqlite_that_cannot_count_pages_says_what_to_install(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_sizes, "HAS_DBSTAT", "select 0")
    with MemoryDatabase(database) as db, pytest.raises(MemkitError, match=r"dbstat.*datasette-memkit\[driver\]"):
        db.table_sizes()
