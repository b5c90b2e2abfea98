"""BM25 search of entities and relations, over names, descriptions and triples (Kira, K09 and K10).

Names and triples are short and rarely change. So their index is built in memory when a strategy first needs it, and
cached until the graph changes. The file does not grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from memkit.graph.adjacency import STATE
from memkit.graph.entities import IS_SHOWN
from memkit.graph.project_view import whole
from memkit.storage.caches import cached
from memkit.storage.connection import Connection
from memkit.storage.driver import sqlite3
from memkit.text.words import bigrams, characters, has_cjk, quoted

TABLES = """
create virtual table entities using fts5(
    name, kind, description, pairs, characters, tokenize = 'porter unicode61 remove_diacritics 2'
);
create virtual table relations using fts5(
    subject, predicate, object, pairs, characters, tokenize = 'porter unicode61 remove_diacritics 2'
);
"""
SELECT_ENTITIES = f"""
select key, name, kind, coalesce(description, '') from entities as e where merged_into is null and {IS_SHOWN}
"""
SELECT_RELATIONS = """
select r.key, s.name, replace(r.predicate, '_', ' '), o.name
from relations as r join entities as s on s.key = r.subject_key join entities as o on o.key = r.object_key
where r.expired_at is null
"""
# Statements on the index in memory; its tables are not those of the database.
INSERT = {
    "entities": "insert into entities (rowid, name, kind, description, pairs, characters) values (?, ?, ?, ?, ?, ?)",
    "relations": """
        insert into relations (rowid, subject, predicate, object, pairs, characters) values (?, ?, ?, ?, ?, ?)
    """,
}
SEARCH = {
    "entities": """
        select rowid, -bm25(entities) from entities
        where entities match :query order by bm25(entities), rowid limit :limit
    """,
    "relations": """
        select rowid, -bm25(relations) from relations
        where relations match :query order by bm25(relations), rowid limit :limit
    """,
}


@dataclass(frozen=True)
class Words:
    """The index of one state of the graph. Several threads may search it; each waits for its turn."""

    conn: Connection
    lock: Lock

    def entities(self, words: Sequence[str], cjk: Sequence[str], limit: int) -> dict[int, float]:
        """The entities with any of these words, key to BM25 score (higher is better), best first."""
        return self._search("entities", words, cjk, limit)

    def relations(self, words: Sequence[str], cjk: Sequence[str], limit: int) -> dict[int, float]:
        """The relations with any of these words, key to BM25 score (higher is better), best first."""
        return self._search("relations", words, cjk, limit)

    def _search(self, table: str, words: Sequence[str], cjk: Sequence[str], limit: int) -> dict[int, float]:
        terms = [*map(quoted, words), *cjk]
        if not terms:
            return {}
        with self.lock:
            rows = self.conn.execute(SEARCH[table], {"query": " OR ".join(terms), "limit": limit}).fetchall()
        return {row[0]: row[1] for row in rows}


def words(conn: Connection) -> Words:
    """The index of the current entities and relations of this database."""
    all = whole(conn)
    return cached(all, "graph words", tuple(all.execute(STATE).fetchone()), lambda _: _build(all))


def _build(conn: Connection) -> Words:
    index = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    index.executescript(TABLES)
    index.execute("begin")
    index.executemany(INSERT["entities"], map(_with_pairs, conn.execute(SELECT_ENTITIES)))
    index.executemany(INSERT["relations"], map(_with_pairs, conn.execute(SELECT_RELATIONS)))
    index.execute("commit")
    return Words(index, Lock())


def _with_pairs(row: Any) -> tuple[Any, ...]:
    text = " ".join(tuple(row)[1:])
    return (*row, bigrams(text), characters(text)) if has_cjk(text) else (*row, "", "")
