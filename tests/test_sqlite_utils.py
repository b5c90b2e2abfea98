"""memkit on sqlite-utils: `db.tables`, functions that take a database of somebody's own, and two commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import sqlite_utils
from conftest import NOW, check_indexes, everything, indexed, indexed_afresh, texts, vectors_by_id, with_two_libraries

import memkit
from memkit import MemoryDatabase
from memkit.core.errors import BadArgument, BadSource, Closed, NotAMemoryDatabase, NotFound, ReadOnly
from memkit.database import locations
from memkit.frontends import cli, sqlite_utils_plugin
from memkit.frontends.cli.main import cli as memkit_cli
from memkit.storage import schema
from memkit.storage.driver import sqlite3

SAID = [
    {"id": "1", "text": "Rosa Quill planted the quince on Ferry Lane in 2019.", "timestamp": "2025-01-02"},
    {"id": "2", "text": "Otto Berg mended the gate. Rosa Quill works at Quince Yard.", "timestamp": "2025-01-03"},
    {"id": "3", "text": "The hens laid four eggs.", "timestamp": "2025-01-04"},
]
EDITED = [{**SAID[0], "text": "Rosa Quill planted the quince and a medlar in 2019."}, *SAID[1:]]
VISITS = [{"name": "Rosa Quill", "day": "2025-03-01"}, {"name": "Otto Berg", "day": "2025-03-02"}]
SETTINGS = (
    "journal_mode",
    "foreign_keys",
    "recursive_triggers",
    "synchronous",
    "cache_size",
    "temp_store",
    "busy_timeout",
)


def state(conn: Any) -> dict[str, Any]:
    """What belongs to a connection and is its owner's."""
    functions = conn.execute("select distinct name, narg from pragma_function_list order by 1, 2").fetchall()
    return {
        **{name: tuple(conn.execute(f"pragma {name}").fetchone()) for name in SETTINGS},
        "isolation": conn.isolation_level,
        "row": conn.row_factory,
        "open": conn.in_transaction,
        "functions": [tuple(row) for row in functions],
        "temporary": [tuple(row) for row in conn.execute("select * from temp.sqlite_master")],
        "checkpoint": tuple(conn.execute("pragma wal_autocheckpoint").fetchone()),
    }


@pytest.fixture
def own(tmp_path: Path) -> Iterator[sqlite_utils.Database]:
    """Somebody's own database, with a table in it."""
    db = sqlite_utils.Database(tmp_path / "own.db")
    db["visits"].insert_all(VISITS)
    yield db
    db.close()


# ---------------------------------------------------------------------------------------------- functions


