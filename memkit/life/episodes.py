"""Episodes grow older: raw, compressed, distilled (K37, K40, K41), with the way back kept.

A session's raw episodes become one summary, linked with them both ways; the link is the mark that nothing is summarised
twice. They go a few days later (`expire.py`), unless they are important. A summary is distilled in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from memkit import connect, store
from memkit.compress import compress as shortened
from memkit.graph.version import bump
from memkit.ingest import remember
from memkit.life import kept_facts, log, rows
from memkit.life.ages import days_later, hours_later
from memkit.life.digests import Digests
from memkit.life.log import Change
from memkit.life.policy import COMPRESS, DISTIL, Episodes
from memkit.life.summaries import Extractive, Summariser, Summary, Turn
from memkit.life.work import Work
from memkit.store import dumps, keys_json
from memkit.text import est_tokens, text_hash
from memkit.types import DocumentDraft, Draft, Memory

EPISODE = "episode"
RAW, COMPRESSED, DISTILLED = "raw", "compressed", "distilled"

# What holds for a time only stays as it is, since a summary holds for good.
# A session is what a project has of a document whose parts have an order; of anything else, a day.
SELECT_RAW = """
select m.key, m.id, m.tokens, m.importance, m.project, coalesce(
        case when m.position is not null then 'document ' || m.document_key end,
        json_extract(m.meta, '$.session'),
        'day ' || date(coalesce(m.happened_at, m.created_at))
    ) as session
from memories as m
where m.compression = 'raw' and m.archived_at is null
    and m.kind in (select value from json_each(:kinds))
    and coalesce(m.happened_at, m.created_at) < :before
    and m.expires_at is null and m.valid_until is null and (m.valid_from is null or m.valid_from <= :now)
    and not exists (select 1 from links as l where l.from_key = m.key and l.type = 'summarized_by')
    and exists (
        select 1 from extractions as x where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
    )
order by m.project, session, coalesce(m.happened_at, m.created_at), m.position, m.key
"""
SELECT_COMPRESSED = """
select key, id from memories
where compression = 'compressed' and archived_at is null and kind = 'episode' and created_at < :before
    and (expires_at is null or expires_at > :now)
order by key
"""
COUNT_SUMMARISED = """
select count(*) from links where type = 'summarized_by' and from_key in (select value from json_each(:keys))
"""
COUNT_EVIDENCE = """
select memory_key, count(*) from evidence where memory_key in (select value from json_each(:keys)) group by memory_key
"""
MARK_COMPRESSED = "update memories set compression = 'compressed' where key = :key"
LET_EXPIRE = """
update memories set expires_at = min(coalesce(expires_at, :at), :at)
where key in (select value from json_each(:keys)) and importance < :keep
"""
UPDATE_DISTILLED = """
update memories set
    text = :text, tokens = :tokens, hash = :hash, text_hash = :hash, compression = 'distilled', expires_at = null,
    updated_at = :now, meta = json_set(json_remove(meta, '$.details'), '$.distilled_by', :by)
