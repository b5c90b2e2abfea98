"""Database statistics: the contents of a memory database, counted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from memkit.core.formatting import counted, html_table
from memkit.core.frames import OneRow
from memkit.core.terminal_text import table
from memkit.storage import backup_record, caches, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import file_of

SELECT_PAGES = "select page_count * page_size from pragma_page_count, pragma_page_size"
SELECT_SCHEMA = "select user_version from pragma_user_version"
COUNT_MEMORIES = """
select
    count(*) as memories,
    (select count(*) from current_memories) as current,
    count(archived_at) as archived,
    (select count(*) from documents where archived_at is null) as documents,
    (select count(*) from entities where merged_into is null) as entities,
    (select count(*) from mentions) as mentions,
    (select count(*) from relations where expired_at is null) as relations,
    (select count(*) from links) as links,
    min(happened_at) as first,
    max(happened_at) as last
from memories
"""
COUNT_KINDS = "select kind, count(*) from current_memories group by kind order by count(*) desc, kind"
COUNT_PROJECTS = "select project, count(*) from current_memories group by project order by count(*) desc, project"
COUNT_DOCUMENTS = """
select kind, count(*) from documents where archived_at is null group by kind order by count(*) desc, kind
"""


@dataclass(frozen=True)
class Info(OneRow):
    """The statistics of a database.

    `bytes` is its size with the write-ahead log. `first` and `last` are the earliest and the latest time at which a
    memory happened. `model` is None if there are no vectors. `caches` has, for each cached value of this process, how
    often it was used, and how often it was asked for. `without_vector` memories are not found by meaning, until
    `memkit reindex` makes their vectors. `backup` is when the last backup was made.
    """

    path: str
    bytes: int
    schema: int
    memories: int
    current: int
    archived: int
    documents: int
    entities: int
    mentions: int
    relations: int
    links: int
    first: str | None
    last: str | None
    kinds: Mapping[str, int] = field(default_factory=dict)
    projects: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, int] = field(default_factory=dict)
    model: str | None = None
    dims: int | None = None
    vectors: int = 0
    without_vector: int = 0
    caches: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    backup: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return asdict(self)

    @property
    def summary(self) -> str:
        """The contents in a line: the file, counts of memories, documents, entities and relations, time and model."""
        counts = {"memories": self.current, "documents": self.documents, "entities": self.entities}
        told = [_things({**counts, "relations": self.relations}), self._time, self.model and f"model {self.model}"]
        return ", ".join((self.path, *(part for part in told if part)))

    @property
    def _time(self) -> str:
        return f"{self.first[:10]} to {self.last[:10]}" if self.first and self.last else ""

    def _rows(self) -> list[tuple[str, str]]:
        earlier = self.memories - self.current - self.archived
        graph = {name: getattr(self, name) for name in ("entities", "mentions", "relations", "links")}
        named = f"{self.model}, {self.dims} dimensions, {counted(self.vectors, 'vectors')}" if self.model else "none"
        if self.model and self.without_vector:
            named += f"; {counted(self.without_vector, 'memories')} without: memkit reindex {self.path}"
        return [
            ("file", f"{self.path}, {size_text(self.bytes)}, schema {self.schema}"),
            ("memories", f"{self.current:,} current, {earlier:,} earlier, {self.archived:,} archived"),
            ("documents", f"{self.documents:,} ({_counts(self.sources)})" if self.sources else "0"),
            ("kinds", _counts(self.kinds)),
            ("projects", _counts(self.projects)),
            ("time", self._time),
            ("graph", _things(graph)),
            ("model", named),
            *([("backup", self.backup)] if self.backup else []),
            *([("caches", told)] if (told := _rates(self.caches)) else []),
        ]

    def __repr__(self) -> str:
        return table(self._rows())

    def _repr_html_(self) -> str:
        return html_table(self.path, ("what", "how many"), self._rows())


def size_text(size: float) -> str:
    """A number of bytes as text: `812 bytes`, `1.4 MB`."""
    if size < 1000:
        return f"{size:.0f} bytes"
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 999.5 or unit == "GB":
            break
    return f"{size:.1f} {unit}"


def _things(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(count, name) for name, count in counts.items())


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _rates(rates: Mapping[str, tuple[int, int]]) -> str:
    return ", ".join(f"{name} {hits:,} of {asked:,}" for name, (hits, asked) in sorted(rates.items()))


def info(conn: Connection) -> Info:
    """The statistics of the connection's database."""
    path = file_of(conn)
    row = vectors.active_model(conn)
    model_key = row["key"] if row else None
    stored = conn.execute(vectors.COUNT_VECTORS, {"model_key": row["key"]}).fetchone()[0] if row else 0
    return Info(
        path=path or ":memory:",
        bytes=_size(conn, path),
        schema=conn.execute(SELECT_SCHEMA).fetchone()[0],
        **dict(conn.execute(COUNT_MEMORIES).fetchone()),
        kinds=_counted(conn, COUNT_KINDS),
        projects=_counted(conn, COUNT_PROJECTS),
        sources=_counted(conn, COUNT_DOCUMENTS),
        model=row["id"] if row else None,
        dims=row["dims"] if row else None,
        vectors=stored,
        without_vector=conn.execute(vectors.COUNT_WITHOUT_VECTOR, {"model_key": model_key}).fetchone()[0],
        caches=caches.rates(conn),
        backup=(backup_record.read(conn) or {}).get("at"),
    )


def file_size(conn: Connection) -> int:
    """The size of the connection's database in bytes, with the write-ahead log."""
    return _size(conn, file_of(conn))


def _counted(conn: Connection, query: str) -> dict[str, int]:
    return {row[0]: row[1] for row in conn.execute(query)}


def _size(conn: Connection, path: str) -> int:
    files = [name for name in (path, f"{path}-wal") if path and os.path.exists(name)]
    return sum(map(os.path.getsize, files)) if files else conn.execute(SELECT_PAGES).fetchone()[0]
