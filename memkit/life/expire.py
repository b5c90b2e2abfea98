"""Memories whose time is over go (K42): into `pruned` first, and not before what they vouched for is kept.

A raw episode that was summarised hands its evidence to the summary or to a short fact; one that was not, and anything
that a person let expire, takes it along. What is not read for facts in its present form waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memkit import connect, store
from memkit.life import kept_facts, log, pruned, rows
from memkit.life.log import Change
from memkit.life.policy import EXPIRE
from memkit.life.rows import Before
from memkit.life.work import Work
from memkit.store import keys_json
from memkit.types import Memory

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


def expire(work: Work) -> list[Change]:
    """Lets the memories go whose `expires_at` has passed; one that has become important meanwhile stays."""
    changes: list[Change] = []
    due = _expired(work)
    for some in (due[i : i + AT_ONCE] for i in range(0, len(due), AT_ONCE)):
        with work.writing():
            changes += _expire(work, {row["key"]: row["summary"] for row in some})
    return changes


def count_expired(work: Work) -> int:
    """How many memories are past their time."""
    return len(_expired(work))


def _expired(work: Work) -> list[Any]:
    """The rows of memories past their time, but for those that a person has brought back."""
    left_alone = log.taken_back(work.conn, EXPIRE)
    return [row for row in work.conn.execute(SELECT_EXPIRED, {"now": work.now}) if row["id"] not in left_alone]


def _expire(work: Work, summaries: dict[int, int | None]) -> list[Change]:
    """Lets these memories (to each its summary's key, or None) go, as far as they still are as they were found."""
    unread = {
        row[0]
        for row in work.conn.execute(SELECT_UNREAD, {"keys": keys_json(summaries), "extractor": connect.EXTRACTOR})
    }
    holders = store.memories(work.conn, sorted({summary for summary in summaries.values() if summary is not None}))
    changes: list[Change] = []
    gone: list[tuple[Memory, str, list[str]]] = []
    befores: dict[int, Before] = {}
    for memory in store.memories(work.conn, sorted(summaries)).values():
        summary = holders.get(summaries[memory.key] or 0)
        if memory.archived_at or not memory.expires_at or memory.expires_at > work.now:
            continue
        if summary is None:
            gone.append((memory, "its time is over", []))
        elif memory.importance >= work.policy.episodes.keep_importance:
            changes.append(_kept(work, memory))
        elif memory.key not in unread:
            befores[memory.key], sources = _facts_kept(work, memory, summary)
            gone.append((memory, "summarised, its facts kept", sources))
    keep_days = work.policy.prune.keep_days
    work.embed(pruned.let_go(work.conn, {memory.key: why for memory, why, _ in gone}, work.now, keep_days, befores))
    return changes + [_record(work, memory, why, sources) for memory, why, sources in gone]


def _kept(work: Work, memory: Memory) -> Change:
    """Lifts the date from a memory that is important by now."""
    before = rows.columns(work.conn, [memory.key], ("expires_at",))
    work.conn.execute(KEEP, {"key": memory.key})
    why = f"its importance is {memory.importance:g}"
    return log.record(
        work.conn, run=work.run, step=EXPIRE, action="kept", memory_id=memory.id, why=why, at=work.now, before=before
    )


def _facts_kept(work: Work, memory: Memory, summary: Memory) -> tuple[Before, list[str]]:
    """What a memory was before its evidence went to its summary and to facts, with these; and all their ids."""
    before = rows.as_they_are(work.conn, [memory.key])
    facts = kept_facts.keep(work, memory, None if summary.archived_at else summary.key, summary.text)
    for fact in facts:
        store.link(work.conn, fact, summary.key, "derived_from", work.now, why="a fact of what it sums up")
    return {**before, "made": {"memories": facts}}, [summary.id, *kept_facts.ids(work, facts)]


def _record(work: Work, memory: Memory, why: str, sources: Sequence[str]) -> Change:
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
