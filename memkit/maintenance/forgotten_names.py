"""Forgotten names: what entities that stay were called by memories that are deleted for good, and by nothing else.

Which memory gave a name is not stored. So a name goes if its words were in what is deleted, and no other memory has
them; where that is what an entity is called itself, it is called as the others call it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memkit.graph import entities, forgotten_merges
from memkit.graph.orphans import IS_ALONE, SELECT_SAVED
from memkit.graph.version import bump
from memkit.ingestion import edit_history
from memkit.storage import phrases
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.words import normal_name, words

SELECT_TEXTS = """
select m.text || char(10) || coalesce(m.title, '') || char(10) || coalesce(m.speaker, '') || char(10)
    || coalesce(d.title, '') || char(10) || coalesce(d.meta, '')
from memories as m left join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys))
"""
# The entities, and what was found to be one with them.
SELECT_UNITED = """
select key from entities
where key in (select value from json_each(:keys)) or merged_into in (select value from json_each(:keys))
"""
SELECT_ALIASES = """
select a.key, a.alias, a.entity_key from aliases as a
where a.entity_key in (select value from json_each(:keys))
    and a.source in ('text', 'wikilink', 'speaker', 'alike', 'bare', 'plural')
order by a.key
"""
DELETE_ALIASES = "delete from aliases where key in (select value from json_each(:keys))"
SELECT_CALLED = """
select e.key from entities as e
where e.key in (select value from json_each(:keys)) and not exists (
    select 1 from aliases as a where a.entity_key = e.key and a.normal = e.normal
)
order by e.key
"""
# The other names of an entity, best first: one that was given, or one by which a memory calls it.
SELECT_OTHER_NAME = """
select name from (
    select alias as name, source in ('bare', 'plural', 'file') as place, key from aliases where entity_key = :key
    union all
    select surface, 2, key from mentions where entity_key = :key and surface <> ''
)
order by place, key limit 1
"""
RENAME = "update entities set name = :name, normal = :normal where key = :key"
# Of which nothing speaks. Reading makes some, too: what is only a part of a longer name in its text.
SELECT_ALONE = f"""
select key, name from entities
where {IS_ALONE} and not exists (select 1 from former as f where f.entity_key = entities.key)
"""
DELETE_ENTITIES = f"""
delete from entities where key in (select value from json_each(:keys)) and key not in ({SELECT_SAVED})
"""
# Names of two characters are counted where an entity is called so (`entity_linking`).
DELETE_PAIRS = """
delete from word_cases
where length(word) = 2 and unicode(word) > 11904 and not exists (select 1 from aliases where alias = word)
"""


class Said(NamedTuple):
    """What was deleted: the memories (keys), the entities (keys) that they named, and their words."""

    memories: frozenset[int] = frozenset()
    entities: frozenset[int] = frozenset()
    words: frozenset[str] = frozenset()


NOTHING = Said()


def words_in(conn: Connection, keys: Iterable[int]) -> frozenset[str]:
    """The words of these memories, of their titles, speakers and documents, and of what they said before edits."""
    keys = list(keys)
    said = edit_history.words_before(conn, keys)
    for row in conn.execute(SELECT_TEXTS, {"keys": keys_json(keys)}):
        said.update(words(row[0]))
    return frozenset(said)


def remove(conn: Connection, said: Said) -> None:
    """Removes the names that only what was deleted had, and entities of which nothing speaks any more."""
    united = {row[0] for row in conn.execute(SELECT_UNITED, {"keys": keys_json(said.entities)})}
    keys = {"keys": keys_json(united)}
    aliases = {row["key"]: row["alias"] for row in conn.execute(SELECT_ALIASES, keys)}
    names = _only_there(conn, said, aliases.values())
    conn.execute(DELETE_ALIASES, {"keys": keys_json(key for key, alias in aliases.items() if alias in names)})
    for row in conn.execute(SELECT_CALLED, keys).fetchall():
        _call_otherwise(conn, row["key"])
    forgotten_merges.strip(conn, said.memories, united, names)
    alone = conn.execute(SELECT_ALONE).fetchall()
    there = _only_there(conn, said, (row["name"] for row in alone))
    gone = [row["key"] for row in alone if row["name"] in there or row["key"] in said.entities]
    conn.execute(DELETE_ENTITIES, {"keys": keys_json(gone)})
    conn.execute(DELETE_PAIRS)
    bump(conn)


def _only_there(conn: Connection, said: Said, names: Iterable[str]) -> set[str]:
    """Those of these names that what was deleted may have had, and that no memory has."""
    there = {name for name in names if (of := words(name)) and said.words.issuperset(of)}
    return {name for name in there if not phrases.anywhere(conn, name)}


def _call_otherwise(conn: Connection, key: int) -> None:
    """Calls an entity by another name that it has, if there is one."""
    other = conn.execute(SELECT_OTHER_NAME, {"key": key}).fetchone()
    if other is not None:
        conn.execute(RENAME, {"key": key, "name": other[0], "normal": normal_name(other[0])})
        conn.execute(entities.FORGET_VECTOR, {"key": key})
