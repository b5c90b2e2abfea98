"""SQL functions on Datasette's connections: memkit's own, and those of sqlite-vec."""

from __future__ import annotations

from typing import Any

from memkit.frontends.datasette.permissions import limits
from memkit.frontends.datasette.search import add_search
from memkit.frontends.sql_functions import register_sql_functions
from memkit.retrieval.limits import Bounded, is_memory_database
from memkit.storage.checkpoints import take_over
from memkit.storage.connection import Connection
from memkit.storage.driver import careful, load_vec


def add_functions(conn: Connection, datasette: Any, database: str) -> None:
    """Adds the functions, with the owner's limits. memkit makes the checkpoints of a memory database."""
    register_sql_functions(conn, Bounded(conn, **limits(datasette, database), whole_statements=True))
    load_vec(conn)
    add_search(conn)
    if is_memory_database(conn):
        take_over(conn)
        careful(conn)