where key = :key
"""
SELECT_RAW_OF = """
select l.to_key from links as l join memories as m on m.key = l.to_key
where l.from_key = :key and l.type = 'derived_from' and m.archived_at is null
order by coalesce(m.happened_at, m.created_at), m.position, m.key
"""


# ---------------------------------------------------------------------------------------------- raw to compressed


def compress(work: Work) -> list[Change]:
    """One summary for each session's raw episodes that are old enough and have been read for facts (K40).

    Those below the policy's importance expire some days later; all keep a link to their summary.
    """
    return [change for part in _parts(work) if (change := _compress(work, part))]


def count_compress(work: Work) -> int:
    """How many raw episodes wait to be summarised."""
    return sum(map(len, _sessions(work)))


def _sessions(work: Work) -> list[list[int]]:
    """The keys of raw episodes to summarise, by session, in order of time; not what a person has taken back."""
    policy = work.policy.episodes
    parameters = {
        "kinds": dumps(policy.compact_kinds),
        "before": hours_later(work.now, -policy.compress_after_hours),
        "now": work.now,
        "extractor": connect.EXTRACTOR,
    }
    left_alone = log.taken_back(work.conn, COMPRESS)
    found = [row for row in work.conn.execute(SELECT_RAW, parameters).fetchall() if row["id"] not in left_alone]
    sessions = (list(rows) for _, rows in groupby(found, key=lambda row: (row["project"], row["session"])))
    return [[row["key"] for row in session] for session in sessions if _worth_it(policy, session)]


def _worth_it(policy: Episodes, session: Sequence[Any]) -> bool:
    """Whether a summary would be shorter than a session, and anything of this would go: else it stands for itself."""
    longer = sum(row["tokens"] for row in session) > policy.least_tokens
    return longer and any(row["importance"] < policy.keep_importance for row in session)


def _parts(work: Work) -> Iterator[list[Memory]]:
    """The raw episodes that are summarised together: a session, or a part of one that is too long for a summary."""
    for session in _sessions(work):
        part: list[Memory] = []
        for raw in store.memories(work.conn, session).values():
            if part and sum(one.tokens for one in part) + raw.tokens > work.policy.episodes.part_tokens:
                yield part
                part = []
            part.append(raw)
        if part:
            yield part


def _compress(work: Work, part: Sequence[Memory]) -> Change | None:
    """Writes the summary of some raw episodes, unless another maintainer has meanwhile, or nothing is said in them."""
    summary = _summary(work, part)
    text = summary.text.strip() or shortened(
        " ".join(raw.text for raw in part), "", _budget(work.policy.episodes, part)
    )
    if not text.strip():
        return None
    keys = [raw.key for raw in part]
    with work.writing():
        again = [one for one in store.memories(work.conn, keys).values() if not one.archived_at]
        done = work.conn.execute(COUNT_SUMMARISED, {"keys": keys_json(keys)}).fetchone()[0]
        if done or [(one.text, one.project) for one in again] != [(raw.text, raw.project) for raw in part]:
            return None
        return _write_summary(work, part, text, summary)


def _summary(work: Work, part: Sequence[Memory]) -> Summary:
    """What is said in some episodes: what proves a fact, and what is important, counts more."""
    proofs = dict(work.conn.execute(COUNT_EVIDENCE, {"keys": keys_json(raw.key for raw in part)}).fetchall())
    turns = [
        Turn(raw.text, raw.speaker, raw.when, weight=raw.importance / 5 * (1 + proofs.get(raw.key, 0))) for raw in part
    ]
    return _summariser(work).summarise(turns, _budget(work.policy.episodes, part), task="summary")


def _summariser(work: Work) -> Summariser:
    """Who makes summaries; without a model what is chosen for being found again."""
    return Digests(work.conn) if isinstance(work.summariser, Extractive) else work.summariser


def _budget(policy: Episodes, part: Sequence[Memory]) -> int:
    """The tokens of a summary."""
    return max(policy.least_tokens, round(policy.compress_share * sum(raw.tokens for raw in part)))


def _write_summary(work: Work, part: Sequence[Memory], text: str, summary: Summary) -> Change:
    policy, keys = work.policy.episodes, [raw.key for raw in part]
    key = remember(work.conn, _draft(work, part, text, summary), work.embedder, work.now)
    work.conn.execute(MARK_COMPRESSED, {"key": key})
    for raw in part:
        store.link(work.conn, key, raw.key, "derived_from", work.now, why="its summary")
        store.link(work.conn, raw.key, key, "summarized_by", work.now, why="its summary")
    bump(work.conn)
    kept_facts.named_like(work, key, keys, text)
    before = rows.columns(work.conn, keys, ("expires_at",))
    expire_at = days_later(work.now, policy.raw_days)
    work.conn.execute(LET_EXPIRE, {"keys": keys_json(keys), "at": expire_at, "keep": policy.keep_importance})
    return log.record(
        work.conn,
        run=work.run,
        step=COMPRESS,
        action="made",
        memory_id=store.memories(work.conn, [key])[key].id,
        why=f"{_counted(len(part), 'episode')} older than {policy.compress_after_hours:g} hours, by {summary.told}",
        at=work.now,
        sources=[raw.id for raw in part],
        before={**before, "made": {"memories": [key]}},
    )


def _draft(work: Work, part: Sequence[Memory], text: str, summary: Summary) -> Draft:
    """The summary as a memory: it happened when the last of them did, and is recalled from when they go."""
    return Draft(
        text=text,
        document=DocumentDraft(source="memory:remembered"),
        kind=EPISODE,
        title=_common(raw.title for raw in part),
        speaker=_common(raw.speaker for raw in part),
        category=_common(raw.category for raw in part),
        tags=tuple(dict.fromkeys(tag for raw in part for tag in raw.tags)),
        project=part[0].project,
        importance=max(raw.importance for raw in part),
        confidence=min(raw.confidence for raw in part),
        happened_at=part[-1].when,
        # Until then the raw ones answer: both at once would take each other's place among the hits.
        valid_from=days_later(work.now, work.policy.episodes.raw_days),
        expires_at=days_later(work.now, work.policy.episodes.compressed_days),
        sequential=False,
        meta={"summary_of": len(part), "from": part[0].when, "until": part[-1].when, "by": summary.by},
    )


def _common(values: Iterable[str | None]) -> str | None:
    """What several have in common; None where they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


