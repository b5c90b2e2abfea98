"""Reflecting: observations that have come to too many tokens are condensed, and stay as they are until the next time.

The observations of a project are put together once they pass a threshold. What comes of it takes half of that, so that
the next reflection is a while off. An observation that stays word for word stays the memory that it is; the others are
archived, with a link `summarized_by` to what says it now, and that one has `derived_from` links back.

How much an observation counts is its priority (3, 2, 1) times Construct's decay: 1 in its first week, then
1 / (1 + log2(age / 7)).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memkit import rank, store
from memkit.life import log, rows
from memkit.life.ages import days_between
from memkit.life.observe import Noting, live, note
from memkit.life.summaries import PRIORITIES, Point, Summary, Turn
from memkit.life.work import Work
from memkit.types import Memory

STEP = "reflect"
CONDENSED = "condensed"  # why an observation is archived, and what the log says of what it became
LEFT_OUT = "left out"  # and of one that none of them says
SHARE = 1 / 2  # of the threshold, for what is left
WEIGHTS = {"high": 3.0, "medium": 2.0, "low": 1.0}
PUT_AWAY = ("archived_at", "meta", "position")  # what archiving changes of a memory

SELECT_FULL = """
select m.project, count(*) as observations
from memories as m join documents as d on d.key = m.document_key
where d.kind = 'observations' and m.kind = 'observation' and m.archived_at is null
    and (m.expires_at is null or m.expires_at > :now) and (:project is null or m.project = :project)
group by m.project
having sum(m.tokens) >= :threshold
order by m.project
"""


def reflect(work: Work, *, project: str | None = None) -> list[log.Change]:
    """What became of the observations of every project (or of one) that has too many, as changes in the log.

    Each project is one transaction; the model is asked outside of it. An observation whose condensing a person has
    undone is left alone.
    """
    threshold = work.policy.observe.reflector_tokens
    wanted = {"now": work.now, "project": project, "threshold": threshold}
    full = [row[0] for row in work.conn.execute(SELECT_FULL, wanted)]
    return [change for name in full for change in _reflected(Noting(work, name, STEP, CONDENSED), threshold)]


def count_reflect(work: Work) -> int:
    """How many observations there are in the projects that have too many."""
    wanted = {"now": work.now, "project": None, "threshold": work.policy.observe.reflector_tokens}
    return sum(row["observations"] for row in work.conn.execute(SELECT_FULL, wanted))


def _reflected(how: Noting, threshold: int) -> list[log.Change]:
    """What became of a project's observations, unless somebody else has changed them meanwhile."""
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
    left_alone = log.taken_back(how.work.conn, STEP)
    return [memory for memory in live(how.work, how.project) if memory.id not in left_alone]


def weight(memory: Memory, now: str) -> float:
    """How much an observation counts: its priority as 3, 2 or 1, less with age (Construct's composite priority)."""
    decay = rank.construct_decay(rank.About(age=days_between(memory.when, now)))
    return WEIGHTS.get(str(memory.meta.get("priority")), WEIGHTS["medium"]) * decay


def _as_important(point: Point, observations: Sequence[Memory]) -> Point:
    """The point with the priority of the most important observation in it."""
    own = [str(observations[place].meta.get("priority")) for place in point.sources]
    return replace(point, priority=next((name for name in PRIORITIES if name in own), "medium"))


def _same(point: Point, observations: Sequence[Memory]) -> int | None:
    """The place of the observation that a point is, word for word."""
    return next((place for place in point.sources if observations[place].text == point.text), None)


def _condensed(
    how: Noting, summary: Summary, points: Iterable[Point], observations: Sequence[Memory], old: Sequence[Memory]
) -> list[log.Change]:
    """Writes the points, and puts the old observations away: each with one of them, or for itself if none says it."""
    work, conn = how.work, how.work.conn
    waiting = {memory.key: memory for memory in old}

    def before(told: Iterable[Memory]) -> Mapping[str, Any]:
        return rows.columns(conn, [memory.key for memory in told if waiting.pop(memory.key, None)], PUT_AWAY)

    made = note(how, summary, points, observations, before)
    changes = list(made.values())
    for memory in waiting.values():
        why, kept = f"too little room: {summary.told}", rows.columns(conn, [memory.key], PUT_AWAY)
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
