"""How memories get in: batches of drafts become rows, index and vectors, each batch in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from memkit import store, vectors
from memkit.driver import writing
from memkit.embed import Embedder
from memkit.store import dumps, keys_json
from memkit.text import est_tokens, short_id, text_hash
from memkit.types import DocumentDraft, Draft, Failure

BATCH = 1000
BATCH_CHARACTERS = 4_000_000

SELECT_KNOWN = """
select m.key, m.id, m.document_key, m.source_id, m.position, m.hash, m.archived_at,
    json_extract(m.meta, '$.archived_because') as because
from memories as m
where m.document_key in (select value from json_each(:documents))
    and (m.source_id in (select value from json_each(:source_ids)) or (m.source_id is null and :without))
order by m.document_key, m.source_id, m.position is null, m.position, m.key
"""
LAST_POSITION = "select max(position) from memories where document_key = :document_key"
SELECT_TAKEN = "select id from memories where id in (select value from json_each(:ids))"
MOVE_MEMORY = "update memories set position = :position where key = :key and position is not :position"
SELECT_UNSEEN = """
select key from memories
where document_key = :document_key and archived_at is null and key not in (select value from json_each(:seen))
"""
SELECT_VANISHED = """
select d.key from documents as d
where d.archived_at is null
    and d.key not in (select value from json_each(:seen))
    and exists (select 1 from json_each(:roots) as r where d.source = r.value or d.source glob r.value || '[/#]*')
"""
SELECT_DOCUMENT_MEMORIES = """
select key from memories
where document_key in (select value from json_each(:documents)) and archived_at is null
"""
ARCHIVE_DOCUMENTS = "update documents set archived_at = :now where key in (select value from json_each(:documents))"


@dataclass
class IngestReport:
    """What an ingest did: how many memories were added, updated, unchanged and removed, and what failed, and why."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    failures: list[Failure] = field(default_factory=list)
    dry_run: bool = False

    @property
    def failed(self) -> int:
        """How many records could not be read."""
        return len(self.failures)

    @property
    def total(self) -> int:
        """How many records there were."""
        return self.added + self.updated + self.unchanged + self.failed

    def __repr__(self) -> str:
        names = ("added", "updated", "unchanged", "removed", "failed")
        counts = ", ".join(f"{getattr(self, name)} {name}" for name in names)
        return f"<IngestReport {'(dry run) ' if self.dry_run else ''}{counts}>"

    def _repr_html_(self) -> str:
        from memkit.render import report_html

        return report_html(self)


Progress = Callable[[int], None]


def ingest(
    conn: Any,
    items: Iterable[Draft | Failure],
    embedder: Embedder | None,
    now: str,
    *,
    sync_roots: list[str] | None = None,
    progress: Progress | None = None,
) -> IngestReport:
    """Takes drafts in and says what that did; the same drafts again change nothing.

    Every batch is one transaction: stopped at any moment, what is done stays, and a second run does the rest. With
    `sync_roots` (absolute paths), documents below them that did not come by are archived.
    """
    run = _Run(conn, embedder, now)
    for batch in _batches(items):
        with writing(conn):
            run.take(batch)
        if progress:
            progress(len(batch))
    with writing(conn):
        run.finish(sync_roots)
    return run.report


