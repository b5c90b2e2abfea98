"""Schema and migrations: makes a memory database, migrates an old one, and refuses any other file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from memkit.core.errors import Busy, DiskFull, NotAMemoryDatabase, ReadOnly
from memkit.core.opening import keep_locks, open_regular
from memkit.storage import own_words
from memkit.storage.connection import Connection
from memkit.storage.driver import MAGIC, file_of, identifier, no_database, sqlite3, writing
from memkit.storage.library import check_library
from memkit.storage.schema_check import Oddity, oddities

APPLICATION_ID = 0x6D6B6974  # "mkit", in the file's header: `file memory.db` shows it
VERSION = 8
READABLE = 1  # the oldest version that can be read without migrating; later tables are empty there
# What version 1 did not have.
LATER = LIFE, FORMER, EDITS, ARRAYS, SENTENCES, TEXTS, CODES = (
    *("schema_life.sql", "schema_former.sql", "schema_edits.sql"),
    *("schema_arrays.sql", "schema_sentences.sql", "schema_texts.sql", "schema_codes.sql"),
)
OWN_WORDS = 7  # the version since which the index has each memory's own words only, not those of its neighbours
REPEATING = (
    "code_blocks",
    "graph_arrays",
    "sentences",
    "text_blocks",
)  # what they repeat is read instead, where they are empty
TABLE = re.compile(r"(?:--.*\n|\s)*create table (?P<name>\w+)")

_SECTOR = 512  # bytes

OBJECT = re.compile(
    r"(?:--.*\n|\s)*(?P<verb>create|drop) (?P<type>(?:unique )?index|table|virtual table|view|trigger) "
    r"(?:if (?:not )?exists )?(?P<name>\w+)"
)

READ_IDENTITY = "select * from pragma_application_id, pragma_user_version"
# The first files did not have this index.
HAS_WHAT_RECALL_NEEDS = "select exists (select 1 from sqlite_master where name = 'memories_hidden')"
HAS_VECTORS = "select exists (select 1 from embeddings)"
SELECT_TABLES = "select name from sqlite_master where type = 'table'"
READ_VERSION = "select schema_version from pragma_schema_version"
CHECK_PAGES = "pragma quick_check(1)"
# The file in which all pages were looked through, as its device and inode.
SELECT_CHECKED = "select value from settings where name = 'checked'"
UPSERT_CHECKED = """
insert into settings (name, value) values ('checked', json_quote(:file))
on conflict (name) do update set value = excluded.value
"""
SELECT_NAMES = "select name from sqlite_master"
# Files of before the comment in the declaration of the full-text index, by which Datasette and sqlite-utils find it.
IS_UNDECLARED = """
select exists (select 1 from sqlite_master where name = 'memories_fts' and sql not like '%content="memories"%')
"""
COUNT_OBJECTS = "select count(*) from sqlite_master"


def ensure(conn: Connection, name: str, *, read_only: bool = False, beside: bool = False) -> None:
    """Makes the connection's file a memory database of this version.

    An empty file gets the tables. An older memory database is migrated, or read as it is with `read_only`. `beside`
    means that the file is the user's own: then it may hold other tables, and its journal mode stays. Raises
    NotAMemoryDatabase, with the file unchanged, for any other SQLite database, for a file that is no database, for a
    file that a newer memkit wrote, and for a file whose schema somebody changed so that it is not safe to use. Raises
    ReadOnly for a `read_only` file that would have to be changed.
    """
    check_library()
    if file := file_of(conn):
        keep_locks(file, conn)
    application, version, empty = _identity(conn, name, beside)
    if application == APPLICATION_ID and version <= VERSION:
        _trust(conn, name, read_only)
        if version == VERSION:
            if not read_only:
                _declare(conn)
            return
    if not empty and application != APPLICATION_ID:
        marks = f"application_id {application}, user_version {version}"
        raise NotAMemoryDatabase(
            f"{name} cannot hold memories: another program marks the file as its own ({marks}). Use another file."
            if beside
            else f"{name} is a SQLite database, but no memory database. To ingest its rows: memkit ingest memory.db "
            f"{name} --table NAME. To keep memories beside its tables: sqlite-utils memkit-ingest {name} NOTES"
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
    if empty and not beside:
        with suppress(sqlite3.OperationalError):  # another process does the same and holds the lock
            conn.execute("pragma journal_mode = wal")
    _migrate(conn, name, beside)


def _identity(conn: Connection, name: str, beside: bool) -> tuple[int, int, bool]:
    """The file's application id and schema version, and whether memkit may make its tables in it.

    It may do so in an empty file, or `beside` the tables of a file without marks.
    """
    try:
        application, version = conn.execute(READ_IDENTITY).fetchone()
        empty = application == 0 and conn.execute(COUNT_OBJECTS).fetchone()[0] == 0
        if empty and _has_other_bytes(file_of(conn)):
            raise NotAMemoryDatabase(no_database(name))
        return application, version, empty or (beside and application == version == 0)
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            said = no_database(name)
        elif "malformed" in str(error):
            said = damaged(name, error)
        else:
            raise
        raise NotAMemoryDatabase(said) from error


def _has_other_bytes(path: str) -> bool:
    """Whether a file that looks empty to SQLite holds something else: SQLite does not check files below a sector."""
    if not path or not 0 < os.path.getsize(path) < _SECTOR:
        return False
    with open_regular(path) as file:
        return file.read(len(MAGIC)) != MAGIC


def _migrate(conn: Connection, name: str, beside: bool) -> None:
    """Applies the missing migrations in one transaction. Another process may have done it meanwhile."""
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

    @migrations()
    def m004_edits(db: Any) -> None:
        _run_script(db.conn, EDITS)

    @migrations()
    def m005_arrays(db: Any) -> None:
        _run_script(db.conn, ARRAYS)

    @migrations()
    def m006_sentences(db: Any) -> None:
        _run_script(db.conn, SENTENCES)

    @migrations()
    def m007_texts(db: Any) -> None:
        own_words.index(db.conn, _made())
        _run_script(db.conn, TEXTS)

    @migrations()
    def m008_codes(db: Any) -> None:
        _run_script(db.conn, CODES)
        if db.conn.execute(HAS_VECTORS).fetchone()[0]:
            from memkit.storage import code_blocks  # brings numpy, which a new file does not need

            code_blocks.write(db.conn)

    with writing(conn), _no_table_twice(name):
        application, version, empty = _identity(conn, name, beside)
        if not empty and application != APPLICATION_ID:
            raise NotAMemoryDatabase(f"Another program has just made {name} a database of its own. Use another file.")
        if version < VERSION:
            # The connection stays as it is: sqlite-utils sets no pragma and adds no functions of plugins.
            migrations.apply(Database(cast("Any", conn), recursive_triggers=False, execute_plugins=False))
            conn.execute(f"pragma application_id = {APPLICATION_ID}")
            conn.execute(f"pragma user_version = {VERSION}")
            if empty and not beside and file_of(conn):
                conn.execute(UPSERT_CHECKED, {"file": _which(file_of(conn))})


def _declare(conn: Connection) -> None:
    """Gives an older file today's declaration of its full-text index: the same but for a comment."""
    if not conn.execute(IS_UNDECLARED).fetchone()[0]:
        return
    with suppress(sqlite3.OperationalError, Busy), writing(conn):  # another process writes: then the next one does it
        conn.execute("pragma writable_schema = on")
        try:
            declared = {"sql": _made()["memories_fts"]}
            conn.execute("update sqlite_master set sql = :sql where type = 'table' and name = 'memories_fts'", declared)
        finally:
            conn.execute("pragma writable_schema = off")


