"""What becomes of memories after they are stored."""

from __future__ import annotations

from typing import Any

from memkit import store
from memkit.driver import writing

OPTIMISE_FTS = "insert into memories_fts(memories_fts) values ('optimize')"
OPTIMISE_CJK = "insert into memories_cjk(memories_cjk) values ('optimize')"


def erase(conn: Any, keys: list[int]) -> int:
    """Deletes memories so that no byte of them stays in the file: rows, index pages, free pages and the log."""
    with writing(conn):
        deleted = store.delete(conn, keys)
        conn.execute(OPTIMISE_FTS)
        conn.execute(OPTIMISE_CJK)
    conn.execute("vacuum")
    conn.execute("pragma wal_checkpoint(truncate)")
    return deleted