def _batches(items: Iterable[Draft | Failure]) -> Iterator[list[Draft | Failure]]:
    """The items in lists of at most BATCH and about BATCH_CHARACTERS of text."""
    batch, size = [], 0
    for item in items:
        batch.append(item)
        size += len(item.text) if isinstance(item, Draft) else 0
        if len(batch) >= BATCH or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Run:
    """One ingest: which documents are open, what was seen of them, and the counts."""

    def __init__(self, conn: Any, embedder: Embedder | None, now: str):
        self.conn, self.embedder, self.now = conn, embedder, now
        self.report = IngestReport()
        self.documents: dict[str, int] = {}  # source -> key, all that came by
        self.drafts: dict[str, DocumentDraft] = {}
        self.positions: dict[int, int] = {}  # document -> next position
        self.seen: set[int] = set()  # the open whole document's memories
        self.open: DocumentDraft | None = None
        self.model_key = vectors.register(conn, embedder, now, active=True) if embedder else None

    def take(self, batch: list[Draft | Failure]) -> None:
        """Writes one batch: rows first, then the index and the vectors of all that changed."""
        self.report.failures.extend(item for item in batch if isinstance(item, Failure))
        drafts = [item for item in batch if isinstance(item, Draft)]
        with store.index_paused(self.conn):
            self.new: list[int] = []
            self.changed: set[int] = set()
            for part in _runs(drafts):
                self._take_run(part)
            self._index()

    def _take_run(self, drafts: list[Draft]) -> None:
        """Writes consecutive drafts, of one whole document or of any number of partial ones."""
        if self.open is not None and drafts[0].document.source != self.open.source:
            self._close()
        if drafts[0].document.whole:
            self.open = drafts[0].document
        plans = _Plans(self, drafts)
        for draft in drafts:
            plans.place(draft)
        plans.write()

    def document(self, draft: DocumentDraft, project: str | None) -> int:
        """The key of a document, written when it is first seen in this run or came back changed."""
        key = self.documents.get(draft.source)
        if key is None:
            key = store.upsert_document(self.conn, draft, short_id("document", draft.source), project or "global")
            self.documents[draft.source] = key
            last = None if draft.whole else self.conn.execute(LAST_POSITION, {"document_key": key}).fetchone()[0]
            self.positions[key] = 0 if last is None else last + 1
        return key

    def _index(self) -> None:
        """Full text and vectors of what this batch wrote, and of the neighbours it changed the context of."""
        touched = store.neighbourhood(self.conn, [*self.new, *self.changed])
        fresh, stale = set(self.new), touched - set(self.new)
        store.reindex_text(self.conn, fresh, fresh=True)
        store.reindex_text(self.conn, stale)
        if self.embedder and self.model_key is not None:
            vectors.write(self.conn, self.embedder, self.model_key, fresh, fresh=True)
            vectors.write(self.conn, self.embedder, self.model_key, stale)

    def _close(self) -> None:
        """A whole document has been read to its end: what it no longer has is archived."""
        if self.open is not None and (key := self.documents.get(self.open.source)) is not None:
            rows = self.conn.execute(SELECT_UNSEEN, {"document_key": key, "seen": keys_json(self.seen)}).fetchall()
            self._archive([row[0] for row in rows])
        self.open, self.seen = None, set()

    def _archive(self, keys: list[int]) -> None:
        if not keys:
            return
        around = store.neighbourhood(self.conn, keys)
        self.report.removed += len(store.archive(self.conn, keys, self.now, "vanished"))
        if self.embedder and self.model_key is not None:
            vectors.write(self.conn, self.embedder, self.model_key, around)

    def finish(self, sync_roots: list[str] | None) -> None:
        """Closes the last document and, when syncing, archives the documents that have vanished."""
        self._close()
        if sync_roots is None:
            return
        parameters = {"seen": keys_json(self.documents.values()), "roots": dumps(sync_roots)}
        documents = keys_json(row[0] for row in self.conn.execute(SELECT_VANISHED, parameters).fetchall())
        self._archive([row[0] for row in self.conn.execute(SELECT_DOCUMENT_MEMORIES, {"documents": documents})])
        self.conn.execute(ARCHIVE_DOCUMENTS, {"documents": documents, "now": self.now})


def _runs(drafts: list[Draft]) -> Iterator[list[Draft]]:
    """Consecutive drafts that can be written together: of one whole document, or all partial ones in a row."""
    start = 0
    for i in range(1, len(drafts) + 1):
        if i == len(drafts) or _run_id(drafts[i]) != _run_id(drafts[start]):
            yield drafts[start:i]
            start = i


def _run_id(draft: Draft) -> str | None:
    return draft.document.source if draft.document.whole else None


