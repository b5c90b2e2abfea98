"""Former page names: what notes were called before their title, their file or their aliases changed, or they went.

The next ingest takes these names away. What is named by them is read again: a link leads to where it would if all were
read for the first time, and a text speaks of whoever has the name now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memkit.graph import entities
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.words import normal_name, without_bracket

# What has names of a page, while no page is called so any more: its title has changed, or the note is gone. Where names
# were merged, they stay, because that may be taken back.
SELECT_LEFT = """
select distinct a.entity_key from aliases as a join entities as e on e.key = a.entity_key
where a.source in ('title', 'alias', 'file') and e.merged_into is null
    and not exists (
        select 1 from mentions as x join memories as m on m.key = x.memory_key
        where x.entity_key = e.key and x.role = 'title' and m.archived_at is null
    )
    and not exists (select 1 from merges as w where w.kept_key = e.key)
"""
# Notes that were called by a title which others have now, too, or by their file because others had their title.
SELECT_CALLED = f"""
with shared as (
    select title from documents
    where kind not in ('chat', 'log') and archived_at is null
    group by title having count(distinct coalesce({or_empty("meta")}->>'$.aliases[#-1]', title)) > 1
),
of_notes as (
    select d.key as document_key, d.title, {or_empty("d.meta")}->>'$.aliases[#-1]' as file, x.entity_key, e.name
    from documents as d
        join memories as m on m.document_key = d.key
        join mentions as x on x.memory_key = m.key and x.role = 'title'
        join entities as e on e.key = x.entity_key
    where d.kind = 'note' and d.archived_at is null and m.archived_at is null
    group by d.key
)
select document_key, entity_key, file from of_notes
where title <> file and name = iif(title in (select title from shared), title, file)
"""
DELETE_FILE_NAME = """
delete from aliases
where entity_key = :entity_key and alias = :file and source in ('alias', 'file')
"""
SELECT_OF_DOCUMENTS = """
select key from memories where document_key in (select value from json_each(:documents)) and archived_at is null
"""
# The names that pages gave these entities, unless other notes than those of the memories are called so, too.
SELECT_GIVEN = """
select a.key, a.entity_key, a.alias, a.normal from aliases as a
where a.entity_key in (select value from json_each(:entities)) and a.source in ('alias', 'file') and not exists (
    select 1 from mentions as x join memories as m on m.key = x.memory_key
    where x.entity_key = a.entity_key and x.role = 'title' and m.archived_at is null and m.document_key not in (
        select document_key from memories where key in (select value from json_each(:keys)) and document_key is not null
    )
)
"""
DELETE_ALIAS = """
delete from aliases where key = :key or (entity_key = :entity_key and source = 'bare' and normal = :bare)
"""
SELECT_NAMING = """
select distinct memory_key from mentions where entity_key in (select value from json_each(:keys))
"""
KEEP_OWN_NAME = """
update aliases set source = 'text'
where entity_key in (select value from json_each(:keys)) and source in ('title', 'alias', 'file')
    and normal = (select e.normal from entities as e where e.key = aliases.entity_key)
"""
DELETE_PAGE_NAMES = """
delete from aliases
where entity_key in (select value from json_each(:keys)) and source in ('title', 'alias', 'file', 'bare')
"""


def drop(conn: Connection, called: Mapping[int, set[str]], pending: Iterable[int]) -> list[int]:
    """The keys of the memories to read again, after names were dropped that pages gave before and give no more.

    `called` are the names that the pages of the memories `pending` give now, by the key of the entity.
    """
    about = {"entities": keys_json(called), "keys": keys_json(pending)}
    stale = [row for row in conn.execute(SELECT_GIVEN, about) if row["normal"] not in called[row["entity_key"]]]
    for row in stale:
        bare = normal_name(without_bracket(row["alias"]))
        conn.execute(DELETE_ALIAS, {"key": row["key"], "entity_key": row["entity_key"], "bare": bare})
    return _naming(conn, {row["entity_key"] for row in stale})


def release(conn: Connection, now: str) -> list[int]:
    """The keys of the memories to read again, after names were taken from what is the subject of no page any more.

    What it is called itself stays its name, as one that texts may have; nothing that its page said of it stays.
    """
    keys = [row[0] for row in conn.execute(SELECT_LEFT)]
    left, naming = {"keys": keys_json(keys)}, _naming(conn, keys)
    conn.execute(KEEP_OWN_NAME, left)
    conn.execute(DELETE_PAGE_NAMES, left)
    for key in keys:
        entities.set_by_page(conn, key, now, "kind", None)
        entities.set_by_page(conn, key, now, "description", None)
    return naming


def called_otherwise(conn: Connection) -> list[int]:
    """The keys of the memories to read again, because a note with the same title as another came or went.

    Several notes with one title are each called after their file (`subjects.subjects`): that is no name of the title.
    """
    notes = [dict(row) for row in conn.execute(SELECT_CALLED)]
    conn.executemany(DELETE_FILE_NAME, notes)
    documents = {"documents": dumps([note["document_key"] for note in notes])}
    of_notes = [row[0] for row in conn.execute(SELECT_OF_DOCUMENTS, documents)]
    return [*of_notes, *_naming(conn, {note["entity_key"] for note in notes})]


def _naming(conn: Connection, keys: Iterable[int]) -> list[int]:
    """The memories in which one of these entities is named, hidden ones, too: they may come back."""
    return [row[0] for row in conn.execute(SELECT_NAMING, {"keys": keys_json(keys)})]
