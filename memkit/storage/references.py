"""References: the columns that name a row of another table, as the schema declares them, also in people's own tables.

An orphan is a row whose reference leads to no row. A program that does not set `foreign_keys` leaves them when it
deletes, and a recovered file has them where a row is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from memkit.core.formatting import counted
from memkit.storage.connection import Connection
from memkit.storage.driver import identifier, writing
from memkit.storage.store import index_paused

# A reference without a column means the primary key. One to a table that is not there is left out.
SELECT_REFERENCES = """
select t.name, f."from", f."table", r.name, f.on_delete = 'SET NULL'
from sqlite_master as t
    join pragma_foreign_key_list(t.name) as f
    join pragma_table_info(f."table") as r on r.name = f."to" collate nocase or (f."to" is null and r.pk = f.seq + 1)
where t.type = 'table'
"""


class Reference(NamedTuple):
    """A column of a table, and the column of another one that it names.

    `loose` means that it is emptied when the row that it names is deleted; otherwise its own row is deleted, too.
    """

    table: str
    column: str
    referred: str
    to: str
    loose: bool

    @property
    def follow(self) -> str:
        """SQL that names the `:new` value wherever the `:old` one was named."""
        name, column = identifier(self.table), identifier(self.column)
        return f"update {name} set {column} = :new where {column} = :old"

    @property
    def mend(self) -> str:
        """SQL that does to each orphan what the deletion of the row that it refers to would have done."""
        name, column = identifier(self.table), identifier(self.column)
        known = f"select 1 from {identifier(self.referred)} as r where r.{identifier(self.to)} = {name}.{column}"
        orphans = f"where {column} is not null and not exists ({known})"
        return f"update {name} set {column} = null {orphans}" if self.loose else f"delete from {name} {orphans}"


def references(conn: Connection) -> list[Reference]:
    """The references of all tables to tables that are there."""
    return [Reference(*row) for row in conn.execute(SELECT_REFERENCES).fetchall()]


def mend_orphans(conn: Connection, those: Iterable[Reference]) -> Counter[Reference]:
    """Mends the orphans of these references; returns how many rows were changed because of each."""
    those, changed = list(those), Counter[Reference]()
    while found := {one: rows for one in those if (rows := conn.execute(one.mend).rowcount)}:
        changed.update(found)  # and once more: a row that goes may leave others behind
    return changed


def mend_references(conn: Connection) -> list[str]:
    """Mends the orphans of all references to a key; says what was changed."""
    said: Counter[str] = Counter()
    with writing(conn), index_paused(conn):  # or the triggers refuse to touch a row that is wrong in other ways, too
        for one, rows in mend_orphans(conn, (one for one in references(conn) if one.to == "key")).items():
            emptied, deleted = f"emptied {one.table}.{one.column}", f"deleted from {one.table} what refers to no"
            said[emptied if one.loose else f"{deleted} {one.referred}"] += rows
    return [f"{what}: {counted(rows, 'rows')}" for what, rows in said.items()]
