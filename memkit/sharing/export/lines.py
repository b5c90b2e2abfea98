"""JSON Lines export: a header, one line for each row, and a last line with the number of rows by table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memkit.sharing.export.tables import TABLES, is_own
from memkit.sharing.selection import Selection, selected_keys
from memkit.sources.memkit_export import EXPORT_VERSION, MARK
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.schema import VERSION
from memkit.storage.store import dumps, keys_json

EVERYTHING = ("history", "user_slots")  # a selection for publishing leaves these out

SELECT_DOCUMENTS = """
select distinct document_key from memories
where key in (select value from json_each(:memories)) and document_key is not null
"""
SELECT_RELATIONS = """
select distinct relation_key from evidence where memory_key in (select value from json_each(:memories))
"""
# Entities in mentions or relations, and the entities into which they were merged.
SELECT_ENTITIES = """
with recursive named(key) as (
    select entity_key from mentions where memory_key in (select value from json_each(:memories))
    union
    select subject_key from relations where key in (select value from json_each(:relations))
    union
    select object_key from relations where key in (select value from json_each(:relations))
    union
    select e.merged_into from entities as e join named as n on n.key = e.key where e.merged_into is not null
)
select key from named
"""


def lines(conn: Connection, selection: Selection, now: str) -> Iterator[tuple[str, str]]:
    """The lines of an export, one at a time, each with its table ("" for the first and the last line)."""
    wanted = {"all": True, **dict.fromkeys(("memories", "documents", "entities", "relations"), "[]")}
    if selection:
        wanted = within(conn, selected_keys(conn, selection, now, frozenset(EVERYTHING)))
    header = {MARK: EXPORT_VERSION, "schema": VERSION, "database": store.setting(conn, "database"), "at": now}
    yield "", dumps({**header, "part": bool(selection)})
    counts = {}
    for table in TABLES:
        counts[table.name] = 0
        for row in conn.execute(table.select, wanted):
            if table.name != "settings" or not is_own(row["name"]):
                counts[table.name] += 1
                yield table.name, dumps({table.name: dict(row)})
    yield "", dumps({"end": counts})


def within(conn: Connection, memories: list[int]) -> dict[str, Any]:
    """The keys of the rows that belong to these memories, as parameters of the queries."""
    wanted: dict[str, Any] = {"all": False, "memories": keys_json(memories)}
    wanted["documents"] = keys_json(row[0] for row in conn.execute(SELECT_DOCUMENTS, wanted))
    wanted["relations"] = keys_json(row[0] for row in conn.execute(SELECT_RELATIONS, wanted))
    wanted["entities"] = keys_json(row[0] for row in conn.execute(SELECT_ENTITIES, wanted))
    return wanted
