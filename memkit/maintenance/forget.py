"""Forgetting: hiding a memory or deleting it for good, together with everything that would still repeat its words.

Memories made from it (summaries, facts kept from them, observations, crystals, merges) are taken back: their making is
undone. Their other sources count again, and are restored if they were pruned; the next maintenance makes new memories
from these. A derived memory that can no longer be undone is hidden or deleted, too. Only the evidence that it holds in
the words of others stays, as a short fact.

Deleting for good also deletes what was archived or pruned in favour of the forgotten memory (merged or condensed into
it, or expired after it was summarised), and all copies: saved rows for restore and undo, and proposals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memkit.core.batches import batched
from memkit.core.errors import MemkitError
from memkit.core.types import GLOBAL, Memory
from memkit.ingestion import relation_extraction
from memkit.ingestion.forgotten import FORGOTTEN
from memkit.maintenance import evidence_transfer, log, snapshots
from memkit.maintenance.erase import erase, forget_copies
from memkit.maintenance.forgotten_names import NOTHING, Said
from memkit.maintenance.policy import COMPRESS, EXPIRE
from memkit.maintenance.run_context import RunContext
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, or_empty
from memkit.storage.store import dumps

STEP = "forget"
WITH_SOURCE = "forgotten with its source"
# The actions in the log that make a text from others.
MAKING = ("made", "rebuilt", "observed", "condensed", "merged", "summarised")
TAKEN_BACK = "taken back", "made from a forgotten memory; maintenance makes it again from its other sources, if any"
GONE = "gone for good", "made from a forgotten memory, and could no longer be undone"
HIDDEN = "hidden", "made from a forgotten memory, and could no longer be undone"

SELECT_MADE_OF = f"""
select s.id as source, d.id as made
from memories as s
    join links as l on l.to_key = s.key and l.type = 'derived_from'
    join memories as d on d.key = l.from_key
where s.id in (select value from json_each(:ids))
union
select s.value, m.memory_id
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
    or (memory_id in (select value from json_each(:roots)) and exists (
        select 1 from pruned as p where p.memory_id = maintenance.memory_id and p.pruned_at = at
    ))
    or (step = :step and memory_id not in (select value from json_each(:let_go)) and exists (
        select 1 from json_each(sources) as s where s.value in (select value from json_each(:ids))
    ))
)
order by key desc
"""
SELECT_BEFORE = """
select before from maintenance
where memory_id in (select value from json_each(:ids)) and step = :step and before is not null
"""
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
SELECT_TEXTS = f"""
select a.value as id, coalesce({or_empty("p.rows")}->>'$.memories[0].text', m.text) as text
from json_each(:ids) as a left join memories as m on m.id = a.value left join pruned as p on p.memory_id = a.value
"""
SELECT_FORGOTTEN = f"""
select id from memories
where id in (select value from json_each(:ids)) and archived_at is not null
    and json_extract({or_empty("meta")}, '$.archived_because') = :forgotten
