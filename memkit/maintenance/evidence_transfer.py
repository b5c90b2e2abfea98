"""Evidence transfer: before a memory is removed, its evidence moves to another memory that has the quoted words.

That is its summary, if the summary contains all quotes; otherwise new short memories of kind `fact`: the sentences with
the quotes, whole, of one speaker each, with their date. The relations do not change. They have as many sources as
before, because each of them is quoted once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memkit.core.types import DocumentDraft, Draft, Memory
from memkit.ingestion import entity_linking
from memkit.ingestion.relation_extraction import mention_evident
from memkit.ingestion.writer import remember
from memkit.maintenance.run_context import RunContext
from memkit.storage import store
from memkit.storage.store import keys_json
from memkit.text.statements import Statement, named_speakers, speaker_label, statements

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
# A fact is already as short as possible, so it is not compacted again.
MARK_DISTILLED = "update memories set compression = 'distilled' where key = :key"
# Method `kept`: reading the text again would not find this evidence, so it is valid while the quote is in the text.
MOVE_EVIDENCE = """
update evidence set
    memory_key = :to, quote = case quote when '' then :words else quote end,
    method = iif(method in ('pattern', 'wikilink', 'slot', 'field', 'folder'), 'kept', method)
where key = :key
"""
# The mentions of a derived text are known from its sources, so it need not be read again.
COPY_MENTIONS = """
insert into mentions (memory_key, entity_key, role, surface, start, count, confidence)
select :to, x.entity_key, 'text', min(x.surface), null, sum(x.count), max(x.confidence)
from mentions as x
where x.memory_key in (select value from json_each(:keys))
    and (x.role = 'relation' or instr(:text, x.surface) > 0)
group by x.entity_key
on conflict (memory_key, entity_key, role) do nothing
"""
SELECT_HASH = "select key, hash from memories where key = :key"


@dataclass(frozen=True, slots=True)
class Quoted:
    """The quote of an evidence (its key), and the whole sentence that it stands in."""

    key: int
    quote: str
    sentence: str


def move_evidence(work: RunContext, gone: Memory, holder: int | None, text: str) -> list[int]:
    """Moves a memory's evidence to `holder` if its `text` has all quotes, or else to new facts; their keys."""
    found = work.conn.execute(SELECT_EVIDENCE, {"key": gone.key}).fetchall()
    if not found:
        return []
    quotes = {row["key"]: row["quote"] or _stated(row) for row in found}
    if holder is not None and all(words in text for words in quotes.values()):
        vouched = {row[0] for row in work.conn.execute(SELECT_VOUCHED, {"key": holder})}
        if holder == gone.key or vouched.isdisjoint(row["relation_key"] for row in found):
            _move(work, holder, quotes)
            return []
    return keep_quotes(work, gone, quotes)


def keep_quotes(work: RunContext, gone: Memory, quotes: Mapping[int, str], *, widen: bool = True) -> list[int]:
    """The keys of new memories that hold the quotes (by the key of their evidence) of a removed memory.

    Each holds whole sentences of one speaker, and the evidence for what it says. Without `widen`, a quote of several
    sentences stays as it is: what stands around it must not be kept.
    """
    return [_fact(work, gone, speaker, said) for speaker, said in _by_speaker(gone, quotes, widen).items()]


def _by_speaker(gone: Memory, quotes: Mapping[int, str], widen: bool) -> dict[str | None, list[Quoted]]:
    """The quotes of a memory, each with its sentence, by who says them."""
    names = named_speakers(gone.speaker)
    spoken = statements(gone.text, names)
    found: dict[str | None, list[Quoted]] = {}
    for key, quote in quotes.items():
        label = speaker_label(names, gone.text)
        said = _said_in(spoken, quote, label) or (_said_over(gone.text, spoken, quote, label) if widen else None)
        speaker, sentence = said or (None, quote)
        found.setdefault(speaker or gone.speaker, []).append(Quoted(key, quote, sentence))
    return found


def _said_in(spoken: Sequence[Statement], quote: str, label: re.Pattern[str] | None) -> tuple[str | None, str] | None:
    """The speaker and the words of the sentence that contains a quote; the label is a part of it if it is quoted."""
    for one in spoken:
        if quote in one.speaker + one.words:
            return _name(one, label), one.words if quote in one.words else one.speaker + one.words
    return None


def _said_over(
    text: str, spoken: Sequence[Statement], quote: str, label: re.Pattern[str] | None
) -> tuple[str | None, str] | None:
    """The same of a quote that goes over several sentences of one turn, or was cut short inside the last of them."""
    start, cursor = text.find(quote), 0
    found: list[tuple[Statement, int]] = []
    for one in spoken if start >= 0 else ():
        at = text.find(one.words, cursor)
        cursor = max(cursor, at + len(one.words))
        if 0 <= at < start + len(quote) and cursor > start and (not found or found[0][0].turn == one.turn):
            found.append((one, at))
    if not found:
        return None
    (first, begins), (last, ends) = found[0], found[-1]
    return _name(first, label), text[begins : ends + len(last.words)]


def _name(one: Statement, label: re.Pattern[str] | None) -> str | None:
    named = label.match(f"{one.speaker}.") if label else None
    return named and named["name"]


def _stated(row: Any) -> str:
    """The words of a relation, for evidence without a quote."""
    return f"{row['subject']} {row['predicate'].replace('_', ' ')} {row['object']}."


def _move(work: RunContext, to: int, quotes: Mapping[int, str]) -> None:
    rows = [{"key": key, "to": to, "words": words} for key, words in quotes.items()]
    work.conn.executemany(MOVE_EVIDENCE, rows)
    mention_evident(work.conn, [to])


def _fact(work: RunContext, gone: Memory, speaker: str | None, said: Sequence[Quoted]) -> int:
    """The key of a new memory with what one speaker is quoted with, and the evidence for it."""
    each = dict.fromkeys(one.sentence for one in said)
    whole = [words for words in each if not any(words in other for other in each if other != words)]
    text = "\n".join(sorted(whole, key=gone.text.find))
    draft = Draft(
        text=text,
        document=DocumentDraft(source="memory:remembered"),
        source_id=gone.source_id,
        kind=FACT,
        title=gone.title,
        speaker=speaker,
        tags=gone.tags,
        project=gone.project,
        importance=gone.importance,
        confidence=gone.confidence,
        happened_at=gone.when or None,
        sequential=False,
        meta={"kept_from": gone.id},
    )
    key = remember(work.conn, draft, work.embedder, work.now)
    work.conn.execute(MARK_DISTILLED, {"key": key})
    copy_mentions(work, key, [gone.key], text)
    _move(work, key, {one.key: one.quote for one in said})
    return key


def copy_mentions(work: RunContext, key: int, sources: list[int], text: str) -> None:
    """Copies to a derived memory those mentions of its sources that are in its text, and marks it as read.

    If it were read by itself, it would count as one more source of the same relations.
    """
    parameters = {"to": key, "keys": keys_json(sources), "text": text}
    work.conn.execute(COPY_MENTIONS, parameters)
    hashes = dict(work.conn.execute(SELECT_HASH, {"key": key}).fetchall())
    store.mark_read(work.conn, entity_linking.EXTRACTOR, hashes, work.now)


def ids(work: RunContext, keys: list[int]) -> list[str]:
    """The ids of these memories."""
    return [memory.id for memory in store.memories(work.conn, keys).values()]
