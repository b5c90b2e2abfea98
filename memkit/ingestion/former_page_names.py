"""Former page names: what notes were called before their title, their file or their aliases changed, or they went.

The next ingest takes these names away. What is named by them is read again: a link leads to where it would if all were
read for the first time, and a text speaks of whoever has the name now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memkit.graph import entities, merging
from memkit.ingestion.subjects import links_of, select_shared
from memkit.storage import phrases
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.words import normal_name, without_bracket

# What has names of a page, while none was called so but pages of memories that are to be read (`:keys`): its title may
# have changed, or the note is gone.
SELECT_LEFT = """
select distinct a.entity_key, e.name from aliases as a join entities as e on e.key = a.entity_key
where a.source in ('title', 'alias', 'file') and e.merged_into is null
    and not exists (
        select 1 from mentions as x join memories as m on m.key = x.memory_key
        where x.entity_key = e.key and x.role = 'title' and m.archived_at is null and m.key not in (
            select value from json_each(:keys)
        )
    )
"""
SELECT_MERGED = "select kept_key from merges where kept_key in (select value from json_each(:keys))"
# The entities that have these names, which they do not have from pages alone.
SELECT_CALLED_SO = """
select distinct a.entity_key from aliases as a join entities as e on e.key = a.entity_key
where a.normal in (select value from json_each(:normals)) and (a.normal = e.normal or a.source not in ('alias', 'file'))
"""
SELECT_GIVEN_TO = """
select entity_key, normal from aliases
where entity_key in (select value from json_each(:keys)) and source = 'alias'
"""
SELECT_ALIASES = f"""
select d.key, a.value from documents as d, json_each({or_empty("d.meta")}, '$.aliases') as a
where d.archived_at is null
"""
# Notes that were called by a title which others have now, too, or by their file because others had their title.
SELECT_CALLED = f"""
with shared as ({select_shared()}),
of_notes as (
    select d.key as document_key, d.title, {or_empty("d.meta")}->>'$.aliases[#-1]' as file,
        {or_empty("d.meta")}->'$.aliases' as aliases, x.entity_key, e.name
    from documents as d
        join memories as m on m.document_key = d.key
        join mentions as x on x.memory_key = m.key and x.role = 'title'
        join entities as e on e.key = x.entity_key
    where d.kind = 'note' and d.archived_at is null and m.archived_at is null
    group by d.key
)
select document_key, entity_key, aliases from of_notes
where title <> file and name = iif(title in (select title from shared), title, file)
"""
DELETE_NAMES = """
delete from aliases
where entity_key = :entity_key and alias in (select value from json_each(:aliases)) and source in ('alias', 'file')
returning entity_key, normal
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
SELECT_NAMES = "select entity_key, normal from aliases where entity_key in (select value from json_each(:keys))"
# What links called by a name that a page has now, before it had it.
SELECT_LINKING = """
select distinct x.memory_key from mentions as x join aliases as a on a.entity_key = x.entity_key
where x.role = 'wikilink' and a.normal in (select value from json_each(:normals))
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
SELECT_LINKED = """
select distinct entity_key from mentions
where role = 'wikilink' and memory_key in (select value from json_each(:keys))
"""
# What links may have shown as names of these entities, unless one that is known by the words that it shows still does.
SELECT_SHOWN = """
select a.key, a.entity_key, a.alias from aliases as a join entities as e on e.key = a.entity_key
where a.entity_key in (select value from json_each(:keys)) and a.source = 'wikilink' and a.normal <> e.normal
    and not exists (
        select 1 from mentions as x join memories as m on m.key = x.memory_key
        where x.entity_key = a.entity_key and x.role = 'wikilink' and x.surface = a.alias and m.archived_at is null
    )
