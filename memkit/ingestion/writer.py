"""Batch writer: writes drafts as rows, with full-text index and vectors, each batch in one transaction."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os.path import isabs
from typing import Any, NamedTuple

from memkit.core.batches import batched
from memkit.core.second_process import SecondProcess
from memkit.core.source_files import name_in
from memkit.core.types import (
    GLOBAL,
    WITHOUT_TEXT,
    DocumentDraft,
    Draft,
    Failure,
    LeftOut,
    ReadWarning,
    Restated,
    Unchanged,
)
from memkit.embedding import Embedder
from memkit.ingestion import edit_history, forgotten, parts, slots
from memkit.ingestion.claimed import Claimed
from memkit.ingestion.copies import Copies, Copy
from memkit.ingestion.counting_ahead import CountingAhead
from memkit.ingestion.embedding_ahead import EmbeddingAhead
from memkit.ingestion.forgotten_sources import Forgotten
from memkit.ingestion.known_clocks import EndOfFile
from memkit.ingestion.matching import PARTIAL, SHARED, WHOLE, Marks, match
from memkit.ingestion.memory_rows import Row, free_ids, join_known, row_of
from memkit.ingestion.origins import Origins
from memkit.ingestion.projects import Projects
from memkit.ingestion.renamed import Former, Renamed
from memkit.ingestion.renamed_speakers import Export, said_twice
from memkit.ingestion.report import IngestReport
from memkit.sources import MemoryRecord
from memkit.storage import store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import hold_less, writing
from memkit.storage.json_columns import json_object, or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.words import short_id, text_hash

BATCH = 1000
BATCH_CHARACTERS = 4_000_000
MOST_WAITING = 100_000  # changes that are held until the end of a run

_KNOWN = f"""
    m.key, m.document_key, m.source_id, m.hash, m.text_hash, m.position, m.meta, m.slot, m.slot_key, m.project,
    m.created_at, m.valid_until, m.archived_at, m.speaker, m.happened_at,
    json_extract({or_empty("m.meta")}, '$.archived_because') as because
"""
SELECT_OF_DOCUMENT = f"""
select {_KNOWN}
from memories as m
where m.document_key = :document
order by m.archived_at is not null, m.position is null, m.position, m.key
"""
# `+` and `indexed by` keep SQLite from reading whole documents to find a few rows.
SELECT_OF_ROWS = f"""
select * from (
    select {_KNOWN}
    from memories as m
    where m.source_id in (select value from json_each(:source_ids))
        and +m.document_key in (select value from json_each(:documents))
    union all
    select {_KNOWN}
    from memories as m indexed by memories_text
    where m.source_id is null
        and m.document_key in (select value from json_each(:documents))
        and m.text_hash in (select value from json_each(:text_hashes))
)
order by archived_at is not null, position is null, position, key
"""
SELECT_OF_SHARED = f"""
select {_KNOWN}, m.title
from memories as m
where m.source_id in (select value from json_each(:source_ids))
    and exists (
        select 1 from documents as d
        where d.key = m.document_key and :shared in (d.source, substr(d.source, 1, length(:shared)))
            and substr(d.source, length(:shared) + 1, 1) in ('', ':')
    )
order by m.archived_at is not null, m.position is null, m.position, m.key
"""
SELECT_DOCUMENT_ID = "select 1 from documents where id = :id"
SELECT_DOCUMENT = "select key, project from documents where source = :source"
SELECT_LAST_POSITIONS = """
select document_key, max(position) from memories
where document_key in (select value from json_each(:documents))
group by document_key
"""
MOVE_MEMORY = f"""
update memories set position = :position, meta = json_patch({or_empty("meta")}, :meta) where key = :key
"""
# At or below a path: the file itself, the files in the folder, and the documents in the file.
_BELOW = "(d.source = p.value or substr(d.source, 1, length(p.value) + 1) in (p.value || '/', p.value || '#'))"
SELECT_VANISHED = f"""
select d.key, d.source from documents as d
where d.archived_at is null
    and d.key not in (select value from json_each(:seen))
    and exists (select 1 from json_each(:roots) as p where {_BELOW})
    and not exists (select 1 from json_each(:failed) as p where {_BELOW})
"""
# How a message was before it was edited or deleted. One that is marked as edited may be the later of two.
SELECT_FORMER = f"""
select m.key
from json_each(:restated) as r
join documents as d on d.source = r.value ->> 'source'
join memories as m on coalesce(m.happened_at, m.created_at) = r.value ->> 'happened_at' and m.document_key = d.key
where m.speaker = r.value ->> 'speaker' and m.archived_at is null and m.source_id is not null
    and m.source_id not in (select value from json_each(r.value, '$.source_ids'))
    -- Some programs give one id to several mails: only one that has the words of the other is the same.
    and (
        d.kind <> 'mail' or exists (
            select 1 from memories as o
            join memories as n on n.document_key = o.document_key
            where o.document_key = d.key and o.source_id = m.source_id and n.archived_at is null
                and n.source_id in (select value from json_each(r.value, '$.source_ids'))
                and (instr(o.text, n.text) or instr(n.text, o.text))
        )
    )
    and (
        json_extract({or_empty("m.meta")}, '$.edited') is null
        -- Of two edited ones the later is that which comes with this run; an older export, read again, brings none.
        or m.created_at < :now and exists (
            select 1 from memories as n
            where n.document_key = d.key and n.speaker = m.speaker and n.happened_at = m.happened_at
                and n.created_at = :now and n.archived_at is null and json_extract({or_empty("n.meta")}, '$.edited')
        )
    )
