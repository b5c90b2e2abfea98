"""What a memory vouched for, kept before it goes: its evidence moves, together, to a memory that has the words.

That is its summary, where the summary quotes all of it, and else one short memory of kind `fact` made of the quotes.
The relations stay as they are; and as one memory takes the place of one, they have as many sources as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memkit import connect, store
from memkit.connect_relations import mention_evident
from memkit.ingest import remember
from memkit.life.work import Work
from memkit.store import keys_json
from memkit.types import DocumentDraft, Draft, Memory

FACT = "fact"
SELECT_EVIDENCE = """
select e.key, e.quote, e.relation_key, s.name as subject, r.predicate, o.name as object
from evidence as e
    join relations as r on r.key = e.relation_key
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where e.memory_key = :key
order by e.key
"""
SELECT_VOUCHED = "select relation_key from evidence where memory_key = :key"
# It is as short as it can be, and grows older no more.
MARK_DISTILLED = "update memories set compression = 'distilled' where key = :key"
# `kept` is what reading the words again would not find again: it holds as long as the quote stands in the text.
MOVE_EVIDENCE = """
update evidence set
    memory_key = :to, quote = case quote when '' then :words else quote end,
    method = iif(method in ('pattern', 'wikilink', 'slot', 'field', 'folder'), 'kept', method)
where key = :key
"""
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
MARK_READ = """
insert into extractions (memory_key, extractor, hash, at)
select key, :extractor, hash, :now from memories where key = :key
on conflict (memory_key, extractor) do update set hash = excluded.hash, at = excluded.at, error = null
"""


def keep(work: Work, gone: Memory, holder: int | None, text: str) -> list[int]:
    """Moves the evidence of a memory to `holder` if its `text` has the words, or else to a new fact; the fact's key."""
    found = work.conn.execute(SELECT_EVIDENCE, {"key": gone.key}).fetchall()
    quotes = {row["key"]: row["quote"] or _stated(row) for row in found}
    if not quotes:
        return []
    if holder is not None and all(words in text for words in quotes.values()):
        vouched = {row[0] for row in work.conn.execute(SELECT_VOUCHED, {"key": holder})}
        if holder == gone.key or vouched.isdisjoint(row["relation_key"] for row in found):
            _move(work, holder, quotes)
            return []
    return [fact(work, gone, quotes)]


def _stated(row: Any) -> str:
    """A relation in words, where nobody was quoted."""
    return f"{row['subject']} {row['predicate'].replace('_', ' ')} {row['object']}."


def _move(work: Work, to: int, quotes: Mapping[int, str]) -> None:
    rows = [{"key": key, "to": to, "words": words} for key, words in quotes.items()]
    work.conn.executemany(MOVE_EVIDENCE, rows)
    mention_evident(work.conn, [to])


def fact(work: Work, gone: Memory, quotes: Mapping[int, str]) -> int:
    """The key of a memory that says the words of one that goes, and vouches for what they prove."""
    each = dict.fromkeys(quotes.values())
    whole = [words for words in each if not any(words in other for other in each if other != words)]
    text = "\n".join(sorted(whole, key=gone.text.find))
    draft = Draft(
        text=text,
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
    named_like(work, key, [gone.key], text)
    _move(work, key, quotes)
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
