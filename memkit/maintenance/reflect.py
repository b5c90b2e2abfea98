"""Reflection: when the observations of a project have too many tokens, they are condensed.

The condensed observations take half of the threshold, so that the next reflection is not due soon. An observation that
is kept word for word stays the same memory. The others are archived, with a link `summarized_by` to the new observation
that replaces them; that one has `derived_from` links back.

The weight of an observation is its priority (3, 2, 1) times Construct's decay: 1 in its first week, then
1 / (1 + log2(age in days / 7)).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memkit.core.progress import advance, phase
from memkit.core.types import Memory
from memkit.maintenance import log, snapshots
from memkit.maintenance.dates import days_between
from memkit.maintenance.observe import Noting, current_observations, note
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import PRIORITIES, Point, Summary, Turn
from memkit.retrieval import boosts
from memkit.storage import store

STEP = "reflect"
CONDENSED = "condensed"  # why an observation is archived, and the action in the log for its replacement
LEFT_OUT = "left out"  # the action in the log for an observation without a replacement
SHARE = 1 / 2  # of the threshold, for the condensed observations
WEIGHTS = {"high": 3.0, "medium": 2.0, "low": 1.0}
PUT_AWAY = ("archived_at", "meta", "position")  # the columns of a memory that archiving changes

SELECT_FULL = """
select m.project, count(*) as observations
from memories as m join documents as d on d.key = m.document_key
where d.kind = 'observations' and m.kind = 'observation' and m.archived_at is null
    and (m.expires_at is null or m.expires_at > :now) and (:project is null or m.project = :project)
group by m.project
having sum(m.tokens) >= :threshold
order by m.project
"""


def reflect(work: RunContext, *, project: str | None = None) -> list[log.Change]:
    """The logged changes: the observations of every project (or of one) that has too many are condensed.

    Each project is one transaction; the model is called outside of it. If a person has undone the condensing of an
    observation, it is left alone.
    """
    threshold = work.policy.observe.reflector_tokens
    wanted = {"now": work.now, "project": project, "threshold": threshold}
    full = [row[0] for row in work.conn.execute(SELECT_FULL, wanted)]
    phase("condensing", len(full), unit="projects")
    made: list[log.Change] = []
    for name in full:
        made += _reflected(Noting(work, name, STEP, CONDENSED), threshold)
        advance(1)
    return made


def count_reflect(work: RunContext) -> int:
    """The number of observations in projects that have too many."""
    wanted = {"now": work.now, "project": None, "threshold": work.policy.observe.reflector_tokens}
    return sum(row["observations"] for row in work.conn.execute(SELECT_FULL, wanted))


def _reflected(how: Noting, threshold: int) -> list[log.Change]:
    """The changes of one project; none if somebody else changed its observations in the meantime."""
    observations = _free(how)
    if sum(memory.tokens for memory in observations) < threshold:
        return []
    turns = [Turn(memory.text, None, memory.when, weight(memory, how.work.now)) for memory in observations]
    summary = how.work.summariser.summarise(turns, int(SHARE * threshold), task="reflect")
    if not summary.points:
        return []
    points = [_as_important(point, observations) for point in summary.points]
    kept = {place for point in points if (place := _same(point, observations)) is not None}
    with how.work.writing():
        if _free(how) != observations:
            return []
        old = [memory for place, memory in enumerate(observations) if place not in kept]
        new = [point for point in points if _same(point, observations) is None]
        return _condensed(how, summary, new, observations, old)


def _free(how: Noting) -> list[Memory]:
    """The observations that may be condensed."""
    left_alone = log.undone_by_hand(how.work.conn, STEP)
    return [memory for memory in current_observations(how.work, how.project) if memory.id not in left_alone]


def weight(memory: Memory, now: str) -> float:
    """The weight of an observation: 3, 2 or 1 by priority, lower with age (Construct's composite priority)."""
    decay = boosts.log_decay(boosts.About(age=days_between(memory.when or memory.created_at, now)))
    return WEIGHTS.get(str(memory.meta.get("priority")), WEIGHTS["medium"]) * decay


def _as_important(point: Point, observations: Sequence[Memory]) -> Point:
    """The point, with the highest priority among its observations."""
    own = [str(observations[place].meta.get("priority")) for place in point.sources]
    return replace(point, priority=next((name for name in PRIORITIES if name in own), "medium"))


def _same(point: Point, observations: Sequence[Memory]) -> int | None:
    """The index of the observation that a point repeats word for word; None if there is none."""
    return next((place for place in point.sources if observations[place].text == point.text), None)


def _condensed(
    how: Noting, summary: Summary, points: Iterable[Point], observations: Sequence[Memory], old: Sequence[Memory]
) -> list[log.Change]:
    """Stores the points and archives the old observations. One that no point uses gets a change of its own."""
    work, conn = how.work, how.work.conn
    waiting = {memory.key: memory for memory in old}

    def before(told: Iterable[Memory]) -> Mapping[str, Any]:
        return snapshots.columns(conn, [memory.key for memory in told if waiting.pop(memory.key, None)], PUT_AWAY)

    made = note(how, summary, points, observations, before)
    changes = list(made.values())
    for memory in waiting.values():
        why, kept = f"no room for it: {summary.told}", snapshots.columns(conn, [memory.key], PUT_AWAY)
        change = log.record(
            conn, run=work.run, step=STEP, action=LEFT_OUT, memory_id=memory.id, why=why, at=work.now, before=kept
        )
        changes.append(change)
    keys = {memory.id: memory.key for memory in observations}
    for key, change in made.items():
        for id in change.sources:
            store.link(conn, keys[id], key, "summarized_by", work.now, why=STEP)
    store.archive(conn, [memory.key for memory in old], work.now, CONDENSED)
    return changes