@pytest.mark.parametrize("kind", ["str", "path", "sqlite_utils", "memory", "tables"])
def test_functions_do_what_the_methods_do_on_any_target(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "one.db"
    made = {
        "str": lambda: str(path),
        "path": lambda: path,
        "sqlite_utils": lambda: sqlite_utils.Database(path),
        "memory": lambda: MemoryDatabase(path),
        "tables": lambda: MemoryDatabase(path).tables,
    }
    target = made[kind]()
    other = MemoryDatabase(tmp_path / "other.db")
    for source in (SAID, EDITED):
        assert memkit.ingest(target, source, now=NOW) == other.ingest(source, now=NOW)
    for file in (path, tmp_path / "other.db"):  # as if nobody had read the memories yet
        with MemoryDatabase(file) as unread:
            unread.conn.execute("delete from extractions")
    assert memkit.extract(target, now=NOW) == other.extract(now=NOW)
    found, wanted = memkit.recall(target, "who planted?", 2, now=NOW), other.recall("who planted?", 2, now=NOW)
    assert found.to_dicts() == wanted.to_dicts()
    assert len(found) == 2
    assert found.context(100) == wanted.context(100) != ""
    with MemoryDatabase(path) as again:
        assert without_names(everything(again)) == without_names(everything(other))
        check_indexes(again)


def test_tables_lead_back_to_their_database(letters: Any) -> None:
    """With its model, and all else that it was opened with."""
    with MemoryDatabase(embed=letters) as db:
        assert memkit.ingest(db.tables, SAID).added == 3
        assert {len(vector) for vector in vectors_by_id(db).values()} == {letters.dims}


def without_names(rows: dict[str, Any]) -> dict[str, Any]:
    """All rows but the file's own name, that its pages were checked, and when its tables were made."""
    settings = [row for row in rows["settings"] if row[0] not in ("database", "checked")]
    return {name: sorted(map(repr, those)) for name, those in rows.items() if name != "_sqlite_migrations"} | {
        "settings": settings
    }


@pytest.mark.parametrize("plugins", [True, False])
def test_a_database_handed_in_is_neither_changed_nor_closed(own: sqlite_utils.Database, plugins: bool) -> None:
    [(_, _, path)] = own.execute("pragma database_list").fetchall()
    own = sqlite_utils.Database(path, recursive_triggers=plugins, execute_plugins=plugins)
    before = state(own.conn)
    memkit.ingest(own, SAID)
    memkit.extract(own)
    memkit.recall(own, "who planted the quince?", track=True, ledger=True).context()
    assert state(own.conn) == before
    assert list(own["visits"].rows) == VISITS
    assert next(own.query("select count from access limit 1")) == {"count": 1}


def test_the_driver_begins_no_transaction_of_its_own(own: sqlite_utils.Database) -> None:
    """Nobody would end it: every later call would be part of it, and be lost."""
    begun: list[str] = []
    own.conn.set_trace_callback(lambda said: begun.append(said) if said.lower().startswith("begin") else None)
    assert own.conn.isolation_level == ""
    for source in (SAID, EDITED):
        memkit.ingest(own, source, sync=False)
        memkit.extract(own)
        memkit.recall(own, "who planted the quince?", track=True, ledger=True)
    assert set(begun) == {"begin immediate"}


def test_rows_of_any_form_will_do(own: sqlite_utils.Database) -> None:
    own.conn.row_factory = lambda cursor, row: {"of": len(row)}
    memkit.ingest(own, SAID)
    assert memkit.recall(own, "the hens", 1)[0].memory.source_id == "3"
    assert own.conn.execute("select 1, 2").fetchone() == {"of": 2}


def test_with_foreign_keys_off_no_row_is_left_hanging(own: sqlite_utils.Database, tmp_path: Path) -> None:
    """Nothing that is taken in or extracted deletes what other rows hang on: the rows are those of a database with."""
    notes = tmp_path / "notes"
    notes.mkdir()
    other = MemoryDatabase()
    assert own.execute("pragma foreign_keys").fetchone()[0] == 0
    written = {
        "a.md": ("# Garden\n\nRosa Quill planted it.\n\nSee [[b]].", "# Garden\n\n[[Rosa Quill]] lives in Ferry Lane."),
        "b.md": ("---\naliases: [Yard]\n---\nOtto Berg works at Quince Yard.", None),
        "c.md": ("Rosa Quill knows Otto Berg.", "Otto Berg knows nobody."),
    }
    for turn in (0, 1):
        for name, texts_of_turns in written.items():
            if (text := texts_of_turns[turn]) is None:
                (notes / name).unlink()
            else:
                (notes / name).write_text(text)
        for do in (lambda target: memkit.ingest(target, notes, sync=True, now=NOW), lambda it: memkit.extract(it)):
            with own.atomic():  # in which nobody can turn them on
                do(own)
            do(other)
    assert own.execute("pragma foreign_key_check").fetchall() == []
    rows = {name: list(own.execute(f'select * from "{name}"')) for name in own.table_names() if name != "visits"}
    dates = {"extractions"}  # extract() was not told when
    assert {name: those for name, those in without_names(rows).items() if name not in dates} == {
        name: those for name, those in without_names(everything(other)).items() if name not in dates
    }


@pytest.mark.parametrize("within", [False, True], ids=["alone", "in a transaction"])
def test_a_damaged_export_leaves_no_row_hanging_where_foreign_keys_are_off(
    own: sqlite_utils.Database, tmp_path: Path, within: bool
) -> None:
    """The name of an entity is missing: its relations are refused, and with them their evidence, so all of it is."""
    with MemoryDatabase() as other:
        other.ingest([{"id": "1", "text": "Rosa Quill knows Otto Berg.", "timestamp": "2025-01-02"}], now=NOW)
        other.relate("Rosa Quill", "knows", "Otto Berg")
        other.export(tmp_path / "whole.jsonl", now=NOW)
    lines = [json.loads(line) for line in (tmp_path / "whole.jsonl").read_text("utf-8").splitlines()]
    kept = [line for line in lines if line.get("entities", {}).get("name") != "Otto Berg"]
    assert len(kept) == len(lines) - 1
    kept[-1]["end"]["entities"] -= 1
    (tmp_path / "damaged.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept), "utf-8")
    memkit.ingest(own, SAID)
    before = {name: list(own.execute(f'select * from "{name}"')) for name in own.table_names()}
    said = []
    for target in (own, tmp_path / "by_path.db"):
        with (
            own.atomic() if within else nullcontext(),
            pytest.raises(BadSource, match=r"Nothing was restored\.") as found,
        ):
            memkit.restore(target, tmp_path / "damaged.jsonl")
        said.append(str(found.value))
    assert said[0] == said[1]
    assert {name: list(own.execute(f'select * from "{name}"')) for name in own.table_names()} == before


def test_an_open_transaction_takes_it_in_and_may_be_undone(own: sqlite_utils.Database) -> None:
    memkit.ingest(own, SAID[:1])
    with suppress(KeyError), own.atomic():
        own["visits"].insert({"name": "Hana", "day": "2025-03-03"})
        memkit.ingest(own, SAID)
        assert len(memkit.recall(own, "eggs of the hens")) == 3
        raise KeyError
    assert (own["memories"].count, own["visits"].count, own.conn.in_transaction) == (1, 2, False)
    own.begin()
    memkit.ingest(own, SAID)
    own["visits"].insert({"name": "Hana", "day": "2025-03-03"})
    assert own.conn.in_transaction
    own.commit()
    assert (own["memories"].count, own["visits"].count) == (3, 3)
    assert memkit.recall(own, "eggs of the hens", 1)[0].memory.source_id == "3"


def test_what_fails_in_an_open_transaction_is_undone_alone(own: sqlite_utils.Database, tmp_path: Path) -> None:
    with own.atomic():
        own["visits"].insert({"name": "Hana", "day": "2025-03-03"})
        with pytest.raises(BadSource):
            memkit.ingest(own, tmp_path / "nothing.md")
    assert own["visits"].count == 3
    assert own.table_names() == ["visits"]


def test_memories_are_joined_with_tables_of_ones_own(own: sqlite_utils.Database) -> None:
    memkit.ingest(own, SAID)
    said = own.query(
        "select v.day, m.text from visits as v join memory_entities as e on e.name = v.name "
        "join memories as m on m.id = e.memory_id order by v.day, m.key limit 1"
    )
    assert list(said) == [{"day": "2025-03-01", "text": SAID[0]["text"]}]


# ---------------------------------------------------------------------------------------------- room in a file


def marked(pragma: str) -> Any:
    return lambda db: db.execute(f"pragma {pragma} = 7")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (marked("application_id"), r"own\.db cannot hold memories.*\(application_id 7, user_version 0\)\. Use"),
        (marked("user_version"), r"own\.db cannot hold memories.*\(application_id 0, user_version 7\)\. Use"),
        (lambda db: db["links"].insert({"url": "x"}), r"a name that is taken: table links already exists\. Use"),
        (lambda db: db.create_view("current_memories", "select 1"), r"current_memories already exists"),
    ],
)
def test_a_database_without_room_for_memories_is_left_as_it_was(
    own: sqlite_utils.Database, spoil: Any, said: str
) -> None:
    spoil(own)
    before = own.schema, own.execute(schema.READ_IDENTITY).fetchone()
    with pytest.raises(NotAMemoryDatabase, match=said):
        memkit.ingest(own, SAID)
    assert (own.schema, own.execute(schema.READ_IDENTITY).fetchone()) == before
    assert list(own["visits"].rows) == VISITS


