"""Bulk inserts from JSON (`:rows`): SQL that restores rows which were saved before a change."""

from __future__ import annotations

MENTIONS = "key memory_key entity_key role surface start count confidence"
RELATIONS = """
    key id subject_key predicate object_key confidence valid_from valid_until created_at expired_at superseded_by method
"""
EVIDENCE = "key relation_key memory_key quote method confidence valid_from valid_until said_at created_at"


def insert_rows(table: str, columns: str, rest: str = "", *, free_keys: bool = False, **instead: str) -> str:
    """An insert of these columns with their saved values, or with the SQL expressions in `instead`; ends in `rest`.

    With `free_keys`, a row whose saved key another row has now gets a new one. Such rows come last: a new key may be
    the one after the last, which one of the saved rows could have.
    """
    names, source = columns.split(), "json_each(:rows)"
    if free_keys:
        taken = f"exists (select 1 from {table} as n where n.key = value->>'key')"
        source = f"(select value from {source} order by {taken} limit -1)"
        instead = {**instead, "key": f"case when not {taken} then value->>'key' end"}
    values = ", ".join(instead.get(name, f"value->>'{name}'") for name in names)
    return f"insert into {table} ({', '.join(names)}) select {values} from {source} {rest}"


def set_anew(columns: str) -> str:
    """The assignments of an upsert that sets these columns to the new values."""
    return ", ".join(f"{name} = excluded.{name}" for name in columns.split())
