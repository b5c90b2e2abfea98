"""Fact extraction during maintenance: unread memories are read by rules, and by a model if there is one.

The rules read everything, as they do during ingestion. The model reads only what will be summarised soon, because raw
text may expire after that. It is asked once about the present text of each memory. If its answer is unusable, only the
rules count. If there was no answer at all, the model is asked again in the next run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memkit.core.types import Memory
from memkit.ingestion import entity_linking
from memkit.ingestion.llm_extraction import ExtractReport, write_extractions
from memkit.ingestion.relation_extraction import IS_REPLACED
from memkit.maintenance import log, snapshots
from memkit.maintenance.dates import hours_later
from memkit.maintenance.log import Change
from memkit.maintenance.policy import FACTS
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import WithModel
from memkit.storage import store
from memkit.storage.store import dumps
from memkit.text.extract.llm_answer import Extraction
from memkit.text.extract.llm_extract import extract_in_batches

SELECT_WAITING = f"""
select m.key, m.hash from memories as m
where m.compression = 'raw' and m.archived_at is null and m.kind in (select value from json_each(:kinds))
    and coalesce(m.happened_at, m.created_at) < :before and not ({IS_REPLACED})
    and not exists (
        select 1 from extractions as x where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
    )
order by m.key
"""
SELECT_TEXTS = "select from_key from links where to_key = :key and type = 'derived_from' and why = :extractor"
HANGING = ("relations", "evidence", "mentions")  # the tables that reading a memory changes


def read(work: RunContext) -> list[Change]:
    """The changes made: unread memories are read by rules, and those that will be summarised soon by the model.

    Only what the model found, or failed to read, is a change in the log. Each answer is one transaction; none is open
    while the model works. Raises ModelFailed if the model cannot be called.
    """
    entity_linking.connect(work.conn, work.now, embedder=work.embedder)
    changes: list[Change] = []
    waiting = _waiting(work)
    try:
        for group in _asked(work, waiting):
            with work.writing():
                changes += _kept(work, group, waiting)
    finally:  # also what was found before an interrupt
        if changes:
            entity_linking.connect(work.conn, work.now, embedder=work.embedder)
    return changes


def count_unread(work: RunContext) -> int:
    """The number of memories that wait to be read by rules or by the model."""
    return len({*entity_linking.unread(work.conn), *_waiting(work)})


def _reader(work: RunContext) -> WithModel | None:
    """The model of this run; None if it has none."""
    return work.summariser if isinstance(work.summariser, WithModel) else None


def _waiting(work: RunContext) -> dict[int, str]:
    """The memories that will be summarised and that the model has not read: key to hash."""
    if _reader(work) is None:
        return {}
    policy = work.policy.episodes
    parameters = {
        "kinds": dumps(policy.compact_kinds),
        "before": hours_later(work.now, -policy.compress_after_hours),
        "extractor": work.summariser.name,
    }
    return {row["key"]: row["hash"] for row in work.conn.execute(SELECT_WAITING, parameters)}


def _asked(work: RunContext, waiting: Mapping[int, str]) -> Iterator[list[Extraction]]:
    """The model's answers, one group of memories at a time. Raises ModelFailed if the model cannot be called."""
    if reader := _reader(work):
        for group in extract_in_batches(reader.model, _memories(work, waiting)):
            silent = [found for found in group if not found.answered]
            reader.heard(not silent, silent[0].error if silent else None)
            yield [found for found in group if found.answered]


def _memories(work: RunContext, waiting: Mapping[int, str]) -> Iterator[Memory]:
    return (one for key in waiting for one in store.memories(work.conn, [key]).values())


def _kept(work: RunContext, group: list[Extraction], asked: Mapping[int, str]) -> list[Change]:
    """Stores what the model found, except in memories that were changed or read in the meantime."""
    now = _waiting(work)
    group = [found for found in group if now.get(found.key) == asked[found.key]]
    before = {found.key: _state(work, found.key) for found in group}
    write_extractions(work.conn, group, work.summariser.name, work.embedder, work.now, ExtractReport())
    after = {found.key: _state(work, found.key) for found in group}
    told = (found for found in group if found.error or found.entities or before[found.key] != after[found.key])
    return [_record(work, found, before[found.key], after[found.key]) for found in told]


def _state(work: RunContext, key: int) -> snapshots.Before:
    """A memory's relations, evidence and mentions, and the texts that this model made from it, with theirs."""
    parameters = {"key": key, "extractor": work.summariser.name}
    texts = [row[0] for row in work.conn.execute(SELECT_TEXTS, parameters)]
    memories = (
        snapshots.columns(work.conn, [key], ())["memories"]
        + snapshots.saved_rows(work.conn, texts, ("memories",))["memories"]
    )
    hanging = snapshots.saved_rows(work.conn, [key, *texts], HANGING)
    return {**hanging, "memories": memories, "made": {"memories": texts}}


def _record(work: RunContext, found: Extraction, before: snapshots.Before, after: snapshots.Before) -> Change:
    """Logs what was found. New relations are saved too, so that undo computes them again from the evidence left."""
    texts = [key for key in after["made"]["memories"] if key not in before["made"]["memories"]]
    relations = {row["key"]: row for row in (*after["relations"], *before["relations"])}
    counts = f"relations {len(found.relations)}, names {len(found.entities)}, texts {len(found.texts)}"
    return log.record(
        work.conn,
        run=work.run,
        step=FACTS,
        action="not read" if found.error else "read",
        memory_id=before["memories"][0]["id"],
        why=f"the answer of {work.summariser.name} could not be used: {found.error}"
        if found.error
        else f"found by {work.summariser.name}: {counts}",
        at=work.now,
        sources=[one.id for one in store.memories(work.conn, texts).values()],
        before={} if found.error else {**before, "relations": [*relations.values()], "made": {"memories": texts}},
    )
