"""Observation of conversations: notes of what is worth remembering, made while a conversation goes on (C08).

A conversation is all turns of one document in one project. When its unobserved turns reach a threshold of tokens, they
are observed together. Each observation is a memory of kind `observation`, with a priority, the time of its latest turn,
and `derived_from` links to the turns that state it. Every turn that was read is marked, even if nothing was noted, so
that it is not observed twice. A turn whose text has changed is observed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memkit.core.progress import advance, phase
from memkit.core.roles import ASSISTANTS
from memkit.core.types import DocumentDraft, Draft, Memory
from memkit.graph.version import bump
from memkit.ingestion.entity_linking import EXTRACTOR
from memkit.ingestion.writer import ingest
from memkit.maintenance import log
from memkit.maintenance.rarity import rarity_in
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import EXTRACTIVE, Point, Summary, Turn
from memkit.storage import store
from memkit.storage.store import dumps
from memkit.text.words import short_id

STEP = "observe"
KIND = "observation"
DOCUMENT = "observations"  # the kind of the document that holds a project's observations
SHARE = 1 / 6  # of the turns' tokens, for their observations
LEAST = 60  # tokens that observations may always take
KNOWN = 100  # the latest observations of a project, which are not noted again
IMPORTANCE = {"high": 8.0, "medium": 5.0, "low": 3.0}
BELIEVED = 0.7  # the confidence in a model's observations, the same as in facts that it extracts
ASSISTANT = 0.5  # weight of an assistant's turns: they are mostly not about the person
NAMED_ASSISTANTS = frozenset(("chatgpt", "claude"))

_PENDING = """
    m.kind = 'turn' and m.archived_at is null and (m.expires_at is null or m.expires_at > :now)
    and not exists (
        select 1 from extractions as x where x.memory_key = m.key and x.extractor = 'observer' and x.hash = m.hash
    )
"""
SELECT_CONVERSATIONS = f"""
select d.key as document, m.project, count(*) as turns
from memories as m join documents as d on d.key = m.document_key
where {_PENDING} and (:document is null or :document in (d.id, d.source))
group by d.key, m.project
having sum(m.tokens) >= :threshold
order by min(coalesce(m.happened_at, m.created_at)), d.key, m.project
"""
SELECT_PENDING = f"""
select m.key, m.hash, m.tokens from memories as m
where m.document_key = :document and m.project = :project and {_PENDING}
order by m.position is null, m.position, m.key
"""
_LIVE = """
from memories as m join documents as d on d.key = m.document_key
where d.kind = 'observations' and m.kind = 'observation' and m.project = :project and m.archived_at is null
    and (m.expires_at is null or m.expires_at > :now)
"""
SELECT_LIVE = f"select m.key {_LIVE} order by m.key"
# There may be thousands, and each conversation asks: only texts, and no more of them than are needed.
SELECT_LATEST = f"select m.text {_LIVE} order by m.key desc limit {KNOWN}"
SELECT_SAID = f"select m.text {_LIVE} and m.text in (select value from json_each(:texts))"
SELECT_MADE = """
select m.key, m.id, m.source_id, m.hash from memories as m join documents as d on d.key = m.document_key
where d.source = :source and m.source_id in (select value from json_each(:ids))
"""


def observe(work: RunContext, *, document: str | None = None) -> list[log.Change]:
    """The new observations, as logged changes, of all conversations that are due, or of a `document` (id or source).

    Each batch of at most `batch_tokens` (policy) is one transaction; the model is called outside of it. If the run is
    interrupted, finished work stays and the next run does the rest. Turns below the threshold wait.
    """
    wanted = {"now": work.now, "document": document, "threshold": work.policy.observe.observer_tokens}
    made: list[log.Change] = []
    rows = work.conn.execute(SELECT_CONVERSATIONS, wanted).fetchall()
    phase("observing", sum(row["turns"] for row in rows), unit="turns")
    for row in rows:
        conversation = {"document": row["document"], "project": row["project"], "now": work.now}
        while batch := _due(work, conversation):
            made += _observed(work, conversation, batch)
            advance(len(batch))
    return made


def count_observe(work: RunContext) -> int:
    """The number of unobserved turns in conversations that are due."""
    wanted = {"now": work.now, "document": None, "threshold": work.policy.observe.observer_tokens}
    return sum(row["turns"] for row in work.conn.execute(SELECT_CONVERSATIONS, wanted))


def _due(work: RunContext, conversation: Mapping[str, Any]) -> dict[int, str]:
    """The first unobserved turns of a conversation (key to hash): one batch, or none below the threshold."""
    rules = work.policy.observe
    waiting = work.conn.execute(SELECT_PENDING, conversation).fetchall()
    if sum(row["tokens"] for row in waiting) < rules.observer_tokens:
        return {}
    found: dict[int, str] = {}
    room = rules.batch_tokens
    for key, hash, tokens in waiting:
        room -= tokens
        if found and room < 0:
            break
        found[key] = hash
    return found


def _observed(work: RunContext, conversation: Mapping[str, Any], batch: dict[int, str]) -> list[log.Change]:
    """The new observations of these turns; none if somebody else observed them in the meantime."""
    conn = work.conn
    turns = list(store.memories(conn, list(batch)).values())
    if not turns:  # all forgotten in the meantime
        return []
    how = Noting(work, conversation["project"], STEP, "observed")
    latest = conn.execute(SELECT_LATEST, {"project": how.project, "now": work.now})
    known = [row[0] for row in latest][::-1]
    budget = max(LEAST, int(SHARE * sum(turn.tokens for turn in turns)))
    rarity = rarity_in(conn, [turn.text for turn in turns])
    summary = work.summariser.summarise(
        [as_turn(turn) for turn in turns], budget, task="observe", known=known, rarity=rarity
    )
    with work.writing():
        waiting = {row["key"]: row["hash"] for row in conn.execute(SELECT_PENDING, conversation)}
        if any(waiting.get(key) != hash for key, hash in batch.items()):
            return []
        store.mark_read(conn, "observer", batch, work.now)
        return list(note(how, summary, summary.points, turns).values())


def as_turn(memory: Memory) -> Turn:
    """A turn of a conversation as a summariser reads it."""
    speaker = (memory.speaker or "").casefold()
    answers = speaker in ASSISTANTS or speaker in NAMED_ASSISTANTS
    return Turn(memory.text, memory.speaker, memory.when, ASSISTANT if answers else 1.0)


def current_observations(work: RunContext, project: str) -> list[Memory]:
    """The observations of a project that are not archived, in the order in which they were noted."""
    keys = [row[0] for row in work.conn.execute(SELECT_LIVE, {"project": project, "now": work.now})]
    return list(store.memories(work.conn, keys).values())


# ---------------------------------------------------------------------------------------------- writing


@dataclass(frozen=True)
class Noting:
    """How points become memories: the run, the project, the step, and the action in the log."""

    work: RunContext
    project: str
    step: str
    action: str

    @property
    def source(self) -> str:
        """The source of the document that holds the project's observations."""
        return f"{DOCUMENT}:{self.project}"


