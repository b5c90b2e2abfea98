"""Facts about files from others: what their schema may hold, and what memkit does not touch."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from datasettes import datasette, root
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase, register_sql_functions
from memkit.core.errors import BadQuestion, NotAMemoryDatabase
from memkit.frontends.cli.main import cli
from memkit.storage import driver, schema
from memkit.storage.connection import Connection
from memkit.storage.doctor import BROKEN, doctor
from memkit.storage.library import full_text_is_innocuous
from memkit.storage.schema_check import Oddity, tokens


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory database with two memories."""
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.remember("Rosa planted the quince.")
        db.remember("Kofi picked the quinces.")
    return tmp_path / "memory.db"


@contextmanager
def changed(path: Path, *, by_text: bool = False) -> Iterator[Any]:
    """A connection of somebody else, who may also change the text of the schema."""
    with closing(driver.sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(f"pragma writable_schema = {'on' if by_text else 'off'}")
        yield conn


TRIGGERS = {
    "copies": "create trigger spy after insert on memories begin insert into loot select new.text; end",
    "deletes": "create trigger spy after insert on memories begin delete from memories; end",
    "of the index": "create trigger spy after insert on memories_fts_content begin delete from memories; end",
    "of a view": "create trigger spy instead of delete on current_memories begin delete from memories; end",
    "of settings": "create trigger spy before update on settings begin select raise(fail, 'no'); end",
    "of migrations": "create trigger spy after insert on _sqlite_migrations begin delete from memories; end",
    "index that computes": "create index spy on memories(hex(zeroblob(1000000)))",
    "part of an index": "create index spy on memories(key) where length(hex(zeroblob(1000000))) > 1",
}


@pytest.mark.parametrize("sql", TRIGGERS.values(), ids=TRIGGERS)
def test_what_would_run_when_memkit_writes_is_refused_and_can_be_removed(path: Path, sql: str) -> None:
    with changed(path) as conn:
        conn.execute("create table loot (text)")
        conn.execute(sql)
    kind = "index" if "index spy" in sql else "trigger"
    with pytest.raises(NotAMemoryDatabase, match=f"{kind} 'spy' on .* To remove it: memkit doctor memory.db --fix"):
        MemoryDatabase(path)
    with MemoryDatabase(path, read_only=True) as db:  # it does not run when memkit reads
        assert len(db) == 2
        assert len(db.recall("quince").hits) == 2
    (found,) = (check for check in doctor(path).checks if check.name == "schema")
    assert found.state == BROKEN
    assert "'spy'" in found.text
    done = CliRunner().invoke(cli, ["doctor", str(path), "--fix"])
    assert f"removed {kind} 'spy'" in done.output
    assert done.exit_code == 0
    with MemoryDatabase(path) as db:
        db.remember("Aiko ate one.")
        assert len(db) == 3
        assert db.conn.execute("select count(*) from loot").fetchone()[0] == 0


CHANGES = {
    "a view that never ends": (
        "current_memories",
        "CREATE VIEW current_memories as with recursive n(x) as (select 1 union all select x from n) select * from n",
    ),
    "a generated column": ("access", "{}, note text generated always as (hex(zeroblob(100000000))))"),
    "a check": ("access", "{}, check (hex(zeroblob(100000000)) <> ''))"),
    "a default": ("access", "{}, note text default (hex(zeroblob(100000000))))"),
    "other columns": ("access", "CREATE TABLE access (memory_key integer primary key, count, last_at)"),
}


@pytest.mark.parametrize(("name", "sql"), CHANGES.values(), ids=CHANGES)
def test_what_has_memkits_name_and_is_something_else_is_refused(path: Path, name: str, sql: str) -> None:
    with changed(path, by_text=True) as conn:
        before = conn.execute("select sql from sqlite_master where name = ?", [name]).fetchone()[0]
        text = sql.replace("{}", before.rpartition(")")[0])
        conn.execute("update sqlite_master set sql = ? where name = ?", [text, name])
    for read_only in (False, True):
        with pytest.raises(NotAMemoryDatabase, match=f"'{name}'"):
            MemoryDatabase(path, read_only=read_only)
    assert any(check.state == BROKEN and f"'{name}'" in check.text for check in doctor(path).checks)
    fixed = {check.name: check for check in doctor(path, fix=True).checks}
    if name == "current_memories":
        assert fixed["schema"].state == "ok"
        assert len(MemoryDatabase(path)) == 2
    else:
        assert "recover" in fixed["file"].text


def test_changed_and_missing_triggers_are_made_again(path: Path) -> None:
    with changed(path) as conn:
        conn.execute("drop trigger memories_index_insert")
        conn.execute("drop index memories_time")
        conn.execute("drop trigger memories_index_delete")
        conn.execute("create trigger memories_index_delete after delete on memories begin select 1; end")
    fixed = [check.text for check in doctor(path, fix=True).checks if check.name == "fixed"]
    assert fixed == [
        "removed trigger 'memories_index_delete' on memories",
        "made 'memories_time' again",
        "made 'memories_index_insert' again",
        "made 'memories_index_delete' again",
    ]
    with MemoryDatabase(path) as db:
        assert schema.odd_objects(db.conn) == schema.missing_objects(db.conn) == []


OWN = """
create table visits (at text, memory_key integer references memories(key) on delete cascade, n generated always as (1));
create trigger visits_at after insert on visits begin update visits set at = 'now' where at is null; end;
create view visited as select * from memories join visits on memory_key = key;
create index visits_lower on visits(lower(at));
create virtual table notes using fts5(text);
create index my_categories on memories(category, kind);
create index my_old on memories(key) where archived_at is null and kind = 'fact';
alter table memories add column mood text not null default 'calm';
alter table memories add column "rating of mine" integer;
"""


def test_what_people_add_for_themselves_stays_and_works(path: Path) -> None:
    with changed(path) as conn:
        conn.executescript(OWN)
        before = conn.execute("select name, sql from sqlite_master").fetchall()
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Aiko ate one.")
        assert db.conn.execute("select count(*) from memories where mood = 'calm'").fetchone()[0] == 3
        assert len(db.recall("quince").hits) == 2
    assert not doctor(path, fix=True).broken
    with changed(path) as conn:
        assert conn.execute("select name, sql from sqlite_master").fetchall() == before


def test_memkits_tables_by_sqlite_utils_with_a_column_more_are_memkits(path: Path) -> None:
    with MemoryDatabase(path, embed="none") as db:
        db.tables["memories"].add_column("rating", int)
        db.tables["memories"].create_index(["rating"])
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Aiko ate one.")
        assert len(db) == 3


def test_the_schema_of_a_database_in_memory_is_compared_once_for_all_calls_in_sql(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[object] = []
    compare = schema.oddities

    def counted(conn: Connection, made: Mapping[str, str]) -> list[Oddity]:
        compared.append(conn)
        return compare(conn, made)

    with MemoryDatabase(embed="none") as db:
        db.remember("Rosa planted the quince.")
        register_sql_functions(db.conn)
        monkeypatch.setattr(schema, "oddities", counted)
        for question in ("quince", "Rosa"):
            assert "Rosa planted" in db.conn.execute("select recall(?)", [question]).fetchone()[0]
        assert len(compared) == 1
        db.conn.execute("drop view current_memories")
        db.conn.execute("create view current_memories as select 1 as key")
        assert "'current_memories'" in db.conn.execute("select recall('Otto')").fetchone()[0]


# ---------------------------------------------------------------------------------------------- functions


def test_a_schema_calls_no_function_of_this_process(path: Path) -> None:
    """A view or a default of a stranger must not reach functions that a program has registered."""
    called: list[str] = []
    with changed(path) as conn:
        conn.create_function("steal", 1, called.append)
        conn.execute("create view stolen as select steal(text) from memories")
    for read_only in (True, False):
        with MemoryDatabase(path, read_only=read_only) as db:
            db.conn.create_function("steal", 1, called.append)
            with pytest.raises(BadQuestion, match="unsafe use of steal"):
                db.sql("select * from stolen")
    assert called == []


@pytest.mark.parametrize("innocuous", [True, False])
def test_every_connection_of_memkit_is_careful(path: Path, innocuous: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where triggers could not write to the full-text index otherwise, one that writes trusts the schema."""
    monkeypatch.setattr(driver, "full_text_is_innocuous", lambda: innocuous)
    for read_only in (True, False):
        with closing(driver.connect(path, read_only=read_only)) as conn:
            assert conn.execute("pragma cell_size_check").fetchone()[0]
            assert conn.execute("pragma trusted_schema").fetchone()[0] == (not innocuous and not read_only)


def test_memkits_triggers_work_on_this_sqlite(path: Path) -> None:
    with MemoryDatabase(path, embed="none") as db:
        db.conn.execute("update memories set text = 'Aiko ate a pear.' where text like 'Kofi%'")
        assert [hit.memory.text for hit in db.recall("pear").hits] == ["Aiko ate a pear."]


async def test_datasette_is_careful_with_memories_and_leaves_other_files_as_they_are(path: Path) -> None:
    with changed(path) as conn:
        conn.execute("create view stolen as select est_tokens(text) from memories")
    with closing(driver.sqlite3.connect(path.parent / "other.db")) as conn:
        conn.execute("create view counted as select est_tokens('Rosa') as tokens")
    reader = root(datasette(path, path.parent / "other.db"))
    if full_text_is_innocuous():
        assert "unsafe use of est_tokens" in (await reader.get("/memory/stolen.json")).text
    assert (await reader.json("/other/counted.json?_shape=array"))[0]["tokens"] > 0


# ---------------------------------------------------------------------------------------------- pages


def scribbled(path: Path) -> None:
    """Damage to a page of an index that opening a file does not read."""
    with closing(driver.sqlite3.connect(path)) as conn:
        conn.execute("pragma wal_checkpoint(truncate)")
        size = conn.execute("pragma page_size").fetchone()[0]
        page = conn.execute("select rootpage from sqlite_master where name = 'memories_time'").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x00" * size)


def looks(path: Path, monkeypatch: pytest.MonkeyPatch, **how: Any) -> int:
    """How often all pages were looked through to open a file."""
    seen: list[str] = []
    connect = driver.connect

    def connected(*arguments: Any, **options: Any) -> Any:
        conn: Any = connect(*arguments, **options)
        conn.set_trace_callback(seen.append)
        return conn

    with monkeypatch.context() as patch:
        patch.setattr(driver, "connect", connected)
        MemoryDatabase(path, **how).close()
    return sum("quick_check" in statement for statement in seen)


def test_a_file_from_elsewhere_is_looked_through_once_before_it_is_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert looks(path, monkeypatch) == 0  # it was made here
    shutil.copy(path, tmp_path / "received.db")
    assert looks(tmp_path / "received.db", monkeypatch, read_only=True) == 0
    assert looks(tmp_path / "received.db", monkeypatch) == 1
    assert looks(tmp_path / "received.db", monkeypatch) == 0
    (tmp_path / "received.db").rename(tmp_path / "renamed.db")
    assert looks(tmp_path / "renamed.db", monkeypatch) == 0


def test_a_damaged_file_from_elsewhere_is_not_written(path: Path, tmp_path: Path) -> None:
    received = tmp_path / "received.db"
    shutil.copy(path, received)
    scribbled(received)
    before = received.read_bytes()
    with pytest.raises(NotAMemoryDatabase, match=r"is damaged: .* memkit recover received.db NEW.db"):
        MemoryDatabase(received)
    assert received.read_bytes() == before


# ---------------------------------------------------------------------------------------------- the comparison


def test_a_new_file_is_exactly_what_memkit_makes(tmp_path: Path) -> None:
    """Not even comments differ: then nothing needs to be taken apart to compare them."""
    with MemoryDatabase(tmp_path / "new.db") as db:
        rows = db.conn.execute("select name, sql from sqlite_master where sql is not null")
        there = {name: sql for name, sql in rows if name in schema._made()}
    assert there == schema._made()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("create table T (a, -- b\n c)", "CREATE TABLE t (a, c)", True),
        ("create table t (a default 'x -- y')", "create table t (a default 'x ')", False),
        ("create table t (a default '/*')", "create table t (a default '/* */')", False),
        ("create table t (a default 'A')", "create table t (a default 'a')", False),
        ("create table t (a) /* open", "create table t (a)", True),
        ("select `a--b`", "select `a", False),
        ("select [a--b]", "select [a", False),
        ("create  table\nt (a);", "create table t (a)", True),
    ],
)
def test_two_statements_are_the_same_but_for_comments_and_spaces(one: str, other: str, same: bool) -> None:
    assert (tokens(one) == tokens(other)) is same


@given(st.text("ab'\"`[]-/* \n(),", max_size=30))
def test_no_text_is_lost_between_tokens(text: str) -> None:
    kept = tokens(f"'{text.replace(chr(39), 2 * chr(39))}'")
    assert kept == f"'{text.replace(chr(39), 2 * chr(39))}'"
