"""memkit's SQL functions in sqlite-utils: `sqlite-utils query memory.db "select ... recall('quince') ..."`.

sqlite-utils calls this for every database that any program opens with it, so only a memory database gets the functions
that hold on to their connection.
"""

from __future__ import annotations

from typing import Any

from sqlite_utils import hookimpl


@hookimpl
def prepare_connection(conn: Any) -> None:
    """Adds the functions that make sense here."""
    from memkit.bounded import is_memory_database
    from memkit.sql_functions import register_sql_functions, register_text_functions

    register = register_sql_functions if is_memory_database(conn) else register_text_functions
    register(conn)
