"""SQLite driver: connections, their settings, and transactions. `library.py` says which SQLite they are of."""

from __future__ import annotations

import gc
import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from memkit.core.errors import BadArgument, Busy, Closed, DiskFull, NotAMemoryDatabase, NotFound, ReadOnly, one_of
from memkit.core.files import make_file
from memkit.storage import checkpoints, vec_functions
from memkit.storage.checkpoints import file_of as file_of
from memkit.storage.connection import Connection
from memkit.storage.library import full_text_is_innocuous
from memkit.storage.library import sqlite3 as sqlite3

MAGIC = b"SQLite format 3\0"  # the first bytes of every database file
NAMELESS = ""  # the path of a database that is needed only for a while, and may outgrow the memory
BESIDE = ("-wal", "-shm", "-journal")  # what SQLite adds to the name of a database

BUSY_SECONDS = 10
WRITING = ("foreign_keys = on", "recursive_triggers = on")
# In WAL mode a commit that does not wait for the disk survives the end of the process, and never damages the file. A
# power cut may take it back; `full` waits.
SYNCHRONOUS = "MEMKIT_SYNCHRONOUS"  # environment variable: how long a commit waits for the disk
LEVELS = ("normal", "full", "extra")
PRAGMAS = (
    *WRITING,
    "temp_store = memory",
    "cache_size = -131072",  # KiB: room for the vectors of 100,000 memories; each question reads some hundreds of them
)


LOADING_OBJECTS = 200_000


class CachingConnection(sqlite3.Connection):  # type: ignore[misc]
    """A connection with a cache of values computed from its database (`caches.py`)."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.memkit_cache: dict[str, Any] = {}
        self.is_open = True

    def close(self) -> None:
        """Closes the connection."""
        super().close()
        self.is_open = False


def vec_path() -> str | None:
    """The path of sqlite-vec's library, found without importing its package (which would import numpy)."""
    spec = importlib.util.find_spec("sqlite_vec")
    folders = list(spec.submodule_search_locations or []) if spec else []
    return str(Path(folders[0]) / "vec0") if folders else None


def load_vec(connection: Any) -> bool:
    """Adds sqlite-vec's functions, or else stand-ins with the same answers; whether they are sqlite-vec's own."""
    with suppress(sqlite3.Error):
        connection.execute("select vec_version()")
        return True
    if _loaded(connection, vec_path()):
        return True
    vec_functions.register(connection)
    return False


def _loaded(connection: Any, path: str | None) -> bool:
    """Whether the extension could be loaded. Loading is switched off afterwards."""
    if path is None or not hasattr(connection, "enable_load_extension"):
        return False
    try:
        connection.enable_load_extension(True)
        connection.load_extension(path)
    except sqlite3.Error:
        return False
    finally:
        with suppress(sqlite3.Error):
            connection.enable_load_extension(False)
    return True


def identifier(name: str) -> str:
    """The name of a table or column, quoted for SQL. For the few queries whose names are known only at run time."""
    return '"' + name.replace('"', '""') + '"'


def connect(path: str | Path = ":memory:", *, read_only: bool = False, immutable: bool = False) -> Connection:
    """A connection ready for memkit: autocommit, rows by name, foreign keys on, sqlite-vec's functions.

    A new file is private, and SQLite makes the files beside it (the write-ahead log) with the same mode.
    Any thread can use it, but only one at a time: notebooks run callbacks on other threads, so the owner keeps a lock.
    `immutable` promises that nobody writes meanwhile; a read-only file in a folder without write access is opened that
    way. With NAMELESS as the path, the database is in memory while it is small, and then in a file that goes with the
    connection.

    Raises NotFound if the file cannot be opened or made, ReadOnly if it cannot be written to although it should,
    NotAMemoryDatabase if it is no SQLite database.
    """
    if str(path) not in (":memory:", NAMELESS) and not (read_only or immutable):
        with suppress(OSError):  # SQLite says why it cannot be made
            make_file(Path(path).resolve())
    try:
        conn: Connection = sqlite3.connect(
            _uri(path, read_only, immutable),
            uri=True,
            isolation_level=None,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            factory=CachingConnection,
        )
    except sqlite3.OperationalError as error:
        raise NotFound(f"{path} cannot be opened: {_why_not(Path(path), read_only)}.") from error
    try:
        prepare(conn, read_only=read_only)
        if path == NAMELESS:
            hold_less(conn)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        conn.close()
        if isinstance(error, UnicodeDecodeError):  # SQLite's own message has a name from the file in it
            raise NotAMemoryDatabase(f"{Path(path).name} is damaged: a name in its schema is not UTF-8.") from error
        if "readonly" in str(error) or not (read_only or _may_write(Path(path))):
            raise ReadOnly(not_writable(path)) from error
        if "not a database" not in str(error):
            raise
        raise NotAMemoryDatabase(no_database(Path(path).name)) from error
    return conn


