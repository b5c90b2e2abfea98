"""Orphans: rows that refer to a missing row. A program that does not set `foreign_keys` leaves them when it deletes."""

from __future__ import annotations

from collections.abc import Iterator

from memkit.core.formatting import counted
from memkit.storage.connection import Connection
from memkit.storage.driver import identifier, writing

SELECT_REFERENCES = """
select t.name, f."from", f."table", f.on_delete
from sqlite_master as t join pragma_foreign_key_list(t.name) as f
where t.type = 'table' and f."to" = 'key'
"""


def mend_references(conn: Connection) -> list[str]:
    """Does to each orphan what the deletion of the row that it refers to would have done; says what was changed."""
    mended: dict[str, int] = {}
    with writing(conn):
        while found := dict(_mended(conn)):  # a row that goes may leave others behind
            for said, rows in found.items():
                mended[said] = mended.get(said, 0) + rows
    return [f"{said}: {counted(rows, 'rows')}" for said, rows in mended.items()]


def _mended(conn: Connection) -> Iterator[tuple[str, int]]:
    for table, column, referred, action in conn.execute(SELECT_REFERENCES).fetchall():
        name, key = identifier(table), identifier(column)
        missing = f"{key} is not null and {key} not in (select key from {identifier(referred)})"
        if action == "SET NULL":
            said, statement = f"emptied {table}.{column}", f"update {name} set {key} = null where {missing}"
        else:
            said, statement = (
                f"deleted from {table} what refers to no {referred}",
                f"delete from {name} where {missing}",
            )
        if rows := conn.execute(statement).rowcount:
            yield said, rows