class _Plans:
    """Matches drafts with the rows that are already there, and writes what differs.

    A draft is known by its document, its `source_id` and its text; a changed text takes the place of the first row of
    the same `source_id` that no other draft matched.
    """

    def __init__(self, run: _Run, drafts: list[Draft]):
        self.run = run
        self.pending: list[tuple[Draft, dict[str, Any]]] = []
        keys = {run.document(draft.document, draft.project or draft.document.project) for draft in drafts}
        source_ids = {draft.source_id for draft in drafts}
        parameters = {
            "documents": keys_json(keys),
            "source_ids": dumps([name for name in source_ids if name is not None]),
            "without": None in source_ids,
        }
        self.known: dict[tuple[int, str | None], list[Any]] = defaultdict(list)
        for row in run.conn.execute(SELECT_KNOWN, parameters):
            if row["key"] not in run.seen:
                self.known[row["document_key"], row["source_id"]].append(row)

    def place(self, draft: Draft) -> None:
        """Queues a draft with its row's values; in a whole document its position is known already."""
        document = self.run.documents[draft.document.source]
        position = self._next_position(document) if draft.document.whole and draft.sequential else None
        self.pending.append((draft, _values(draft, document, position)))

    def _next_position(self, document: int) -> int:
        position = self.run.positions[document]
        self.run.positions[document] = position + 1
        return position

    def write(self) -> None:
        """First what is unchanged finds its row, then what changed takes a free one, then the rest is new."""
        left = [item for item in self.pending if not self._unchanged(item)]
        left = [item for item in left if not self._updated(item)]
        self._add(left)

    def _claim(self, item: tuple[Draft, dict[str, Any]], row: Any) -> None:
        self.known[row["document_key"], row["source_id"]].remove(row)
        self.run.seen.add(row["key"])

    def _unchanged(self, item: tuple[Draft, dict[str, Any]]) -> bool:
        draft, values = item
        for row in self.known[values["document_key"], draft.source_id]:
            if row["hash"] == values["hash"] and (row["archived_at"] is None or row["because"] == "forgotten"):
                self._claim(item, row)
                self.run.report.unchanged += 1
                self._move(row, values)
                return True
        return False

    def _move(self, row: Any, values: dict[str, Any]) -> None:
        """A passage that stands elsewhere in its document now."""
        if row["archived_at"] is None and values["position"] not in (None, row["position"]):
            around = store.neighbourhood(self.run.conn, [row["key"]])
            self.run.conn.execute(MOVE_MEMORY, {"key": row["key"], "position": values["position"]})
            self.run.changed |= around | {row["key"]}

    def _updated(self, item: tuple[Draft, dict[str, Any]]) -> bool:
        draft, values = item
        rows = self.known[values["document_key"], draft.source_id]
        same = [row for row in rows if row["hash"] == values["hash"]]
        free = same or ([row for row in rows if row["because"] != "forgotten"] if draft.source_id is not None else [])
        if not free:
            return False
        row = free[0]
        self._claim(item, row)
        if not draft.document.whole:
            values["position"] = row["position"]
        around = store.neighbourhood(self.run.conn, [row["key"]])
        self.run.conn.execute(store.UPDATE_MEMORY, {**values, "key": row["key"], "now": self.run.now})
        self.run.changed |= around | {row["key"]}
        self.run.report.updated += 1
        self._close_slot(values, row["key"])
        return True

    def _add(self, items: list[tuple[Draft, dict[str, Any]]]) -> None:
        key = self.run.conn.execute(store.NEXT_KEY).fetchone()[0]
        rows = []
        for (draft, values), id in zip(items, self._new_ids(items), strict=True):
            if draft.sequential and not draft.document.whole:
                values["position"] = self._next_position(values["document_key"])
            rows.append({**values, "key": key, "id": id, "now": self.run.now})
            self.run.seen.add(key)
            if draft.slot and draft.slot_key:  # one at a time: a later row of the batch may close an earlier one
                self._close_slot(values, key)
                self.run.conn.execute(store.INSERT_MEMORY, rows.pop())
            self.run.new.append(key)
            key += 1
        self.run.conn.executemany(store.INSERT_MEMORY, rows)
        self.run.report.added += len(items)

    def _new_ids(self, items: list[tuple[Draft, dict[str, Any]]]) -> list[str]:
        """An id for each: from its document and source id, or its text, so that the same input gives the same ids."""
        counts: dict[tuple[str, str | None], int] = defaultdict(int)
        names = []
        for draft, _ in items:
            what = draft.source_id if draft.source_id is not None else text_hash(draft.text)
            counts[draft.document.source, what] += 1
            names.append((draft.document.source, what, counts[draft.document.source, what]))
        taken: set[str] = set()
        ids = [short_id(source, what, str(n)) for source, what, n in names]
        stored = {row[0] for row in self.run.conn.execute(SELECT_TAKEN, {"ids": dumps(ids)})}
        for i, (source, what, n) in enumerate(names):
            while ids[i] in stored or ids[i] in taken:
                n += 1
                ids[i] = short_id(source, what, str(n))
                stored |= {row[0] for row in self.run.conn.execute(SELECT_TAKEN, {"ids": dumps([ids[i]])})}
            taken.add(ids[i])
        return ids

    def _close_slot(self, values: dict[str, Any], key: int) -> None:
        if values["slot"] and values["slot_key"] and values["valid_until"] is None:
            close_slot(self.run.conn, values, key, self.run.now)


