"""Files of version 6, whose index had the neighbours' words in it: read as they are, and migrated."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from conftest import NOW, check_indexes

from memkit import MemoryDatabase
from memkit.core.errors import NotAMemoryDatabase
from memkit.retrieval.channels import neighbours
from memkit.storage import schema
from memkit.storage.doctor import doctor
from memkit.storage.driver import sqlite3

FILE = Path(__file__).with_name("data") / "version_6.db.gz"  # as memkit of 27 November 2026 (ff1bc880) wrote it
WORDS, PAIRS = ("who planted the quince?", "jelly", "medlar", "tea in Lisbon"), ("梅の木", "北京のコーヒー")


@pytest.fixture
def former(tmp_path: Path) -> Path:
    path = tmp_path / "former.db"
    path.write_bytes(gzip.decompress(FILE.read_bytes()))
    return path


def found(db: MemoryDatabase) -> Mapping[str, list[tuple[str, float]]]:
    asked = {one: db.recall(one, now=NOW) for one in (*WORDS, *PAIRS)}
    return {one: [(hit.memory.text, round(hit.score, 9)) for hit in recall] for one, recall in asked.items()}


def without_comments(sql: str | None) -> list[str]:
    return re.sub("--.*", "", sql or "").split()


def test_a_file_of_before_is_read_as_it_is_and_finds_what_it_finds_afterwards(former: Path) -> None:
    before = former.read_bytes()
    with MemoryDatabase(former, embed="none", read_only=True) as db:
        as_it_is = found(db)
        beside = neighbours.build(db.conn, None).beside()
    assert former.read_bytes() == before
    with MemoryDatabase(former, embed="none") as db:
        assert db.conn.execute("pragma user_version").fetchone()[0] == schema.VERSION
        now = found(db)
        assert [now[one] for one in WORDS] == [as_it_is[one] for one in WORDS]
        # Memories without such characters had a row among the pairs, too, if they stood beside some.
        assert [now[one][0] for one in PAIRS] == [as_it_is[one][0] for one in PAIRS]
        assert as_it_is["jelly"][0] == ("We made jelly of it.", as_it_is["jelly"][0][1])
        assert len(as_it_is["jelly"]) == 5  # with the two before and the two after
        assert neighbours.build(db.conn, None).beside() == beside
        check_indexes(db)
        db.remember("Jelly is in the cellar.", now=NOW)
    assert not doctor(former).broken


def test_a_file_of_before_gets_the_schema_of_a_new_one(former: Path, tmp_path: Path) -> None:
    for path in (former, tmp_path / "new.db"):
        MemoryDatabase(path, embed="none").close()
    layouts = []
    for path in (former, tmp_path / "new.db"):
        with closing(sqlite3.connect(path)) as conn:
            rows = conn.execute("select type, name, sql from sqlite_master where name not like 'sqlite_%'").fetchall()
            layouts.append({(type, name, *without_comments(sql)) for type, name, sql in rows})
    assert layouts[0] == layouts[1]


def test_a_trigger_of_before_that_says_something_else_is_refused(former: Path) -> None:
    with closing(sqlite3.connect(former, isolation_level=None)) as conn:
        conn.execute("drop trigger memories_index_delete")
        conn.execute("create trigger memories_index_delete after delete on memories begin delete from documents; end")
    with pytest.raises(NotAMemoryDatabase, match="trigger 'memories_index_delete'"):
        MemoryDatabase(former)


def test_a_migration_that_is_cut_short_leaves_the_file_as_it_was(former: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("memkit.storage.own_words.store.reindex_text", fail)
        with pytest.raises(OSError, match="disk full"):
            MemoryDatabase(former)
    with closing(sqlite3.connect(former)) as conn:
        assert conn.execute("pragma user_version").fetchone()[0] == 6
        assert conn.execute("select count(*) from memories_fts where memories_fts match 'quince'").fetchone()[0] == 5
    with MemoryDatabase(former, embed="none") as db:
        check_indexes(db)