"""
SELECT_DOCUMENT_MEMORIES = """
select key from memories
where document_key in (select value from json_each(:documents)) and archived_at is null
"""
UPDATE_HASH = "update documents set hash = :hash where key = :document and hash is not :hash"
MOVE_DOCUMENT = "update documents set source = :source, archived_at = null where key = :document"
ARCHIVE_DOCUMENTS = "update documents set archived_at = :now where key in (select value from json_each(:documents))"

# Reasons of archiving: what vanished is restored when its source has it again, what was revised is not.
VANISHED = "vanished"
REVISED = "revised"


Progress = Callable[[int], None]


def ingest(
    conn: Connection,
    items: Iterable[MemoryRecord | EndOfFile],
    embedder: Embedder | None,
    now: str,
    *,
    roots: Sequence[str] = (),
    sync: bool = False,
    named: Mapping[str, str] | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    other: SecondProcess | None = None,
    counting: CountingAhead | None = None,
) -> IngestReport:
    """Writes drafts as memories, and returns a report; the same drafts again change nothing.

    Each batch is one transaction: after an interruption, a second run does the rest. `roots` are the absolute paths
    that the drafts are from: a note there that was renamed stays the same document (`renamed.py`), and with `sync`,
    documents there that are not among the drafts are archived. `named` are projects of paths, which also apply to later
    files there (`projects.py`). `dry_run` only counts. The `other` process makes vectors of a large run, and counts its
    words (`counting`).
    """
    alone = SecondProcess()
    ahead, counting = EmbeddingAhead(conn, embedder, other or alone, now), counting or CountingAhead(alone)
    run = _Run(conn, ahead, counting, now, dry_run, Projects(conn, named or {}), Renamed(conn, roots), Copies(conn))
    for batch in batches(items):
        run.take(batch)
        if run.characters >= parts.MANY_CHARACTERS and not dry_run:
            hold_less(conn)
            if other:
                other.start()
        if progress:
            progress(len(batch))
    if run.waiting:
        run.settle()
    if run.unsaid:
        run.end_parts()
    if run.restated:
        run.revise()
    if run.grown and not dry_run:
        run.rename_speakers()
    if sync:
        run.sync(roots)
    if ahead.waits:
        with writing(conn):
            ahead.settle()
    run.report.left_out += run.forgotten.left_out()
    return run.report


def batches(items: Iterable[MemoryRecord | EndOfFile], most: int | None = None) -> Iterator[list[MemoryRecord]]:
    """The items in lists of about `most` (or BATCH) of them, or BATCH_CHARACTERS of text, each with whole documents.

    A list ends with an EndOfFile.
    """
    most = most or BATCH
    batch: list[MemoryRecord] = []
    size, last = 0, None
    for item in items:
        if isinstance(item, EndOfFile):
            yield batch
            batch, size, last = [], 0, None
            continue
        if isinstance(item, Draft):
            document = _run_id(item)
            if (len(batch) >= most or size >= BATCH_CHARACTERS) and (document is None or document != last):
                yield batch
                batch, size = [], 0
            size += len(item.text)
            last = document
        batch.append(item)
    if batch:
        yield batch


def _groups(drafts: list[Draft]) -> Iterator[list[Draft]]:
    """Consecutive drafts that are written together: those of one whole document, or a run of partial ones.

    A document of two files, such as overlapping exports of a chat, is in two groups: each of them is compared with what
    the ones before it have left.
    """
    start = 0
    files: dict[str, str | None] = {}
    for i, draft in enumerate(drafts):
        file = draft.document.file
        twice = files.setdefault(draft.document.source, file) != file and not draft.document.shared
        if twice or _group_id(draft) != _group_id(drafts[start]):
            yield drafts[start:i]
            start, files = i, {draft.document.source: file}
    if drafts:
        yield drafts[start:]


def _run_id(draft: Draft) -> str | None:
    return draft.document.source if draft.document.whole else None


def _group_id(draft: Draft) -> tuple[str | None, str | None]:
    return _run_id(draft), draft.document.shared


class _Document(NamedTuple):
    """A document of this run: its key (None for a new one in a dry run), and the default project of its memories.

    `is_new` is whether it began with this run, and `file` the first of its files.
    """

    key: int | None
    project: str
    is_new: bool = False
    file: str | None = None


class _Record(NamedTuple):
    """A record that was read: its document, its row, and the memory that it matches (None for a new one).

    It `is_earlier` if the memory has it as it was edited later. What changes in one that `waits` is written at the end.
    """

    draft: Draft
    document: _Document
    row: Row
    old: Any
    is_earlier: bool
    waits: bool


class _Run:
    """One ingest: its documents, the memories to be indexed, and the report."""

    def __init__(
        self,
        conn: Connection,
        ahead: EmbeddingAhead,
        counting: CountingAhead,
        now: str,
        dry_run: bool,
        projects: Projects,
        renamed: Renamed,
        copies: Copies,
    ):
        self.conn, self.ahead, self.counting = conn, ahead, counting
        self.now, self.dry_run = now, dry_run
        self.projects, self.renamed, self.copies = projects, renamed, copies
        self.forgotten, self.origins = Forgotten(conn), Origins(conn)
        self.report = IngestReport(dry_run=dry_run)
        self.characters = 0  # of the texts that were read
        self.passed_over: set[str] = set()  # files that are as they were when they were last read
        self.troubled: set[str] = set()  # sources of which something could not be read
        self.documents: dict[str, _Document] = {}  # by source: all documents of this run
        self.exported: dict[str, DocumentDraft] = {}  # by source: as an export of this run told of each last
        self.restated: dict[tuple[str, str, str], Restated] = {}  # the last one of each moment
        self.added_to: set[str] = set()  # sources that were known before this run, and say more now
        self.spoken: dict[int, dict[str | None, Export]] = defaultdict(dict)  # of chats, by key and file
        self.grown: set[int] = set()  # of these chats, those with new messages
        # Memories of partial documents that a record of this run has matched, and the file of the first that did.
        self.claimed = Claimed()
        # Parts of rows that were longer, by key, unless a later batch or file of this run says them.
        self.unsaid: set[int] = set()
        # Changes of records that a later file of this run may have as they are known: the last file decides.
        self.waiting: dict[int, tuple[Row, Any]] = {}
        self.fresh: list[int] = []  # new, to be indexed
        self.edited: set[int] = set()  # changed, to be indexed again
        self.stale: set[int] = set()  # changed, or with changed neighbours, to get another vector
        self.changed: set[int] = set()  # new or changed, in the group that is being written
        self.reworded: set[int] = set()  # of these, what a file says in other words now

    @contextmanager
    def _batch(self) -> Iterator[None]:
        """A transaction that ends with the index and the vectors of all changed memories; none for a dry run."""
        if self.dry_run:
            yield
            return
        with writing(self.conn), store.index_paused(self.conn):
            yield
            self._index()

    def take(self, batch: list[MemoryRecord]) -> None:
        """Writes one batch."""
        batch = [item for item in batch if not self._is_forgotten(item)]
        failures = [item for item in batch if isinstance(item, Failure)]
        warnings = [item for item in batch if isinstance(item, ReadWarning)]
        self.report.failures += failures
        self.report.warnings += warnings
        self.report.left_out += (item for item in batch if isinstance(item, LeftOut))
        self.passed_over.update(item.source for item in batch if isinstance(item, Unchanged))
        self.report.passed_over = len(self.passed_over)
        self.troubled.update(one.source for one in (*failures, *warnings))
        with self._batch():
            for drafts in _groups([item for item in batch if isinstance(item, Draft)]):
                self.characters += sum(len(draft.text) for draft in drafts)
                self._take(drafts, drafts[0].document.whole, drafts[0].document.shared)
            for document in (item for item in batch if isinstance(item, DocumentDraft)):
                self._empty(document)
            for item in (item for item in batch if isinstance(item, Restated)):
                # Every mail is told so, and most are as they were.
                if item.document.kind != "mail" or item.document.source in self.added_to:
                    self.restated[item.document.source, item.speaker, item.happened_at] = item
            if not self.dry_run:
                self.projects.keep(self.conn)

    def _is_forgotten(self, item: MemoryRecord) -> bool:
        document = item if isinstance(item, DocumentDraft) else getattr(item, "document", None)
        return document is not None and self.forgotten.leaves_out(document)

    def _take(self, drafts: list[Draft], whole: bool, shared: str | None) -> None:
        """Writes one whole document, or rows of any number of partial ones. Each record matches a row, or is new."""
        drafts = self._without_copies(drafts) if shared else drafts
        former = self._follow(drafts) if whole else None
        if isinstance(former, Copy):
            self._pass_over(former, drafts[0].document, len(drafts))
            return
        if not whole and not shared and not (drafts := self._with_followed_rows(drafts)):
            return
        documents = [self._document(draft.document) for draft in drafts]
        rows = [row_of(draft, document.key) for draft, document in zip(drafts, documents, strict=True)]
        files = {row["document_key"]: draft.document.file for draft, row in zip(drafts, rows, strict=True)}
        known = self._known_anywhere(rows, shared) if shared else self._known(rows, whole, files)
        about, first = drafts[0].document, documents[0]
        if forgotten.any_forgotten(known):
            drafts, documents, rows = self._without_forgotten(drafts, documents, rows, known, whole)
        rules = SHARED if shared else WHOLE if whole else PARTIAL
        marks = [_marks(old, settled=old["key"] in self.claimed) for old in known]
        if former and drafts:
            marks = [replace(one, source_id=_moved(one.source_id, former.source, drafts[0])) for one in marks]
        places = match([_marks(row) for row in rows], marks, rules)
        olds = [None if place is None else known[place] for place in places]
        if shared:
            join_known(rows, olds)
        apart = not whole and not shared
        if apart:
            self._listen(drafts, documents, rows)
        earlier = self._earlier(rows, known) if apart else set()
        records = []
        for draft, document, row, old in zip(drafts, documents, rows, olds, strict=True):
            is_earlier = bool(earlier) and _message(row) in earlier
            waits = is_earlier or (apart and self._waits(draft, row, old))
            records.append(_Record(draft, document, row, old, is_earlier, waits))
        new = self._write(records, whole)
        if about.kind != "note":  # lines of notes may be boilerplate, which is known when all are read
            self.counting.follow(new)
        matched = set(places)
        gone = [old for i, old in enumerate(known) if i not in matched and not old["archived_at"]]
        if whole:
            self._archive([old["key"] for old in gone])
            self.stale |= self.changed | _with_other_neighbours(known, rows, self.changed)
            self._seal(first, rows)
            self.copies.written(first.key, about, first.project)
        else:
            if apart:
                self.unsaid.update(self._unsaid(rows, [old for old in gone if _message(old) not in earlier]))
            self._claim(rows, files)
            self.stale |= store.neighbourhood(self.conn, self.changed)
        self._note_origins(rows)
        self.edited |= self.changed
        self.changed = set()

    def _write(self, records: list[_Record], whole: bool) -> list[Row]:
        """Writes what the records change, or lets it wait for the end of the run; returns the rows that are new."""
        rows = [one.row for one in records]
        self._keep_former(rows, [None if one.waits else one.old for one in records])
        positions = self._positions(rows, whole)
        new: list[Row] = []
        for draft, document, row, old, is_earlier, waits in records:
            if is_earlier:
                self.report.unchanged += 1
                continue
            row["project"] = row["project"] or (document.project if old is None else old["project"])
            if draft.sequential and (whole or old is None or old["position"] is None):
                row["position"] = positions[row["document_key"]]
                positions[row["document_key"]] += 1
            elif old is not None:
                row["position"] = old["position"]
            if old is None:
                new.append(row)
                if not document.is_new:
                    self.added_to.add(draft.document.source)
                continue
            self.report.unchanged += self.waiting.pop(old["key"], None) is not None
            if waits:
                row["key"] = old["key"]
                self.waiting[old["key"]] = (row, old)
            else:
                self._keep(row, old)
        self._add(new)
        self.grown.update(row["document_key"] for row in new if row["document_key"] in self.spoken)
        return new

    def _claim(self, rows: list[Row], files: Mapping[int | None, str | None]) -> None:
        """Notes which memories these records have matched, so that no other record of their file does."""
        for row in rows:
            if "key" in row:
                self.claimed.add(row["key"], files.get(row["document_key"]))
                self.unsaid.discard(row["key"])

    def _note_origins(self, rows: list[Row]) -> None:
        """Notes which of these memories each file says, and of those with other words that others say them no more."""
        if self.dry_run:
            return
        said: dict[str, list[int]] = defaultdict(list)
        for row in rows:
            if row["file"] and "key" in row:
                said[row["file"]].append(row["key"])
        if self.reworded:
            self.origins.rewritten(self.reworded)
            self.reworded = set()
        for file, keys in said.items():
            self.origins.note(file, keys)

    def _without_forgotten(
        self, drafts: list[Draft], documents: list[_Document], rows: list[Row], known: list[Any], whole: bool
    ) -> tuple[list[Draft], list[_Document], list[Row]]:
        """The same without what was forgotten, where its text was edited or stands beside a new one."""
        left = forgotten.texts_left(self.conn, rows, known, whole)
        self.report.unchanged += left.count(None)
        kept = [
            (draft if text == draft.text else replace(draft, text=text), document)
            for draft, document, text in zip(drafts, documents, left, strict=True)
            if text is not None
        ]
        rows = [row_of(draft, document.key) for draft, document in kept]
        return [draft for draft, _ in kept], [document for _, document in kept], rows

    def _listen(self, drafts: list[Draft], documents: list[_Document], rows: list[Row]) -> None:
        """Notes who speaks in each export of a chat that is known from another one."""
        for draft, document, row in zip(drafts, documents, rows, strict=True):
            again = not document.is_new or draft.document.file != document.file
            if again and draft.kind == "turn" and document.key and row["speaker"] and row["happened_at"]:
                exports = self.spoken[document.key]
                exports.setdefault(draft.document.file, Export()).add(row["speaker"], row["happened_at"])

    def _waits(self, draft: Draft, row: Row, old: Any) -> bool:
        """Whether a change is written at the end of the run only.

        Several files may have a record otherwise, such as a mail and its copy from a list. If each wrote its own, every
        further ingest would change it there and back.
        """
        return (
            old is not None
            and draft.document.file is not None
            and row["hash"] != old["hash"]
            and not old["archived_at"]
            and not row["slot"]
            and len(self.waiting) < MOST_WAITING
        )

    def _earlier(self, rows: list[Row], known: list[Any]) -> set[Any]:
        """The messages that are known as they were edited later: an older export may be read after a newer one."""
        current = [self.waiting.get(old["key"], (old, old))[0] for old in known if not old["archived_at"]]
        edited: dict[Any, str] = {}
        for one in current:
            if at := _edited_at(one):
                edited[_message(one)] = max(at, edited.get(_message(one), ""))
        told = {_message(row): _edited_at(row) for row in rows if row["kind"] == "turn"} if edited else {}
        return {message for message, at in told.items() if at < edited.get(message, "")}

    def _unsaid(self, rows: list[Row], gone: list[Any]) -> Iterator[int]:
        """The parts that these rows no longer have. What another file says stays, unless it was edited since."""
        edited = {_message(row): at for row in rows if (at := _edited_at(row))}
        for old in gone:
            since = _edited_at(old) < edited.get(_message(old), "")
            if _is_part(old) and (since or old["key"] not in self.claimed):
                yield old["key"]

    def settle(self) -> None:
        """Writes the changes that no later file of this run has made needless."""
        rows, olds = [row for row, _ in self.waiting.values()], [old for _, old in self.waiting.values()]
        self.waiting = {}
        with self._batch():
            self._keep_former(rows, olds)
            for row, old in zip(rows, olds, strict=True):
                self._keep(row, old)
            self._note_origins(rows)
            self.stale |= store.neighbourhood(self.conn, self.changed)
            self.edited |= self.changed
            self.changed = set()

    def end_parts(self) -> None:
        """Archives the parts of rows and messages that have become shorter."""
        with self._batch():
            self._archive(sorted(self.unsaid))

    def _follow(self, drafts: list[Draft]) -> Former | Copy | None:
        """The document that a new one was before its file was renamed, or in an earlier zip; it is that of the new file
        now. A Copy of what is known, which has nothing to add, as it is or in a later version.
        """
        source = drafts[0].document.source
        if later := self.copies.later(drafts[0].document, [draft.text for draft in drafts]):
            self.documents[source] = _Document(later.known.key, later.known.project)
            return later
        if rival := self._rival(drafts[0].document, [draft.text for draft in drafts]):
            return rival
        if not self._is_new(source):
            return None
        former = self.renamed.former(drafts)
        if former and self.forgotten.above(former.source):
            return self._stay_forgotten(former, source)
        copy = None if former else self.copies.of(drafts)
        if copy and (copy.same or not copy.later):
            return copy
        former = copy.known if copy else former
        if former:
            self._move(former, source)
        return former

    def _with_followed_rows(self, drafts: list[Draft]) -> list[Draft]:
        """These rows, but for those of a forgotten file; the documents of files that were renamed follow them."""
        rows: dict[str, list[Draft]] = {}
        for draft in drafts:
            rows.setdefault(draft.document.source, []).append(draft)
        for source, some in rows.items():
            former = self.renamed.former(some) if isabs(source) and self._is_new(source) else None
            if former and self.forgotten.above(former.source):
                self._pass_over(self._stay_forgotten(former, source), some[0].document, len(some))
            elif former:
                self._move(former, source)
        gone = self.forgotten.left
        return [draft for draft in drafts if draft.document.source not in gone]

    def _is_new(self, source: str) -> bool:
        known = source in self.documents or self.conn.execute(SELECT_DOCUMENT, {"source": source}).fetchone()
        return not known

    def _move(self, former: Former, source: str) -> None:
        """Lets a document be that of another file now."""
        if self.dry_run:
            self.documents[source] = _Document(former.key, former.project)
        else:
            self.conn.execute(MOVE_DOCUMENT, {"document": former.key, "source": source})
            self.origins.renamed(former.source)

    def _stay_forgotten(self, former: Former, source: str) -> Copy:
        """Lets a forgotten note that is called otherwise now be forgotten under its new name, too."""
        if not self.dry_run:
            run = self.forgotten.runs.get(self.forgotten.above(former.source) or "", "")
            self.conn.execute(MOVE_DOCUMENT, {"document": former.key, "source": source})
            self.forgotten.add([source], run)
        return Copy(former, same=True, later=False)

    def _rival(self, document: DocumentDraft, texts: Sequence[str]) -> Copy | None:
        """The document as another export of this run has it, if neither is later: the first of them counts.

        If each wrote its own, both would be changes at every ingest. A later one is written, with its time.
        """
        if not document.whole or document.file is None or document.source.startswith(document.file):
            return None
        before, known = self.exported.get(document.source), self.documents.get(document.source)
        another = before is not None and before.file != document.file
        of_that_time = before is not None and document.updated_at and document.updated_at == before.updated_at
        if another and of_that_time and known and known.key is not None:
            return self.copies.rival(known.key, document, known.project, texts)
        self.exported[document.source] = document
        self.documents.pop(document.source, None)  # so that its time and title are written, too
        return None

    def _pass_over(self, copy: Copy, document: DocumentDraft, count: int) -> None:
        """Counts a note that another zip has as it is here; one that is otherwise there, and later, is left out."""
        if self.forgotten.above(copy.known.source):
            self.forgotten.left[document.source] = copy.known.source
        elif copy.same:
            self.report.unchanged += count
            self._note_copy(copy.known.key, document)
        else:
            within = "known" if copy.known.source == document.source else f"in {copy.known.source}"
            which = "another version, of the same time, of" if copy.rival else "an earlier version of"
            why = f"{which} what is {within}"
            self.report.left_out.append(LeftOut(document.source, why))

    def _note_copy(self, known: int, document: DocumentDraft) -> None:
        """Notes that another file says what is known of this document."""
        if not self.dry_run:
            rows = self.conn.execute(SELECT_DOCUMENT_MEMORIES, {"documents": keys_json([known])})
            self.origins.note(document.file or document.source, [row[0] for row in rows])

    def _document(self, draft: DocumentDraft) -> _Document:
        """The document of a draft, written when it is first seen in this run."""
        found = self.documents.get(draft.source)
        if found is None:
            key, known = self.conn.execute(SELECT_DOCUMENT, {"source": draft.source}).fetchone() or (None, None)
            project, is_new = self.projects.of(draft, known), key is None
            if not self.dry_run:
                key = store.upsert_document(self.conn, draft, self._document_id(draft.source, key is None), project)
            found = self.documents[draft.source] = _Document(key, project, is_new, draft.file)
        return found

    def _document_id(self, source: str, new: bool) -> str:
        """The id of a document; another one for a new document if a row from elsewhere has it already."""
        id = short_id("document", source)
        while new and self.conn.execute(SELECT_DOCUMENT_ID, {"id": id}).fetchone():
            id = short_id("document", source, id)
        return id

    def _known(self, rows: list[Row], whole: bool, files: Mapping[int | None, str | None]) -> list[Any]:
        """The existing memories that these records may match: equal records of one file are several memories."""
        if whole:
            return self.conn.execute(SELECT_OF_DOCUMENT, {"document": rows[0]["document_key"]}).fetchall()
        parameters = {
            "documents": dumps(list({row["document_key"] for row in rows})),
            "source_ids": dumps(list({row["source_id"] for row in rows} - {None})),
            "text_hashes": dumps([row["text_hash"] for row in rows if row["source_id"] is None]),
        }
        return [
            old
            for old in self.conn.execute(SELECT_OF_ROWS, parameters)
            if (key := old["key"]) not in self.claimed
            or ((by := self.claimed.file_of(key)) and by != files[old["document_key"]])
        ]

    def _known_anywhere(self, rows: list[Row], shared: str) -> list[Any]:
        """The existing memories with the ids of these records, in all documents that share them."""
        ids = dumps(list({row["source_id"] for row in rows} - {None}))
        return self.conn.execute(SELECT_OF_SHARED, {"source_ids": ids, "shared": shared}).fetchall()

    def _without_copies(self, drafts: list[Draft]) -> list[Draft]:
        """Each record once, also if several of the files of this run have it."""
        parts = [(draft.source_id or id(draft), draft.text, draft.meta.get("part")) for draft in drafts]
        kept = list(dict(zip(reversed(parts), reversed(drafts), strict=True)).values())[::-1]
        self.report.unchanged += len(drafts) - len(kept)
        return kept

    def _positions(self, rows: list[Row], whole: bool) -> dict[int | None, int]:
        """The next free position of each document; 0 for a whole document."""
        return defaultdict(int) if whole else _free_positions(self.conn, {row["document_key"] for row in rows})

    def _keep_former(self, rows: list[Row], olds: list[Any]) -> None:
        """Stores the history of edited memories, before they are changed."""
        if not self.dry_run:
            pairs = zip(rows, olds, strict=True)
            edit_history.record_edits(
                self.conn, {old["key"]: row["text"] for row, old in pairs if old and row["hash"] != old["hash"]}
            )

    def _keep(self, row: Row, old: Any) -> None:
        """Writes the differences between a record and its memory."""
        row["key"] = old["key"]
        gone = old["because"] == VANISHED
        if old["archived_at"] and not gone:  # forgotten, or archived by upkeep: it stays archived
            row["position"] = None
            self.report.unchanged += 1
        elif gone or (row["hash"], row["project"]) != (old["hash"], old["project"]):
            self.report.updated += 1
            self._update(row, old)
        else:
            self.report.unchanged += 1
            if (row["position"], row["meta"]) != (old["position"], old["meta"]) and not self.dry_run:
                self.conn.execute(MOVE_MEMORY, {name: row[name] for name in ("key", "position", "meta")})

    def _update(self, row: Row, old: Any) -> None:
        if self.dry_run:
            return
        if all(row[name] == old[name] for name in ("slot", "slot_key", "project")) and row["slot_key"]:
            row["valid_until"] = row["valid_until"] or old["valid_until"]  # a superseded value stays history
        superseded = slots.make_room(self.conn, row, self.now, told=old["created_at"])
        self.conn.execute(store.UPDATE_MEMORY, {**row, "now": self.now})
        slots.link(self.conn, row, superseded, self.now)
        self.changed.add(row["key"])
        if row["file"] and row["text_hash"] != old["text_hash"]:
            self.reworded.add(row["key"])

    def _add(self, rows: list[Row]) -> None:
        self.report.added += len(rows)
        if self.dry_run or not rows:
            return
        key = self.conn.execute(store.NEXT_KEY).fetchone()[0]
        plain = []
        for row, id in zip(rows, self._new_ids(rows), strict=True):
            row |= {"key": key, "id": id, "now": self.now}
            key += 1
            if row["slot"] and row["slot_key"]:  # one at a time: a later row of the batch may end an earlier one
                insert(self.conn, row, self.now)
            else:
                plain.append(row)
        self.conn.executemany(store.INSERT_MEMORY, plain)
        self.fresh += [row["key"] for row in rows]
        self.changed.update(self.fresh)

    def _new_ids(self, rows: list[Row]) -> list[str]:
        """An id for each row, made of its document and its source id or text: the same input gives the same ids."""
        counts: Counter[tuple[str, str]] = Counter()
        names = []
        for row in rows:
            name = row["source"], row["source_id"] or row["text_hash"]
            counts[name] += 1
            names.append((*name, counts[name]))
        return free_ids(self.conn, names)

    def _archive(self, keys: list[int], reason: str = VANISHED) -> None:
        """Archives memories that their source no longer has, or has in other words."""
        self.report.removed += len(keys)
        if keys and not self.dry_run:
            self.stale |= store.neighbourhood(self.conn, keys)  # their neighbours are found by their words no longer
            self.conn.execute(store.ARCHIVE, {"keys": keys_json(keys), "now": self.now, "reason": reason})
            self.stale.update(keys)
            self.edited.update(keys)

    def _empty(self, draft: DocumentDraft) -> None:
        """Archives the memories of a document that has no text any more, unless something in it could not be read."""
        if later := self.copies.later(draft, []):
            self._pass_over(later, draft, 0)
            return
        if draft.source not in self.troubled:
            self.report.left_out.append(LeftOut(draft.source, WITHOUT_TEXT))
        known = self.conn.execute(SELECT_DOCUMENT, {"source": draft.source}).fetchone()
        if known is None or draft.source in self.troubled:
            return
        document = self._document(draft)
        parameters = {"documents": keys_json([known["key"]])}
        self._archive([row[0] for row in self.conn.execute(SELECT_DOCUMENT_MEMORIES, parameters)])
        self._seal(document, [])

    def _seal(self, document: _Document, rows: list[Row]) -> None:
        """Writes the content hash of a whole document."""
        if not self.dry_run:
            hash = text_hash(*(row["hash"] for row in rows))
            self.conn.execute(UPDATE_HASH, {"document": document.key, "hash": hash})

    def _index(self) -> None:
        """Writes the full-text rows and vectors of this batch, and vectors of those whose neighbours it changed."""
        self.origins.write()
        for keys, new in ((self.fresh, True), (sorted(self.edited.difference(self.fresh)), False)):
            for some in batched(keys, BATCH):
                store.reindex_text(self.conn, some, fresh=new)
        self.ahead.settle()
        for keys, new in ((self.fresh, True), (sorted(self.stale.difference(self.fresh)), False)):
            for some in batched(keys, BATCH):
                self.ahead.follow(some, fresh=new)
        self.fresh, self.edited, self.stale = [], set(), set()

    def revise(self) -> None:
        """Archives what edited and deleted messages said before, whichever of their exports was read first."""
        told = [
            {"source": source, "speaker": speaker, "happened_at": at, "source_ids": one.source_ids}
            for (source, speaker, at), one in self.restated.items()
        ]
        with self._batch():
            former = self.conn.execute(SELECT_FORMER, {"restated": dumps(told), "now": self.now})
            self._archive([row[0] for row in former], REVISED)

    def rename_speakers(self) -> None:
        """Archives what stands under the former name of a speaker, too, as the latest export of each chat tells it."""
        latest = {key: max(self.spoken[key].values(), key=lambda one: one.last) for key in sorted(self.grown)}
        with self._batch():
            twice = [key for document, one in latest.items() for key in said_twice(self.conn, document, one, self.now)]
            self._archive(twice, REVISED)

    def sync(self, roots: Sequence[str]) -> None:
        """Archives the documents below these paths that were not in this run, unless they could not be read."""
        unread = [one.source for one in self.report.left_out if one.needs]
        parameters = {
            "seen": dumps([document.key for document in self.documents.values() if document.key is not None]),
            "roots": dumps([root.rstrip("/") for root in roots]),
            "failed": dumps([*self.troubled, *unread, *self.forgotten.left]),
        }
        with self._batch():
            vanished = self.conn.execute(SELECT_VANISHED, parameters).fetchall()
            documents = keys_json(key for key, source in vanished if not self._was_passed_over(source))
            self._archive([row[0] for row in self.conn.execute(SELECT_DOCUMENT_MEMORIES, {"documents": documents})])
            if not self.dry_run:
                self.conn.execute(ARCHIVE_DOCUMENTS, {"documents": documents, "now": self.now})

    def _was_passed_over(self, source: str) -> bool:
        """Whether a document is a file that was not read again, or in one.

        It is called `<path>#<session>` then (a path may have a #), or in a zip `<path>/<path in it>`.
        """
        parts = re.split("([#/])", source)
        return any("".join(parts[:n]) in self.passed_over for n in range(1, len(parts) + 1, 2))


def _with_other_neighbours(known: Iterable[Any], rows: Iterable[Row], changed: set[int]) -> set[int]:
    """The memories of a whole document whose neighbours are others than before, or have changed."""
    before = _neighbours({old["position"]: old["key"] for old in known if not old["archived_at"]})
    after = _neighbours({row["position"]: row["key"] for row in rows if "key" in row})
    return {key for key, near in after.items() if near != before.get(key) or not changed.isdisjoint(near)}


def _neighbours(order: Mapping[int | None, int]) -> dict[int, list[int]]:
    """For each memory, the keys of two neighbours before and two after it; `order` has keys by position."""
    return {
        key: [order[near] for step in (-2, -1, 1, 2) if (near := position + step) in order]
        for position, key in order.items()
        if position is not None
    }


def _moved(source_id: str | None, before: str, draft: Draft) -> str | None:
    """The id of a passage as it is now that its file has the name that a draft of it has."""
    name, now = name_in(before, source_id or ""), name_in(draft.document.source, draft.source_id or "")
    return f"{now}{source_id[len(name) :]}" if source_id and name and now else source_id


def _free_positions(conn: Connection, documents: set[int | None]) -> dict[int | None, int]:
    """The position after the last one of each of these documents (keys); 0 in any other."""
    positions: dict[int | None, int] = defaultdict(int)
    for document, last in conn.execute(SELECT_LAST_POSITIONS, {"documents": dumps(list(documents))}):
        positions[document] = 0 if last is None else last + 1
    return positions


def _marks(row: Any, *, settled: bool = False) -> Marks:
    """The marks of a record or a memory; the text of a memory that is archived or `settled` is not to be changed."""
    archived = row["archived_at"] is not None
    moment = (row["speaker"], row["happened_at"])
    # Of several parts it is only known which they are now where they were not edited before, and are now.
    is_sure = not _is_part(row) or bool(_edited_at(row)) is not settled
    said = moment if is_sure and not archived and None not in moment else None
    return Marks(row["document_key"], row["source_id"], row["hash"], row["text_hash"], settled or archived, said)


def _message(row: Any) -> tuple[Any, ...]:
    """What all parts of a message have in common."""
    return row["document_key"], row["source_id"], row["speaker"], row["happened_at"]


def _is_part(row: Any) -> bool:
    return '"parts"' in row["meta"] and "parts" in json_object(row["meta"])


def _edited_at(row: Any) -> str:
    """When a message was edited last: empty if it was not, and before all times if nobody knows when."""
    at = json_object(row["meta"]).get("edited") if '"edited"' in row["meta"] else None
    return at if isinstance(at, str) else "-" if at is True else ""


def insert(conn: Connection, row: Row, now: str) -> None:
    """Writes a new memory; a value of a slot's key ends the value before it."""
    superseded = slots.make_room(conn, row, now, told=now)
    conn.execute(store.INSERT_MEMORY, {**row, "now": now})
    slots.link(conn, row, superseded, now)


def remember(conn: Connection, draft: Draft, embedder: Embedder | None, now: str) -> int:
    """Writes a memory made by hand, and returns its key. A value of a slot's key ends and supersedes the one before.

    A sequential one goes to the end of its document, as a neighbour of what stands there; others have no document.
    """
    with writing(conn), store.index_paused(conn):
        row = row_of(draft, _document_key(conn, draft) if draft.sequential else None)
        if draft.sequential:
            row["position"] = _free_positions(conn, {row["document_key"]})[row["document_key"]]
        row["project"] = row["project"] or GLOBAL
        key: int = conn.execute(store.NEXT_KEY).fetchone()[0]
        row["key"] = key
        (row["id"],) = free_ids(conn, [("remember", draft.text + now, 1)])
        insert(conn, row, now)
        store.reindex_text(conn, [key], fresh=True)
        vectors.follow(conn, embedder, [key], now, fresh=True)
        if around := store.neighbourhood(conn, [key]) - {key}:
            vectors.follow(conn, embedder, around, now)
    return key


def _document_key(conn: Connection, draft: Draft) -> int:
    """The key of a draft's document, which is written if it is new."""
    id = short_id("document", draft.document.source)
    return store.upsert_document(conn, draft.document, id, draft.project or draft.document.project or GLOBAL)
