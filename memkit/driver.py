"""The SQLite library of this process, and connections to it.

There must be one SQLite library per process: two of them on one file silently lose each other's locks. So memkit uses
the one that sqlite-utils and Datasette choose: `pysqlite3` where it is installed, else Python's own.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from memkit.errors import Busy, Closed, NotAMemoryDatabase, NotFound, ReadOnly

MAGIC = b"SQLite format 3\0"  # how the file of a database begins


def _can_load_extensions(name: str) -> bool:
    try:
        return hasattr(importlib.import_module(name).Connection, "enable_load_extension")
    except ImportError:
        return False


def _choose() -> Any:
    """The driver module. `sqlean` steps in as `pysqlite3` where no other driver can load extensions."""
    hosts_chose = {"sqlite_utils", "datasette"} & set(sys.modules)
    if (
        not hosts_chose
        and not _can_load_extensions("pysqlite3")
        and not _can_load_extensions("sqlite3")
        and _can_load_extensions("sqlean")
    ):
        import sqlean
        import sqlean.dbapi2

        sys.modules["pysqlite3"], sys.modules["pysqlite3.dbapi2"] = sqlean, sqlean.dbapi2
    try:
        return importlib.import_module("pysqlite3")
    except ImportError:
        return importlib.import_module("sqlite3")


sqlite3 = _choose()

BUSY_SECONDS = 10
# In WAL mode a commit that does not wait for the disk survives the end of the process, and never damages the file.
PRAGMAS = (
    "foreign_keys = on",
    "recursive_triggers = on",
    "synchronous = normal",
    "temp_store = memory",
    "cache_size = -131072",  # KiB: the vectors of 100,000 memories, which each question compares some hundreds of
)


LOADING_PAGES = 16_384  # 64 MB of log
LOADING_OBJECTS = 200_000


class Connection(sqlite3.Connection):  # type: ignore[misc, name-defined]
    """A connection that can carry what was computed from its database (`caches.py`)."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.memkit_cache: dict[str, Any] = {}


def vec_path() -> str | None:
    """Where sqlite-vec's library lies, without importing its package (that would bring numpy in)."""
    spec = importlib.util.find_spec("sqlite_vec")
    folders = list(spec.submodule_search_locations or []) if spec else []
    return str(Path(folders[0]) / "vec0") if folders else None


def load_vec(conn: Any) -> bool:
    """Whether this connection has sqlite-vec's functions now; loading is switched off again afterwards."""
    with suppress(sqlite3.Error):
        conn.execute("select vec_version()")
        return True
    path = vec_path()
    if path is None or not hasattr(conn, "enable_load_extension"):
        return False
    try:
        conn.enable_load_extension(True)
        conn.load_extension(path)
    except sqlite3.Error:
        return False
    finally:
        with suppress(sqlite3.Error):
            conn.enable_load_extension(False)
    return True


def connect(path: str | Path = ":memory:", *, read_only: bool = False, immutable: bool = False) -> Any:
    """A connection ready for memkit: autocommit, rows by name, foreign keys on, sqlite-vec loaded if it can be.

    Usable from any thread, one at a time: notebooks run callbacks on threads of their own, so the holder keeps a lock.
    `immutable` promises that nobody writes meanwhile; a read-only file in a folder that cannot be written to is opened
    that way. Raises NotFound if the file cannot be opened or made, NotAMemoryDatabase if it is something else.
    """
    try:
        conn = sqlite3.connect(
            _uri(path, read_only, immutable),
            uri=True,
            isolation_level=None,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            factory=Connection,
        )
    except sqlite3.OperationalError as error:
        raise NotFound(f"{path} cannot be opened: {_why_not(Path(path), read_only)}.") from error
    try:
        prepare(conn)
    except sqlite3.DatabaseError as error:
        conn.close()
        if "not a database" not in str(error):
            raise
        name = Path(path).name
        raise NotAMemoryDatabase(f"{name} is not a SQLite database. Give another path to make a new one.") from error
    return conn


def _uri(path: str | Path, read_only: bool, immutable: bool) -> str:
    if str(path) == ":memory:":
        return "file::memory:"
    file = Path(path).resolve()
    # Reading a file in WAL mode makes files beside it, unless SQLite is told that nothing changes.
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
    return "it may not be read, or its folder not be written to"


def prepare(conn: Any) -> None:
    """Settings that belong to a connection, not to the file."""
    conn.row_factory = sqlite3.Row
    for pragma in PRAGMAS:
        conn.execute(f"pragma {pragma}")
    load_vec(conn)


HOLD = "select name from sqlite_master"


@contextmanager
def reading(conn: Any) -> Iterator[Any]:
    """One moment of the database: what is read within this block knows nothing of what others write meanwhile.

    A statement that is not read to its end holds it. A transaction would do the same, but what is read in one is not
    kept for the next question (`caches.py`), and on another program's connection it is not memkit's to begin.
    """
    with closing(conn.execute(HOLD)):
        yield conn


@contextmanager
def writing(conn: Any) -> Iterator[Any]:
    """One transaction that writes: all of it or nothing. Inside another one it is a part that can fail alone.

    It takes the write lock at the start; a deferred one fails in the middle when two processes read, then write.
    """
    nested = conn.in_transaction
    begin, commit, undo = _STEPS[nested]
    with in_words():
        conn.execute(begin)
        try:
            yield conn
            conn.execute(commit)
        except BaseException:
            if conn.in_transaction:  # SQLite itself gives up a transaction when the disk is full
                for statement in undo:
                    conn.execute(statement)
            raise


@contextmanager
def loading(conn: Any) -> Iterator[None]:
    """Within this block a great deal is written: the log may grow, and objects are counted less often.

    The same pages are written to in every batch, so each checkpoint that is left out saves writing them once more. And
    the collector of cyclic garbage would look through every row that waits to be written, again and again.
    """
    pages = conn.execute("pragma wal_autocheckpoint").fetchone()[0]
    conn.execute(f"pragma wal_autocheckpoint = {LOADING_PAGES}")
    try:
        with _collecting_less_often():
            yield
    finally:
        conn.execute(f"pragma wal_autocheckpoint = {pages}")


_collecting = Lock()
_usual: list[tuple[int, int, int]] = []  # the collector's thresholds of before, once for each block that is open


@contextmanager
def _collecting_less_often() -> Iterator[None]:
    """The collector belongs to the whole process: the last block that ends leaves it as the first one found it."""
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
    """What a database has in place of its connection once that is closed: whatever it is asked raises Closed."""

    def __init__(self, file: str):
        self.file = file

    def close(self) -> None:
        """Nothing: closing twice is closing once."""

    def __getattr__(self, name: str) -> Any:
        raise Closed(f"The database {self.file} was closed. Open it again to go on.")


# How a transaction begins, ends and is undone: by itself, and inside another one.
_STEPS = {
    False: ("begin immediate", "commit", ("rollback",)),
    True: ("savepoint memkit", "release memkit", ("rollback to memkit", "release memkit")),
}


@contextmanager
def in_words() -> Iterator[None]:
    """SQLite's refusals to write as errors that say what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "readonly" in str(error):
            said = "This database was opened for reading only. Open it without read_only to write."
            raise ReadOnly(said) from error
        if "database is locked" in str(error):
            said = f"Another process has been writing for over {BUSY_SECONDS} seconds. Try again when it is done."
            raise Busy(said) from error
        raise
