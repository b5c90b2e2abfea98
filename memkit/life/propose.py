"""The step of upkeep that asks: proposals for what may be one memory, and for what contradicts each other."""

from __future__ import annotations

from memkit.life.consolidate import new_clusters, propose_merges
from memkit.life.contradictions import new_disputes, propose_decisions
from memkit.life.log import Change
from memkit.life.policy import PROPOSE
from memkit.life.work import Work


def propose(work: Work) -> list[Change]:
    """What is newly proposed, in one transaction. No memory is changed, so that nothing of it is in the log."""
    with work.writing():
        made = [*propose_merges(work.conn, work.now), *propose_decisions(work.conn, work.now)]
    return [
        Change(one.id, work.run, PROPOSE, "proposed", one.members[0], work.now, f"{one.kind}: {one.why}", one.members)
        for one in made
    ]


def count_propose(work: Work) -> int:
    """How many proposals there would be."""
    return len(new_clusters(work.conn)) + len(new_disputes(work.conn, work.now))
