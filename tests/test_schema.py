"""Files: made, migrated, refused; opened for reading, for writing, by several at once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import NOW, LetterEmbedder, check_indexes, texts

from memkit import MemoryDatabase
from memkit.core.errors import Busy, NotAMemoryDatabase, NotFound, ReadOnly
from memkit.storage import driver, schema
from memkit.storage.driver import sqlite3, writing


def test_a_new_file_is_a_memory_database(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        assert db.conn.execute("pragma journal_mode").fetchone()[0] == "wal"
        assert db.conn.execute("pragma foreign_keys").fetchone()[0] == 1
        assert db.conn.execute("pragma application_id").fetchone()[0] == schema.APPLICATION_ID
        assert db.conn.execute("pragma user_version").fetchone()[0] == schema.VERSION
    assert (tmp_path / "m.db").read_bytes()[68:72] == b"mkit"


def test_an_empty_file_becomes_one(tmp_path: Path) -> None:
    (tmp_path / "m.db").touch()
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        assert db.remember("x").text == "x"


def test_every_trigger_is_there_after_the_migrations() -> None:
    with MemoryDatabase(embed="none") as db:
        found = {row[0] for row in db.conn.execute("select name from sqlite_master where type = 'trigger'")}
        index = {f"memories_index_{name}" for name in ("replace", "insert", "delete", "update")}
        scripts = [schema._script(name) for name in ("schema.sql", *schema.LATER)]
        made = {name for script in scripts for name in re.findall(r"^create trigger (\w+)", script, re.M)}
        assert found == made > index | {"index_stale_insert", "memories_deleted", "relations_key"}


def test_statements_are_cut_where_they_end() -> None:
    table, trigger = "create table a (b text);", "create trigger c after insert on a begin select 1; select ';'; end;"
    script = f"{table} -- a ; in a comment\n{trigger}"
    assert [statement.split()[1] for statement in schema.statements(script)] == ["table", "a"]
    assert schema.statements(script)[1].endswith("end;")


# ---------------------------------------------------------------------------------------------- refused


def foreign(path: Path) -> None:
    conn = sqlite3.connect(path)
    conn.execute("create table dogs (name text)")
    conn.close()


def newer(path: Path) -> None:
    MemoryDatabase(path, embed="none").close()
    conn = sqlite3.connect(path)
    conn.execute("pragma journal_mode = delete")
    conn.execute(f"pragma user_version = {schema.VERSION + 1}")
    conn.close()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (foreign, r"memory\.db is a SQLite database, but no memory database.*memkit ingest"),
        (newer, r"memory\.db was written by a newer memkit \(schema 9, this one knows 8\).*pip install"),
        (
            lambda path: path.write_text("# Notes\n\n" + "text " * 500),
            r"not a SQLite database.*memkit recover memory\.db NEW",
        ),
        (lambda path: path.write_bytes(b"x"), r"memory\.db is not a SQLite database"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096), r"memory\.db is (not|damaged)"),
    ],
)
def test_what_is_something_else_is_refused_and_left_alone(
    tmp_path: Path, make: object, said: str, read_only: bool
) -> None:
    path = tmp_path / "memory.db"
    make(path)  # type: ignore[operator]
    before = path.read_bytes()
    with pytest.raises(NotAMemoryDatabase, match=said):
        MemoryDatabase(path, read_only=read_only)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("nowhere/m.db", {}, "there is no folder"),
        ("", {}, "it is a folder"),
        ("m.db", {"read_only": True}, "no file"),
    ],
)
def test_what_cannot_be_opened_is_said_in_words(tmp_path: Path, name: str, options: dict[str, bool], said: str) -> None:
    with pytest.raises(NotFound, match=said):
        MemoryDatabase(tmp_path / name, **options)  # type: ignore[arg-type]


def test_a_path_may_have_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "a b?c#d%20é" / "m;n.db"
    path.parent.mkdir()
    with MemoryDatabase(path, embed="none") as db:
        db.remember("x")
    assert path.stat().st_size > 0


# ---------------------------------------------------------------------------------------------- for reading


@pytest.fixture
def written(tmp_path: Path, letters: LetterEmbedder) -> Path:
    """A closed file with one memory."""
    with MemoryDatabase(tmp_path / "m.db", embed=letters) as db:
        db.remember("quince", now=NOW)
    return tmp_path / "m.db"


def test_a_file_opened_for_reading_can_be_asked_and_not_written(written: Path, letters: LetterEmbedder) -> None:
    with MemoryDatabase(written, read_only=True, embed=letters) as db:
        [hit] = db.recall("quince")
        for write in (
            lambda: db.remember("x"),
            lambda: db.ingest(["x"]),
            lambda: db.forget(hit.memory.id),
            lambda: db.forget(hit.memory.id, hard=True),
        ):
            with pytest.raises(ReadOnly, match=r"opened for reading only\. Open it without read_only to write"):
                write()


def test_an_immutable_file_can_be_asked_and_makes_no_file_beside_it(written: Path, letters: LetterEmbedder) -> None:
    conn = driver.connect(written, immutable=True)
    with MemoryDatabase(written, conn=conn, embed=letters) as db:
        assert [hit.memory.text for hit in db.recall("quince")] == ["quince"]
        assert [file.name for file in written.parent.iterdir()] == ["m.db"]
        with pytest.raises(ReadOnly):
            db.remember("x")


def test_an_immutable_file_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        driver.connect(tmp_path / "m.db", immutable=True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_a_folder_that_cannot_be_written_to_is_immutable(written: Path, monkeypatch: object) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # type: ignore[attr-defined]
    assert driver._uri(written, True, False).endswith("?mode=ro&immutable=1")
    assert driver._uri(written, False, False).endswith("?mode=rwc")


def test_an_unfinished_file_is_not_made_for_reading(tmp_path: Path) -> None:
    (tmp_path / "m.db").touch()
    with pytest.raises(ReadOnly, match="must be set up or migrated first"):
        MemoryDatabase(tmp_path / "m.db", read_only=True)


# ---------------------------------------------------------------------------------------------- transactions


def test_writing_is_all_or_nothing(mem: MemoryDatabase) -> None:
    with suppress(ZeroDivisionError), writing(mem.conn):
        mem.remember("one")
        raise ZeroDivisionError
    assert texts(mem) == []


def test_a_part_of_a_transaction_can_fail_alone(file: MemoryDatabase) -> None:
    with writing(file.conn):
        file.remember("one")
        with suppress(ZeroDivisionError), writing(file.conn):
            file.remember("two")
            raise ZeroDivisionError
        file.remember("three")
    assert texts(file) == ["one", "three"]
    assert not file.conn.in_transaction
    check_indexes(file)


def test_an_error_within_leaves_the_triggers_awake(file: MemoryDatabase) -> None:
    with writing(file.conn):
        with pytest.raises(sqlite3.IntegrityError):
            file.conn.execute("insert into memories (id) values (null)")
        with pytest.raises(TypeError):
            file.ingest(iter([{"text": "one"}]), progress=lambda done: 1 + "")  # type: ignore[operator]
    assert file.conn.execute("select count(*) from index_paused").fetchone()[0] == 0
    file.conn.execute("update memories set text = 'two'")
    check_indexes(file)


def test_who_waits_too_long_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as one, MemoryDatabase(path, embed="none") as two:
        two.conn.execute("pragma busy_timeout = 20")
        with writing(one.conn), pytest.raises(Busy, match="Another process has been writing for over 10 seconds"):
            two.remember("x")
        assert two.remember("y").text == "y"


WRITER = """
import sys
from memkit import MemoryDatabase
path, name = sys.argv[1:]
with MemoryDatabase(path, embed="none") as db:
    for n in range(25):
        db.remember(f"{name} {n}", slot="user", key=f"key{n}")
    db.ingest([{"id": f"{name}{n}", "text": f"row {n} of {name}", "session": "s"} for n in range(25)])
