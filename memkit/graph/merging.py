"""Entity merging: makes two entities one, and undoes it exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from memkit.core.errors import MemkitError, NotFound
from memkit.graph import entities, relations
from memkit.graph.relations import Statement
from memkit.graph.version import bump
from memkit.storage.connection import Connection
from memkit.storage.json_rows import EVIDENCE, MENTIONS, RELATIONS, insert_rows, set_anew
from memkit.storage.store import dumps, keys_json, set_setting, texts_in_setting
from memkit.text.words import normal_name, text_hash

# The rows that a merge can change: the two entities, and all rows of the groups of their relations.
SELECT_IMAGE = {
    "entities": "select * from entities where key in (select value from json_each(:keys)) order by key",
    "aliases": "select * from aliases where entity_key in (select value from json_each(:keys)) order by key",
    "mentions": "select * from mentions where entity_key in (select value from json_each(:keys)) order by key",
    "relations": "select * from relations where key in (select value from json_each(:relations)) order by key",
    "evidence": "select * from evidence where relation_key in (select value from json_each(:relations)) order by key",
    "conflicts": """
        select * from conflicts
        where relation_key in (select value from json_each(:relations))
            or other_key in (select value from json_each(:relations))
        order by relation_key, other_key
    """,
}
SELECT_RELATIONS = """
select distinct other.key
from relations as r join relations as other on other.subject_key = r.subject_key and other.predicate = r.predicate
where r.subject_key in (select value from json_each(:keys)) or r.object_key in (select value from json_each(:keys))
order by other.key
"""
COPY_ALIASES = """
insert into aliases (entity_key, alias, normal, source)
select :kept, alias, normal, source from aliases where entity_key = :merged order by key
on conflict (entity_key, normal) do nothing
"""
ADD_COUNTS = """
update mentions set count = count + (
    select o.count from mentions as o
    where o.entity_key = :merged and o.memory_key = mentions.memory_key and o.role = mentions.role
)
where entity_key = :kept and exists (
    select 1 from mentions as o
    where o.entity_key = :merged and o.memory_key = mentions.memory_key and o.role = mentions.role
)
"""
DROP_DOUBLES = """
delete from mentions
where entity_key = :merged and exists (
    select 1 from mentions as o
    where o.entity_key = :kept and o.memory_key = mentions.memory_key and o.role = mentions.role
)
"""
MOVE_MENTIONS = "update mentions set entity_key = :kept where entity_key = :merged"
END_OWN_RELATIONS = """
update relations set expired_at = max(:now, created_at)
where expired_at is null
    and ((subject_key = :kept and object_key = :merged) or (subject_key = :merged and object_key = :kept))
"""
MOVE_SUBJECTS = """
update relations set subject_key = :kept where subject_key = :merged and object_key not in (:kept, :merged)
"""
MOVE_OBJECTS = """
update relations set object_key = :kept where object_key = :merged and subject_key not in (:kept, :merged)
"""
SELECT_TOUCHED = """
select subject_key, predicate, object_key from relations
where expired_at is null and (subject_key = :key or object_key = :key)
"""
SET_MERGED = "update entities set merged_into = :into, updated_at = :now where key = :key"
FILL_IN = """
update entities set
    kind = case when kind = 'thing' then (select kind from entities where key = :merged) else kind end,
    description = coalesce(description, (select description from entities where key = :merged)),
    updated_at = :now
where key = :kept
"""
PARTED = "parted"  # setting: the ids of each two entities that a person took apart: `3kx4jb67ty 9qv2mn31aa`
INSERT_MERGE = """
insert into merges (kept_key, merged_key, moved, created_at) values (:kept, :merged, :moved, :now) returning key
"""

_MERGES = """
select m.*, k.name as kept_name, k.id as kept_id, k.merged_into as kept_into, o.name as merged_name, o.id as merged_id
from merges as m join entities as k on k.key = m.kept_key join entities as o on o.key = m.merged_key
"""
SELECT_MERGES = f"{_MERGES} order by m.key desc"
SELECT_MERGED_AS = f"""
{_MERGES} where m.kept_key = :kept and o.normal = :name and k.merged_into is null order by m.key desc
"""
DELETE_MERGE = "delete from merges where key = :key"

# Undo: restores the rows as they were. Lists of rows are JSON.
_OF_RELATIONS = "subject_key object_key confidence valid_from valid_until created_at expired_at superseded_by method"
DELETE_ROWS = {
    "conflicts": """
        delete from conflicts
        where relation_key in (select value->>'relation_key' from json_each(:rows))
            and other_key in (select value->>'other_key' from json_each(:rows))
    """,
    "evidence": "delete from evidence where key in (select value->>'key' from json_each(:rows))",
    "relations": "delete from relations where key in (select value->>'key' from json_each(:rows))",
    "mentions": "delete from mentions where key in (select value->>'key' from json_each(:rows))",
    "aliases": "delete from aliases where key in (select value->>'key' from json_each(:rows))",
}
INSERT_ROWS = {
    "aliases": insert_rows("aliases", "key entity_key alias normal source"),
    "mentions": insert_rows("mentions", MENTIONS, free_keys=True),
    "relations": insert_rows(
        "relations",
        RELATIONS,
        f"where true on conflict (key) do update set {set_anew(_OF_RELATIONS)}",
    ),
    "evidence": insert_rows("evidence", EVIDENCE),
    "conflicts": insert_rows("conflicts", "relation_key other_key created_at"),
}
RESTORE_ENTITY = """
update entities set
    kind = :kind, description = :description, merged_into = :merged_into, updated_at = :updated_at
