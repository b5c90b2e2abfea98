"""Public rows: the chosen memories and their documents after redaction, with every column named explicitly."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from memkit.core.batches import batched
from memkit.sharing.publish.ids import Ids
from memkit.sharing.publish.redaction import Cleaner
from memkit.sharing.publish.spool import Spool
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.words import est_tokens, text_hash

SELECT_MEMORIES = """
select m.key, m.id, m.document_key, m.position, m.source_id, m.kind, m.text, m.title, m.speaker, m.category, m.tags,
    m.project, m.slot, m.slot_key, m.importance, m.confidence, m.happened_at, m.created_at, m.updated_at, m.valid_from,
    m.valid_until, m.expires_at, m.archived_at, m.compression, m.meta
from memories as m
where m.key in (select value from json_each(:keys))
order by m.key
"""
SELECT_DOCUMENTS = """
select d.key, d.id, d.source, d.kind, d.title, d.created_at, d.updated_at, d.archived_at, d.meta,
    min(m.project) as project
from documents as d join memories as m on m.document_key = d.key
where m.key in (select value from json_each(:keys))
group by d.key
order by min(m.key)
"""
SELECT_POSITIONS = """
select m.key, d.key, m.position from memories as m left join documents as d on d.key = m.document_key
where m.position is not null and m.key in (select value from json_each(:keys))
order by d.key, m.position, m.key
"""
SELECT_ACCESS = "select memory_key, count from access where memory_key in (select value from json_each(:keys))"
INSERT_DOCUMENT = """
insert into documents (key, id, source, kind, title, project, created_at, updated_at, archived_at, meta)
values (:key, :id, :source, :kind, :title, :project, :created_at, :updated_at, :archived_at, :meta)
"""
INSERT_MEMORY = """
insert into memories (
    key, id, document_key, position, source_id, kind, text, title, speaker, category, tags, project, slot, slot_key,
    importance, confidence, happened_at, created_at, updated_at, valid_from, valid_until, expires_at, archived_at,
    compression, tokens, hash, text_hash, meta
) values (
    :key, :id, :document_key, :position, :source_id, :kind, :text, :title, :speaker, :category, :tags, :project, :slot,
    :slot_key, :importance, :confidence, :happened_at, :created_at, :updated_at, :valid_from, :valid_until, :expires_at,
    :archived_at, :compression, :tokens, :hash, :text_hash, :meta
)
"""
INSERT_ACCESS = "insert into access (memory_key, count) values (?, ?)"

SOURCE = "published:"  # replaces the path of a document
AT_ONCE = 1000  # memories
APART = 3  # positions; passages so far apart are not indexed as neighbours (`memories_indexed`)
_SAID = ("text", "title", "speaker", "category", "kind", "project", "slot", "slot_key")
_HASHED = (*_SAID, "tags", "happened_at")

Pair = tuple[dict[str, Any], dict[str, Any]]  # a memory as it is in private, and as it is published


class PublishedRows:
    """The chosen memories and their documents as they are published.

    The texts of the memories are not held: `pairs` reads and redacts them while it goes over them, once. Of each memory
    16 bytes are held.
    """

    def __init__(
        self, conn: Connection, keys: Sequence[int], ids: Ids, clean: Cleaner, keep: frozenset[str], now: str
    ) -> None:
        """`now` replaces the times when the memories were added, unless these are kept."""
        self.documents: dict[int, dict[str, Any]] = {}  # by their private keys
        self.ids, self.clean, self.keep, self.now = ids, clean, keep, now
        self.keys = array("q", sorted(keys))
        self._conn = conn
        self._slots: Counter[tuple[Any, ...]] = Counter()
        chosen = {"keys": keys_json(keys)}
        for number, row in enumerate(conn.execute(SELECT_DOCUMENTS, chosen).fetchall(), 1):
            self.documents[row["key"]] = _document(dict(row), number, ids, clean, keep)
        _tell_apart(self.documents.values(), Counter(), "source")
        self._positions = array("q", bytes(8 * len(keys)))
        for key, position in _moved_together(conn.execute(SELECT_POSITIONS, chosen)):
            self._positions[self.new(key) - 1] = position

    def __len__(self) -> int:
        """The number of memories."""
        return len(self.keys)

    def new(self, key: int) -> int:
        """The key in the public database of a memory with this key in the private one."""
        return bisect_left(self.keys, key) + 1

    def pairs(self) -> Iterator[list[Pair]]:
        """The memories in order, AT_ONCE in a list: each as it is in private, and as it is published."""
        for keys in batched(self.keys, AT_ONCE):
            found = self._conn.execute(SELECT_MEMORIES, {"keys": keys_json(keys)}).fetchall()
            yield [(dict(row), self._memory(dict(row))) for row in found]

    def _memory(self, row: dict[str, Any]) -> dict[str, Any]:
        number = self.new(row["key"])
        if row["position"] is not None:
            row["position"] = self._positions[number - 1]
        document = self.documents.get(row["document_key"])
        public = _memory(row, number, document, self.ids, self.clean, self.keep, self.now)
        if public["valid_until"] is None and public["archived_at"] is None:
            _tell_apart([public], self._slots, "slot", "project", "slot_key")
        return public


def _moved_together(placed: Iterable[Any]) -> Iterator[tuple[int, int]]:
    """A new position for each passage. Neighbours stay neighbours; the size of a gap between passages is hidden."""
    old: tuple[Any, int] = (None, 0)
    new = 0
    for key, *this in placed:
        new = new + min(this[1] - old[1], APART) if this[0] == old[0] else 0
        old = this[0], this[1]
        yield key, new


def _tell_apart(each: Iterable[dict[str, Any]], seen: Counter[tuple[Any, ...]], *names: str) -> None:
    """Numbers the last of these columns if redaction has made the values of different rows equal.

    `seen` counts the values of the rows before.
    """
    for row in each:
        said = tuple(row[name] for name in names)
        if None not in said:
            seen[said] += 1
            row[names[-1]] += f" ({seen[said]})" if seen[said] > 1 else ""


def _document(row: dict[str, Any], key: int, ids: Ids, clean: Cleaner, keep: frozenset[str]) -> dict[str, Any]:
    id = ids.new("document", row["id"])
    at = ("documents", row["id"])
    times = {name: row[name] if "times" in keep else None for name in ("created_at", "updated_at", "archived_at")}
    return {
        **times,
        "key": key,
        "id": id,
        "source": clean.text(row["source"], at[0], "source", at[1]) if "sources" in keep else f"{SOURCE}{id}",
        "kind": clean.text(row["kind"], at[0], "kind", at[1]),
        "title": clean.maybe(row["title"], at[0], "title", at[1]),
        "project": clean.text(row["project"], at[0], "project", at[1]),
        "meta": clean.json(row["meta"], at[0], "meta", at[1]) if "meta" in keep else "{}",
    }


def _memory(
    row: dict[str, Any],
    key: int,
    document: dict[str, Any] | None,
    ids: Ids,
    clean: Cleaner,
    keep: frozenset[str],
    now: str,
) -> dict[str, Any]:
    id = row["id"]
    said = {name: clean.maybe(row[name], "memories", name, id) for name in _SAID}
    public = {
        **row,
        **said,
        "key": key,
        "id": ids.new("memory", id),
        "document_key": document and document["key"],
        "source_id": clean.maybe(row["source_id"], "memories", "source_id", id) if "sources" in keep else None,
        "tags": clean.json(row["tags"], "memories", "tags", id),
        "created_at": row["created_at"] if "times" in keep else now,
        "updated_at": row["updated_at"] if "times" in keep else now,
        "valid_until": row["valid_until"],
        "expires_at": row["expires_at"] if "history" in keep else None,
        "tokens": est_tokens(said["text"] or ""),
        "text_hash": text_hash(said["text"]),
        "meta": clean.json(row["meta"], "memories", "meta", id) if "meta" in keep else "{}",
    }
    return {**public, "hash": text_hash(*(public[name] for name in _HASHED))}


def write_documents(conn: Connection, found: PublishedRows) -> None:
    """Writes the documents into a new database."""
    conn.executemany(INSERT_DOCUMENT, found.documents.values())


def write_memories(conn: Connection, some: Iterable[dict[str, Any]]) -> None:
    """Writes some memories into a new database."""
    conn.executemany(INSERT_MEMORY, some)


def write_access(source: Connection, target: Connection, found: PublishedRows) -> None:
    """Writes how often the memories were recalled, if that is kept."""
    for keys in batched(found.keys, AT_ONCE) if "access" in found.keep else ():
        counts = source.execute(SELECT_ACCESS, {"keys": keys_json(keys)})
        target.executemany(INSERT_ACCESS, [(found.new(key), count) for key, count in counts])


def _texts_of(some: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Every text in some rows."""
    return (value for row in some for value in row.values() if isinstance(value, str))


