"""Ingest on a server: each batch of records is written in a part of the store, in a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from memkit.ingestion import own_voice as voice
from memkit.ingestion import relation_extraction, writer
from memkit.ingestion.entity_linking import connect, unread
from memkit.ingestion.pipeline import Intake
from memkit.ingestion.report import IngestReport
from memkit.ingestion.writer import Progress
from memkit.sharing.postgres.needs import Needs, of_drafts, of_triples
from memkit.sharing.postgres.writing import Written
from memkit.sources import MemoryRecord, TripleDraft
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

if TYPE_CHECKING:
    from memkit.embedding import Embedder

AT_ONCE = 5000  # records: others wait while so many are indexed
SELECT_KEYS = "select key from memories"

Work = Callable[[Connection, "Embedder | None"], Any]
Write = Callable[[Needs, Work], Written[Any]]


def ingest(
    write: Write, intake: Intake, now: str, own_voice: bool | None = None, progress: Progress | None = None
) -> IngestReport:
    """Writes what is read; returns a report. Interrupted, what is written stays, and the same call does the rest."""
    report = IngestReport()
    for batch in writer.batches(intake.records(), AT_ONCE):
        _add(report, write(of_drafts(batch, intake.roots), _taking(batch, intake, now, own_voice)))
        if progress:
            progress(len(batch))
    if intake.triples:
        done = write(of_triples(intake.triples), _storing(intake.triples, now))
        report.relations, failures = done.result
        report.failures += failures
    return report


def _taking(batch: Sequence[MemoryRecord], intake: Intake, now: str, own_voice: bool | None) -> Work:
    def take(conn: Connection, embedder: Embedder | None) -> IngestReport:
        if own_voice is not None:
            voice.keep(conn, intake.roots, own_voice)
        report = writer.ingest(conn, batch, embedder, now, roots=intake.roots, named=intake.named)
        with writing(conn):
            relation_extraction.withdraw_archived(conn, now)
        connect(conn, now, keys=unread(conn, [row[0] for row in conn.execute(SELECT_KEYS)]), embedder=embedder)
        return report

    return take


def _storing(triples: Sequence[TripleDraft], now: str) -> Work:
    def store(conn: Connection, embedder: Embedder | None) -> Any:
        found = relation_extraction.ingest_triples(conn, triples, now)
        connect(conn, now, keys=[], embedder=embedder)
        return found

    return store


def _add(report: IngestReport, done: Written[IngestReport]) -> None:
    """Adds the report of a batch. What was forgotten in the store before stays so."""
    one = done.result
    report.added += one.added - done.left_out
    report.unchanged += one.unchanged + done.left_out
    report.updated += one.updated
    report.removed += one.removed
    report.failures += one.failures
    report.warnings += one.warnings
    report.left_out += one.left_out
    report.passed_over += one.passed_over
