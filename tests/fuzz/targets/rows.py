"""Rows that another program has written: every call goes on, doctor mends the file, and then it works as any other."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

from fuzz import databases, soundness, values
from fuzz.targets.damaged import sound_file
from memkit import MemkitError, MemoryDatabase
from memkit.storage import doctor, schema
from memkit.storage.row_rules import COLUMNS

BLOCK = 10

OTHERS = {  # tables whose rows no rule describes
    "models": "key dims active created_at",  # of a model of another name, only its owner has the vectors
    "embeddings": "key memory_key model_key vector code",
    "entity_embeddings": "entity_key model_key vector",
    "index_paused": "reason",
    "index_replaced": "key document_key position",
    "sqlite_sequence": "name seq",
}
TABLES = {**{table: [*columns] for table, columns in COLUMNS.items()}, **{t: c.split() for t, c in OTHERS.items()}}
HOSTILE = (
    *(
        None,
        0,
        -1,
        1,
        2,
        2.5,
        2**53,
        2**63 - 1,
        -(2**63),
        1e300,
        float("inf"),
        "",
        "x",
        "\0",
        b"",
        b"\xff\0",
        b"x" * 1024,
    ),
    *("not json {", "[]", "{}", "[1]", '{"a": NaN}', "[" * 1500 + "]" * 1500, '{"fields": 5}', '"text"', "null"),
    *("yesterday", "2026-99-99", "9999-12-31T23:59:59Z", "0001-01-01", "../../etc/passwd", "user", "a" * 100_000),
)


def make(random: Random) -> Any:
    """Some statements, and whether memkit's triggers watch over them, as they do in a file of today."""
    return {
        "statements": [_statement(random) for _ in range(random.choice((1, 1, 2, 5)))],
        "guarded": random.random() < 0.3,
    }


def _statement(random: Random) -> Any:
    """A row, or all rows, of a table with another value in a column; a copy of rows with it; or rows that are gone."""
    table = random.choice([*TABLES])
    column = random.choice(TABLES[table])
    value = random.choice(HOSTILE) if random.random() < 0.7 else values.scalar(random)
    if isinstance(value, list | dict | str):
        value = str(value).encode("utf-8", "ignore").decode()
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        value = str(value)
    which = random.choice(("true", "rowid % 2 = 0", "rowid = (select min(rowid) from {table})"))
    kind = random.choice(("update", "update", "update", "as text", "insert", "delete"))
    return {"kind": kind, "table": table, "column": column, "value": value, "where": which.format(table=table)}


def written(conn: sqlite3.Connection, one: Any) -> None:
    """Runs a statement; some are refused."""
    table, column, where = one["table"], one["column"], one["where"]
    if one["kind"] == "delete":
        conn.execute(f"delete from {table} where {where}")
    elif one["kind"] == "update":
        conn.execute(f"update {table} set {column} = ? where {where}", (one["value"],))
    elif one["kind"] == "as text":  # which need not be UTF-8
        conn.execute(f"update {table} set {column} = cast(x'61ff' as text) where {where}")
    else:
        names = [name for name in TABLES[table] if name not in ("key", column)]
        new = {"id": "id || '2'", "key": "null"}
        copied = ", ".join(new.get(name, name) for name in names)
        conn.execute(
            f"insert into {table} ({', '.join([*names, column])}) select {copied}, ? from {table} where {where}",
            (one["value"],),
        )


class World:
    """A folder for the file."""

    def __init__(self, folder: Path):
        self.folder, self.file = folder, folder / "rows.db"

    def run(self, case: Any) -> None:
        """Writes the rows; uses the file; has it mended; uses it again."""
        self.file.write_bytes(sound_file())
        with closing(sqlite3.connect(self.file, isolation_level=None)) as conn:
            guards = {} if case["guarded"] else _guards(conn)
            for name in guards:
                conn.execute(f"drop trigger {name}")
            for one in case["statements"]:
                with suppress(sqlite3.Error):
                    written(conn, one)
            for sql in guards.values():
                conn.execute(sql)
        for used in (_asked, _written_to):
            try:
                with MemoryDatabase(self.file) as db:
                    used(db, self.folder)
            except MemkitError as error:
                soundness.must(str(error), "an error without words")
        repr(doctor.doctor(self.file))
        doctor.doctor(self.file, fix=True)
        soundness.check_file(self.file)
        with MemoryDatabase(self.file) as db:
            _asked(db, self.folder)
            _written_to(db, self.folder)
        soundness.check_file(self.file)
        for file in self.folder.iterdir():
            file.unlink()

    def check(self) -> None:
        """Each was looked at by itself."""

    def close(self) -> None:
        """Nothing is open."""


def _guards(conn: sqlite3.Connection) -> dict[str, str]:
    """The triggers that keep other programs from writing what memkit would not, by name."""
    names = re.findall(r"^create trigger (\w+)", schema._script(schema.EDITS), re.M)
    triggers = conn.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
    return {name: sql for name, sql in triggers if name in names}


def _asked(db: MemoryDatabase, folder: Path) -> None:
    for strategy in ("memkit", "kira", "engram", "membox", "construct", "slots"):
        repr(db.recall("who planted the quince?", strategy=strategy, now=databases.NOW))
        str(db.context("quince", strategy=strategy, now=databases.NOW))
    repr(db.info())
    repr(db.sources())
    repr(db.graph_stats())
    repr(db.maintenance())
    with suppress(MemkitError):
        repr(db.about("Rosa"))


def _written_to(db: MemoryDatabase, folder: Path) -> None:
    kept = db.remember("A new day begins.", now=databases.NOW)
    soundness.must(db.memory(kept.id).text == "A new day begins.", "another text")
    db.ingest([{"text": "Rosa planted a fig.", "tags": ["garden"]}], now=databases.NOW)
    db.relate("Rosa", "knows", "Otto", now=databases.NOW)
    db.maintain(now=databases.NOW)
    db.forget(kept.id, now=databases.NOW)
    db.export(folder / "all.jsonl", now=databases.NOW)