"""


def test_processes_that_make_and_write_one_file_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], stderr=subprocess.PIPE, text=True)
        for name in ("one", "two", "three")
    ]
    for writer in writers:
        assert writer.communicate()[1] == ""
        assert writer.returncode == 0
    with MemoryDatabase(path, embed="none") as db:
        assert len(texts(db)) == 150
        current = db.conn.execute("select count(*) from memories where slot = 'user' and valid_until is null")
        assert current.fetchone()[0] == 25
        positions = [row[0] for row in db.conn.execute("select position from memories where position is not null")]
        assert sorted(positions) == list(range(75))
        check_indexes(db)


def test_two_processes_that_read_the_same_file_make_it_once(tmp_path: Path) -> None:
    rows = tmp_path / "r.jsonl"
    rows.write_text("".join(f'{{"text": "row {n}"}}\n' for n in range(3000)))
    code = (
        "import sys; from memkit import MemoryDatabase; MemoryDatabase(sys.argv[1], embed='none').ingest(sys.argv[2])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "m.db"), str(rows)]
    for process in [subprocess.Popen(command) for _ in range(2)]:
        assert process.wait() == 0
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        assert len(texts(db)) == 3000


# ---------------------------------------------------------------------------------------------- older files


def take_back_edits(conn: sqlite3.Connection) -> None:
    """Removes what the fourth version and the later ones have."""
    conn.execute("drop index embeddings_keys")
    for script in (schema.TEXTS, schema.SENTENCES, schema.ARRAYS, schema.EDITS):
        for kind, name in re.findall(r"^create (trigger|view|table) (\w+)", schema._script(script), re.M):
            conn.execute(f"drop {kind} if exists {name}")
    for name in re.findall(r"^create index (\w+)", schema._script(schema.EDITS), re.M):
        conn.execute(f"drop index if exists {name}")
    names = "'m004_edits', 'm005_arrays', 'm006_sentences', 'm007_texts', 'm008_codes'"
    conn.execute(f"delete from _sqlite_migrations where name in ({names})")


@pytest.fixture
def first_version(written: Path) -> Path:
    """A file as the first memkit wrote it, before memories had a life."""
    conn = sqlite3.connect(written)
    take_back_edits(conn)
    for table in ("maintenance", "pruned", "proposals", "feedback", "former"):
        conn.execute(f"drop table {table}")
    conn.execute("drop index memories_hidden")
    conn.execute("delete from _sqlite_migrations where name <> 'm001_create'")
    conn.execute("pragma user_version = 1")
    conn.commit()
    conn.close()
    return written


@pytest.fixture
def second_version(first_version: Path, letters: LetterEmbedder) -> Path:
    """A file that memkit wrote before it kept what memories said before an edit; with a change in its log."""
    with MemoryDatabase(first_version, embed=letters) as db:
        db.remember("a pear", expires_at=NOW, now="2020-01-01")
        db.maintain(now=NOW)
    conn = sqlite3.connect(first_version)
    take_back_edits(conn)
    conn.execute("drop table former")
    conn.execute("delete from _sqlite_migrations where name = 'm003_former'")
    conn.execute("pragma user_version = 2")
    conn.commit()
    conn.close()
    return first_version


def layout(path: Path) -> set[tuple[str, str, str]]:
    conn = sqlite3.connect(path)
    found = conn.execute("select type, name, sql from sqlite_master where name not like 'sqlite_%'").fetchall()
    conn.close()
    return {(type, name, " ".join((sql or "").replace("if not exists ", "").split())) for type, name, sql in found}


def test_a_file_of_the_first_version_is_migrated_and_keeps_its_memories(
    first_version: Path, tmp_path: Path, letters: LetterEmbedder
) -> None:
    with MemoryDatabase(first_version, embed=letters) as db:
        assert db.conn.execute("pragma user_version").fetchone()[0] == schema.VERSION
        assert [hit.memory.text for hit in db.recall("quince")] == ["quince"]
        check_indexes(db)
    MemoryDatabase(tmp_path / "new.db", embed="none").close()
    assert layout(first_version) == layout(tmp_path / "new.db")


def test_a_file_without_the_index_that_recall_needs_is_not_opened_for_reading(first_version: Path) -> None:
    with pytest.raises(ReadOnly, match="must be set up or migrated first"):
        MemoryDatabase(first_version, read_only=True)


def test_a_file_of_the_first_version_can_be_read_as_it_is(first_version: Path, letters: LetterEmbedder) -> None:
    conn = sqlite3.connect(first_version)
    conn.execute(
        "create index memories_hidden on memories(key) where archived_at is not null or valid_from is not null "
        "or valid_until is not null or expires_at is not null"
    )
    conn.commit()
    conn.close()
    before = first_version.read_bytes()
    with MemoryDatabase(first_version, read_only=True, embed=letters) as db:
        assert [hit.memory.text for hit in db.recall("quince")] == ["quince"]
        assert db.maintenance() == db.restorable() == []
        assert db.maintain(dry_run=True, now=NOW).changes == []
        assert db.info().schema == 1
    assert first_version.read_bytes() == before


def test_a_file_of_the_second_version_is_read_with_all_that_it_has(second_version: Path) -> None:
    """Empty tables stand in for those that are missing, and for no others."""
    with MemoryDatabase(second_version, read_only=True, embed="none") as db:
        assert [change.action for change in db.maintenance()] == ["expired"]
        assert [one["text"] for one in db.restorable()] == ["a pear"]
        assert db.maintain(dry_run=True, now=NOW).changes == []


def test_a_file_of_the_second_version_is_migrated(second_version: Path, tmp_path: Path) -> None:
    with MemoryDatabase(second_version, embed="none") as db:
        assert len(db.maintenance()) == 1
        check_indexes(db)
    MemoryDatabase(tmp_path / "new.db", embed="none").close()
    assert layout(second_version) == layout(tmp_path / "new.db")