def _may_write(path: Path) -> bool:
    """Whether a file and the folder in which SQLite makes others beside it can be written to."""
    return all(os.access(one, os.W_OK) for one in (path, path.resolve().parent))


def not_writable(path: str | Path) -> str:
    """The message for a file in which, or beside which, nothing may be written."""
    return (
        f"{path} cannot be written to, or its folder cannot. To write, copy the file to a folder where you may. "
        "It can still be read: in Python, open it with read_only."
    )


def no_database(name: str) -> str:
    """The message for a file that is no SQLite database, or none any more."""
    return (
        f"{name} is not a SQLite database. To make a new one, give another path. If it was one, what can be read of it "
        f"goes into a new file: memkit recover {name} NEW.db"
    )


def _uri(path: str | Path, read_only: bool, immutable: bool) -> str:
    if str(path) in (":memory:", NAMELESS):
        return f"file:{path}"
    file = Path(path).resolve()
    # Reading a file in WAL mode makes files beside it, unless it is opened as immutable.
    immutable = immutable or (read_only and not os.access(file.parent, os.W_OK))
    mode = "mode=ro&immutable=1" if immutable else "mode=ro" if read_only else "mode=rwc"
    return f"{file.as_uri()}?{mode}"


def _why_not(path: Path, read_only: bool) -> str:
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if read_only and not path.exists():
        return "there is no such file"
    return "it cannot be read, or its folder cannot be written to"


def prepare(conn: Connection, *, read_only: bool = False) -> None:
    """Applies the settings that belong to a connection, not to the file, and adds sqlite-vec's functions."""
    conn.row_factory = sqlite3.Row
    careful(conn, writes=not read_only)
    for pragma in (*PRAGMAS, f"synchronous = {synchronous()}"):
        conn.execute(f"pragma {pragma}")
    checkpoints.take_over(conn)
    load_vec(conn)


def synchronous() -> str:
    """The level of SQLite's `synchronous` that MEMKIT_SYNCHRONOUS names, or `normal`. Raises BadArgument."""
    level = os.environ.get(SYNCHRONOUS, LEVELS[0]).lower()
    if level not in LEVELS:
        raise BadArgument(f"{SYNCHRONOUS}: {one_of('level of synchronous', level, LEVELS)}")
    return level


def careful(conn: Connection, *, writes: bool = True) -> None:
    """Applies the settings for a file that may come from anybody: its pages are checked when they are read, and its
    schema calls no function of this process.

    On an older SQLite the schema of a connection that `writes` stays trusted: memkit's triggers could not reach the
    full-text index otherwise. What reads on it (`retrieval.sql_frames`) sets this for itself.
    """
    conn.execute("pragma cell_size_check = on")
    if not writes or full_text_is_innocuous():
        conn.execute("pragma trusted_schema = off")


def prepare_to_write(conn: Connection) -> None:
    """Applies the settings that memkit needs for writing to a connection that another program opened."""
    for pragma in (*WRITING, f"busy_timeout = {1000 * BUSY_SECONDS}"):
        conn.execute(f"pragma {pragma}")


READ_CACHE = "pragma cache_size"
IN_PASSING = -2000  # KiB of pages that are kept of what is read once
WHILE_LOADING = -32_768  # KiB


@contextmanager
def in_passing(conn: Connection) -> Iterator[None]:
    """Within this block, SQLite keeps next to nothing of what it reads: for much that is read once, and held elsewhere.

    To keep each page, a new process would have to ask for its memory: that takes as long as the reading.
    """
    (kept,) = conn.execute(READ_CACHE).fetchone()
    conn.execute(f"{READ_CACHE} = {IN_PASSING}")
    try:
        yield
    finally:
        conn.execute(f"{READ_CACHE} = {kept}")


HOLD = "select name from sqlite_master"


@contextmanager
def reading(conn: Connection) -> Iterator[Connection]:
    """A snapshot of the database: within this block, reads do not see what others write meanwhile.

    A statement whose rows are not all read keeps the snapshot open. A transaction would do the same, but values read in
    one are not cached (`caches.py`), and memkit must not begin one on another program's connection.
    """
    with closing(conn.execute(HOLD)):
        yield conn


