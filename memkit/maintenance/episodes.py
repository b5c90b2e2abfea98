"""Episode compaction: raw, then compressed, then distilled (K37, K40, K41). Every step can be undone.

The raw episodes of a session get one summary. Links connect them in both directions, and also prevent that an episode
is summarised twice. The raw episodes expire a few days later (`expire.py`), unless they are important. A summary is
distilled in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from memkit.core.types import DocumentDraft, Draft, Memory
from memkit.graph.version import bump
from memkit.ingestion import entity_linking
from memkit.ingestion.writer import remember
from memkit.maintenance import evidence_transfer, log, snapshots
from memkit.maintenance.dates import days_later, hours_later
from memkit.maintenance.log import Change
from memkit.maintenance.parts import parts_of
from memkit.maintenance.policy import COMPRESS, DISTIL, EpisodePolicy
from memkit.maintenance.rarity import rarity_in
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import EXTRACTIVE, Summary, Turn, batches
from memkit.maintenance.topics import goes_on_after, ties
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.statements import named_speakers, speaker_label
from memkit.text.words import est_tokens, short_id, text_hash

EPISODE = "episode"
SUMMARIES = "summaries"  # the kind of a document that holds the summaries of one session
COMPRESSED = "compressed"

# Episodes that are valid only for a time are not summarised, because a summary has no such limit.
# A session is one document with ordered parts in one project, else what has no document. What is summarised together
# was said on one day, so that a summary has a date; and texts of a speaker are apart from those of nobody.
# Notes are left alone: their file is the archive, and nobody knows who `I` is in them.
SELECT_RAW = f"""
select m.key, m.id, m.tokens, m.importance, m.project, coalesce(
        case when m.position is not null then 'document ' || m.document_key end,
        json_extract({or_empty("m.meta")}, '$.session'),
        'day'
    ) as session, coalesce(m.happened_at, m.created_at) as said, m.speaker is null as nobody
from memories as m left join documents as d on d.key = m.document_key
where m.compression = 'raw' and m.archived_at is null
    and m.kind in (select value from json_each(:kinds)) and coalesce(d.kind, '') not in ('note', 'notebook')
    and coalesce(m.happened_at, m.created_at) < :before
    and m.expires_at is null and m.valid_until is null and (m.valid_from is null or m.valid_from <= :now)
    and not exists (select 1 from links as l where l.from_key = m.key and l.type = 'summarized_by')
    and exists (
        select 1 from extractions as x where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
    )
order by m.project, session, nobody, said, m.position, m.key
"""
SELECT_COMPRESSED = """
select key, id from memories
where compression = 'compressed' and archived_at is null and kind = 'episode' and created_at < :before
    and (expires_at is null or expires_at > :now)
order by document_key, position, key
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
UPDATE_DISTILLED = f"""
update memories set
    text = :text, tokens = :tokens, hash = :hash, text_hash = :hash, compression = 'distilled', expires_at = null,
    updated_at = :now, meta = json_set(json_remove({or_empty("meta")}, '$.details'), '$.distilled_by', :by)
where key = :key
"""
SELECT_CONVERSATION = f"""
select coalesce(d.id, json_extract({or_empty("m.meta")}, '$.session'), 'day') as session, d.title
from memories as m left join documents as d on d.key = m.document_key and m.position is not null
where m.key = :key
"""
SELECT_RAW_OF = """
select l.to_key from links as l join memories as m on m.key = l.to_key
where l.from_key = :key and l.type = 'derived_from' and m.archived_at is null
order by coalesce(m.happened_at, m.created_at), m.position, m.key
"""


# ---------------------------------------------------------------------------------------------- raw to compressed


def compress(work: RunContext) -> list[Change]:
    """The changes made: summaries for the raw episodes of each session, once they are old and read for facts (K40).

    Raw episodes below the policy's `keep_importance` then expire some days later. All keep a link to their summary.
    """
    return [change for session in _sections(work) for change in _compress_section(work, session)]


def count_compress(work: RunContext) -> int:
    """The number of raw episodes that wait to be summarised."""
    return sum(map(len, _sessions(work)))


