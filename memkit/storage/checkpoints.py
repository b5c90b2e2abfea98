"""Checkpoints: copies of the write-ahead log into the database, made so that a bug of older SQLite does no harm.

A commit appends pages to the log, the file whose name ends in `-wal`. A checkpoint copies them into the database, and
the first commit after a complete checkpoint begins the log anew. SQLite 3.7.0 to 3.51.2 has the WAL-reset bug
(https://sqlite.org/wal.html): if that commit falls into the start of another connection's checkpoint, a later
checkpoint leaves out pages that were committed. SQLite makes a checkpoint after a commit, when others may write again.

Where the library has this bug, memkit makes the checkpoints itself, while a connection that writes nothing holds the
write lock: so nobody begins the log anew meanwhile. The checkpoint of the last connection that closes a file needs no
such care, because SQLite makes it with the whole file locked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from memkit.core.errors import MemkitError
from memkit.storage.connection import Connection
from memkit.storage.library import has_reset_bug, sqlite3

PAGE = 4096
USUAL = 1_000 * PAGE  # bytes of the log after which there is a checkpoint: as many as SQLite's own default
LOADING = 16_384 * PAGE
_FILE, _LIMIT = "file of the log", "bytes of the log"  # in the connection's cache

SELECT_FILE = "select file from pragma_database_list where name = 'main'"
READ_PAGES = "pragma wal_autocheckpoint"  # 0: SQLite makes none
# A log that is begun anew is cut, so that the size of the file says how much has to be copied.
TAKE_OVER = ("pragma wal_autocheckpoint = 0", "pragma journal_size_limit = 0")


def file_of(conn: Connection) -> str:
    """The path of the connection's file; an empty text for a database in memory."""
    return conn.execute(SELECT_FILE).fetchone()[0] or ""


def take_over(conn: Connection) -> None:
    """Leaves the checkpoints after this connection's commits to `after_commit`, if the library has the bug."""
    if has_reset_bug():
        for pragma in TAKE_OVER:
            conn.execute(pragma)


def after_commit(conn: Connection) -> None:
    """Makes a checkpoint if the log is long enough, unless SQLite does so itself."""
    # What was committed is safe in the log. So a failure (the disk is full, or there is no time left) is none of the
    # commit's, and the next one tries again. There is no log beside a database in memory, or with a rollback journal.
    with suppress(sqlite3.Error, MemkitError, OSError):
        if conn.execute(READ_PAGES).fetchone()[0] == 0:
            cache = getattr(conn, "memkit_cache", {})
            file = cache.get(_FILE) or cache.setdefault(_FILE, file_of(conn))
            if os.stat(f"{file}-wal").st_size >= cache.get(_LIMIT, USUAL):
                checkpoint(file)


def checkpoint(file: str) -> None:
    """Copies the log into the database while nobody can commit; less of it, if somebody still reads an older state.

    Raises OperationalError of SQLite if somebody is writing.
    """
    with closing(_second(file)) as guard, closing(_second(file)) as copier:
        guard.execute("begin immediate")
        copier.execute("pragma wal_checkpoint(passive)").fetchone()


def _second(file: str) -> Any:
    return sqlite3.connect(f"{Path(file).as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=0)


@contextmanager
def seldom(conn: Connection) -> Iterator[None]:
    """Fewer checkpoints within this block: a log as long as `LOADING` before each."""
    pages = conn.execute(READ_PAGES).fetchone()[0]
    cache: dict[str, Any] = getattr(conn, "memkit_cache", {})
    if pages:
        conn.execute(f"pragma wal_autocheckpoint = {LOADING // PAGE}")
    cache[_LIMIT] = LOADING
    try:
        yield
    finally:
        cache.pop(_LIMIT)
        conn.execute(f"pragma wal_autocheckpoint = {pages}")
