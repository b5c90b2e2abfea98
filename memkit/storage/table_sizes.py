"""What takes the room in a database file: the bytes of each table, with its indexes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from memkit.core.errors import NeedsPackage
from memkit.core.formatting import html_table
from memkit.core.frames import Rows
from memkit.core.terminal_text import table
from memkit.storage.connection import Connection
from memkit.storage.info import size_text

HAS_DBSTAT = "select exists (select 1 from pragma_module_list where name = 'dbstat')"
# A full-text table is virtual: what it has lies in tables whose names begin with its own.
SELECT_SIZES = """
select
    coalesce(owner.name, part.tbl_name, pages.name) as "table",
    sum(pages.pgsize) as bytes,
    sum(iif(part.type = 'index', pages.pgsize, 0)) as indexes,
    sum(pages.unused) as unused
from dbstat as pages
left join sqlite_master as part on part.name = pages.name
left join sqlite_master as owner
    on owner.sql like 'create virtual table%' and substr(pages.name, 1, length(owner.name) + 1) = owner.name || '_'
where pages.aggregate = true  -- a row for each tree of pages, not for each page
group by 1
order by bytes desc, 1
"""
SELECT_FREE = "select freelist_count * page_size from pragma_freelist_count, pragma_page_size"
COUNT_MEMORIES = "select count(*) from memories"
FREE = "(free pages)"
HEADINGS = ("table", "size", "share", "of it indexes", "of it unused", "bytes a memory")


@dataclass(frozen=True)
class TableSize:
    """The room of one table in bytes: all of it, what its indexes take of that, and what is unused in its pages."""

    table: str
    bytes: int
    indexes: int
    unused: int


class TableSizes(Rows[TableSize]):
    """The tables of a database by the room that they take, the largest first; `memories` is how many it has."""

    def __init__(self, values: Iterable[TableSize], memories: int):
        super().__init__(TableSize, values)
        self.memories = memories

    def to_dicts(self) -> list[dict[str, Any]]:
        """The same as JSON-able values."""
        return [asdict(one) for one in self]

    def _rows(self) -> list[tuple[str, ...]]:
        whole = sum(one.bytes for one in self)
        every = TableSize("all", whole, sum(one.indexes for one in self), sum(one.unused for one in self))
        return [self._row(one, whole) for one in (*self, every)]

    def _row(self, one: TableSize, whole: int) -> tuple[str, ...]:
        each = f"{one.bytes / self.memories:,.0f}" if self.memories else ""
        share = f"{one.bytes / whole:.1%}" if whole else ""
        return (one.table, size_text(one.bytes), share, size_text(one.indexes), size_text(one.unused), each)

    def __repr__(self) -> str:
        return table([HEADINGS, *self._rows()])

    def _repr_html_(self) -> str:
        return html_table("What takes the room", HEADINGS, self._rows())


def table_sizes(conn: Connection) -> TableSizes:
    """The room of each table of the connection's database. It reads the head of every page.

    Raises NeedsPackage if this process has a SQLite without `dbstat`, which counts pages.
    """
    if not conn.execute(HAS_DBSTAT).fetchone()[0]:
        raise NeedsPackage(
            "pysqlite3", "Sizes of tables, which this SQLite cannot tell (dbstat),", "'datasette-memkit[driver]'"
        )
    found = [TableSize(*row) for row in conn.execute(SELECT_SIZES)]
    if free := conn.execute(SELECT_FREE).fetchone()[0]:
        found.append(TableSize(FREE, free, 0, free))
    return TableSizes(found, conn.execute(COUNT_MEMORIES).fetchone()[0])
