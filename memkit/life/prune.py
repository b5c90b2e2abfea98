"""A slot that holds too much loses what is old and unused (S11-S13); what is read stays, even over the cap."""

from __future__ import annotations

from memkit.life import log, pruned
from memkit.life.ages import days_later
from memkit.life.log import Change
from memkit.life.policy import PRUNE, PURGE, SlotRule
from memkit.life.work import Work
from memkit.store import dumps

LAST = "9999"  # later than every moment
SLOTS = ("user", "project", "agent")

COUNT_SLOT = """
select count(*) from memories
where slot = :slot and archived_at is null and (valid_until is null or valid_until > :now)
"""
# What was never read is as old as it is.
SELECT_UNUSED = """
select m.key, m.id, coalesce(a.count, 0) as count, coalesce(a.last_at, m.updated_at) as last_at
from memories as m left join access as a on a.memory_key = m.key
where m.slot = :slot and m.archived_at is null and (m.valid_until is null or m.valid_until > :now)
    and coalesce(a.last_at, m.updated_at) < :before and coalesce(a.count, 0) < :min_access
    and m.id not in (select value from json_each(:left_alone))
order by count, last_at, m.id
limit :many
"""


def prune(work: Work) -> list[Change]:
    """Lets go what each slot holds beyond its cap, the least and longest not read first; one transaction a slot."""
    return [change for slot in SLOTS for change in _prune(work, slot)]


def count_prune(work: Work) -> int:
    """How many memories would be let go."""
    return sum(len(_unused(work, slot)) for slot in SLOTS)


def _rule(work: Work, slot: str) -> SlotRule:
    rule: SlotRule = getattr(work.policy.prune, slot)
    return rule


def _unused(work: Work, slot: str) -> dict[int, tuple[str, str]]:
    """What may go of a slot that is over its cap, and no more than is over: id and reason by key."""
    rule = _rule(work, slot)
    count = work.conn.execute(COUNT_SLOT, {"slot": slot, "now": work.now}).fetchone()[0]
    if not rule.cap or count <= rule.cap:
        return {}
    parameters = {
        "slot": slot,
        "now": work.now,
        "before": days_later(work.now, -rule.min_age_days),
        "min_access": rule.min_access,
        "left_alone": dumps(sorted(log.taken_back(work.conn, PRUNE))),
        "many": count - rule.cap,
    }
    return {
        row["key"]: (row["id"], f"slot {slot} over {rule.cap}, read {row['count']} times, last {row['last_at'][:10]}")
        for row in work.conn.execute(SELECT_UNUSED, parameters)
    }


def _prune(work: Work, slot: str) -> list[Change]:
    with work.writing():
        found = _unused(work, slot)
        reasons = {key: why for key, (_, why) in found.items()}
        work.embed(pruned.let_go(work.conn, reasons, work.now, work.policy.prune.keep_days))
        return [
            log.record(work.conn, run=work.run, step=PRUNE, action="pruned", memory_id=id, why=why, at=work.now)
            for id, why in found.values()
        ]


def purge(work: Work, *, everything: bool = False) -> list[Change]:
    """Ends the time of what was let go long ago: it cannot be restored any more, nor older changes be undone.

    `everything` ends it for all that was let go, and all that was changed, up to now.
    """
    days = work.policy.prune.keep_days
    changed, kept = (LAST, LAST) if everything else (days_later(work.now, -days), work.now)
    why = "asked for" if everything else f"let go over {days:g} days ago"
    with work.writing():
        log.forget_before(work.conn, changed)
        return [
            log.record(work.conn, run=work.run, step=PURGE, action="gone for good", memory_id=id, why=why, at=work.now)
            for id in pruned.purge(work.conn, kept)
        ]


def count_purge(work: Work) -> int:
    """How many memories cannot be kept any longer."""
    return pruned.count_ended(work.conn, work.now)
