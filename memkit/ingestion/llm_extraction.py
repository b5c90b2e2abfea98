"""Extraction with a language model: asks it about memories, and stores the answers and the failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.batches import batched
from memkit.core.formatting import counted
from memkit.core.frames import OneRow
from memkit.core.progress import phase
from memkit.core.types import DocumentDraft, Draft, Memory
from memkit.graph import entities, relations
from memkit.graph.me import me
from memkit.graph.name_similarity import KnownNames
from memkit.graph.relations import Statement
from memkit.ingestion import own_slots
from memkit.ingestion.entity_linking import connect
from memkit.ingestion.own_voice import whose
from memkit.ingestion.relation_extraction import IS_REPLACED, kind_of, mention_evident
from memkit.ingestion.writer import ingest
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.store import keys_json
from memkit.text.extract.llm_answer import Extraction
from memkit.text.words import normal_name

if TYPE_CHECKING:
    from memkit.embedding import Embedder

AT_ONCE = 500  # memories read from the database at a time
EXTRACTED = "extracted"  # the kind of the document that holds a model's sentences about a memory

SELECT_PENDING = f"""
select m.key from memories as m left join documents as d on d.key = m.document_key
where m.archived_at is null and coalesce(d.kind, '') <> 'extracted' and not ({IS_REPLACED}) and not exists (
    select 1 from extractions as x
    where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash and (x.error is null or not :retry)
)
order by m.key
limit :limit
"""
SELECT_HASHES = "select key, hash from memories where key in (select value from json_each(:keys))"
SELECT_MADE = """
select m.key from memories as m join documents as d on d.key = m.document_key
where d.source = :source and m.archived_at is null
"""


@dataclass
class ExtractReport(OneRow):
    """The result of an extraction: counts of memories, and of the entities, relations and texts that were stored.

    `dropped` counts entries without a valid quote, `failed` memories without an answer, `errors` the reasons. After a
    dry run, `calls` and `tokens` are estimates.
    """

    memories: int = 0
    entities: int = 0
    relations: int = 0
    texts: int = 0
    dropped: int = 0
    failed: int = 0
    errors: tuple[str, ...] = ()
    calls: int = 0
    tokens: int = 0
    dry_run: bool = False

    def __repr__(self) -> str:
        if self.dry_run:
            told = f"{counted(self.memories, 'memories')}, {counted(self.calls, 'calls')}"
            return f"<ExtractReport (dry run) {told}, about {counted(self.tokens, 'tokens')}>"
        names = ("memories", "entities", "relations", "texts", "dropped", "failed")
        return f"<ExtractReport {', '.join(f'{getattr(self, name)} {name}' for name in names)}>"


def extract(
    conn: Connection,
    model: Any,
    now: str,
    *,
    embedder: Embedder | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    retry: bool = False,
    template: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> ExtractReport:
    """Asks a model (a name, or an `llm` model) about the memories that it has not read in their present form.

    Each batch is one transaction, so after an interruption a second run does the rest. A batch that failed is skipped;
    `retry` asks again. `dry_run` only reports how many calls and tokens it would take. `progress(done, total)` is
    called after each batch.
    """
    from memkit.text.extract.llm_extract import estimate, extract_in_batches

    name = model if isinstance(model, str) else model.model_id
    parameters = {"extractor": f"llm {name}", "limit": -1 if limit is None else limit, "retry": retry}
    keys = [row[0] for row in conn.execute(SELECT_PENDING, parameters)]
    if dry_run:
        cost = estimate(_memories(conn, keys), template=template)
        return ExtractReport(memories=len(keys), calls=cost.calls, tokens=cost.tokens, dry_run=True)
    report = ExtractReport()
    phase("asking the model", len(keys))
    try:
        for group in extract_in_batches(model, _memories(conn, keys), template=template, **options):
            with writing(conn):
                write_extractions(conn, group, f"llm {name}", embedder, now, report)
            if progress:
                progress(len(group), len(keys))
    finally:  # also for the answers before an interrupt
        if report.memories > report.failed:
            connect(conn, now, embedder=embedder)
    return report


def _memories(conn: Connection, keys: list[int]) -> Iterable[Memory]:
    for some in batched(keys, AT_ONCE):
        yield from store.memories(conn, some).values()


def write_extractions(
    conn: Connection,
    group: list[Extraction],
    extractor: str,
    embedder: Embedder | None,
    now: str,
    report: ExtractReport,
) -> None:
    """Writes the answers about a group of memories, and that these memories have been read."""
    known = KnownNames(conn, embedder)
    memories = store.memories(conn, [found.key for found in group])
    hashes = dict(tuple(row) for row in conn.execute(SELECT_HASHES, {"keys": keys_json(memories)}))
    for found in group:
        if found.key not in memories:
            continue
        if found.error is None:
            _write(conn, memories[found.key], found, extractor, known, embedder, now, report)
        else:
            report.failed += 1
            report.errors = tuple(dict.fromkeys((*report.errors, found.error)))[:10]
        store.mark_read(conn, extractor, {found.key: hashes[found.key]}, now, error=found.error)
        report.memories += 1
        report.dropped += found.dropped


def _write(
    conn: Connection,
    memory: Memory,
    found: Extraction,
    extractor: str,
    known: KnownNames,
    embedder: Embedder | None,
    now: str,
    report: ExtractReport,
) -> None:
    own = whose(conn, [memory.key], me(conn))[memory.key]
    named = [one for one in found.entities if not entities.is_word_for_user(one.name)]
    names = {one.name: one.kind or kind_of(one.name) for one in named}
    descriptions = {one.name: one.description for one in named if one.description}
    ends = [(_speaker(one.subject, own), _speaker(one.object, own), one) for one in found.relations]
    triples = [one for one in ends if one[0] and one[1]]
    for subject, object_, _ in triples:
        names.setdefault(subject, kind_of(subject))
        names.setdefault(object_, kind_of(object_))
    keys = entities.ensure(conn, names, now, source="model", descriptions=descriptions, likeness=known)
    statements = [
        Statement(
            keys[subject],
            one.predicate,
            keys[object_],
            memory.when or memory.created_at,
            memory.key,
            one.quote,
            one.confidence,
            one.valid_from,
            one.valid_until,
            "model",
        )
        for subject, object_, one in triples
        if subject in keys and object_ in keys and keys[subject] != keys[object_]
    ]
    relations.replace_evidence(conn, [memory.key], statements, now, keep=lambda row: row["method"] != "model")
    mention_evident(conn, [memory.key])
    report.entities += len(keys)
    report.relations += len(statements)
    report.texts += _write_texts(conn, memory, found, extractor, embedder, now)


def _speaker(name: str, own: str) -> str:
    """The name that a model means; `I` is who says so in this memory, and empty text if nobody knows."""
    return own if normal_name(name) in ("user", "i", "me", "speaker") else name


def _write_texts(
    conn: Connection, memory: Memory, found: Extraction, extractor: str, embedder: Embedder | None, now: str
) -> int:
    """Stores the sentences that a model made from a memory as memories derived from it, in place of earlier ones."""
    document = DocumentDraft(source=f"memory:{memory.id}/{extractor}", kind=EXTRACTED, project=memory.project)
    drafts = [
        Draft(
            text=one.text,
            document=document,
            kind=one.kind,
            project=memory.project,
            happened_at=memory.happened_at,
            confidence=0.7,
            sequential=False,
            meta={"extracted_by": extractor, "quote": one.quote, **({"slot": one.slot} if one.slot else {})},
        )
        for one in found.texts
    ]
    ingest(conn, drafts or [document], embedder, now)
    for row in conn.execute(SELECT_MADE, {"source": document.source}).fetchall():
        store.link(conn, row["key"], memory.key, "derived_from", now, why=extractor)
    if any(one.slot for one in found.texts):
        store.read_again(conn, [memory.key], own_slots.EXTRACTOR)
    return len(drafts)
