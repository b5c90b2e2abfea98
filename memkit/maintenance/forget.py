"""Forgetting: hiding a memory or deleting it for good, together with everything that would still repeat its words.

Memories made from it (summaries, facts kept from them, observations, crystals, merges) are taken back: their making is
undone. Their other sources count again, and are restored if they were pruned; the next maintenance makes new memories
from these. A derived memory that can no longer be undone is hidden or deleted, too. Only the evidence that it holds in
the words of others stays, as a short fact.

Deleting for good also deletes what was archived or pruned in favour of the forgotten memory (merged or condensed into
it, or expired after it was summarised), and all copies: saved rows for restore and undo, and proposals.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from memkit.core.errors import MemkitError
from memkit.core.types import GLOBAL, Memory
from memkit.ingestion import relation_extraction
from memkit.ingestion.forgotten import FORGOTTEN
from memkit.maintenance import evidence_transfer, log, pruned, snapshots
from memkit.maintenance.erase import erase, forget_copies
from memkit.maintenance.policy import COMPRESS, EXPIRE
from memkit.maintenance.run_context import RunContext
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.json_columns import json_object, or_empty
from memkit.storage.store import dumps

STEP = "forget"
# The actions in the log that make a text from others.
MAKING = ("made", "rebuilt", "observed", "condensed", "merged", "summarised")
TAKEN_BACK = "taken back", "made from a forgotten memory; maintenance makes it again from its other sources, if any"
GONE = "gone for good", "made from a forgotten memory, and could no longer be undone"
HIDDEN = "hidden", "made from a forgotten memory, and could no longer be undone"

SELECT_MADE_OF = f"""
select d.id
from memories as s
    join links as l on l.to_key = s.key and l.type = 'derived_from'
    join memories as d on d.key = l.from_key
where s.id in (select value from json_each(:ids))
union
select m.memory_id
from maintenance as m join json_each({or_empty("m.sources")}) as s
where s.value in (select value from json_each(:ids)) and m.action in (select value from json_each(:making))
"""
SELECT_KEPT_FROM = f"""
select text, json_extract({or_empty("meta")}, '$.kept_from') as kept_from from memories where id = :id
"""
# Memories that were archived because these replaced them: merged by a decision, or condensed by reflection.
SELECT_SOURCES = f"""
select s.id, s.key, s.meta
from memories as d
    join links as l on l.from_key = d.key and l.type = 'derived_from'
    join memories as s on s.key = l.to_key
where d.id in (select value from json_each(:ids)) and s.archived_at is not null
    and (l.why, json_extract({or_empty("s.meta")}, '$.archived_because')) in (
        ('a decision', 'merged'), ('reflect', 'condensed')
    )
