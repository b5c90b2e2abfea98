"""Expiry: memories past their `expires_at` are pruned (K42), after their evidence was moved elsewhere.

The evidence of a summarised raw episode moves to the summary or to a short fact. An episode without a summary, and any
other memory with an expiry date, loses its evidence. A summarised memory whose present text has not been read for facts
waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memkit.core.batches import batched
from memkit.core.types import Memory
from memkit.ingestion import entity_linking
from memkit.maintenance import evidence_transfer, log, pruned, snapshots
from memkit.maintenance.log import Change
from memkit.maintenance.policy import EXPIRE
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.snapshots import Before
from memkit.storage import store
from memkit.storage.store import keys_json

AT_ONCE = 200  # memories in one transaction

SELECT_EXPIRED = """
select m.key, m.id, m.importance, (
        select s.key from links as l join memories as s on s.key = l.to_key
        where l.from_key = m.key and l.type = 'summarized_by'
        order by s.archived_at is not null, s.key limit 1
    ) as summary
from memories as m
where m.expires_at <= :now and m.archived_at is null
order by m.key
"""
SELECT_UNREAD = """
select m.key from memories as m
where m.key in (select value from json_each(:keys)) and not exists (
    select 1 from extractions as x where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
)
"""
KEEP = "update memories set expires_at = null where key = :key"


def expire(work: RunContext) -> list[Change]:
    """The changes made: memories past their `expires_at` are pruned. A summarised one that became important stays."""
    changes: list[Change] = []
    due = _expired(work)
    for some in batched(due, AT_ONCE):
        with work.writing():
            changes += _expire(work, {row["key"]: row["summary"] for row in some})
    return changes


def count_expired(work: RunContext) -> int:
    """The number of memories past their `expires_at`."""
    return len(_expired(work))


def _expired(work: RunContext) -> list[Any]:
    """The rows of memories past their `expires_at`, except those that a person has restored."""
    left_alone = log.undone_by_hand(work.conn, EXPIRE)
    return [row for row in work.conn.execute(SELECT_EXPIRED, {"now": work.now}) if row["id"] not in left_alone]


def _expire(work: RunContext, summaries: dict[int, int | None]) -> list[Change]:
    """Prunes these memories (key to the key of the summary, or None) if they are still past their `expires_at`."""
    unread = {
        row[0]
        for row in work.conn.execute(
            SELECT_UNREAD, {"keys": keys_json(summaries), "extractor": entity_linking.EXTRACTOR}
        )
    }
    holders = store.memories(work.conn, sorted({summary for summary in summaries.values() if summary is not None}))
    changes: list[Change] = []
    gone: list[tuple[Memory, str, list[str]]] = []
    befores: dict[int, Before] = {}
    for memory in store.memories(work.conn, sorted(summaries)).values():
        summary = holders.get(key) if (key := summaries[memory.key]) is not None else None
        if memory.archived_at or not memory.expires_at or memory.expires_at > work.now:
            continue
        if summary is None:
            gone.append((memory, "its expires_at has passed", []))
        elif memory.importance >= work.policy.episodes.keep_importance:
            changes.append(_kept(work, memory))
        elif memory.key not in unread:
            befores[memory.key], sources = _facts_kept(work, memory, summary)
            gone.append((memory, f"its summary {summary.id} stays, and so do its facts", sources))
    keep_days = work.policy.prune.keep_days
    reasons = {memory.key: why for memory, why, _ in gone}
    work.embed(pruned.prune_memories(work.conn, reasons, work.now, keep_days, befores))
    return changes + [_record(work, memory, why, sources) for memory, why, sources in gone]


def _kept(work: RunContext, memory: Memory) -> Change:
    """Removes the expiry date of a memory that has become important."""
    before = snapshots.columns(work.conn, [memory.key], ("expires_at",))
    work.conn.execute(KEEP, {"key": memory.key})
    why = f"its importance is {memory.importance:g}"
    return log.record(
        work.conn, run=work.run, step=EXPIRE, action="kept", memory_id=memory.id, why=why, at=work.now, before=before
    )


def _facts_kept(work: RunContext, memory: Memory, summary: Memory) -> tuple[Before, list[str]]:
    """Moves a memory's evidence to its summary or to a new fact; returns the state before, and the ids of both."""
    before = snapshots.saved_rows(work.conn, [memory.key])
    facts = evidence_transfer.move_evidence(work, memory, None if summary.archived_at else summary.key, summary.text)
    for fact in facts:
        store.link(work.conn, fact, summary.key, "derived_from", work.now, why="a fact of what it summarises")
    return {**before, "made": {"memories": facts}}, [summary.id, *evidence_transfer.ids(work, facts)]


def _record(work: RunContext, memory: Memory, why: str, sources: Sequence[str]) -> Change:
    return log.record(
        work.conn,
        run=work.run,
        step=EXPIRE,
        action="expired",
        memory_id=memory.id,
        why=why,
        at=work.now,
        sources=sources,
    )
