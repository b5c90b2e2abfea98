"""Datasette's search box (`?_search=`): a word of Chinese, Japanese or Korean is found anywhere in a text.

Datasette sends what somebody typed through the SQL function `escape_fts`; in a memory database that is the one below.
"""

from __future__ import annotations

from functools import partial

from memkit.retrieval.limits import is_memory_database
from memkit.retrieval.word_parts import with_words_around
from memkit.storage.connection import Connection


def add_search(conn: Connection) -> None:
    """Makes `escape_fts` of a memory database find parts of words in scripts without spaces."""
    if is_memory_database(conn):
        conn.create_function("escape_fts", 1, partial(escaped, conn))


def escaped(conn: Connection, typed: str) -> str:
    """The full-text query of what was typed into the search box: all of its words, in the form of Datasette's own."""
    from datasette.utils import escape_fts

    return with_words_around(conn, str(escape_fts(typed)))
