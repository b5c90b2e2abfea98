"""Export schema: which tables are exported, and how a row is identified in another database.

SQL is built only from the names in this file, never from the content of an export.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from memkit.ingestion import origins
from memkit.storage.row_rules import COLUMNS


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the columns that identify a row in another database, and its references (column to table).

    `within` is an SQL condition for the rows that belong to a selection of memories; by default none do. `loose`
    references may point to a missing row. With `settled`, a row that already exists is not changed.
    """

    name: str
    identity: tuple[str, ...]
    references: Mapping[str, str] = field(default_factory=dict)
    loose: frozenset[str] = frozenset()
    within: str = "0"
    settled: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(COLUMNS[self.name])

    @property
    def select(self) -> str:
        """SQL for all rows, or those of a selection, in order."""
        order = "key" if "key" in self.columns else ", ".join(self.identity)
        return f"select {', '.join(self.columns)} from {self.name} where :all or {self.within} order by {order}"

    @property
    def find(self) -> str:
        """SQL for the row with an identity."""
        return f"select {', '.join(self.columns)} from {self.name} where {_each(self.identity, ' is ', ' and ')}"

    @property
    def has_key(self) -> str:
        """SQL that tests whether a row has a key."""
        return f"select 1 from {self.name} where key = :key"

    @property
    def is_empty(self) -> str:
        """SQL that tests whether the table is empty."""
        return f"select not exists (select 1 from {self.name})"

    def insert(self, columns: Collection[str]) -> str:
        """SQL that inserts a row with these columns."""
        names = [name for name in self.columns if name in columns]
        return f"insert into {self.name} ({', '.join(names)}) values ({', '.join(f':{name}' for name in names)})"

    def update(self, columns: Collection[str]) -> str:
        """SQL that updates these columns of the row with an identity; empty if there is nothing to update."""
        names = [name for name in self.columns if name in columns and name not in ("key", *self.identity)]
        if not names:
            return ""
        return f"update {self.name} set {_each(names, ' = ', ', ')} where {_each(self.identity, ' is ', ' and ')}"


def _each(names: Collection[str], sign: str, between: str) -> str:
    return between.join(f"{name}{sign}:{name}" for name in names)


def _in(column: str, keys: str) -> str:
    return f"{column} in (select value from json_each(:{keys}))"


_OF_MEMORY = {"memory_key": "memories"}
_WITH_MEMORY = _in("memory_key", "memories")


def _whole(name: str) -> tuple[str, ...]:
    """All columns of a table but its key: rows that have nothing else to tell them apart are the same row."""
    return tuple(column for column in COLUMNS[name] if column != "key")


# In this order, every row comes after the rows that it refers to.
TABLES = (
    Table("documents", ("id",), within=_in("key", "documents")),
    Table(
        "memories", ("id",), {"document_key": "documents"}, frozenset({"document_key"}), within=_in("key", "memories")
    ),
    Table("access", ("memory_key",), _OF_MEMORY, within=_WITH_MEMORY),
    Table("entities", ("id",), {"merged_into": "entities"}, frozenset({"merged_into"}), within=_in("key", "entities")),
    Table("aliases", ("entity_key", "normal"), {"entity_key": "entities"}, within=_in("entity_key", "entities")),
    Table(
        "mentions",
        ("memory_key", "entity_key", "role"),
        {**_OF_MEMORY, "entity_key": "entities"},
        within=_WITH_MEMORY,
    ),
    Table(
        "relations",
        ("id",),
        {"subject_key": "entities", "object_key": "entities", "superseded_by": "relations"},
        frozenset({"superseded_by"}),
        within=_in("key", "relations"),
    ),
    Table("evidence", _whole("evidence"), {"relation_key": "relations", **_OF_MEMORY}, within=_WITH_MEMORY),
    Table(
        "conflicts",
        ("relation_key", "other_key"),
        {"relation_key": "relations", "other_key": "relations"},
        within=f"{_in('relation_key', 'relations')} and {_in('other_key', 'relations')}",
    ),
    Table(
        "links",
        ("from_key", "to_key", "type"),
        {"from_key": "memories", "to_key": "memories"},
        within=f"{_in('from_key', 'memories')} and {_in('to_key', 'memories')}",
    ),
    Table("merges", ("kept_key", "merged_key", "created_at"), {"kept_key": "entities", "merged_key": "entities"}),
    Table("fingerprints", ("band", "memory_key"), _OF_MEMORY, within=_WITH_MEMORY),
    Table("word_cases", ("word",), settled=True),
    Table("extractions", ("memory_key", "extractor"), _OF_MEMORY, within=_WITH_MEMORY),
    Table("feedback", _whole("feedback"), _OF_MEMORY, within=_WITH_MEMORY),
    Table(
        "former",
        _whole("former"),
        {**_OF_MEMORY, "relation_key": "relations", "entity_key": "entities"},
        frozenset({"relation_key", "entity_key"}),
        within=_WITH_MEMORY,
    ),
    Table("recalls", ("id",)),
    Table("recall_hits", ("recall_key", "memory_key", "channel"), {"recall_key": "recalls", **_OF_MEMORY}),
    Table("maintenance", ("id",)),
    Table("pruned", ("memory_id",)),
    Table("proposals", ("id",)),
    Table("settings", ("name",)),
)
BY_NAME = {table.name: table for table in TABLES}
# Tables to whose rows others refer by key.
REFERRED = tuple(table for table in TABLES if any(table.name in other.references.values() for other in TABLES))

# Tables that are computed again from the others, and settings that belong to one file: its id, its counters, its lock.
LEFT_OUT = frozenset(
    """
    models embeddings entity_embeddings code_blocks text_blocks graph_arrays sentences index_paused index_replaced
    """.split()
)
OWN_SETTINGS = frozenset(
    """
    database graph_version maintainer maintained_at maintenance_runs unscrubbed names_looked_for checked backup
    sources file_states pushed forgotten_sources
    """.split()
)


def is_own(setting: str) -> bool:
    """Whether a setting belongs to one file."""
    return setting in OWN_SETTINGS or setting.startswith(origins.PREFIX)