# ---------------------------------------------------------------------------------------------- compressed to distilled


def distil(work: Work) -> list[Change]:
    """Old summaries made shorter in place, never to expire (K41); what they prove is kept beside them."""
    found = store.memories(work.conn, _distillable(work)).values()
    return [change for one in found if (change := _distil(work, one))]


def count_distil(work: Work) -> int:
    """How many summaries wait to be distilled."""
    return len(_distillable(work))


def _distillable(work: Work) -> list[int]:
    before = days_later(work.now, -work.policy.episodes.distil_after_days)
    left_alone = log.taken_back(work.conn, DISTIL)
    found = work.conn.execute(SELECT_COMPRESSED, {"before": before, "now": work.now})
    return [row["key"] for row in found if row["id"] not in left_alone]


def _distil(work: Work, old: Memory) -> Change | None:
    policy = work.policy.episodes
    budget = max(policy.least_tokens, round(policy.distil_share * old.tokens))
    summary = _summariser(work).summarise([Turn(line) for line in old.text.splitlines() if line.strip()], budget)
    text = summary.text.strip() or shortened(old.text, "", budget).strip() or old.text
    with work.writing():
        now = store.memories(work.conn, [old.key]).get(old.key)
        if now is None or (now.text, now.compression, now.archived_at) != (old.text, COMPRESSED, None):
            return None
        return _write_distilled(work, old, text, summary)


def _write_distilled(work: Work, old: Memory, text: str, summary: Summary) -> Change:
    before = rows.as_they_are(work.conn, [old.key], ("memories", "mentions", "relations", "evidence", "extractions"))
    facts = kept_facts.keep(work, old, old.key, text)
    for fact in facts:
        store.link(work.conn, fact, old.key, "derived_from", work.now, why="a fact of it")
    row = {"key": old.key, "text": text, "tokens": est_tokens(text), "hash": text_hash(text), "now": work.now}
    with store.index_paused(work.conn):
        work.conn.execute(UPDATE_DISTILLED, {**row, "by": summary.by})
        store.reindex_text(work.conn, [old.key])
    kept_facts.named_like(work, old.key, [old.key], text)
    bump(work.conn)
    work.embed([old.key])
    return log.record(
        work.conn,
        run=work.run,
        step=DISTIL,
        action="distilled",
        memory_id=old.id,
        why=f"a summary older than {work.policy.episodes.distil_after_days:g} days, by {summary.told}",
        at=work.now,
        sources=kept_facts.ids(work, facts),
        before={**before, "made": {"memories": facts}},
    )


# ---------------------------------------------------------------------------------------------- the way back


def expand(conn: Any, summary: Memory) -> list[Memory]:
    """The memories that a summary was made of and that are still there, in order of time."""
    keys = [row[0] for row in conn.execute(SELECT_RAW_OF, {"key": summary.key})]
    return list(store.memories(conn, keys).values())