@contextmanager
def _no_table_twice(name: str) -> Iterator[None]:
    """Raises NotAMemoryDatabase if the file has a table with a name that memkit needs."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "already exists" not in str(error):
            raise
        raise NotAMemoryDatabase(
            f"{name} cannot hold memories beside its own tables, because memkit needs a name that is taken: {error}. "
            "Use another file."
        ) from error


# ---------------------------------------------------------------------------------------------- files of others

_trusted: set[tuple[str, str, int, bool]] = set()  # files whose schema was checked, by version of the schema


def _trust(conn: Connection, name: str, read_only: bool) -> None:
    """Raises NotAMemoryDatabase for a file that is not safe to use: whoever made it may have put anything into it.

    The schema is compared in every process. All pages are looked through once, before the first write to a file that
    was not made here: a copy or a download has another inode than the file in whose settings it stands.
    """
    path = file_of(conn)
    file = _which(path)
    known = (path, file, conn.execute(READ_VERSION).fetchone()[0], read_only)
    # A database in memory has no name by which to know it again: its connection remembers it.
    trusted = _trusted if path else getattr(conn, "memkit_cache", {}).setdefault("trusted", set())
    if known not in trusted:
        if odd := [one for one in odd_objects(conn) if one.read or not read_only]:
            tables = any(one.type == "table" for one in odd)
            way = f"To take its rows into a new file: memkit recover {name} NEW.db"
            raise NotAMemoryDatabase(
                f"{name} has in its schema what memkit did not make, and what may run when memkit uses the file: "
                f"{', '.join(map(str, odd))}. {way if tables else f'To remove it: memkit doctor {name} --fix'}"
            )
        trusted.add(known)
    if read_only or not path:
        return
    row = conn.execute(SELECT_CHECKED).fetchone()
    if row is None or row[0] != f'"{file}"':
        found = conn.execute(CHECK_PAGES).fetchone()[0]
        if found != "ok":
            raise NotAMemoryDatabase(damaged(name, found))
        # On a borrowed connection the driver would begin a transaction that nobody ends, and all later writes with it.
        # Where another process writes, the next one to open the file does this.
        with suppress(sqlite3.OperationalError, Busy, DiskFull, ReadOnly), writing(conn):
            conn.execute(UPSERT_CHECKED, {"file": file})


def damaged(name: str, found: object) -> str:
    """The message for a damaged file."""
    return f"{name} is damaged: {str(found).splitlines()[-1]}. Restore a copy, or run: memkit recover {name} NEW.db"


def _which(path: str) -> str:
    """Which file of this machine a path leads to, whatever its content is; empty for a database in memory."""
    if not path:
        return ""
    stat = os.stat(path)
    return f"{stat.st_dev}:{stat.st_ino}"


def is_ours(conn: Connection) -> bool:
    """Whether the file is marked as a memory database of a version that this memkit knows."""
    application, version = conn.execute(READ_IDENTITY).fetchone()
    return bool(application == APPLICATION_ID and version <= VERSION)


def odd_objects(conn: Connection) -> list[Oddity]:
    """What stands in the schema of a memory database that memkit did not make."""
    odd = oddities(conn, _made())
    if conn.execute(READ_IDENTITY).fetchone()[1] < OWN_WORDS:
        odd = [one for one in odd if not own_words.is_of_before(conn, one.name)]
    return odd


def mend(conn: Connection) -> list[str]:
    """Makes the schema of a memory database what memkit makes it, as far as no row is lost; says what was changed.

    Drops foreign triggers and indexes, and makes memkit's own views, triggers and indexes again if they are missing or
    changed. A table that was changed stays: `recover` takes its rows into a new file.
    """
    mended = []
    with writing(conn):
        for odd in odd_objects(conn):
            if odd.type != "table":
                conn.execute(f"drop {odd.type} {identifier(odd.name)}")
                mended.append(f"removed {odd}")
        for name in missing_objects(conn):
            conn.execute(_made()[name])
            mended.append(f"made {name!r} again")
        if mended:  # a trigger may have been missing when the rows that these repeat were changed
            for table in REPEATING:
                conn.execute(f"delete from {table}")
    return mended


def missing_objects(conn: Connection) -> list[str]:
    """The names of the views, triggers and indexes of memkit that are not in a memory database of this version."""
    if conn.execute(READ_IDENTITY).fetchone()[1] < VERSION:
        return []
    there = {row[0] for row in conn.execute(SELECT_NAMES)}
    return [
        name
        for name, sql in _made().items()
        if name not in there and not sql.startswith(("CREATE TABLE", "CREATE VIRTUAL"))
    ]


@cache
def _made() -> Mapping[str, str]:
    """The SQL of everything that memkit makes, by name, in the form in which SQLite stores it."""
    made: dict[str, str] = {}
    for statement in (one for script in ("schema.sql", *LATER) for one in statements(_script(script))):
        if (found := OBJECT.match(statement)) and found["verb"] == "create":
            made[found["name"]] = f"CREATE {found['type'].upper()} {statement[found.start('name') :].rstrip(';')}"
        elif found:
            made.pop(found["name"], None)
    return made


# ---------------------------------------------------------------------------------------------- scripts


def _run_script(conn: Connection, name: str) -> None:
    """Executes an SQL script of this package inside the open transaction."""
    for statement in statements(_script(name)):
        conn.execute(statement)


def _script(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _stand_in(conn: Connection) -> None:
    """Makes the tables that a read-only file does not have yet as empty temporary tables of this connection."""
    there = {row[0] for row in conn.execute(SELECT_TABLES)}
    for statement in (one for name in LATER for one in statements(_script(name))):
        if (made := TABLE.match(statement)) and made["name"] not in there:
            conn.execute(f"create temp table if not exists {statement[made.start('name') :]}")


def statements(script: str) -> list[str]:
    """The statements of an SQL script, in order; a trigger with its body is one statement."""
    found, start = [], 0
    for end in (mark.end() for mark in re.finditer(";", script)):
        if sqlite3.complete_statement(script[start:end]):
            found.append(script[start:end].strip())
            start = end
    return found