def test_a_path_to_tables_of_ones_own_is_refused_with_a_way_out(own: sqlite_utils.Database, tmp_path: Path) -> None:
    for call in (memkit.ingest, memkit.recall):
        with pytest.raises(NotAMemoryDatabase, match=r"own\.db.*sqlite-utils memkit-ingest own\.db NOTES"):
            call(tmp_path / "own.db", "who?")
    assert own.table_names() == ["visits"]


def test_a_source_that_cannot_be_read_leaves_the_file_as_it_was(own: sqlite_utils.Database, tmp_path: Path) -> None:
    with pytest.raises(BadSource):
        memkit.ingest(own, tmp_path / "nothing.md")
    assert own.table_names() == ["visits"]
    assert tuple(own.execute(schema.READ_IDENTITY).fetchone()) == (0, 0)


def test_a_dry_run_makes_nothing(own: sqlite_utils.Database, tmp_path: Path) -> None:
    assert memkit.ingest(own, SAID, dry_run=True).added == 3
    assert memkit.ingest(tmp_path / "new.db", SAID, dry_run=True).added == 3
    assert own.table_names() == ["visits"]
    assert not (tmp_path / "new.db").exists()
    memkit.ingest(own, SAID[:1])
    assert memkit.ingest(own, SAID, dry_run=True).added == 2
    assert own["memories"].count == 1


