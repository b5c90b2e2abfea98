"""Maintenance step "propose": fills the review queue with possible merges and with contradictions."""

from __future__ import annotations

from memkit.maintenance.consolidate import new_clusters, propose_merges
from memkit.maintenance.contradictions import new_disputes, propose_decisions
from memkit.maintenance.log import Change
from memkit.maintenance.policy import PROPOSE
from memkit.maintenance.run_context import RunContext


def propose(work: RunContext) -> list[Change]:
    """The new proposals, made in one transaction. No memory is changed, so nothing is written to the log."""
    with work.writing():
        made = [*propose_merges(work.conn, work.now), *propose_decisions(work.conn, work.now)]
    return [
        Change(one.id, work.run, PROPOSE, "proposed", one.members[0], work.now, f"{one.kind}: {one.why}", one.members)
        for one in made
    ]


def count_propose(work: RunContext) -> int:
    """The number of new proposals that `propose` would make."""
    return len(new_clusters(work.conn)) + len(new_disputes(work.conn, work.now))