def _sessions(work: RunContext) -> list[list[int]]:
    """The keys of raw episodes to summarise, by session, in order of time, without those that a person has undone."""
    policy = work.policy.episodes
    parameters = {
        "kinds": dumps(policy.compact_kinds),
        "before": hours_later(work.now, -policy.compress_after_hours),
        "now": work.now,
        "extractor": entity_linking.EXTRACTOR,
    }
    left_alone = log.undone_by_hand(work.conn, COMPRESS)
    found = [row for row in work.conn.execute(SELECT_RAW, parameters).fetchall() if row["id"] not in left_alone]
    sessions = (_by_day(rows) for _, rows in groupby(found, key=itemgetter("project", "session", "nobody")))
    days = (day for session in sessions for day in session if _worth_it(policy, day))
    return [[row["key"] for row in day] for day in days]


def _by_day(session: Iterable[Any]) -> Iterator[list[Any]]:
    """The rows of a session day by day; what goes on over midnight is of one."""
    day: list[Any] = []
    for row in session:
        if day and row["said"][:10] != day[-1]["said"][:10] and not goes_on_after(day[-1]["said"], row["said"]):
            yield day
            day = []
        day.append(row)
    yield day


def _worth_it(policy: EpisodePolicy, session: Sequence[Any]) -> bool:
    """Whether a session is long enough for a summary, and at least one of its raw episodes would expire."""
    longer = sum(row["tokens"] for row in session) > (policy.least_tokens if len(session) > 1 else policy.single_tokens)
    return longer and any(row["importance"] < policy.keep_importance for row in session)


def _sections(work: RunContext) -> Iterator[list[Memory]]:
    """The raw episodes that share one budget: those of a session."""
    for session in _sessions(work):
        yield from _sections_of(store.memories(work.conn, session).values())


def _sections_of(memories: Iterable[Memory]) -> Iterator[list[Memory]]:
    """Memories in their order, in lists that are no longer than what a model is shown at once."""
    return (section for _, section in batches([*memories], lambda one: one.tokens))


def _compress_section(work: RunContext, section: Sequence[Memory]) -> list[Change]:
    """Stores the summaries of a section: what tells most of it all is chosen first, and then divided into parts.

    A budget for each part would keep as much of its small talk as of its news. All are written or none: half of them
    would leave the other half to a choice of its own.
    """
    summary = _summary(work, section)
    tied = ties([Turn(raw.text, at=raw.when) for raw in section])
    parts = parts_of(summary.points, tied, work.policy.episodes.part_tokens)
    with work.writing():
        made = (
            _compress(work, section[start:end], replace(summary, points=points), section[:start])
            for start, end, points in parts
        )
        return [change for change in made if change]


def _compress(work: RunContext, part: Sequence[Memory], summary: Summary, earlier: Sequence[Memory]) -> Change | None:
    """Stores the summary of some raw episodes. None if they are empty, or changed or summarised in the meantime.

    Of the `earlier` ones, it may say some lines again.
    """
    text = summary.text.strip()
    if not text:
        return None
    keys = [raw.key for raw in part]
    now = [one for one in store.memories(work.conn, keys).values() if not one.archived_at]
    done = work.conn.execute(COUNT_SUMMARISED, {"keys": keys_json(keys)}).fetchone()[0]
    if done or [(one.text, one.project) for one in now] != [(raw.text, raw.project) for raw in part]:
        return None
    again = [earlier[turn] for point in summary.points for turn in point.sources if turn < len(earlier)]
    return _write_summary(work, part, text, summary, _heard([*again, *part], text))


def _summary(work: RunContext, section: Sequence[Memory]) -> Summary:
    """The summary of some episodes. Important ones, and those with evidence for facts, have more weight."""
    proofs = dict(work.conn.execute(COUNT_EVIDENCE, {"keys": keys_json(raw.key for raw in section)}).fetchall())
    turns = [
        Turn(raw.text, raw.speaker, raw.when, weight=raw.importance / 5 * (1 + proofs.get(raw.key, 0)))
        for raw in section
    ]
    return _summarised(work, turns, _budget(work.policy.episodes, section))