def test_what_holds_no_memories_is_said(own: sqlite_utils.Database, tmp_path: Path) -> None:
    for call in (memkit.extract, lambda target: memkit.recall(target, "who?")):
        with pytest.raises(NotAMemoryDatabase, match=r"no memories yet\. To add some: memkit\.ingest"):
            call(own)
        with pytest.raises(NotFound, match="There is no database"):
            call(tmp_path / "none.db")
        for target in (3, None, sqlite3.connect(":memory:"), [own]):
            with pytest.raises(BadArgument, match=r"target must be a path, a sqlite_utils\.Database or a"):
                call(target)
    assert own.table_names() == ["visits"]
    with pytest.raises(TypeError, match="strategie"):
        memkit.recall(MemoryDatabase(), "who?", strategie="kira")  # type: ignore[call-arg]


def test_a_connection_of_another_sqlite_library_is_refused(tmp_path: Path) -> None:
    code = "import memkit, sqlite_utils\nmemkit.ingest(sqlite_utils.Database(own.connect('own.db')), ['More.'])"
    assert "TypeError: This connection is from sqlite3" in (said := with_two_libraries(tmp_path, code).stderr)
    assert "Two SQLite libraries" in said


def test_recalling_from_a_path_needs_no_sqlite_utils(tmp_path: Path) -> None:
    memkit.ingest(tmp_path / "memory.db", SAID)
    code = (
        f"import memkit, sys; found = memkit.recall({str(tmp_path / 'memory.db')!r}, 'who?'); found.context()\n"
        f"memkit.ingest({str(tmp_path / 'memory.db')!r}, ['More.'])\nassert 'sqlite_utils' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---------------------------------------------------------------------------------------------- db.tables


def test_tables_writes_what_sqlite_utils_writes(mem: MemoryDatabase) -> None:
    mem.remember("Rosa Quill planted the quince.", now=NOW)
    mem.tables["visits"].insert_all(VISITS, pk="name")
    mem.tables["visits"].upsert_all([{"name": "Otto Berg", "day": "2025-03-05"}], pk="name")
    mem.tables["visits"].update("Rosa Quill", {"day": "2025-03-04"})
    mem.tables["visits"].insert({"name": "Hana", "day": "2025-03-09"})
    mem.tables["visits"].delete_where("name = ?", ["Hana"])
    assert [tuple(row.values()) for row in mem.tables["visits"].rows] == [
        ("Rosa Quill", "2025-03-04"),
        ("Otto Berg", "2025-03-05"),
    ]
    joined = "select m.text from visits as v join memories as m on instr(m.text, v.name)"
    assert list(mem.tables.query(joined)) == [{"text": "Rosa Quill planted the quince."}]
    assert mem.conn.in_transaction is False


def test_tables_is_the_same_as_long_as_the_connection_is(file: MemoryDatabase) -> None:
    assert file.tables is file.tables
    assert isinstance(file.tables, sqlite_utils.Database)
    assert file.tables.conn is file.conn


def test_tables_leaves_the_connection_as_it_is(mem: MemoryDatabase) -> None:
    conn = mem.conn
    before = state(conn)
    mem.tables["visits"].insert_all(VISITS)
    mem.tables["visits"].transform(rename={"day": "at"})
    assert list(mem.tables["visits"].rows_where("at > ?", ["2025-03-01"])) == [
        {"name": "Otto Berg", "at": "2025-03-02"}
    ]
    if mem.conn is conn:
        assert state(conn) == before


def test_memories_changed_through_tables_are_found_as_they_are_now(mem: MemoryDatabase) -> None:
    one, other = mem.remember("The quince is ripe.", now=NOW), mem.remember("The gate is open.", now=NOW)
    mem.tables["memories"].update(one.key, {"text": "The medlar is soft."})
    mem.tables["memories"].delete_where("key = ?", [other.key])
    assert texts(mem) == ["The medlar is soft."]
    assert mem.recall("medlar").ids == [one.id]
    assert mem.recall("gate").ids in ([], [one.id])
    assert indexed(mem) == indexed_afresh(mem)


def test_one_transaction_holds_memories_and_tables(mem: MemoryDatabase) -> None:
    with suppress(KeyError), mem.tables.atomic() as tables:
        tables["visits"].insert_all(VISITS)
        mem.remember("Rosa came.")
        raise KeyError
    assert texts(mem) == []
    assert not mem.tables["visits"].exists()
    with mem.tables.atomic() as tables:
        tables["visits"].insert_all(VISITS)
        mem.remember("Rosa came.")
        with pytest.raises(BadSource):
            mem.remember(" ")
        with pytest.raises(NotFound):
            mem.correct("nonsense", "Rosa left.")
    assert texts(mem) == ["Rosa came."]
    assert mem.tables["visits"].count == 2


def test_calls_in_other_threads_wait_for_the_end_of_a_transaction(file: MemoryDatabase) -> None:
    other = Thread(target=file.remember, args=("Otto came.",))
    with suppress(KeyError), file.tables.atomic() as tables:
        tables["visits"].insert_all(VISITS)
        other.start()
        other.join(0.2)
        assert other.is_alive()
        raise KeyError
    other.join()
    assert texts(file) == ["Otto came."]


def test_tables_of_a_database_that_is_closed_or_read_only(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.tables["visits"].insert_all(VISITS)
    with pytest.raises(Closed, match=r"memory\.db was closed"):
        db.tables  # noqa: B018
    with MemoryDatabase(tmp_path / "memory.db", read_only=True) as db:
        assert db.tables["visits"].count == 2
        with pytest.raises(ReadOnly, match="Open it without read_only"):
            db.tables["visits"].insert(VISITS[0])
        db.tables.close()
        with pytest.raises(Closed):
            db.recall("who?")


def test_a_database_is_opened_and_asked_without_sqlite_utils(tmp_path: Path) -> None:
    MemoryDatabase(tmp_path / "memory.db").close()
    code = (
        f"import memkit, sys; db = memkit.MemoryDatabase({str(tmp_path / 'memory.db')!r}); db.recall('who?')\n"
        "assert 'sqlite_utils' not in sys.modules; db.tables; assert 'sqlite_utils' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---------------------------------------------------------------------------------------------- the command line


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs `sqlite-utils` in a folder, and gives what it prints."""
    code = "from sqlite_utils.plugins import ensure_plugins_loaded as load, pm; load(); print(pm.has_plugin('memkit'))"
    known = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    if known.strip() != "True":
        pytest.skip("memkit is not installed here, so that sqlite-utils cannot know of it")

    def ran(*arguments: str, code: int = 0) -> str:
        command = [sys.executable, "-m", "sqlite_utils", *arguments]
        environ = {**os.environ, "COLUMNS": "200"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environ)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return ran


@pytest.mark.slow
def test_sqlite_utils_takes_memories_in_and_finds_them(run: Any, own: sqlite_utils.Database, tmp_path: Path) -> None:
    (tmp_path / "said.jsonl").write_text("\n".join(map(json.dumps, SAID)))
    assert "Would be: 3 added" in run("memkit-ingest", "own.db", "said.jsonl", "--dry-run")
    assert "Would be: 3 added" in run("memkit-ingest", "new.db", "said.jsonl", "--dry-run")
    assert own.table_names() == ["visits"]
    assert not (tmp_path / "new.db").exists()
    assert "There is no file or folder" in run("memkit-ingest", "own.db", "nothing.md", code=1)
    assert own.table_names() == ["visits"]
    assert "3 added" in run("memkit-ingest", "own.db", "said.jsonl", "--no-embed")
    assert "3 unchanged" in run("memkit-ingest", "own.db", "said.jsonl", "--no-embed")
    found = json.loads(run("memkit-recall", "own.db", "who planted the quince?", "-k", "1", "--format", "json"))
    assert found[0]["text"] == SAID[0]["text"]
    rows = json.loads(run("own.db", "select name from visits, json_each(recall(name, 1)) order by name"))
    assert [row["name"] for row in rows] == ["Otto Berg", "Rosa Quill"]
    assert "3 added" in run("memkit-ingest", "new.db", "said.jsonl", "--no-embed")


def test_sqlite_utils_says_what_cannot_be_done(run: Any, own: sqlite_utils.Database, tmp_path: Path) -> None:
    assert run("memkit-recall", "own.db", "who?", code=1).startswith(
        "Error: own.db is a SQLite database, but no memory"
    )
    assert run("memkit-recall", "none.db", "who?", code=1).startswith("Error: There is no database 'none.db'")
    own.execute("pragma user_version = 7")
    assert run("memkit-ingest", "own.db", "own.db", code=1).startswith("Error: own.db cannot hold memories")
    assert "No such option" in run("memkit-recall", "own.db", "who?", "--nonsense", code=2)


def test_its_commands_are_memkits_own(run: Any) -> None:
    listed = run("--help")
    for name, line in sqlite_utils_plugin.COMMANDS.items():
        assert line == cli.COMMANDS[name].on(cli.Host()).short_help
        assert f"memkit-{name}  " in listed
        shown = run(f"memkit-{name}", "--help")
        assert f" memkit-{name} [OPTIONS] DATABASE" in shown.splitlines()[0]
        assert cli.COMMANDS[name].on(cli.Host(prefix="memkit-")).name == f"memkit-{name}"
        assert f"sqlite-utils memkit-{name} memory.db" in shown
        for parameter in memkit_cli.commands[name].params:
            assert all(option in shown for option in parameter.opts if option.startswith("-"))
            assert parameter.param_type_name == "option" or parameter.human_readable_name in shown.splitlines()[0]


def test_the_plugin_loads_no_command_line_of_memkits() -> None:
    code = "import sqlite_utils.cli, sys; assert not any(m.startswith('memkit.frontends.cli') for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_on_other_command_lines_names_stay(tmp_path: Path) -> None:
    assert cli.COMMANDS["ingest"].on(cli.Host()).name == "ingest"
    with pytest.raises(NotAMemoryDatabase), locations.beside(foreign(tmp_path)):
        pass


def foreign(folder: Path) -> Any:
    conn = sqlite3.connect(folder / "foreign.db", isolation_level=None)
    conn.execute("pragma application_id = 7")
    return conn


def test_the_full_text_index_is_found_by_sqlite_utils_also_in_an_older_file(tmp_path):
    """By the comment in its declaration, which a file of before gets when it is opened to write."""
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as memory:
        memory.remember("Rosa planted the quince.")
        memory.conn.execute("pragma writable_schema = on")
        comment = ' /* content="memories" */'
        memory.conn.execute("update sqlite_master set sql = replace(sql, ?, '') where name = 'memories_fts'", [comment])
        memory.conn.commit()
    with MemoryDatabase(path, read_only=True) as memory:
        assert [hit.memory.text for hit in memory.recall("quince")] == ["Rosa planted the quince."]
    assert sqlite_utils.Database(path)["memories"].detect_fts() is None
    with MemoryDatabase(path, embed="none") as memory:
        memory.remember("A quince bears in October.")
    table = sqlite_utils.Database(path)["memories"]
    assert table.detect_fts() == "memories_fts"
    assert [row["text"] for row in table.search("planting")] == ["Rosa planted the quince."]
    assert table.db.execute("pragma integrity_check").fetchone()[0] == "ok"