"""

AT_ONCE = 1000  # memories whose states are read together


class Hidden(NamedTuple):
    """What was forgotten: the first memory, as it was; the keys of all that is hidden or deleted now, and of what needs
    new vectors. `said` is what was deleted for good.
    """

    first: Memory
    keys: set[int]
    around: set[int]
    said: Said = NOTHING


def forget(work: RunContext, ids: Sequence[str]) -> Hidden:
    """Deletes these memories for good.

    The ids may also be those of pruned memories. Each other memory that is deleted or taken back is a change in the
    log. The bytes stay in the file until `scrub`. Raises NotFound for an unknown id.
    """
    conn, now = work.conn, work.now
    hidden, let_go = _put_away_for(conn, list(ids))
    texts = _texts(conn, [*ids, *hidden])
    made = _made_of(conn, texts)
    around = _take_back(conn, ids, made, let_go, now)
    first = store.memory(conn, ids[0])
    left = _keep_others(work, made)
    keys = keys_of(conn, [*texts, *left])
    gone = [*texts, *made, *let_go]
    forget_copies(conn, gone)  # first: what a saved row names is not deleted
    said, neighbours = erase(conn, keys, now)
    conn.execute(FORGET_REASONS, {"ids": dumps(gone), "step": STEP})
    _record(work, ids, made, left, [*hidden, *let_go])
    return Hidden(first, set(keys), (around | neighbours) - set(keys), said)


def hide(work: RunContext, ids: Sequence[str], project: str | None = None, why: str = "forgotten by hand") -> Hidden:
    """Hides these memories from recall.

    With a `project`, raises MemkitError if memories of other projects were made from them. Raises NotFound for an
    unknown id.
    """
    conn, now = work.conn, work.now
    first, texts = store.memory(conn, ids[0]), _texts(conn, ids)
    made = _made_of(conn, texts)
    if project is not None and _has_foreign(conn, list(made), project):
        raise MemkitError(
            f"Memories of other projects were made from {', '.join(ids)}. It can be forgotten without a project."
        )
    around = _take_back(conn, ids, made, (), now)
    left = _keep_others(work, made)
    keys = keys_of(conn, [*ids, *left])
    _record(work, ids, made, left, gone=HIDDEN)
    _record_hidden(work, _unforgotten(conn, ids), made, left, why)
    relation_extraction.withdraw(conn, keys, now)
    around |= store.archive(conn, keys, now, FORGOTTEN)
    return Hidden(first, set(keys), around - set(keys))


def _unforgotten(conn: Connection, ids: Sequence[str]) -> list[str]:
    """Those of these ids whose memories are not hidden because they were forgotten."""
    known = conn.execute(SELECT_FORGOTTEN, {"ids": dumps(list(ids)), "forgotten": FORGOTTEN})
    forgotten = {row[0] for row in known}
    return [id for id in ids if id not in forgotten]


# ---------------------------------------------------------------------------------------------- affected memories


def _texts(conn: Connection, ids: Sequence[str]) -> dict[str, str]:
    """The texts of these memories by id, also of pruned ones. Raises NotFound for an unknown id."""
    texts = dict(map(tuple, conn.execute(SELECT_TEXTS, {"ids": dumps(list(ids))})))
    for id, text in texts.items():
        if text is None:
            store.memory(conn, id)  # says that there is none
    return texts


Made = dict[str, set[str]]  # ids of memories made from forgotten ones, each with those that it was made from


def _made_of(conn: Connection, texts: Mapping[str, str]) -> Made:
    """All memories made from these (id to text), directly or not, except facts kept in other words."""
    found: Made = {}
    reached: Made = {id: {id} for id in texts}
    while reached:
        following: Made = defaultdict(set)
        for source, made in conn.execute(SELECT_MADE_OF, {"ids": dumps(list(reached)), "making": dumps(MAKING)}):
            if made not in texts and not reached[source] <= found.get(made, set()):
                following[made] |= reached[source]
        reached = {made: of for made, of in following.items() if not _says_other(conn, made, texts, of)}
        for made, of in reached.items():
            found[made] = found.get(made, set()) | of
    return found


def _has_foreign(conn: Connection, ids: Sequence[str], project: str) -> bool:
    """Whether any of these memories belongs to another project."""
    parameters = {"ids": dumps(ids), "project": project, "global": GLOBAL}
    return bool(conn.execute(HAS_FOREIGN, parameters).fetchone()[0])


def _says_other(conn: Connection, id: str, texts: Mapping[str, str], of: Iterable[str]) -> bool:
    """Whether this is a fact kept from another memory, in words that none of the texts that it was made `of` has."""
    row = conn.execute(SELECT_KEPT_FROM, {"id": id}).fetchone()
    if row is None or row["kept_from"] is None or row["kept_from"] in texts:
        return False
    return not any(line in texts[one] for line in row["text"].splitlines() for one in of)


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


def keys_of(conn: Connection, ids: Sequence[str]) -> list[int]:
    """The keys of those of these memories that exist."""
    return [row[0] for row in conn.execute(SELECT_KEYS, {"ids": dumps(ids)})]


# ---------------------------------------------------------------------------------------------- taking back


def _take_back(conn: Connection, ids: Sequence[str], made: Made, let_go: Sequence[str], now: str) -> set[int]:
    """Undoes the making of these memories as far as possible; their other sources count again.

    Returns the keys of memories that need new vectors, as do the functions below.
    """
    around = _as_before(conn, ids, made, let_go, now) | _free(conn, ids, now) | _stand_again(conn, made, now)
    conn.execute(FORGET_OBSERVED, {"ids": dumps(list(made))})
    return around


def _free(conn: Connection, ids: Sequence[str], now: str) -> set[int]:
    """Removes the expiry date from memories that were to expire because one of these summaries replaces them."""
    return {
        key
        for row in conn.execute(SELECT_BEFORE, {"ids": dumps(list(ids)), "step": COMPRESS}).fetchall()
        for key in snapshots.restore_rows(conn, {"memories": json_object(row[0]).get("memories", [])}, now)
    }


def _as_before(conn: Connection, ids: Sequence[str], made: Made, let_go: Sequence[str], now: str) -> set[int]:
    """Restores the state before these memories were made, as far as it is still kept.

    A forgotten memory that was pruned comes back in between, with its evidence.
    """
    parameters = {
        "roots": dumps(list(ids)),
        "ids": dumps(list(made)),
        "step": EXPIRE,
        "let_go": dumps(list(let_go)),
    }
    changes = conn.execute(SELECT_CHANGES, parameters).fetchall()
    return {key for row in changes for key in log.revert(conn, row[0], now) or ()}


def _stand_again(conn: Connection, made: Made, now: str) -> set[int]:
    """Restores the memories that were archived in favour of those that are removed."""
    saved = []
    for row in _archived_sources(conn, list(made)):
        if row["id"] not in made:
            meta = {name: value for name, value in json_object(row["meta"]).items() if name != "archived_because"}
            saved.append({"key": row["key"], "id": row["id"], "archived_at": None, "meta": dumps(meta)})
    return snapshots.restore_rows(conn, {"memories": saved}, now)


def _keep_others(work: RunContext, made: Made) -> list[str]:
    """The ids of those that still exist and must be removed. Their evidence in the words of others is kept as facts."""
    left = store.memories(work.conn, keys_of(work.conn, list(made)))
    for going in left.values():
        _keep_quotes(work, going, store.memories(work.conn, keys_of(work.conn, list(made[going.id]))).values())
    return [one.id for one in left.values()]


def _keep_quotes(work: RunContext, going: Memory, roots: Collection[Memory]) -> None:
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


# ---------------------------------------------------------------------------------------------- the log


def _record(
    work: RunContext,
    forgotten: Sequence[str],
    made: Made,
    left: Collection[str],
    put_away: Sequence[str] = (),
    gone: tuple[str, str] = GONE,
) -> None:
    """Logs what happened to every memory except the forgotten ones. Only ids are logged, no texts."""
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
            sources=sorted(made.get(id, forgotten)),
        )


def _record_hidden(work: RunContext, ids: Sequence[str], made: Made, left: Sequence[str], why: str) -> None:
    """Logs the memories that are to be hidden, with their state: that of those made from them is with one of them."""
    along = defaultdict(list)
    for one in left:
        along[min(made[one])].append(one)
    for some in batched(ids, AT_ONCE):
        states = _states(work.conn, [*some, *(one for id in some for one in along[id])])
        befores = {id: _joined([states[one] for one in (id, *along[id])]) for id in some}
        log.record_each(work.conn, befores, run=work.run, step=STEP, action=FORGOTTEN, why=why, at=work.now)


def _states(conn: Connection, ids: Sequence[str]) -> dict[str, snapshots.Before]:
    """For each of these memories, what hiding changes: its own row, its evidence, and that it was read."""
    keys = keys_of(conn, ids)
    rows = snapshots.columns(conn, keys, ("archived_at", "position", "meta"))["memories"]
    states: dict[int, snapshots.Before] = {
        row["key"]: {"memories": [row], "relations": [], "evidence": [], "extractions": []} for row in rows
    }
    saved = snapshots.saved_rows(conn, keys, ("relations", "evidence", "extractions"))
    relations = {row["key"]: row for row in saved["relations"]}
    for name in ("evidence", "extractions"):
        for row in saved[name]:
            states[row["memory_key"]][name].append(row)
    for state in states.values():
        state["relations"] = [relations[key] for key in dict.fromkeys(one["relation_key"] for one in state["evidence"])]
    return {state["memories"][0]["id"]: state for state in states.values()}


def _joined(states: Sequence[snapshots.Before]) -> snapshots.Before:
    """Several states as one."""
    return {name: [row for state in states for row in state[name]] for name in states[0]}
