"""Rows that any SQL program deletes or changes: what referred to them goes with them, and every door still works."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from contextlib import closing, nullcontext, suppress
from pathlib import Path

import pytest
from conftest import NOW, check_graph, check_indexes, unguarded
from datasette.utils import tilde_encode
from datasettes import datasette, root
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import NotFound
from memkit.storage.doctor import BROKEN, doctor
from memkit.storage.driver import sqlite3

LATER = "2026-06-01T12:00:00Z"
QUESTION = "who planted the quince in Lisbon?"
PARENTS = ["documents", "memories", "models", "entities", "relations", "recalls"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound file with rows in every table to which others refer, and in those that refer to them."""
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    rows = [
        {"text": "Rosa planted the quince in Lisbon.", "speaker": "Ada", "tags": ["garden"]},
        {"text": "Otto lives in Porto with Rosa.", "speaker": "Ada"},
        {"text": "Zebediah met Otto in Lisbon.", "speaker": "Otto"},
        {"text": "The 北京 quince is from Lisbon.", "speaker": "Ada"},
    ]
    with MemoryDatabase(path) as db:
        db.ingest([{**row, "session": "s"} for row in rows], now=NOW)
        db.remember("green", slot="user", key="colour", now=NOW)
        db.remember("blue", slot="user", key="colour", now=LATER)
        db.relate("Rosa", "lives_in", "Porto", now=NOW)
        db.relate("Rosa", "lives_in", "Lisbon", valid_from="2026-03-01", now=LATER)
        db.merge("Rosa", "Ada", now=LATER)
        ids = list(db.memories().index)
        db.link(ids[0], ids[1], "contradicts", now=LATER)
        db.correct(ids[2], "Zebediah met Otto in Madrid.", now=LATER)
        found = db.recall(QUESTION, track=True, ledger=True, now=LATER)
        db.feedback(found[0].memory.id, True, QUESTION, now=LATER)
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("pragma journal_mode = delete")  # one file, which can be copied
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "memory.db"))


