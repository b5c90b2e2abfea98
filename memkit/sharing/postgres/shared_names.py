"""The names of entities as the shared memories use them: what only others call an entity, or know of it, stays here.

A memory of another project, a slot of the user or a relation by hand may have given an entity a name, a kind or a
description. An entity that such a source knows, too, is shared with the names that stand in shared memories.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import PurePath
from typing import Any

from memkit.graph.entities import THING
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.words import normal_name

# Entities that a memory which is not shared mentions, or of which it (or a person, without a memory) states a relation.
SELECT_KNOWN_ELSEWHERE = """
with elsewhere(key) as (
    select e.relation_key from evidence as e
    where e.memory_key is null or e.memory_key not in (select value from json_each(:keys))
)
select entity_key from mentions where memory_key not in (select value from json_each(:keys))
union
select subject_key from relations where key in (select key from elsewhere)
union
select object_key from relations where key in (select key from elsewhere)
"""
SELECT_USED = """
select x.entity_key, x.surface, x.role, m.text, m.title from mentions as x join memories as m on m.key = x.memory_key
where x.memory_key in (select value from json_each(:keys)) and x.entity_key in (select value from json_each(:entities))
order by x.key
"""
SELECT_FILES = """
select distinct d.source from documents as d join memories as m on m.document_key = d.key
where m.key in (select value from json_each(:keys))
"""
SELECT_NAMES = "select key, name from entities where key in (select value from json_each(:entities))"
PLAIN = ("person", "place", "concept", "value", THING)  # kinds that say nothing of what others know


class SharedNames:
    """The names that some memories (by key) use of each entity. `kinds` says whether kinds are narrowed, too."""

    def __init__(self, conn: Connection, keys: Iterable[int], *, kinds: bool):
        shared = keys_json(keys)
        self._kinds = kinds
        elsewhere = keys_json(row[0] for row in conn.execute(SELECT_KNOWN_ELSEWHERE, {"keys": shared}))
        self._names: dict[int, str] = dict(tuple(row) for row in conn.execute(SELECT_NAMES, {"entities": elsewhere}))
        self._used: dict[int, dict[str, str]] = defaultdict(dict)  # by entity: the surfaces, by how they are compared
        for row in conn.execute(SELECT_USED, {"keys": shared, "entities": elsewhere}):
            # The mention of a relation's end has the name of the entity, also if the text has another one.
            if row["role"] != "relation" or row["surface"].casefold() in f"{row['title']} {row['text']}".casefold():
                self._used[row["entity_key"]].setdefault(row["surface"].casefold(), row["surface"])
        self._files = {normal_name(PurePath(row[0]).stem) for row in conn.execute(SELECT_FILES, {"keys": shared})}

    def entity(self, key: int, row: dict[str, Any]) -> dict[str, Any]:
        """The row of an entity as it is shared."""
        if key not in self._names:
            return row
        name = self._name(key)
        plain = not self._kinds or row["kind"] in PLAIN
        narrowed = {"name": name, "normal": normal_name(name), "description": None, "meta": "{}"}
        return {**row, **narrowed, "kind": row["kind"] if plain else THING}

    def has_alias(self, row: dict[str, Any]) -> bool:
        """Whether an alias is shared."""
        key = row["entity_key"]
        if key not in self._names:
            return True
        names: Collection[str] = {self._name(key).casefold(), *self._used[key]}
        if row["source"] == "file":
            return row["normal"] in self._files
        if row["source"] == "bare":  # without the brackets at its end
            return any(normal_name(name).startswith(row["normal"]) for name in names)
        if row["source"] == "plural":
            return any(row["normal"].startswith(normal_name(name)[:-1]) for name in names)
        return row["alias"].casefold() in names

    def _name(self, key: int) -> str:
        """The entity's name if shared memories use it, or no other; else the first that they use."""
        used = self._used[key]
        name = self._names[key]
        return name if name.casefold() in used or not used else next(iter(used.values()))
