"""Orphans: entities that nothing speaks of any more, because what had named them was edited or removed.

Reading makes some, too: where a text has a longer name, the shorter one within it is no mention.
"""

from __future__ import annotations

from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

# Whether nothing names or merges this entity, and no relation, past or present, is about it.
IS_ALONE = """
    not exists (select 1 from mentions as x where x.entity_key = entities.key)
    and not exists (select 1 from relations as r where r.subject_key = entities.key)
    and not exists (select 1 from relations as r where r.object_key = entities.key)
    and not exists (select 1 from entities as o where o.merged_into = entities.key)
"""
# What was found in texts, and would be found again. What a person or a model stated or merged stays. So does
# the newest entity, lest another one gets its key.
SELECT_ORPHANS = f"""
select key from entities
where merged_into is null and {IS_ALONE}
    and key < (select max(key) from entities)
    and exists (select 1 from aliases as a where a.entity_key = entities.key)
    and not exists (
        select 1 from aliases as a
        where a.entity_key = entities.key
            and a.source not in ('title', 'alias', 'file', 'wikilink', 'speaker', 'text', 'alike', 'bare', 'plural')
    )
    and not exists (select 1 from merges as w where w.kept_key = entities.key)
"""
# Entities in saved rows: undo and restore bring their mentions and relations back.
SELECT_SAVED = """
with saved(rows) as (
    select before from maintenance where json_valid(before)
    union all
    select rows from pruned where json_valid(rows)
),
named(key) as (
    select value->>'entity_key' from saved, json_each(saved.rows, '$.mentions')
    union
    select value->>'subject_key' from saved, json_each(saved.rows, '$.relations')
    union
    select value->>'object_key' from saved, json_each(saved.rows, '$.relations')
)
select key from named where key is not null
"""
DELETE_ENTITIES = "delete from entities where key in (select value from json_each(:keys))"


def delete_orphans(conn: Connection) -> set[int]:
    """The keys of the entities that nothing spoke of, after they were deleted. Call it inside a transaction.

    Only while every memory has been read: somebody who is reading has made the entities, and not their mentions yet.
    """
    orphans = {row[0] for row in conn.execute(SELECT_ORPHANS)}
    if orphans:
        orphans -= {row[0] for row in conn.execute(SELECT_SAVED)}
        conn.execute(DELETE_ENTITIES, {"keys": keys_json(orphans)})
    return orphans