def plain(path: Path, *statements: str, recursive: bool = False, keys: bool = False) -> None:
    """What another program does: without memkit's functions and settings, and without sqlite-vec."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(f"pragma recursive_triggers = {recursive}")
        conn.execute(f"pragma foreign_keys = {keys}")
        for statement in statements:
            conn.execute(statement)


def orphans(path: Path) -> set[str]:
    """The tables with rows that refer to a missing one."""
    with closing(sqlite3.connect(path)) as conn:
        return {row[0] for row in conn.execute("pragma foreign_key_check")}


def broken(path: Path) -> list[str]:
    return [f"{check.name}: {check.text}" for check in doctor(path).checks if check.state == BROKEN]


# ---------------------------------------------------------------------------------------------- deleted


@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize("table", PARENTS)
def test_what_refers_to_a_deleted_row_goes_with_it(path: Path, table: str, keys: bool) -> None:
    plain(path, f"delete from {table} where key = (select min(key) from {table})", keys=keys)
    assert orphans(path) == set()
    plain(path, f"delete from {table}", keys=keys)
    assert orphans(path) == set()
    assert broken(path) == []
    with MemoryDatabase(path) as db:
        check_indexes(db)
        check_graph(db)


@pytest.mark.parametrize("recursive", [False, True])
def test_what_refers_to_a_replaced_memory_goes_with_it(path: Path, recursive: bool) -> None:
    """INSERT OR REPLACE deletes the former row without firing a trigger, unless `recursive_triggers` is on."""
    columns = "id, text, created_at, updated_at, hash"
    plain(
        path,
        f"insert or replace into memories ({columns}) select id, 'The medlar.', created_at, updated_at, '' "
        "from memories where text like 'Rosa planted%'",
        recursive=recursive,
    )
    assert orphans(path) == set()
    assert broken(path) == []


def test_a_new_row_gets_nothing_from_a_deleted_one_whose_key_it_has(path: Path) -> None:
    plain(path, "delete from entities where key = (select max(key) from entities)", "delete from entities")
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Hana sings.", now=LATER)
        db.relate("Hana", "sings in", "Faro", now=LATER)
        assert [str(one) for one in db.about("Hana").relations] == ["Hana -sings in-> Faro"]
        assert {memory.text for memory in db.about("Hana").memories} <= {"Hana sings."}


# ---------------------------------------------------------------------------------------------- changed


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        *((f"update {name} set key = 999 where key = (select min(key) from {name})", "changes") for name in PARENTS),
        ("update models set dims = 8", "For another one: memkit reindex"),
        ("update or replace memories set id = (select max(id) from memories)", "Another memory has this id"),
        ("update or replace entities set id = (select max(id) from entities)", "Another entity has this id"),
        ("update or replace relations set id = (select max(id) from relations)", "Another relation has this id"),
    ],
)
def test_a_change_that_would_lose_what_refers_to_a_row_is_refused(path: Path, statement: str, said: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=said):
        plain(path, statement)
    assert orphans(path) == set()
    assert broken(path) == []


def test_other_columns_are_changed_freely(path: Path) -> None:
    plain(
        path,
        "update memories set text = 'Rosa planted the sloe.', id = 'sloe' where text like '%the quince in%'",
        "update entities set name = 'Roza' where name = 'Rosa'",
        "update memories set key = key, archived_at = null",
    )
    assert broken(path) == []
    with MemoryDatabase(path) as db:
        assert db.recall("who planted the sloe?")[0].memory.id == "sloe"
        assert db.about("Rosa").name == "Roza"


# ---------------------------------------------------------------------------------------------- every door


def asked(path: Path) -> str:
    """All that recall, entity cards and the doctor say about a file."""
    told = []
    with MemoryDatabase(path) as db:
        for strategy in ("memkit", "membox", "engram"):
            told.append(str(db.recall(QUESTION, 50, strategy=strategy, now=LATER, everything=True)))
            told.append(str(db.context(QUESTION, strategy=strategy, now=LATER)))
        for name in ("Rosa", "Lisbon", "Otto"):
            try:
                told.append(str(db.about(name, now=LATER)))
            except NotFound as error:
                told.append(str(error))
    return "\n".join([*told, str(doctor(path))])


async def shown(path: Path) -> str:
    """All that pages say about a file."""
    told = []
    owner = root(datasette(path))
    with closing(sqlite3.connect(path)) as conn:
        pages = [f"-/memory/{tilde_encode(str(row[0]))}" for row in conn.execute("select id from memories limit 2")]
        pages += [f"-/entity/{tilde_encode(str(row[0]))}" for row in conn.execute("select id from entities limit 2")]
    for address in ("-/recall.json?q=quince", "-/graph.json", "-/maintenance", "memories?_recall=quince", *pages):
        response = await owner.get(f"/{path.stem}/{address}")
        assert response.status_code < 500, (address, response.text[-1000:])
        told.append(response.text)
    return "\n".join(told)


@pytest.mark.parametrize("triggers", [True, False], ids=["now", "in a file of an older memkit"])
async def test_no_door_shows_what_was_deleted(path: Path, triggers: bool) -> None:
    assert "Zebediah" in asked(path)
    assert "Zebediah" in await shown(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn, nullcontext() if triggers else unguarded(conn):
        conn.execute("delete from memories where text like '%Zebediah%'")
        conn.execute("delete from entities where name like '%Zebediah%'")
        conn.execute("delete from maintenance")
    assert "Zebediah" not in asked(path) + await shown(path)


def statements() -> list[str]:
    """Statements that delete rows of each table, and that put into each column what nobody expects there."""
    with MemoryDatabase(embed="none") as db:
        rows = db.conn.execute(
            "select t.name, c.name from sqlite_master as t join pragma_table_info(t.name) as c "
            "where t.type = 'table' and t.name not like 'sqlite%' order by t.name, c.cid"
        )
        columns = [tuple(row) for row in rows]
    found = []
    for table in dict(columns):
        found += [f"delete from {table}", f"delete from {table} where rowid = (select min(rowid) from {table})"]
    for table, column in columns:
        found += [f"update {table} set {column} = {value}" for value in ("null", "'x'", "-1", "x'00ff'", "9e999")]
        one = f"(select min({column}) from {table})"
        found += [f"update {table} set {column} = 999 where {column} = {one}"]
        found += [f"update or replace {table} set {column} = {one}"]
    return found


OF_FTS5 = re.compile(r"\b(memories_fts|memories_cjk)_\w+")  # tables that FTS5 keeps for itself


@pytest.mark.slow
@given(statement=st.sampled_from(statements()))
@example("update embeddings set code = x''")
@example("update embeddings set vector = x'00ff'")
@example("update embeddings set vector = zeroblob(length(vector))")
@example("update embeddings set vector = cast(replace(zeroblob(256), x'00', x'0000c07f') as blob)")
@example("update links set from_key = -1")
@example("update access set count = -1")
@example("update word_cases set lower = 'x'")
@example("delete from memories_fts_data")
@example("delete from memories_cjk_config")
@settings(
    max_examples=int(os.environ.get("MEMKIT_EDITS", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_every_door_works_after_any_statement(whole: Path, tmp_path: Path, statement: str) -> None:
    path = Path(shutil.copy(whole, tmp_path / "memory.db"))
    with suppress(sqlite3.Error):  # it is refused
        plain(path, statement)
    asked(path)
    if not OF_FTS5.search(statement):  # Datasette itself reads every table when it starts
        asyncio.run(shown(path))


# ---------------------------------------------------------------------------------------------- vectors


NO_VECTORS = [
    "update embeddings set vector = x''",
    "update embeddings set vector = x'00ff'",
    "update embeddings set vector = zeroblob(5) where key = 2",
    "update embeddings set vector = unhex(replace(hex(zeroblob(256)), '00', '0000c07f'))",  # NaN
    "update embeddings set vector = unhex(replace(hex(zeroblob(256)), '00', '0000807f')) where key = 2",  # infinity
    "update embeddings set vector = unhex(replace(hex(zeroblob(256)), '00', '0000c842')) where key = 2",  # 100.0
    "update embeddings set code = x''",
    "update embeddings set code = zeroblob(7) where key = 2",
    "update embeddings set code = zeroblob(length(code)) where key = 2",
]


@pytest.mark.parametrize("statement", NO_VECTORS)
def test_what_is_no_vector_is_found_by_doctor_and_made_anew(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.create_function("unhex", 1, bytes.fromhex)
        conn.execute(statement)
    with MemoryDatabase(path) as db:
        found = db.recall(QUESTION, strategy={"name": "memkit", "fulltext": None, "graph": None}, now=LATER)
        assert all(hit.score <= 1 for hit in found)
        db.maintain(now=LATER)  # it compares vectors, too
        db.remember("Rosa planted the quince in Lisboa.", now=LATER)
    assert [said.partition(":")[0] for said in broken(path)] == ["vectors"]
    doctor(path, fix=True)
    assert broken(path) == []
    with MemoryDatabase(path) as db:
        found = db.recall(QUESTION, strategy={"name": "memkit", "fulltext": None, "graph": None}, now=LATER)
        assert found[0].memory.text.startswith("Rosa planted the quince")
