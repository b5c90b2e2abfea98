"""What a memory vouched for, kept before it goes: its evidence moves to a memory that still has the words.

That is its summary, where the summary quotes it, and else a short memory of kind `fact` made of the quote alone. The
relations stay as they are: their evidence only lies elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from memkit import connect, store
from memkit.ingest import remember
from memkit.life.work import Work
from memkit.store import keys_json
from memkit.types import DocumentDraft, Draft, Memory

FACT = "fact"
SELECT_EVIDENCE = """
select e.key, e.quote, s.name as subject, r.predicate, o.name as object
from evidence as e
    join relations as r on r.key = e.relation_key
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where e.memory_key = :key
order by e.key
"""
# It is as short as it can be, and grows older no more.
MARK_DISTILLED = "update memories set compression = 'distilled' where key = :key"
MOVE_EVIDENCE = "update evidence set memory_key = :to where key in (select value from json_each(:keys))"
# Whom a text names is known from the memories that it was made of; nobody has to read it again.
COPY_MENTIONS = """
insert into mentions (memory_key, entity_key, role, surface, start, count, confidence)
select :to, x.entity_key, 'text', min(x.surface), null, sum(x.count), max(x.confidence)
from mentions as x
where x.memory_key in (select value from json_each(:keys))
    and (x.role = 'relation' or instr(:text, x.surface) > 0)
group by x.entity_key
on conflict (memory_key, entity_key, role) do nothing
"""
# Those that the evidence is about are named, in whatever words.
MENTION_EVIDENT = """
insert into mentions (memory_key, entity_key, role, surface, confidence)
select distinct e.memory_key, x.key, 'relation', x.name, r.confidence
from evidence as e
    join relations as r on r.key = e.relation_key
    join entities as x on x.key in (r.subject_key, r.object_key)
where e.memory_key = :key
    and not exists (select 1 from mentions as n where n.memory_key = e.memory_key and n.entity_key = x.key)
"""
MARK_READ = """
insert into extractions (memory_key, extractor, hash, at)
select key, :extractor, hash, :now from memories where key = :key
on conflict (memory_key, extractor) do update set hash = excluded.hash, at = excluded.at, error = null
"""


def keep(work: Work, gone: Memory, holder: int | None, text: str) -> list[int]:
    """Moves the evidence of a memory to `holder` where its `text` has the words, and to new facts; their keys."""
    quotes: dict[str, list[int]] = {}
    held: list[int] = []
    for row in work.conn.execute(SELECT_EVIDENCE, {"key": gone.key}):
        words = _squeezed(row["quote"]) or f"{row['subject']} {row['predicate'].replace('_', ' ')} {row['object']}."
        if holder is not None and words in _squeezed(text):
            held.append(row["key"])
        else:
            quotes.setdefault(words, []).append(row["key"])
    if holder is not None and held and holder != gone.key:
        work.conn.execute(MOVE_EVIDENCE, {"to": holder, "keys": keys_json(held)})
        work.conn.execute(MENTION_EVIDENT, {"key": holder})
    return [_fact(work, gone, words, keys) for words, keys in _whole(quotes).items()]


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _whole(quotes: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """The quotes without those that are part of another one, which speaks for them too."""
    whole: dict[str, list[int]] = {}
    for words in sorted(quotes, key=lambda one: (-len(one), one)):
        around = next((other for other in whole if words in other), words)
        whole.setdefault(around, []).extend(quotes[words])
    return whole


def _fact(work: Work, gone: Memory, words: str, evidence: list[int]) -> int:
    """The key of a memory that says these words of one that goes, and vouches for what they prove."""
    draft = Draft(
        text=words,
        document=DocumentDraft(source="memory:remembered"),
        source_id=gone.source_id,
        kind=FACT,
        title=gone.title,
        speaker=gone.speaker,
        tags=gone.tags,
        project=gone.project,
        importance=gone.importance,
        confidence=gone.confidence,
        happened_at=gone.when,
        sequential=False,
        meta={"kept_from": gone.id},
    )
    key = remember(work.conn, draft, work.embedder, work.now)
    work.conn.execute(MARK_DISTILLED, {"key": key})
    work.conn.execute(MOVE_EVIDENCE, {"to": key, "keys": keys_json(evidence)})
    named_like(work, key, [gone.key], words)
    work.conn.execute(MENTION_EVIDENT, {"key": key})
    return key


def named_like(work: Work, key: int, sources: list[int], text: str) -> None:
    """Gives a memory made of others the mentions of these, as far as its text has them, and marks it as read.

    What it says it says after them: read by itself it would count as one more source of the same.
    """
    parameters = {"to": key, "keys": keys_json(sources), "text": text}
    work.conn.execute(COPY_MENTIONS, parameters)
    work.conn.execute(MARK_READ, {"key": key, "extractor": connect.EXTRACTOR, "now": work.now})


def ids(work: Work, keys: list[int]) -> list[str]:
    """The ids of these memories."""
    return [memory.id for memory in store.memories(work.conn, keys).values()]
