"""Makes a memory database, brings an old one up to date, and refuses what it does not understand."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.resources import files
from typing import Any

from memkit.driver import MAGIC, sqlite3, writing
from memkit.errors import NotAMemoryDatabase, ReadOnly

APPLICATION_ID = 0x6D6B6974  # "mkit", in the file's header: `file memory.db` shows it
VERSION = 3
READABLE = 1  # the oldest version that can be read as it is; what came later is empty there
LATER = LIFE, FORMER = "schema_life.sql", "schema_former.sql"  # what version 1 had not
TABLE = re.compile(r"(?:--.*\n|\s)*create table (?P<name>\w+)")

READ_IDENTITY = "select * from pragma_application_id, pragma_user_version"
READ_FILE = "select file from pragma_database_list where name = 'main'"
# The first files had it not.
HAS_WHAT_RECALL_NEEDS = "select exists (select 1 from sqlite_master where name = 'memories_hidden')"
SELECT_TABLES = "select name from sqlite_master where type = 'table'"
COUNT_OBJECTS = "select count(*) from sqlite_master"


def ensure(conn: Any, name: str, *, read_only: bool = False) -> None:
    """The connection's file is a memory database of this version now.

    An empty file becomes one; an older one is migrated, or read as it is where it may only be read. Raises
    NotAMemoryDatabase, with the file unchanged, for any other SQLite database, for a file that is none, and for one
    that a newer memkit wrote.
    """
    application, version, empty = _identity(conn, name)
    if application == APPLICATION_ID and version == VERSION:
        return
    if not empty and application != APPLICATION_ID:
        raise NotAMemoryDatabase(
            f"{name} is a SQLite database, but not one of memories. To take its rows in: "
            f"memkit ingest memory.db {name} --table NAME"
        )
    if version > VERSION:
        raise NotAMemoryDatabase(
            f"{name} was written by a newer memkit (schema {version}, this one knows {VERSION}). "
            "Run: pip install --upgrade datasette-memkit"
        )
    if read_only and version >= READABLE and conn.execute(HAS_WHAT_RECALL_NEEDS).fetchone()[0]:
        _stand_in(conn)
        return
    if read_only:
        raise ReadOnly(f"{name} must be set up or migrated first. Open it once without read_only.")
    if empty:
        with suppress(sqlite3.OperationalError):  # locked by another process that does the same
            conn.execute("pragma journal_mode = wal")
    _migrate(conn, name)


def _identity(conn: Any, name: str) -> tuple[int, int, bool]:
    """The file's application id and schema version, and whether there is nothing in it."""
    no_database = f"{name} is not a SQLite database. Give another path to make a new one."
    try:
        application, version = conn.execute(READ_IDENTITY).fetchone()
        empty = application == 0 and conn.execute(COUNT_OBJECTS).fetchone()[0] == 0
        if empty and _has_other_bytes(conn.execute(READ_FILE).fetchone()[0]):
            raise NotAMemoryDatabase(no_database)
        return application, version, empty
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            said = no_database
        elif "malformed" in str(error):
            said = f"{name} is damaged: {error}. Take a copy from a backup, or try: sqlite3 {name} .recover"
        else:
            raise
        raise NotAMemoryDatabase(said) from error


def _has_other_bytes(path: str) -> bool:
    """Whether a file that SQLite takes for an empty database holds something else: it does not look at short ones."""
    if not path:
        return False
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) not in (b"", MAGIC)


def _migrate(conn: Any, name: str) -> None:
    """Applies what is missing, all of it in one transaction; another process may have come first."""
    from sqlite_utils import Database, Migrations

    migrations = Migrations("memkit")

    @migrations()
    def m001_create(db: Any) -> None:
        _run_script(db.conn, "schema.sql")

    @migrations()
    def m002_life(db: Any) -> None:
        _run_script(db.conn, LIFE)

    @migrations()
    def m003_former(db: Any) -> None:
        _run_script(db.conn, FORMER)

    with writing(conn):
        application, version, empty = _identity(conn, name)
        if not empty and application != APPLICATION_ID:
            raise NotAMemoryDatabase(f"{name} has just become a database of something else.")
        if version < VERSION:
            migrations.apply(Database(conn))
            conn.execute(f"pragma application_id = {APPLICATION_ID}")
            conn.execute(f"pragma user_version = {VERSION}")


def _run_script(conn: Any, name: str) -> None:
    """Executes a script of this package, inside the transaction that is open."""
    for statement in statements(_script(name)):
        conn.execute(statement)


def _script(name: str) -> str:
    return files("memkit").joinpath(name).read_text("utf-8")


def _stand_in(conn: Any) -> None:
    """Gives this connection, to a file that must not be written, the tables that the file has not got yet: empty."""
    there = {row[0] for row in conn.execute(SELECT_TABLES)}
    for statement in (one for name in LATER for one in statements(_script(name))):
        if (made := TABLE.match(statement)) and made["name"] not in there:
            conn.execute(f"create temp table if not exists {statement[made.start('name') :]}")


def statements(script: str) -> list[str]:
    """The single statements of an SQL script, in order; a trigger's body stays in one piece."""
    found, start = [], 0
    for end in (i + 1 for i, c in enumerate(script) if c == ";"):
        if sqlite3.complete_statement(script[start:end]):
            found.append(script[start:end].strip())
            start = end
    return found
