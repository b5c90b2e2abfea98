"""Observations: what is worth remembering of a conversation, noted while it goes on (C08).

A conversation is what a document has of turns in one project. Once those that nobody has observed come to a threshold
of tokens, they are observed together: each observation is a memory of kind `observation` with a priority, the time of
its latest turn, and `derived_from` links to the turns that say it. A turn is marked when it was looked at, whether or
not anything came of it, so that nothing is observed twice; one whose text has changed since is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memkit import store
from memkit.connect import EXTRACTOR, MARK_READ
from memkit.graph.version import bump
from memkit.ingest import ingest
from memkit.life import log
from memkit.life.summaries import EXTRACTIVE, Point, Summary, Turn
from memkit.life.work import Work
from memkit.store import dumps
from memkit.text import short_id
from memkit.types import DocumentDraft, Draft, Memory

STEP = "observe"
KIND = "observation"
DOCUMENT = "observations"  # the kind of document that a project's observations make up
SHARE = 1 / 6  # of the turns' tokens, for their observations
LEAST = 60  # tokens that they may take anyway
KNOWN = 100  # the latest observations of a project that are not noted again
IMPORTANCE = {"high": 8.0, "medium": 5.0, "low": 3.0}
BELIEVED = 0.7  # the confidence in what a model says, as in facts that it extracts
ASSISTANT = 0.5  # what an assistant says counts less: mostly it is not about the person
ASSISTANTS = frozenset(("assistant", "ai", "model", "chatgpt", "claude"))

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
SELECT_LIVE = """
select m.key from memories as m join documents as d on d.key = m.document_key
where d.kind = 'observations' and m.kind = 'observation' and m.project = :project and m.archived_at is null
    and (m.expires_at is null or m.expires_at > :now)
order by m.key
"""
SELECT_MADE = """
select m.key, m.id, m.source_id, m.hash from memories as m join documents as d on d.key = m.document_key
where d.source = :source and m.source_id in (select value from json_each(:ids))
"""
MARK = """
insert into extractions (memory_key, extractor, hash, at) values (:key, 'observer', :hash, :now)
on conflict (memory_key, extractor) do update set hash = excluded.hash, at = excluded.at, error = null
"""


def observe(work: Work, *, document: str | None = None) -> list[log.Change]:
    """The observations made of all conversations (or of one: its id or source) that are due, as changes in the log.

    What is observed together, at most `batch_tokens` of the policy, is one transaction; the model is asked outside of
    it. What is done stays, and a second run does the rest; what is left of a conversation below the threshold waits.
    """
    wanted = {"now": work.now, "document": document, "threshold": work.policy.observe.observer_tokens}
    made: list[log.Change] = []
    for row in work.conn.execute(SELECT_CONVERSATIONS, wanted).fetchall():
        conversation = {"document": row["document"], "project": row["project"], "now": work.now}
        while batch := _due(work, conversation):
            made += _observed(work, conversation, batch)
    return made


def count_observe(work: Work) -> int:
    """How many turns wait in the conversations that are due."""
    wanted = {"now": work.now, "document": None, "threshold": work.policy.observe.observer_tokens}
    return sum(row["turns"] for row in work.conn.execute(SELECT_CONVERSATIONS, wanted))


def _due(work: Work, conversation: Mapping[str, Any]) -> dict[int, str]:
    """The keys and hashes of a conversation's first unobserved turns: one batch; none below the threshold."""
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


def _observed(work: Work, conversation: Mapping[str, Any], batch: dict[int, str]) -> list[log.Change]:
    """The observations of some turns, written unless somebody else has observed them meanwhile."""
    conn = work.conn
    turns = list(store.memories(conn, list(batch)).values())
    if not turns:  # forgotten meanwhile
        return []
    how = Noting(work, conversation["project"], STEP, "observed")
    known = [memory.text for memory in live(work, how.project)[-KNOWN:]]
    budget = max(LEAST, int(SHARE * sum(turn.tokens for turn in turns)))
    summary = work.summariser.summarise([as_turn(turn) for turn in turns], budget, task="observe", known=known)
    with work.writing():
        waiting = {row["key"]: row["hash"] for row in conn.execute(SELECT_PENDING, conversation)}
        if any(waiting.get(key) != hash for key, hash in batch.items()):
            return []
        conn.executemany(MARK, [{"key": key, "hash": hash, "now": work.now} for key, hash in batch.items()])
        return list(note(how, summary, summary.points, turns).values())


def as_turn(memory: Memory) -> Turn:
    """A turn of a conversation as a summariser reads it."""
    speaker = (memory.speaker or "").casefold()
    return Turn(memory.text, memory.speaker, memory.when, ASSISTANT if speaker in ASSISTANTS else 1.0)


def live(work: Work, project: str) -> list[Memory]:
    """The observations of a project that were neither condensed nor put away, in the order in which they were noted."""
    keys = [row[0] for row in work.conn.execute(SELECT_LIVE, {"project": project, "now": work.now})]
    return list(store.memories(work.conn, keys).values())


# ---------------------------------------------------------------------------------------------- writing


@dataclass(frozen=True)
class Noting:
    """How points become memories: in which run, in which project, in which step, and what the log calls it."""

    work: Work
    project: str
    step: str
    action: str

    @property
    def source(self) -> str:
        """The document of the project's observations."""
        return f"{DOCUMENT}:{self.project}"


def note(
    how: Noting,
    summary: Summary,
    points: Iterable[Point],
    sources: Sequence[Memory],
    before: Callable[[list[Memory]], Mapping[str, Any]] = lambda told: {},
) -> dict[int, log.Change]:
    """These points of a summary as observations with links to their sources, by key; inside a transaction.

    `before` gives the rows of a point's sources that undoing it brings back. What a living observation says word for
    word is not noted again. They are no sources of the graph: their turns are read for it.
    """
    work, conn = how.work, how.work.conn
    said = {memory.text for memory in live(work, how.project)}
    fresh = {point.text: point for point in points if point.text not in said}.values()
    rows = _written(how, [_draft(how, point, sources, summary.by) for point in fresh])
    made: dict[int, log.Change] = {}
    for point, row in zip(fresh, rows, strict=True):
        key, told = row["key"], [sources[place] for place in point.sources]
        conn.execute(MARK_READ, {"key": key, "extractor": EXTRACTOR, "hash": row["hash"], "now": work.now})
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
    """The rows of these drafts, in their order, after they were stored."""
    ingest(how.work.conn, drafts, how.work.embedder, how.work.now)
    ids = [draft.source_id for draft in drafts]
    rows = how.work.conn.execute(SELECT_MADE, {"source": how.source, "ids": dumps(ids)})
    found = {row["source_id"]: row for row in rows}
    return [found[id] for id in ids]
