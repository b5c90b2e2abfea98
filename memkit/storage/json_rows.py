"""Bulk inserts from JSON (`:rows`): SQL that restores rows which were saved before a change."""

from __future__ import annotations

MENTIONS = "key memory_key entity_key role surface start count confidence"
RELATIONS = """
    key id subject_key predicate object_key confidence valid_from valid_until created_at expired_at superseded_by method
"""
EVIDENCE = "key relation_key memory_key quote method confidence valid_from valid_until said_at created_at"


def insert_rows(table: str, columns: str, rest: str = "", **instead: str) -> str:
    """An insert of these columns with their saved values, or with the SQL expressions in `instead`; ends in `rest`."""
    names = columns.split()
    values = ", ".join(instead.get(name, f"value->>'{name}'") for name in names)
    return f"insert into {table} ({', '.join(names)}) select {values} from json_each(:rows) {rest}"


def free_key(table: str) -> str:
    """An SQL expression: the saved key of a row if no other row has it now, else null, which makes a new one."""
    return f"case when not exists (select 1 from {table} as n where n.key = value->>'key') then value->>'key' end"


def set_anew(columns: str) -> str:
    """The assignments of an upsert that sets these columns to the new values."""
    return ", ".join(f"{name} = excluded.{name}" for name in columns.split())
