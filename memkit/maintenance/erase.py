"""Permanent deletion of memories: their rows, everything known only from them, and every byte in indexes and pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memkit.core.errors import Busy
from memkit.graph.relations import withdraw
from memkit.graph.version import bump
from memkit.ingestion import edit_history
from memkit.maintenance.forgotten_names import Said, words_in
from memkit.storage import reindex, store
from memkit.storage.connection import Connection
from memkit.storage.driver import in_words, writing
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.extract.case import MARKS
from memkit.text.words import quoted

UNSCRUBBED = "unscrubbed"  # setting: memories were deleted for good, and their bytes may still be in the file

SELECT_TEXTS = "select text from memories where key in (select value from json_each(:keys))"
SELECT_IDS = "select id from memories where key in (select value from json_each(:keys))"
SELECT_DOCUMENTS = "select distinct document_key from memories where key in (select value from json_each(:keys))"
# Relations that have evidence in these memories, or had before an edit, in all their versions; and relations that
# expired when these memories were hidden.
SELECT_RELATIONS = """
with vouched(key) as (
    select relation_key from evidence where memory_key in (select value from json_each(:keys))
    union
    select relation_key from former where memory_key in (select value from json_each(:keys))
)
select r.key
from vouched
    join relations as said on said.key = vouched.key
    join relations as r on (r.subject_key, r.predicate, r.object_key) = (
        said.subject_key, said.predicate, said.object_key
    )
union
select r.key
from mentions as x
    join relations as r on r.subject_key = x.entity_key
    join mentions as y on y.entity_key = r.object_key and y.memory_key = x.memory_key
where x.memory_key in (select value from json_each(:keys)) and r.expired_at is not null
"""
SELECT_NAMED = """
select entity_key from mentions where memory_key in (select value from json_each(:keys))
union
select entity_key from former where memory_key in (select value from json_each(:keys)) and entity_key is not null
union
select subject_key from relations where key in (select value from json_each(:relations))
union
select object_key from relations where key in (select value from json_each(:relations))
"""
DELETE_DOCUMENTS = """
delete from documents
where key in (select value from json_each(:documents))
    and not exists (select 1 from memories as m where m.document_key = documents.key)
"""
DELETE_RELATIONS = """
delete from relations
where key in (select value from json_each(:relations))
    and not exists (
        select 1 from relations as r
        where (r.subject_key, r.predicate, r.object_key) = (
                relations.subject_key, relations.predicate, relations.object_key
            )
            and (
                exists (select 1 from evidence as e where e.relation_key = r.key)
                or exists (select 1 from former as f where f.relation_key = r.key)
            )
    )
returning id
"""
DELETE_WORD = """
delete from word_cases
where word = :word and not exists (
    select 1 from memories_fts where memories_fts match :query and instr(lower(memories_fts.text), :plain) > 0
)
"""
# Copies of deleted memories: saved rows for restore and undo, and proposals about them.
DELETE_PRUNED = "delete from pruned where memory_id in (select value from json_each(:ids))"
FORGET_BEFORE = f"""
update maintenance set before = null
where before is not null and (
    memory_id in (select value from json_each(:ids)) or not json_valid(before) or exists (
        select 1 from json_each({or_empty("maintenance.before")}, '$.memories') as was
        where {or_empty("was.value")}->>'id' in (select value from json_each(:ids))
    )
)
"""
DELETE_PROPOSALS = f"""
delete from proposals
where exists (select 1 from json_each({or_empty("members")}) as m where m.value in (select value from json_each(:ids)))
"""


def erase(conn: Connection, keys: list[int], now: str) -> tuple[Said, set[int]]:
    """What was deleted, and the keys of the neighbours of deleted memories, which need new vectors.

    Deletes the memories, and what is known only from them: documents, relations, words and saved states. The names are
    removed by `forgotten_names.remove`, once what pages gave is released. The bytes stay in the file until `scrub`.
    """
    parameters = {"keys": keys_json(keys)}
    said = edit_history.words_before(conn, keys).union(
        *(edit_history.counted_words(row[0]) for row in conn.execute(SELECT_TEXTS, parameters))
    )
    ids = [row[0] for row in conn.execute(SELECT_IDS, parameters)]
    documents = _keys(conn, SELECT_DOCUMENTS, parameters)
    relations = _keys(conn, SELECT_RELATIONS, parameters)
    named = conn.execute(SELECT_NAMED, {**parameters, "relations": relations}).fetchall()
    deleted = Said(frozenset(keys), frozenset(row[0] for row in named), words_in(conn, keys))
    withdraw(conn, keys, now)
    around = store.delete(conn, keys)
    conn.execute(DELETE_DOCUMENTS, {"documents": documents})
    ids += [row[0] for row in conn.execute(DELETE_RELATIONS, {"relations": relations}).fetchall()]
    conn.executemany(
        DELETE_WORD,
        [{"word": word, "query": quoted(word), "plain": word.strip(MARKS)} for word in sorted(said)],
    )
    forget_copies(conn, ids)
    store.set_setting(conn, UNSCRUBBED, True)
    bump(conn)
    return deleted, around


def forget_copies(conn: Connection, ids: Iterable[str]) -> None:
    """Deletes all copies of memories and relations (ids): saved rows for restore and undo, and proposals about them."""
    parameters = {"ids": dumps(list(ids))}
    for statement in (DELETE_PRUNED, FORGET_BEFORE, DELETE_PROPOSALS):
        conn.execute(statement, parameters)


def _keys(conn: Connection, query: str, parameters: dict[str, Any]) -> str:
    return dumps([row[0] for row in conn.execute(query, parameters)])


def scrub(conn: Connection) -> None:
    """Removes every byte of deleted memories: from the full-text index, the free pages and the write-ahead log.

    Raises Busy if another connection still reads an older state of the file. The next maintenance tries again.
    """
    reindex.optimise(conn)
    with in_words(conn):
        conn.execute("vacuum")
    if conn.execute("pragma wal_checkpoint(truncate)").fetchone()[0]:
        raise Busy(
            "The memory is deleted, but another connection still reads the file as it was before. "
            "Its bytes stay in the write-ahead log until the last connection is closed or `memkit maintain` runs."
        )
    if store.setting(conn, UNSCRUBBED):
        with writing(conn):
            store.set_setting(conn, UNSCRUBBED, None)