"""
SELECT_SHOWING = """
select m.text from mentions as x join memories as m on m.key = x.memory_key
where x.entity_key = :entity_key and x.role = 'wikilink' and m.archived_at is null and instr(m.text, :alias) > 0
"""
ARE_PAGES = """
select exists (select 1 from mentions where role = 'title' and memory_key in (select value from json_each(:keys)))
"""


def are_pages(conn: Connection, keys: Iterable[int]) -> bool:
    """Whether any of these memories (keys) is of a note that gives its subject names."""
    return bool(conn.execute(ARE_PAGES, {"keys": keys_json(keys)}).fetchone()[0])


def drop(conn: Connection, called: Mapping[int, set[str]], pending: Iterable[int], now: str) -> list[int]:
    """The keys of the memories to read again, after names were dropped that pages gave before and give no more.

    `called` are the names that the pages of the memories `pending` give now, by the key of the entity.
    """
    about = {"entities": keys_json(called), "keys": keys_json(pending)}
    stale = [row for row in conn.execute(SELECT_GIVEN, about) if row["normal"] not in called[row["entity_key"]]]
    for row in stale:
        bare = normal_name(without_bracket(row["alias"]))
        conn.execute(DELETE_ALIAS, {"key": row["key"], "entity_key": row["entity_key"], "bare": bare})
    return taken(conn, stale, now)


def taken(conn: Connection, names: Iterable[Any], now: str) -> list[int]:
    """The keys of the memories to read again, after names (`normal`) were taken from entities (`entity_key`)."""
    names = list(names)
    naming = _naming(conn, {row["entity_key"] for row in names})
    return naming + [key for row in names for key in merging.part(conn, row["entity_key"], row["normal"], now)]


def release(conn: Connection, pending: Iterable[int], titles: Iterable[str], now: str) -> list[int]:
    """The keys of the memories to read again, after names were taken from what is the subject of no page any more.

    What it is called itself stays its name, as one that texts may have; nothing that its page said of it stays.
    `titles` are the subjects of the memories `pending` now. Another page may have the name as an alias now.
    """
    called = {row[0] for row in conn.execute(SELECT_CALLED_SO, {"normals": dumps([*map(normal_name, titles)])})}
    names = {key: name for key, name in conn.execute(SELECT_LEFT, {"keys": keys_json(pending)}) if key not in called}
    if not names:
        return []
    naming = _naming(conn, names)
    naming += taken(conn, conn.execute(SELECT_GIVEN_TO, {"keys": keys_json(names)}).fetchall(), now)
    for row in conn.execute(SELECT_MERGED, {"keys": keys_json(names)}).fetchall():
        names.pop(row["kept_key"], None)  # by hand, or because they are alike: that may be taken back
    keys = list(names)
    left = {"keys": keys_json(keys)}
    free = {normal_name(name) for name in names.values()}
    documents = [key for key, alias in conn.execute(SELECT_ALIASES) if normal_name(str(alias)) in free]
    naming += [row[0] for row in conn.execute(SELECT_OF_DOCUMENTS, {"documents": dumps(documents)})]
    conn.execute(KEEP_OWN_NAME, left)
    conn.execute(DELETE_PAGE_NAMES, left)
    for key in keys:
        entities.set_by_page(conn, key, now, "kind", None)
        entities.set_by_page(conn, key, now, "description", None)
    return naming


def linked_in(conn: Connection, keys: Iterable[int]) -> set[int]:
    """The entities to which these memories (keys) have links, as they were read."""
    return {row[0] for row in conn.execute(SELECT_LINKED, {"keys": keys_json(keys)})}


def shown_no_more(conn: Connection, linked: Iterable[int]) -> list[int]:
    """The keys of the memories to read again, after names were taken from entities that no link shows any more.

    `linked` are the entities to which there were links in texts that have changed.
    """
    again: list[int] = []
    for row in conn.execute(SELECT_SHOWN, {"keys": keys_json(linked)}).fetchall():
        about = {"entity_key": row["entity_key"], "alias": row["alias"]}
        if not any(_shows(text, row["alias"]) for (text,) in conn.execute(SELECT_SHOWING, about)):
            bare = normal_name(without_bracket(row["alias"]))
            conn.execute(DELETE_ALIAS, {"key": row["key"], "entity_key": row["entity_key"], "bare": bare})
            again += phrases.in_texts(conn, row["alias"])
    return again


def _shows(text: str, name: str) -> bool:
    """Whether a link in a text shows a name, or leads to what has it as a heading."""
    normal = normal_name(name)
    return any(normal in (normal_name(link.display), normal_name(link.heading or "")) for link in links_of(text))


def called_otherwise(conn: Connection, now: str) -> list[int]:
    """The keys of the memories to read again, because a note with the same title as another came or went.

    Several notes with one title are each called after their file (`subjects.subjects`): what else they are called is
    no name of the title any more.
    """
    notes = [dict(row) for row in conn.execute(SELECT_CALLED)]
    names = [row for note in notes for row in conn.execute(DELETE_NAMES, note).fetchall()]
    documents = {"documents": dumps([note["document_key"] for note in notes])}
    of_notes = [row[0] for row in conn.execute(SELECT_OF_DOCUMENTS, documents)]
    return [*of_notes, *_naming(conn, {note["entity_key"] for note in notes}), *taken(conn, names, now)]


def known(conn: Connection, keys: Iterable[int]) -> dict[int, set[str]]:
    """The names (normalised) of these entities, by key."""
    names: dict[int, set[str]] = {}
    for key, normal in conn.execute(SELECT_NAMES, {"keys": keys_json(keys)}):
        names.setdefault(key, set()).add(normal)
    return names


def linking(conn: Connection, names: Iterable[str]) -> list[int]:
    """The memories with links to what has these names (normalised)."""
    return [row[0] for row in conn.execute(SELECT_LINKING, {"normals": dumps(sorted(names))})]


def _naming(conn: Connection, keys: Iterable[int]) -> list[int]:
    """The memories in which one of these entities is named, hidden ones, too: they may come back."""
    return [row[0] for row in conn.execute(SELECT_NAMING, {"keys": keys_json(keys)})]