SELECT_SAID_OF = """
select distinct r.predicate as said from evidence as v join relations as r on r.key = v.relation_key
where v.memory_key in (select value from json_each(:keys))
"""


def _predicates(conn: Connection, found: PublishedRows) -> Iterator[str]:
    """The predicates of the relations that the memories state."""
    return (found.clean.name(row[0]) for row in conn.execute(SELECT_SAID_OF, {"keys": keys_json(found.keys)}))


SELECT_QUOTES = """
select distinct memory_key, quote from evidence where memory_key in (select value from json_each(:keys))
"""


def _quotes(conn: Connection, some: Sequence[Pair], clean: Cleaner) -> Iterator[str]:
    """What public texts are quoted with. A quote may end within a word, which no text has as a word then."""
    public = {private["key"]: row["text"] for private, row in some}
    for key, quote in conn.execute(SELECT_QUOTES, {"keys": keys_json(public)}):
        if (cleaned := clean.name(quote)) in public[key]:
            yield cleaned


def told(
    conn: Connection, found: PublishedRows, said: Spool, report: Callable[[dict[str, Any]], None]
) -> Iterator[list[Pair]]:
    """The pairs of all memories, once: `said` gets the texts of all rows meanwhile, and `report` each public memory."""
    for some in found.pairs():
        yield some
        public = [row for _, row in some]
        said.extend(chain(_texts_of(public), _quotes(conn, some, found.clean)))
        for row in public:
            report(row)
    said.extend(_texts_of(found.documents.values()))
    said.extend(_predicates(conn, found))


def rehearse(conn: Connection, found: PublishedRows, said: Spool, report: Callable[[dict[str, Any]], None]) -> None:
    """Goes over all rows as `build` does, but writes none."""
    for _ in told(conn, found, said, report):
        pass