def _summarised(work: RunContext, turns: Sequence[Turn], budget: int) -> Summary:
    """The summary of these turns, for which words count as rare that few memories have."""
    return work.summariser.summarise(turns, budget, rarity=rarity_in(work.conn, [turn.text for turn in turns]))


def _budget(policy: EpisodePolicy, section: Sequence[Memory]) -> int:
    """The most tokens of a summary: a share of the episodes, each with its speaker in front."""
    said = sum(raw.tokens + est_tokens(f"{raw.speaker}: ") * ("," not in (raw.speaker or ",")) for raw in section)
    return max(policy.least_tokens, round(policy.compress_share * said))


def _write_summary(
    work: RunContext, part: Sequence[Memory], text: str, summary: Summary, speakers: Sequence[str]
) -> Change:
    policy, keys = work.policy.episodes, [raw.key for raw in part]
    key = remember(work.conn, _draft(work, part, text, summary, speakers), work.embedder, work.now)
    work.conn.execute(MARK_COMPRESSED, {"key": key})
    for raw in part:
        store.link(work.conn, key, raw.key, "derived_from", work.now, why="its summary")
        store.link(work.conn, raw.key, key, "summarized_by", work.now, why="its summary")
    bump(work.conn)
    evidence_transfer.copy_mentions(work, key, keys, text)
    before = snapshots.columns(work.conn, keys, ("expires_at",))
    expire_at = days_later(work.now, policy.raw_days)
    work.conn.execute(LET_EXPIRE, {"keys": keys_json(keys), "at": expire_at, "keep": policy.keep_importance})
    return log.record(
        work.conn,
        run=work.run,
        step=COMPRESS,
        action="made",
        memory_id=store.memories(work.conn, [key])[key].id,
        why=f"older than {policy.compress_after_hours:g} hours, {_written_how(summary)}",
        at=work.now,
        sources=[raw.id for raw in part],
        before={**before, "made": {"memories": [key]}},
    )


def _document(work: RunContext, first: Memory) -> DocumentDraft:
    """The document of a session's summaries: as neighbours there, one is found by what stands before and after it."""
    session, title = work.conn.execute(SELECT_CONVERSATION, {"key": first.key}).fetchone()
    source = f"{SUMMARIES}:{short_id(SUMMARIES, first.project, str(session))}"
    return DocumentDraft(source, kind=SUMMARIES, title=title, project=first.project, whole=False)


def _draft(work: RunContext, part: Sequence[Memory], text: str, summary: Summary, speakers: Sequence[str]) -> Draft:
    """The summary as a memory. It has the time of the last episode, and is recalled from the day when they expire."""
    return Draft(
        text=text,
        document=_document(work, part[0]),
        kind=EPISODE,
        title=_common(raw.title for raw in part),
        speaker=", ".join(speakers) or None,
        category=_common(raw.category for raw in part),
        tags=tuple(dict.fromkeys(tag for raw in part for tag in raw.tags)),
        project=part[0].project,
        importance=max(raw.importance for raw in part),
        confidence=min(raw.confidence for raw in part),
        happened_at=part[-1].when or None,
        # Until then the raw episodes are recalled. If both were, they would compete for the same places among the hits.
        valid_from=days_later(work.now, work.policy.episodes.raw_days),
        expires_at=days_later(work.now, work.policy.episodes.compressed_days),
        meta={"summary_of": len(part), "from": part[0].when, "until": part[-1].when, "by": summary.by},
    )


def speakers_in(memories: Iterable[Memory]) -> list[str]:
    """The names of those who speak in these memories, each once, in order."""
    return list(dict.fromkeys(name for one in memories for name in named_speakers(one.speaker)))


def _heard(part: Sequence[Memory], text: str) -> list[str]:
    """Those who speak in a summary: the speakers of its episodes, and whom else their transcripts quote in it.

    A line of somebody who is not named as a speaker would be read as said by one who is.
    """
    labels = dict.fromkeys(speaker_label(named_speakers(raw.speaker), raw.text) for raw in part)
    found = (label.match(line) for line in text.splitlines() for label in labels if label)
    return list(dict.fromkeys([*speakers_in(part), *(one["name"] for one in found if one)]))


