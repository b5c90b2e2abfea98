"""Phrases: the memories that have some words one after the other, from the full-text indexes."""

from __future__ import annotations

from memkit.storage.connection import Connection
from memkit.text.words import cjk_pairs, has_cjk, quoted, words

FIND_PHRASE = "select rowid from memories_fts where memories_fts match :query"
FIND_CJK = "select rowid from memories_cjk where memories_cjk match :query"


def in_texts(conn: Connection, phrase: str) -> list[int]:
    """The keys of the memories that may have a phrase in their texts."""
    return _found(conn, phrase, "text : ")


def anywhere(conn: Connection, phrase: str) -> list[int]:
    """The same, also in their titles, speakers and tags."""
    return _found(conn, phrase, "")


def _found(conn: Connection, phrase: str, column: str) -> list[int]:
    found = []
    if latin := [word for word in words(phrase) if not has_cjk(word)]:
        found += conn.execute(FIND_PHRASE, {"query": column + quoted(" ".join(latin))}).fetchall()
    elif pairs := cjk_pairs(phrase):
        found += conn.execute(FIND_CJK, {"query": " ".join(f"{column}{pair}" for pair in pairs)}).fetchall()
    return [row[0] for row in found]