"""
SELECT_LET_GO = f"""
select p.memory_id
from pruned as p join maintenance as m on m.memory_id = p.memory_id and m.at = p.pruned_at and m.step = :step
where exists (
    select 1 from json_each({or_empty("m.sources")}) as s where s.value in (select value from json_each(:ids))
)
"""
SELECT_CHANGES = """
select id from maintenance
where undone_at is null and (
    memory_id in (select value from json_each(:ids))
    or (memory_id = :id and exists (select 1 from pruned as p where p.memory_id = :id and p.pruned_at = at))
    or (step = :step and memory_id not in (select value from json_each(:let_go)) and exists (
        select 1 from json_each(sources) as s where s.value in (select value from json_each(:ids))
    ))
)
order by key desc
"""
SELECT_BEFORE = "select before from maintenance where memory_id = :id and step = :step and before is not null"
HAS_FOREIGN = """
select exists (
    select 1 from memories
    where id in (select value from json_each(:ids)) and project not in (:project, :global)
)
"""
SELECT_KEYS = "select key from memories where id in (select value from json_each(:ids))"
# These turns were read for an observation that no longer exists, so they may be observed again.
FORGET_OBSERVED = f"""
delete from extractions
where extractor = 'observer' and memory_key in (
    select key from memories where id in (
        select s.value from maintenance as m join json_each({or_empty("m.sources")}) as s
        where m.memory_id in (select value from json_each(:ids)) and m.action = 'observed'
    )
)
"""
# A reason may quote a memory: that of a crystal names its subject, that of a model may contain its answer.
FORGET_REASONS = """
update maintenance set why = 'forgotten' where step <> :step and memory_id in (select value from json_each(:ids))
"""
SELECT_EVIDENCE = "select key, quote, said_at from evidence where memory_key = :key"


def forget(work: RunContext, id: str) -> tuple[Memory, set[int]]:
    """The memory that was deleted for good, and the keys of memories that need new vectors.

    `id` may also name a pruned memory. Each other memory that is deleted or taken back is a change in the log. The
    bytes stay in the file until `scrub`. Raises NotFound for an unknown id.
    """
    conn, now = work.conn, work.now
    with writing(conn):
        hidden, let_go = _put_away_for(conn, [id])
        texts = {id: pruned.text(conn, id) or store.memory(conn, id).text}
        texts |= {one: store.memory(conn, one).text for one in hidden}
        made = _made_of(conn, texts)
        around = _take_back(conn, id, made, let_go, now)
        roots = [store.memory(conn, one) for one in texts]
        left = _keep_others(work, made, roots)
        keys = _keys(conn, [*texts, *left])
        around |= erase(conn, keys, now)
        gone = [*texts, *made, *let_go]
        forget_copies(conn, gone)
        conn.execute(FORGET_REASONS, {"ids": dumps(gone), "step": STEP})
        _record(work, roots[0], made, left, [*hidden, *let_go])
    return roots[0], around - set(keys)


def hide(work: RunContext, id: str, project: str | None = None) -> tuple[Memory, set[int]]:
    """The memory, now hidden from recall, and the keys of memories that need new vectors.

    Raises NotFound for an unknown id.
    """
    conn, now = work.conn, work.now
    with writing(conn):
        memory = store.memory(conn, id)
        made = _made_of(conn, {id: memory.text})
        if project is not None and _has_foreign(conn, made, project):
            raise MemkitError(f"Memories of other projects were made from {id}. It can be forgotten without a project.")
        around = _take_back(conn, id, made, (), now)
        left = _keep_others(work, made, [memory])
        keys = _keys(conn, [id, *left])
        before = snapshots.saved_rows(conn, keys)
        relation_extraction.withdraw(conn, keys, now)
        around |= store.archive(conn, keys, now, FORGOTTEN)
        _record(work, memory, made, left, gone=HIDDEN)
        if not _is_forgotten(memory):
            why = "forgotten by hand"
            said = {"run": work.run, "step": STEP, "action": FORGOTTEN, "memory_id": id, "why": why, "at": now}
            log.record(conn, **said, before=before)
    return memory, around - set(keys)


def bring_back(conn: Connection, id: str, now: str) -> set[int]:
    """Undoes `hide` of a forgotten memory; returns the keys of memories that need new vectors.

    Memories that were made from it do not come back: the next maintenance makes them again. Raises NotFound for an
    unknown id, MemkitError if the memory has changed since.
    """
    with writing(conn):
        memory = store.memory(conn, id)
        for change in log.changes(conn, memory=id, steps=[STEP]):
            if (change.memory_id, change.action, change.undone_at) == (id, FORGOTTEN, None):
                return {memory.key, *log.undo(conn, change.id, now)[1]}
        # Files of before kept no former state: its place in the document is lost, and its relations are read again.
        meta = {name: value for name, value in memory.meta.items() if name != "archived_because"}
        back = {"key": memory.key, "id": id, "archived_at": None, "meta": dumps(meta)}
        return {memory.key, *snapshots.restore_rows(conn, {"memories": [back]}, now)}


def is_forgotten(conn: Connection, id: str) -> bool:
    """Whether a memory with this id is hidden because it was forgotten."""
    return any(_is_forgotten(one) for one in store.memories(conn, _keys(conn, [id])).values())


def _is_forgotten(memory: Memory) -> bool:
    return memory.archived_at is not None and memory.meta.get("archived_because") == FORGOTTEN


# ---------------------------------------------------------------------------------------------- affected memories


def _made_of(conn: Connection, texts: Mapping[str, str]) -> list[str]:
    """The ids of all memories made from these (id to text), directly or not, except facts kept in other words."""
    found = dict.fromkeys(texts)
    ids = list(texts)
    while ids:
        known = conn.execute(SELECT_MADE_OF, {"ids": dumps(ids), "making": dumps(MAKING)}).fetchall()
        ids = [row[0] for row in known if row[0] not in found and not _says_other(conn, row[0], texts)]
        found |= dict.fromkeys(ids)
    return list(found)[len(texts) :]


def _has_foreign(conn: Connection, ids: Sequence[str], project: str) -> bool:
    """Whether any of these memories belongs to another project."""
    parameters = {"ids": dumps(ids), "project": project, "global": GLOBAL}
    return bool(conn.execute(HAS_FOREIGN, parameters).fetchone()[0])


def _says_other(conn: Connection, id: str, texts: Mapping[str, str]) -> bool:
    """Whether this is a fact kept from another memory, in words that none of these texts has."""
    row = conn.execute(SELECT_KEPT_FROM, {"id": id}).fetchone()
    if row is None or row["kept_from"] is None or row["kept_from"] in texts:
        return False
    return not any(line in text for line in row["text"].splitlines() for text in texts.values())


def _put_away_for(conn: Connection, ids: list[str]) -> tuple[list[str], list[str]]:
    """The ids of memories archived in favour of these, and of those pruned because of them, directly or not."""
    hidden: dict[str, None] = {}
    let_go: dict[str, None] = {}
    while ids:
        let_go |= dict.fromkeys(row[0] for row in conn.execute(SELECT_LET_GO, {"ids": dumps(ids), "step": EXPIRE}))
        ids = [row["id"] for row in _archived_sources(conn, ids) if row["id"] not in hidden]
        hidden |= dict.fromkeys(ids)
    return list(hidden), list(let_go)


def _archived_sources(conn: Connection, ids: Sequence[str]) -> list[Any]:
    return list(conn.execute(SELECT_SOURCES, {"ids": dumps(ids)}))


def _keys(conn: Connection, ids: Sequence[str]) -> list[int]:
    return [row[0] for row in conn.execute(SELECT_KEYS, {"ids": dumps(ids)})]


# ---------------------------------------------------------------------------------------------- taking back


def _take_back(conn: Connection, id: str, made: Sequence[str], let_go: Sequence[str], now: str) -> set[int]:
    """Undoes the making of these memories as far as possible; their other sources count again.

    Returns the keys of memories that need new vectors, as do the functions below.
    """
    around = _as_before(conn, id, made, let_go, now) | _free(conn, id, now) | _stand_again(conn, made, now)
    conn.execute(FORGET_OBSERVED, {"ids": dumps(made)})
    return around


def _free(conn: Connection, id: str, now: str) -> set[int]:
    """Removes the expiry date from memories that were to expire because this summary replaces them."""
    return {
        key
        for row in conn.execute(SELECT_BEFORE, {"id": id, "step": COMPRESS}).fetchall()
        for key in snapshots.restore_rows(conn, {"memories": json_object(row[0]).get("memories", [])}, now)
    }


def _as_before(conn: Connection, id: str, made: Sequence[str], let_go: Sequence[str], now: str) -> set[int]:
    """Restores the state before these memories were made, as far as it is still kept.

    If the forgotten memory was pruned, it comes back in between, with its evidence.
    """
    parameters = {"id": id, "ids": dumps(made), "step": EXPIRE, "let_go": dumps(let_go)}
    changes = conn.execute(SELECT_CHANGES, parameters).fetchall()
    return {key for row in changes for key in log.revert(conn, row[0], now) or ()}


def _stand_again(conn: Connection, made: Sequence[str], now: str) -> set[int]:
    """Restores the memories that were archived in favour of those that are removed."""
    saved = []
    for row in _archived_sources(conn, made):
        if row["id"] not in made:
            meta = {name: value for name, value in json_object(row["meta"]).items() if name != "archived_because"}
            saved.append({"key": row["key"], "id": row["id"], "archived_at": None, "meta": dumps(meta)})
    return snapshots.restore_rows(conn, {"memories": saved}, now)


def _keep_others(work: RunContext, made: Sequence[str], roots: Sequence[Memory]) -> list[str]:
    """The ids of those that still exist and must be removed. Their evidence in the words of others is kept as facts."""
    left = store.memories(work.conn, _keys(work.conn, made))
    for going in left.values():
        _keep_quotes(work, going, roots)
    return [one.id for one in left.values()]


def _keep_quotes(work: RunContext, going: Memory, roots: Sequence[Memory]) -> None:
    """Keeps the evidence of a removed memory that is in the words of others, as a new fact."""
    said = {root.when or root.created_at for root in roots}
    found = work.conn.execute(SELECT_EVIDENCE, {"key": going.key}).fetchall()
    quotes = {
        row["key"]: row["quote"]
        for row in found
        if row["quote"] and row["said_at"] not in said and not any(row["quote"] in root.text for root in roots)
    }
    if quotes:
        evidence_transfer.keep_quotes(work, going, quotes, widen=False)


def _record(
    work: RunContext,
    forgotten: Memory,
    made: Sequence[str],
    left: Collection[str],
    put_away: Sequence[str] = (),
    gone: tuple[str, str] = GONE,
) -> None:
    """Logs what happened to every memory except the forgotten one. Only ids are logged, no texts."""
    told = {
        **dict.fromkeys(made, TAKEN_BACK),
        **dict.fromkeys(left, gone),
        **dict.fromkeys(put_away, ("gone for good", "replaced by a forgotten memory")),
    }
    for id, (action, why) in told.items():
        log.record(
            work.conn,
            run=work.run,
            step=STEP,
            action=action,
            memory_id=id,
            why=why,
            at=work.now,
            sources=[forgotten.id],
        )
