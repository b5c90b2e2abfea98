"""Export schema: which tables are exported, and how a row is identified in another database.

SQL is built only from the names in this file, never from the content of an export.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its columns, those that identify a row in another database, and its references (column to table).

    `within` is an SQL condition for the rows that belong to a selection of memories; by default none do. `loose`
    references may point to a missing row. With `settled`, a row that already exists is not changed.
    """

    name: str
    columns: tuple[str, ...]
    identity: tuple[str, ...]
    references: Mapping[str, str] = field(default_factory=dict)
    loose: frozenset[str] = frozenset()
    within: str = "0"
    settled: bool = False

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


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _in(column: str, keys: str) -> str:
    return f"{column} in (select value from json_each(:{keys}))"


_OF_MEMORY = {"memory_key": "memories"}
_EVIDENCE = _words("relation_key memory_key quote method confidence valid_from valid_until said_at created_at")
_FEEDBACK = _words("memory_key question useful at")
_FORMER = _words("memory_key relation_key entity_key word")

# In this order, every row comes after the rows that it refers to.
TABLES = (
    Table(
        "documents",
        _words("key id source kind title hash project created_at updated_at archived_at meta"),
        ("id",),
        within=_in("key", "documents"),
    ),
    Table(
        "memories",
        _words(
            """key id document_key position source_id kind text title speaker category tags project slot slot_key
            importance confidence happened_at created_at updated_at valid_from valid_until expires_at archived_at
            compression tokens hash text_hash meta"""
        ),
        ("id",),
        {"document_key": "documents"},
        frozenset({"document_key"}),
        within=_in("key", "memories"),
    ),
    Table(
        "access", _words("memory_key count last_at"), ("memory_key",), _OF_MEMORY, within=_in("memory_key", "memories")
    ),
    Table(
        "entities",
        _words("key id name normal kind description merged_into created_at updated_at meta"),
        ("id",),
        {"merged_into": "entities"},
        frozenset({"merged_into"}),
        within=_in("key", "entities"),
    ),
    Table(
        "aliases",
        _words("key entity_key alias normal source"),
        ("entity_key", "normal"),
        {"entity_key": "entities"},
        within=_in("entity_key", "entities"),
    ),
    Table(
        "mentions",
        _words("key memory_key entity_key role surface start count confidence"),
        ("memory_key", "entity_key", "role"),
        {**_OF_MEMORY, "entity_key": "entities"},
        within=_in("memory_key", "memories"),
    ),
    Table(
        "relations",
        _words(
            """key id subject_key predicate object_key confidence valid_from valid_until created_at expired_at
            superseded_by method"""
        ),
        ("id",),
        {"subject_key": "entities", "object_key": "entities", "superseded_by": "relations"},
        frozenset({"superseded_by"}),
        within=_in("key", "relations"),
    ),
    Table(
        "evidence",
        ("key", *_EVIDENCE),
        _EVIDENCE,
        {"relation_key": "relations", **_OF_MEMORY},
        within=_in("memory_key", "memories"),
    ),
    Table(
        "conflicts",
        _words("relation_key other_key created_at"),
        ("relation_key", "other_key"),
        {"relation_key": "relations", "other_key": "relations"},
        within=f"{_in('relation_key', 'relations')} and {_in('other_key', 'relations')}",
    ),
    Table(
        "links",
        _words("key from_key to_key type weight why created_at"),
        ("from_key", "to_key", "type"),
        {"from_key": "memories", "to_key": "memories"},
        within=f"{_in('from_key', 'memories')} and {_in('to_key', 'memories')}",
    ),
    Table(
        "merges",
        _words("key kept_key merged_key moved created_at"),
        ("kept_key", "merged_key", "created_at"),
        {"kept_key": "entities", "merged_key": "entities"},
    ),
    Table(
        "fingerprints",
        _words("band memory_key"),
        _words("band memory_key"),
        _OF_MEMORY,
        within=_in("memory_key", "memories"),
    ),
    Table("word_cases", _words("word lower upper"), ("word",), settled=True),
    Table(
        "extractions",
        _words("memory_key extractor hash at error"),
        ("memory_key", "extractor"),
        _OF_MEMORY,
        within=_in("memory_key", "memories"),
    ),
    Table("feedback", ("key", *_FEEDBACK), _FEEDBACK, _OF_MEMORY, within=_in("memory_key", "memories")),
    Table(
        "former",
        ("key", *_FORMER),
        _FORMER,
        {**_OF_MEMORY, "relation_key": "relations", "entity_key": "entities"},
        frozenset({"relation_key", "entity_key"}),
        within=_in("memory_key", "memories"),
    ),
    Table("recalls", _words("key id question strategy options channels ms at"), ("id",)),
    Table(
        "recall_hits",
        _words("recall_key memory_key rank score channel channel_rank raw contribution boosts tokens left_out"),
        _words("recall_key memory_key channel"),
        {"recall_key": "recalls", **_OF_MEMORY},
    ),
    Table("maintenance", _words("key id run step action memory_id at why sources before undone_at"), ("id",)),
    Table("pruned", _words("memory_id rows why pruned_at kept_until"), ("memory_id",)),
    Table("proposals", _words("key id kind members text why state created_at decided_at"), ("id",)),
    Table("settings", _words("name value"), ("name",), settled=True),
)
BY_NAME = {table.name: table for table in TABLES}
# Tables to whose rows others refer by key.
REFERRED = tuple(table for table in TABLES if any(table.name in other.references.values() for other in TABLES))

# Tables that are computed again from the others, and settings that belong to one file.
LEFT_OUT = frozenset("models embeddings entity_embeddings index_paused index_replaced".split())
OWN_SETTINGS = frozenset({"database", "graph_version"})
