"""Stored arrays: what a new process needs of vectors and graph before its first answer, kept beside their rows."""

from __future__ import annotations

from contextlib import suppress

from memkit.core.errors import Busy, DiskFull
from memkit.storage.connection import Connection


def store(conn: Connection) -> None:
    """Stores the arrays that are missing or far behind. Call it after many rows were written.

    Nothing is stored within a transaction, or while another process writes: the arrays only save time.
    """
    if conn.in_transaction:
        return
    from memkit.graph import adjacency
    from memkit.storage import code_blocks, text_blocks

    with suppress(Busy, DiskFull):
        code_blocks.write(conn)
        text_blocks.write(conn)
        adjacency.store(conn)