def note(
    how: Noting,
    summary: Summary,
    points: Iterable[Point],
    sources: Sequence[Memory],
    before: Callable[[list[Memory]], Mapping[str, Any]] = lambda told: {},
) -> dict[int, log.Change]:
    """The changes that store these points as observations with links to their sources, by the key of the observation.

    Call it inside a transaction. `before` returns the rows of a point's sources that undo restores. A point that a
    current observation states word for word is not stored again. Observations are not read for the graph, because
    their turns are.
    """
    work, conn = how.work, how.work.conn
    noted = {point.text: point for point in points}
    wanted = {"project": how.project, "now": work.now, "texts": dumps(list(noted))}
    said = {row[0] for row in conn.execute(SELECT_SAID, wanted)}
    fresh = [point for text, point in noted.items() if text not in said]
    rows = _written(how, [_draft(how, point, sources, summary.by) for point in fresh])
    made: dict[int, log.Change] = {}
    for point, row in zip(fresh, rows, strict=True):
        key, told = row["key"], [sources[place] for place in point.sources]
        store.mark_read(conn, EXTRACTOR, {key: row["hash"]}, work.now)
        for source in told:
            store.link(conn, key, source.key, "derived_from", work.now, why=how.step)
        made[key] = log.record(
            conn,
            run=work.run,
            step=how.step,
            action=how.action,
            memory_id=row["id"],
            why=summary.told,
            at=work.now,
            sources=[source.id for source in told],
            before={**before(told), "made": {"memories": [key]}},
        )
    bump(conn)
    return made


def _draft(how: Noting, point: Point, sources: Sequence[Memory], by: str) -> Draft:
    told = [sources[place] for place in point.sources]
    return Draft(
        text=point.text,
        document=DocumentDraft(how.source, kind=DOCUMENT, project=how.project, whole=False),
        source_id=short_id(KIND, how.work.now, point.text, *(source.id for source in told)),
        kind=KIND,
        project=how.project,
        importance=IMPORTANCE[point.priority],
        confidence=1.0 if by == EXTRACTIVE else BELIEVED,
        happened_at=max((source.happened_at or "" for source in told), default="") or None,
        sequential=False,
        meta={"priority": point.priority, "by": by},
    )


def _written(how: Noting, drafts: Sequence[Draft]) -> list[Any]:
    """The stored rows of these drafts, in the same order."""
    ingest(how.work.conn, drafts, how.work.embedder, how.work.now)
    ids = [draft.source_id for draft in drafts]
    rows = how.work.conn.execute(SELECT_MADE, {"source": how.source, "ids": dumps(ids)})
    found = {row["source_id"]: row for row in rows}
    return [found[id] for id in ids]
