"""The SQLite library of this process: which one it is, whether memkit can use it, and a bug that it may have.

A process must use only one SQLite library: two of them on one file silently lose each other's locks. So memkit takes
the one that sqlite-utils and Datasette take, and never changes which one that is: `pysqlite3` if somebody has installed
it, else Python's own. It need not be able to load extensions (`vec_functions.py`).
"""

from __future__ import annotations

import functools
import importlib
from contextlib import closing
from typing import Any

from memkit.core.errors import NeedsPackage

DRIVERS = ("sqlite3", "pysqlite3", "sqlean", "apsw")  # modules that bring a SQLite library into a process
OLDEST = (3, 38, 0)  # the first version with the operator ->>
HAS_FTS5 = "select exists (select 1 from pragma_module_list where name = 'fts5')"
WITHOUT_RESET_BUG = (3, 51, 3)
MENDED = {(3, 50): 7, (3, 44): 6}  # older series that got the same correction


def _choose() -> Any:
    """The driver module that sqlite-utils and Datasette choose, too."""
    try:
        return importlib.import_module("pysqlite3")
    except ImportError:
        return importlib.import_module("sqlite3")


sqlite3 = _choose()


@functools.cache
def check_library() -> None:
    """Raises NeedsPackage if this process has a SQLite that memkit cannot use: too old, or without full text."""
    with closing(sqlite3.connect(":memory:")) as conn:
        if sqlite3.sqlite_version_info >= OLDEST and conn.execute(HAS_FTS5).fetchone()[0]:
            return
    here = f"This Python has SQLite {sqlite3.sqlite_version}. memkit, which runs on 3.38 or newer with FTS5,"
    raise NeedsPackage("pysqlite3", here, "'datasette-memkit[driver]'")


def has_reset_bug(version: tuple[int, int, int] | None = None) -> bool:
    """Whether this SQLite (None: that of this process) has the WAL-reset bug (https://sqlite.org/wal.html).

    Where one connection copies the write-ahead log into the database while another one begins the log anew, a later
    copy may leave out what was committed. `checkpoints.py` avoids that.
    """
    major, minor, patch = version or sqlite3.sqlite_version_info
    return (major, minor, patch) < WITHOUT_RESET_BUG and patch < MENDED.get((major, minor), patch + 1)


@functools.cache
def full_text_is_innocuous() -> bool:
    """Whether triggers may write to FTS5 tables while the schema is not trusted: SQLite 3.40 does not let them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        conn.execute("create virtual table words using fts5(text)")
        conn.execute("create view texts as select 1 as text")
        conn.execute("create trigger say instead of insert on texts begin delete from words where rowid = 1; end")
        conn.execute("pragma trusted_schema = off")
        try:
            conn.execute("insert into texts values (1)")
        except sqlite3.OperationalError:
            return False
    return True
