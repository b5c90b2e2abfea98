"""Capacity limits of slots: a slot over its cap loses old and unused memories (S11-S13), never those in use."""

from __future__ import annotations

from memkit.maintenance import log, pruned
from memkit.maintenance.dates import days_later
from memkit.maintenance.log import Change
from memkit.maintenance.policy import PRUNE, PURGE, SlotRule
from memkit.maintenance.run_context import RunContext
from memkit.storage.store import dumps

LAST = "9999"  # later than any time in a database
SLOTS = ("user", "project", "agent")

COUNT_SLOT = """
select count(*) from memories
where slot = :slot and archived_at is null and (valid_until is null or valid_until > :now)
"""
# For a memory that was never read, its last change counts.
SELECT_UNUSED = """
select m.key, m.id, coalesce(a.count, 0) as count, coalesce(a.last_at, m.updated_at) as last_at
from memories as m left join access as a on a.memory_key = m.key
where m.slot = :slot and m.archived_at is null and (m.valid_until is null or m.valid_until > :now)
    and coalesce(a.last_at, m.updated_at) < :before and coalesce(a.count, 0) < :min_access
    and m.id not in (select value from json_each(:left_alone))
order by count, last_at, m.id
limit :many
"""


def prune(work: RunContext) -> list[Change]:
    """The changes made: memories over the cap of their slot are pruned, least and longest ago read first.

    Each slot is one transaction.
    """
    return [change for slot in SLOTS for change in _prune(work, slot)]


def count_prune(work: RunContext) -> int:
    """The number of memories that `prune` would remove."""
    return sum(len(_unused(work, slot)) for slot in SLOTS)


def _rule(work: RunContext, slot: str) -> SlotRule:
    rule: SlotRule = getattr(work.policy.prune, slot)
    return rule


def _unused(work: RunContext, slot: str) -> dict[int, tuple[str, str]]:
    """The memories to prune from a slot that is over its cap, as many as it has too many: key to id and reason."""
    rule = _rule(work, slot)
    count = work.conn.execute(COUNT_SLOT, {"slot": slot, "now": work.now}).fetchone()[0]
    if not rule.cap or count <= rule.cap:
        return {}
    parameters = {
        "slot": slot,
        "now": work.now,
        "before": days_later(work.now, -rule.min_age_days),
        "min_access": rule.min_access,
        "left_alone": dumps(sorted(log.undone_by_hand(work.conn, PRUNE))),
        "many": count - rule.cap,
    }
    return {
        row["key"]: (row["id"], f"slot {slot} over {rule.cap}, read {row['count']} times, last {row['last_at'][:10]}")
        for row in work.conn.execute(SELECT_UNUSED, parameters)
    }


def _prune(work: RunContext, slot: str) -> list[Change]:
    with work.writing():
        found = _unused(work, slot)
        reasons = {key: why for key, (_, why) in found.items()}
        work.embed(pruned.prune_memories(work.conn, reasons, work.now, work.policy.prune.keep_days))
        return [
            log.record(work.conn, run=work.run, step=PRUNE, action="pruned", memory_id=id, why=why, at=work.now)
            for id, why in found.values()
        ]


def purge(work: RunContext, *, everything: bool = False) -> list[Change]:
    """The changes made: pruned memories whose time for restore is over are deleted for good.

    Older changes can then no longer be undone. With `everything`, this is done for all pruned memories and all changes.
    """
    days = work.policy.prune.keep_days
    changed, kept = (LAST, LAST) if everything else (days_later(work.now, -days), work.now)
    why = "on request" if everything else f"pruned over {days:g} days ago"
    with work.writing():
        log.forget_before(work.conn, changed)
        return [
            log.record(work.conn, run=work.run, step=PURGE, action="gone for good", memory_id=id, why=why, at=work.now)
            for id in pruned.purge(work.conn, kept)
        ]


def count_purge(work: RunContext) -> int:
    """The number of pruned memories whose time for restore is over."""
    return pruned.count_ended(work.conn, work.now)