@contextmanager
def writing(conn: Connection) -> Iterator[Connection]:
    """A transaction that writes everything in the block, or nothing. Inside another one, it is a savepoint.

    It takes the write lock at its start, because a deferred one fails in the middle if two processes read, then write.
    """
    nested = conn.in_transaction
    begin, commit, undo = _STEPS[nested]
    cache: dict[str, Any] = getattr(conn, "memkit_cache", {})
    with in_words(conn):
        conn.execute(begin)
        waiting: list[Callable[[], object]] = cache.get(_WAITING, []) if nested else cache.setdefault(_WAITING, [])
        before = len(waiting)
        try:
            yield conn
            conn.execute(commit)
        except BaseException:
            del waiting[before:]
            if conn.in_transaction:  # SQLite itself rolls back when the disk is full
                for statement in undo:
                    conn.execute(statement)
            raise
        finally:
            if not nested:
                cache.pop(_WAITING, None)
    if not nested:
        checkpoints.after_commit(conn)
        _call_all(waiting)


def _call_all(waiting: list[Callable[[], object]]) -> None:
    """Calls each, also if one before it fails, and raises the first error: all that waited was committed."""
    first: Exception | None = None
    for work in waiting:
        try:
            work()
        except Exception as error:  # noqa: BLE001 (raised below)
            first = first or error
    if first is not None:
        raise first


_WAITING = "after commit"  # in the cache of a connection: what waits for the end of the open transaction


def after_commit(conn: Connection, work: Callable[[], object]) -> None:
    """Calls `work` when the transaction that `writing` has begun is committed, so that it may take its time.

    Nothing is called if the transaction is undone. Without one, or in that of another program, `work` is called now.
    """
    waiting = getattr(conn, "memkit_cache", {}).get(_WAITING)
    if waiting is None:
        work()
    else:
        waiting.append(work)


@contextmanager
def loading(conn: Connection) -> Iterator[None]:
    """Settings for writing very much within this block: fewer checkpoints and fewer garbage collections.

    Every batch writes to the same pages, so each checkpoint less saves writing them once more. The garbage collector
    would look again and again through every row that waits to be written.
    """
    (pages,) = conn.execute(READ_CACHE).fetchone()
    try:
        with checkpoints.seldom(conn), _collecting_less_often():
            yield
    finally:
        conn.execute(f"{READ_CACHE} = {pages}")


def hold_less(conn: Connection) -> None:
    """From now on, or until the end of `loading`, SQLite holds few pages: for what is written and not read again soon.

    To write 100,000 memories takes the same time with 16 MB of pages as with 128. A small ingest leaves what is held
    for questions as it is.
    """
    if conn.execute(READ_CACHE).fetchone()[0] < WHILE_LOADING:
        conn.execute(f"{READ_CACHE} = {WHILE_LOADING}")


_collecting = Lock()
_usual: list[tuple[int, int, int]] = []  # the collector's former thresholds, once for each open block


@contextmanager
def _collecting_less_often() -> Iterator[None]:
    """Raises the garbage collector's thresholds, for the whole process; the last block to end restores them."""
    with _collecting:
        usual = _usual[0] if _usual else gc.get_threshold()
        _usual.append(usual)
        gc.set_threshold(usual[0] and max(LOADING_OBJECTS, usual[0]), *usual[1:])
    try:
        yield
    finally:
        with _collecting:
            usual = _usual.pop()
            if not _usual:
                gc.set_threshold(*usual)


class ClosedConnection:
    """The connection of a closed database: every use of it raises Closed."""

    def __init__(self, file: str):
        self.file = file

    def close(self) -> None:
        """Does nothing: a database may be closed twice."""

    def __getattr__(self, name: str) -> Any:
        raise Closed(f"The database {self.file} was closed. Open it again to go on.")


# The statements that begin, commit and undo a transaction; by whether it is inside another one.
_STEPS = {
    False: ("begin immediate", "commit", ("rollback",)),
    True: ("savepoint memkit", "release memkit", ("rollback to memkit", "release memkit")),
}


@contextmanager
def in_words(conn: Connection) -> Iterator[None]:
    """Raises SQLite's errors for failed writes as ReadOnly, Busy and DiskFull, which say what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "readonly" in str(error):
            file = file_of(conn)
            said = "This database was opened for reading only. Open it without read_only to write."
            raise ReadOnly(said if not file or os.access(file, os.W_OK) else not_writable(file)) from error
        if "database is locked" in str(error):
            said = f"Another process has been writing for over {BUSY_SECONDS} seconds. Try again when it is done."
            raise Busy(said) from error
        if "disk is full" in str(error):
            said = "There is no room left on the disk, so this was not written. Make room, and do it again."
            raise DiskFull(said) from error
        raise
