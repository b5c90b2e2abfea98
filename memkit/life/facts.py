"""What nobody has read yet is read for names and relations: by rules, and by a model where upkeep has one.

The rules read everything, as ingesting does. The model reads only what is about to be summed up, because that must be
done before raw text may expire. Each memory is asked about once in its present form; what an answer of no use leaves
out is left to the rules. What it gave no answer to at all is asked about again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memkit import connect, store
from memkit.extract.llm_answer import Extraction
from memkit.extract.llm_extract import extract_in_batches
from memkit.extracting import ExtractReport, keep
from memkit.life import log, rows
from memkit.life.ages import hours_later
from memkit.life.log import Change
from memkit.life.policy import FACTS
from memkit.life.summaries import WithModel
from memkit.life.work import Work
from memkit.store import dumps
from memkit.types import Memory

SELECT_WAITING = """
select m.key, m.hash from memories as m
where m.compression = 'raw' and m.archived_at is null and m.kind in (select value from json_each(:kinds))
    and coalesce(m.happened_at, m.created_at) < :before
    and not exists (
        select 1 from extractions as x where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
    )
order by m.key
"""
SELECT_TEXTS = "select from_key from links where to_key = :key and type = 'derived_from' and why = :extractor"
HANGING = ("relations", "evidence", "mentions")  # what reading a memory changes


def read(work: Work) -> list[Change]:
    """Reads what is unread by rules, and what grows old by the model; what the model found or failed in, as changes.

    Each answer of the model is a transaction of its own, and no transaction is open while it thinks.
    """
    connect.connect(work.conn, work.now, embedder=work.embedder)
    changes: list[Change] = []
    waiting = _waiting(work)
    try:
        for group in _asked(work, waiting):
            with work.writing():
                changes += _kept(work, group, waiting)
    finally:  # also what was found before an interrupt
        if changes:
            connect.connect(work.conn, work.now, embedder=work.embedder)
    return changes


def count_unread(work: Work) -> int:
    """How many memories wait to be read, by rules or by the model."""
    return len({*connect.unread(work.conn), *_waiting(work)})


def _reader(work: Work) -> WithModel | None:
    """The model that upkeep was given; None where it has none."""
    return work.summariser if isinstance(work.summariser, WithModel) else None


def _waiting(work: Work) -> dict[int, str]:
    """The memories that the model has not been asked about yet, and will be summed up: key to hash."""
    if _reader(work) is None:
        return {}
    policy = work.policy.episodes
    parameters = {
        "kinds": dumps(policy.compact_kinds),
        "before": hours_later(work.now, -policy.compress_after_hours),
        "extractor": work.summariser.name,
    }
    return {row["key"]: row["hash"] for row in work.conn.execute(SELECT_WAITING, parameters)}


def _asked(work: Work, waiting: Mapping[int, str]) -> Iterator[list[Extraction]]:
    """What the model answers, a group of memories at a time. Raises ModelFailed if it cannot be asked."""
    if reader := _reader(work):
        for group in extract_in_batches(reader.model, _memories(work, waiting)):
            silent = [found for found in group if not found.answered]
            reader.heard(not silent, silent[0].error if silent else None)
            yield [found for found in group if found.answered]


def _memories(work: Work, waiting: Mapping[int, str]) -> Iterator[Memory]:
    return (one for key in waiting for one in store.memories(work.conn, [key]).values())


def _kept(work: Work, group: list[Extraction], asked: Mapping[int, str]) -> list[Change]:
    """Writes what the model found in some memories, but for those that have changed or been read meanwhile."""
    now = _waiting(work)
    group = [found for found in group if now.get(found.key) == asked[found.key]]
    before = {found.key: _state(work, found.key) for found in group}
    keep(work.conn, group, work.summariser.name, work.embedder, work.now, ExtractReport())
    after = {found.key: _state(work, found.key) for found in group}
    told = (found for found in group if found.error or found.entities or before[found.key] != after[found.key])
    return [_record(work, found, before[found.key], after[found.key]) for found in told]


def _state(work: Work, key: int) -> rows.Before:
    """A memory as it is: what it says, and the texts that this model has made of it, with what they say."""
    parameters = {"key": key, "extractor": work.summariser.name}
    texts = [row[0] for row in work.conn.execute(SELECT_TEXTS, parameters)]
    memories = (
        rows.columns(work.conn, [key], ())["memories"] + rows.as_they_are(work.conn, texts, ("memories",))["memories"]
    )
    hanging = rows.as_they_are(work.conn, [key, *texts], HANGING)
    return {**hanging, "memories": memories, "made": {"memories": texts}}


def _record(work: Work, found: Extraction, before: rows.Before, after: rows.Before) -> Change:
    """Writes down what was found. To undo it, relations that are new have to follow from what evidence is left."""
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