def close_slot(conn: Any, values: dict[str, Any], key: int, now: str) -> list[int]:
    """Closes the slot's current value, for the one with this key takes its place; the keys of what was closed."""
    parameters = {name: values[name] for name in ("slot", "slot_key", "project")}
    start = values.get("valid_from") or now
    rows = conn.execute(store.CLOSE_SLOT, {**parameters, "key": key, "now": start}).fetchall()
    return [row[0] for row in rows]


def _values(draft: Draft, document_key: int | None, position: int | None) -> dict[str, Any]:
    """A draft as the row it becomes."""
    values = {
        "document_key": document_key,
        "position": position,
        "source_id": draft.source_id,
        "kind": draft.kind,
        "text": draft.text,
        "title": draft.title,
        "speaker": draft.speaker,
        "category": draft.category,
        "tags": dumps(list(draft.tags)),
        "project": draft.project or draft.document.project or "global",
        "slot": draft.slot,
        "slot_key": draft.slot_key,
        "importance": 5.0 if draft.importance is None else draft.importance,
        "confidence": 1.0 if draft.confidence is None else draft.confidence,
        "happened_at": draft.happened_at,
        "valid_from": draft.valid_from,
        "valid_until": draft.valid_until,
        "expires_at": draft.expires_at,
        "tokens": est_tokens(draft.text),
        "meta": dumps(dict(draft.meta)),
    }
    told = [str(values[name]) for name in sorted(values) if name not in ("document_key", "position", "tokens")]
    values["hash"] = text_hash(*told)
    return values


def remember(conn: Any, draft: Draft, embedder: Embedder | None, now: str) -> int:
    """The key of a memory made by hand. A value for a slot's key closes the value before it and supersedes it."""
    values = _values(draft, None, None)
    with writing(conn), store.index_paused(conn):
        key = conn.execute(store.NEXT_KEY).fetchone()[0]
        closed = close_slot(conn, values, key, now) if draft.slot and draft.slot_key else []
        id = next(
            id
            for n in range(1, 1_000_000)
            if not conn.execute(SELECT_TAKEN, {"ids": dumps([id := short_id("remember", draft.text, now, str(n))])}).fetchone()
        )
        conn.execute(store.INSERT_MEMORY, {**values, "key": key, "id": id, "now": now})
        for old in closed:
            store.link(conn, key, old, "supersedes", now, why=f"a new value for {draft.slot}.{draft.slot_key}")
        store.reindex_text(conn, [key], fresh=True)
        if embedder:
            vectors.write(conn, embedder, vectors.register(conn, embedder, now, active=True), [key], fresh=True)
    return key