def _common(values: Iterable[str | None]) -> str | None:
    """The value that all have in common; None if they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _written_how(summary: Summary) -> str:
    """How a summary was written, for the log: by which model, or in whole sentences, and why no model was of use."""
    how = "in whole sentences" if summary.by == EXTRACTIVE else f"by {summary.by}"
    return f"{how} ({summary.trouble})" if summary.trouble else how


# ---------------------------------------------------------------------------------------------- compressed to distilled


def distil(work: RunContext) -> list[Change]:
    """The changes made: old summaries are shortened in place and no longer expire (K41); their evidence is kept."""
    return [change for group in _distillable_together(work) for change in _distil(work, group)]


def count_distil(work: RunContext) -> int:
    """The number of summaries that wait to be distilled."""
    return len(_distillable(work))


def _distillable(work: RunContext) -> list[int]:
    before = days_later(work.now, -work.policy.episodes.distil_after_days)
    left_alone = log.undone_by_hand(work.conn, DISTIL)
    found = work.conn.execute(SELECT_COMPRESSED, {"before": before, "now": work.now})
    return [row["key"] for row in found if row["id"] not in left_alone]


def _distillable_together(work: RunContext) -> Iterator[list[Memory]]:
    """The summaries that are shortened together: those of a conversation, or each alone by a model.

    A sentence of each would often be a tenth of it. A model might join what several say.
    """
    alone = work.summariser.name != EXTRACTIVE
    found = store.memories(work.conn, _distillable(work)).values()
    for _, group in groupby(found, key=lambda one: one.key if alone else one.document_key):
        yield from _sections_of(group)


def _distil(work: RunContext, group: Sequence[Memory]) -> list[Change]:
    policy = work.policy.episodes
    budget = max(policy.least_tokens, round(policy.distil_share * sum(old.tokens for old in group)))
    summary = _summarised(work, [Turn(old.text, old.speaker, old.when) for old in group], budget)
    points = [tuple(one for one in summary.points if place in one.sources) for place in range(len(group))]
    with work.writing():
        made = (_distil_one(work, old, replace(summary, points=own)) for old, own in zip(group, points, strict=True))
        return [change for change in made if change]


def _distil_one(work: RunContext, old: Memory, summary: Summary) -> Change | None:
    """Shortens a summary, unless it has changed in the meantime. One without any point stays as it is."""
    now = store.memories(work.conn, [old.key]).get(old.key)
    if now is None or (now.text, now.compression, now.archived_at) != (old.text, COMPRESSED, None):
        return None
    return _write_distilled(work, old, summary.text.strip() or old.text, summary)


def _write_distilled(work: RunContext, old: Memory, text: str, summary: Summary) -> Change:
    before = snapshots.saved_rows(
        work.conn, [old.key], ("memories", "mentions", "relations", "evidence", "extractions")
    )
    facts = evidence_transfer.move_evidence(work, old, old.key, text)
    for fact in facts:
        store.link(work.conn, fact, old.key, "derived_from", work.now, why="a fact of it")
    row = {"key": old.key, "text": text, "tokens": est_tokens(text), "hash": text_hash(text), "now": work.now}
    with store.index_paused(work.conn):
        work.conn.execute(UPDATE_DISTILLED, {**row, "by": summary.by})
        around = store.neighbourhood(work.conn, [old.key]) | {old.key}
        store.reindex_text(work.conn, [old.key])
    evidence_transfer.copy_mentions(work, old.key, [old.key], text)
    bump(work.conn)
    work.embed(around)
    return log.record(
        work.conn,
        run=work.run,
        step=DISTIL,
        action="distilled",
        memory_id=old.id,
        why=f"older than {work.policy.episodes.distil_after_days:g} days, {_written_how(summary)}",
        at=work.now,
        sources=evidence_transfer.ids(work, facts),
        before={**before, "made": {"memories": facts}},
    )


# ---------------------------------------------------------------------------------------------- sources of a summary


def expand(conn: Connection, summary: Memory) -> list[Memory]:
    """The memories from which a summary was made, in order of time, without archived ones."""
    keys = [row[0] for row in conn.execute(SELECT_RAW_OF, {"key": summary.key})]
    return list(store.memories(conn, keys).values())
