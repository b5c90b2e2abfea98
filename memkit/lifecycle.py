"""What becomes of memories after they are stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memkit import former, store
from memkit.driver import in_words, writing
from memkit.errors import Busy
from memkit.graph.relations import withdraw
from memkit.graph.version import bump
from memkit.store import dumps, keys_json
from memkit.text import quoted

UNSCRUBBED = "unscrubbed"  # setting: something was forgotten for good, and its bytes may still be in the file
OPTIMISE_FTS = "insert into memories_fts(memories_fts) values ('optimize')"
OPTIMISE_CJK = "insert into memories_cjk(memories_cjk) values ('optimize')"

SELECT_TEXTS = "select text from memories where key in (select value from json_each(:keys))"
SELECT_IDS = "select id from memories where key in (select value from json_each(:keys))"
SELECT_DOCUMENTS = "select distinct document_key from memories where key in (select value from json_each(:keys))"
# What they vouch for, or did before they were edited, in every version of it that was believed at some time; and what
# they did before they were hidden.
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
DELETE_ENTITIES = """
delete from entities
where key in (select value from json_each(:entities))
    and not exists (select 1 from mentions as x where x.entity_key = entities.key)
    and not exists (select 1 from former as f where f.entity_key = entities.key)
    and not exists (select 1 from relations as r where r.subject_key = entities.key)
    and not exists (select 1 from relations as r where r.object_key = entities.key)
    and not exists (select 1 from entities as e where e.merged_into = entities.key)
"""
DELETE_WORD = """
delete from word_cases
where word = :word and not exists (
    select 1 from memories_fts where memories_fts match :query and instr(lower(memories_fts.text), :word) > 0
)
"""
# What upkeep kept of them, in order to bring it back; and what people were asked about them.
DELETE_PRUNED = "delete from pruned where memory_id in (select value from json_each(:ids))"
FORGET_BEFORE = """
update maintenance set before = null
where before is not null and (
    memory_id in (select value from json_each(:ids)) or exists (
        select 1 from json_each(maintenance.before, '$.memories') as was
        where was.value->>'id' in (select value from json_each(:ids))
    )
)
"""
DELETE_PROPOSALS = """
delete from proposals
where exists (select 1 from json_each(members) as m where m.value in (select value from json_each(:ids)))
"""


def erase(conn: Any, keys: list[int], now: str) -> set[int]:
    """Deletes memories, and what is known from them alone: their document, relations, entities, words, states before.

    Gives the keys of their former neighbours, to embed anew. Until `scrub`, their bytes stay in the file.
    """
    parameters = {"keys": keys_json(keys)}
    with writing(conn):
        said = former.said(conn, keys).union(
            *(former.counted(row[0]) for row in conn.execute(SELECT_TEXTS, parameters))
        )
        ids = [row[0] for row in conn.execute(SELECT_IDS, parameters)]
        documents = _keys(conn, SELECT_DOCUMENTS, parameters)
        relations = _keys(conn, SELECT_RELATIONS, parameters)
        named = _keys(conn, SELECT_NAMED, {**parameters, "relations": relations})
        withdraw(conn, keys, now)
        around = store.delete(conn, keys)
        conn.execute(DELETE_DOCUMENTS, {"documents": documents})
        ids += [row[0] for row in conn.execute(DELETE_RELATIONS, {"relations": relations}).fetchall()]
        conn.execute(DELETE_ENTITIES, {"entities": named})
        conn.executemany(DELETE_WORD, [{"word": word, "query": quoted(word)} for word in sorted(said)])
        forget_copies(conn, ids)
        store.set_setting(conn, UNSCRUBBED, True)
        bump(conn)
    return around


def forget_copies(conn: Any, ids: Iterable[str]) -> None:
    """Drops what is kept of memories (and relations) beside their rows: to restore or undo them, and proposals."""
    parameters = {"ids": dumps(list(ids))}
    for statement in (DELETE_PRUNED, FORGET_BEFORE, DELETE_PROPOSALS):
        conn.execute(statement, parameters)


def _keys(conn: Any, query: str, parameters: dict[str, Any]) -> str:
    return dumps([row[0] for row in conn.execute(query, parameters)])


def scrub(conn: Any) -> None:
    """Removes every byte of what was deleted: from the pages of the full-text index, the free pages and the log.

    Raises Busy if somebody still reads an older state of the file; it is still to be done then, as after a kill.
    """
    with writing(conn):
        conn.execute(OPTIMISE_FTS)
        conn.execute(OPTIMISE_CJK)
    with in_words():
        conn.execute("vacuum")
    if conn.execute("pragma wal_checkpoint(truncate)").fetchone()[0]:
        raise Busy(
            "The memory is deleted, but another connection still reads the file as it was before. "
            "Its bytes stay in the log beside the file until the last connection is closed, or the next upkeep."
        )
    if store.setting(conn, UNSCRUBBED):
        with writing(conn):
            store.set_setting(conn, UNSCRUBBED, None)