where key = :key
"""
DROP_COPIED_ALIASES = """
delete from aliases
where entity_key = :kept and normal in (select normal from aliases where entity_key = :merged)
    and key not in (select value from json_each(:own))
"""
# SQLite may give the key of a deleted row to a new one, so a key alone does not identify a mention later.
MOVE_MENTION_BACK = """
update mentions set entity_key = :merged
where key = :key and entity_key = :kept and memory_key = :memory_key and role = :role and key <= :last
"""
TAKE_COUNT_BACK = """
update mentions set count = max(count - :count, 1)
where entity_key = :kept and memory_key = :memory_key and role = :role and key <= :last
returning key
"""
SELECT_EXISTING_EVIDENCE = "select * from evidence where key in (select value from json_each(:keys))"
MOVE_RELATION_BACK = """
update relations set subject_key = :subject_key, object_key = :object_key
where key = :key and id = :id and expired_at is not null
"""
LAST_MENTION = "select coalesce(max(key), 0) from mentions"
SELECT_READ_SINCE = "select distinct memory_key from mentions where entity_key = :kept and key > :last"
FORGET_READING = """
delete from extractions
where memory_key in (select value from json_each(:keys)) and extractor like 'text %'
"""

Image = dict[str, list[dict[str, Any]]]


def merge(conn: Connection, kept: int, merged: int, now: str) -> None:
    """Merges the second entity into the first (keys): moves its names, mentions and relations.

    Raises MemkitError if they are not two different entities, or if one of them is merged already.
    """
    known = entities.by_keys(conn, [kept, merged])
    if kept == merged or len(known) < 2:
        raise MemkitError("A merge needs two different entities.")
    ends = {"kept": kept, "merged": merged, "now": now}
    before = _image(conn, kept, merged)
    for row in before["entities"]:
        if row["merged_into"] is not None:
            raise MemkitError(f"{row['name']!r} is merged into another entity already. Unmerge it first.")
    conn.execute(FILL_IN, ends)
    conn.execute(SET_MERGED, {"key": merged, "into": kept, "now": now})
    conn.execute(COPY_ALIASES, ends)
    for statement in (ADD_COUNTS, DROP_DOUBLES, MOVE_MENTIONS, END_OWN_RELATIONS, MOVE_SUBJECTS, MOVE_OBJECTS):
        conn.execute(statement, ends)
    relations.recompute(conn, [tuple(row) for row in conn.execute(SELECT_TOUCHED, {"key": kept})], now)
    for key in (kept, merged):
        conn.execute(entities.FORGET_VECTOR, {"key": key})
    bump(conn)
    moved = {"before": before, "after": _digest(_image(conn, kept, merged)), "last": _last_mention(conn)}
    conn.execute(INSERT_MERGE, {**ends, "moved": dumps(moved)})


def merge_found(conn: Connection, kept: int, merged: int, now: str) -> None:
    """Merges what memkit found to be one, unless a person took these two apart before."""
    two = _pair(one.id for one in entities.by_keys(conn, [kept, merged]).values())
    if two not in texts_in_setting(conn, PARTED):
        merge(conn, kept, merged, now)


def unmerge(conn: Connection, name: str, now: str) -> tuple[int, int, list[int]]:
    """Undoes the last merge of an entity; returns the two keys, and the memories that must be read again.

    `name` is the name or id of either entity. If nothing has changed since, every row is restored exactly. Else the
    moved rows are moved back, and memories that were read since the merge must be read again. Raises NotFound if there
    was no such merge, MemkitError if a later merge must be undone first.
    """
    row = last(conn, name)
    if row is None:
        made = ", ".join(sorted({one["merged_name"] for one in conn.execute(SELECT_MERGES)})[:10])
        raise NotFound(f"Nothing called {name!r} was merged." + (f" Merged entities: {made}." if made else ""))
    if row["kept_into"] is not None:
        raise MemkitError(f"{row['kept_name']!r} was itself merged later. Unmerge {row['kept_name']!r} first.")
    again = _undo(conn, row, now)
    two = _pair((row["kept_id"], row["merged_id"]))
    set_setting(conn, PARTED, [*dict.fromkeys((*texts_in_setting(conn, PARTED), two))])
    return row["kept_key"], row["merged_key"], again


def part(conn: Connection, kept: int, name: str, now: str) -> list[int]:
    """Undoes what `merge_found` did because an entity had this name (normalised), which it has no more.

    Returns the memories that must be read again. The same name may bring both together again.
    """
    rows = conn.execute(SELECT_MERGED_AS, {"kept": kept, "name": name}).fetchall()
    return [key for row in rows for key in _undo(conn, row, now)]


def _undo(conn: Connection, row: Any, now: str) -> list[int]:
    kept, merged, moved = row["kept_key"], row["merged_key"], json.loads(row["moved"])
    conn.execute("pragma defer_foreign_keys = on")
    current = _image(conn, kept, merged)
    again: list[int] = []
    if _digest(current) == moved["after"]:
        _restore(conn, current, moved["before"])
    else:
        again = _take_apart(conn, kept, merged, moved, now)
    for key in (kept, merged):
        conn.execute(entities.FORGET_VECTOR, {"key": key})
    conn.execute(DELETE_MERGE, {"key": row["key"]})
    bump(conn)
    return again


def _pair(ids: Iterable[str]) -> str:
    return " ".join(sorted(ids))


def last(conn: Connection, name: str) -> Any:
    """The last merge of the entity with this name or id, rather into another one than of another one; None if none."""
    rows = conn.execute(SELECT_MERGES).fetchall()
    for side in ("merged", "kept"):
        for row in rows:
            if name == row[f"{side}_id"] or normal_name(name) == normal_name(row[f"{side}_name"]):
                return row
    return None


def _image(conn: Connection, kept: int, merged: int) -> Image:
    keys = keys_json([kept, merged])
    touched = keys_json(row[0] for row in conn.execute(SELECT_RELATIONS, {"keys": keys}))
    parameters = {"keys": keys, "relations": touched}
    return {table: [dict(row) for row in conn.execute(query, parameters)] for table, query in SELECT_IMAGE.items()}


def _digest(image: Image) -> str:
    return text_hash(json.dumps(image, sort_keys=True))


def _last_mention(conn: Connection) -> int:
    key: int = conn.execute(LAST_MENTION).fetchone()[0]
    return key


def _restore(conn: Connection, current: Image, before: Image) -> None:
    stay = {row["key"] for row in before["relations"]}  # other rows refer to them
    gone = {**current, "relations": [row for row in current["relations"] if row["key"] not in stay]}
    for table, statement in DELETE_ROWS.items():
        conn.execute(statement, {"rows": dumps(gone[table])})
    for table, statement in INSERT_ROWS.items():
        conn.execute(statement, {"rows": dumps(before[table])})
    for row in before["entities"]:
        conn.execute(RESTORE_ENTITY, row)


def _take_apart(conn: Connection, kept: int, merged: int, moved: dict[str, Any], now: str) -> list[int]:
    """Moves back the moved rows that still exist; returns the memories read since the merge, to be read again."""
    before, last, ends = moved["before"], moved["last"], {"kept": kept, "merged": merged}
    own = keys_json(row["key"] for row in before["aliases"] if row["entity_key"] == kept)
    conn.execute(DROP_COPIED_ALIASES, {**ends, "own": own})
    conn.execute(SET_MERGED, {"key": merged, "into": None, "now": now})
    for row in before["mentions"]:
        if row["entity_key"] != merged or conn.execute(MOVE_MENTION_BACK, {**row, **ends, "last": last}).rowcount:
            continue
        if conn.execute(TAKE_COUNT_BACK, {**row, "kept": kept, "last": last}).fetchone():
            conn.execute(INSERT_ROWS["mentions"], {"rows": dumps([{**row, "key": None}])})
    _move_evidence_back(conn, before, merged, now)
    again = [row[0] for row in conn.execute(SELECT_READ_SINCE, {"kept": kept, "last": last})]
    conn.execute(FORGET_READING, {"keys": keys_json(again)})
    return again


_OF_EVIDENCE = ("memory_key", "quote", "method", "valid_from", "valid_until", "said_at", "created_at")


def _move_evidence_back(conn: Connection, before: Image, merged: int, now: str) -> None:
    """Moves the evidence about the merged entity back to it."""
    rows = {row["key"]: row for row in before["relations"] if merged in (row["subject_key"], row["object_key"])}
    for row in rows.values():
        conn.execute(MOVE_RELATION_BACK, row)
    live = {key for key, row in rows.items() if row["expired_at"] is None}
    about = {row["key"]: rows[row["relation_key"]] for row in before["evidence"] if row["relation_key"] in live}
    was = {row["key"]: row for row in before["evidence"]}
    found = conn.execute(SELECT_EXISTING_EVIDENCE, {"keys": keys_json(about)}).fetchall()
    existing = [row for row in found if all(row[name] == was[row["key"]][name] for name in _OF_EVIDENCE)]
    statements = [
        Statement(
            about[row["key"]]["subject_key"],
            about[row["key"]]["predicate"],
            about[row["key"]]["object_key"],
            row["said_at"],
            row["memory_key"],
            row["quote"],
            row["confidence"],
            row["valid_from"],
            row["valid_until"],
            row["method"],
        )
        for row in existing
    ]
    keys = keys_json(row["key"] for row in existing)
    touched = [tuple(row) for row in conn.execute(relations.SELECT_GROUPS_OF, {"keys": keys})]
    conn.execute(relations.DELETE_EVIDENCE, {"keys": keys})
    relations.recompute(conn, touched, now)
    relations.add(conn, statements, now)
