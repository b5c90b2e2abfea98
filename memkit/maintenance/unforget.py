"""Bringing back what was forgotten: one memory, or all that one run has hidden."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from memkit.core.batches import batched
from memkit.core.errors import NotFound
from memkit.ingestion import forgotten_sources
from memkit.ingestion.forgotten import FORGOTTEN
from memkit.maintenance import log, snapshots
from memkit.maintenance.forget import AT_ONCE, STEP, WITH_SOURCE
from memkit.maintenance.log import Changes
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, or_empty
from memkit.storage.store import dumps

BECAUSE = "archived_because"  # in `meta`: why a memory is archived

SELECT_HIDDEN = f"""
select key, id, meta from memories
where id in (select value from json_each(:ids)) and archived_at is not null
    and json_extract({or_empty("meta")}, '$.archived_because') = :forgotten
"""
SELECT_HIDINGS = """
select id, memory_id from maintenance
where (:run is null or run = :run) and (:memory is null or memory_id = :memory)
    and step = :step and action = :action and undone_at is null
order by key
"""
SELECT_BY_ID = f"""
select m.id as memory_id, m.text, c.why, c.at as pruned_at, null as kept_until
from maintenance as c join memories as m on m.id = c.memory_id
where c.step = :step and c.action = :forgotten and c.undone_at is null and c.why <> :with_source
    and m.archived_at is not null and json_extract({or_empty("m.meta")}, '$.archived_because') = :forgotten
order by c.key desc
"""
SELECT_STATES = "select memory_id, before from maintenance where id in (select value from json_each(:changes))"


class Hiding(NamedTuple):
    """A change by which a memory was hidden."""

    id: str
    memory_id: str


def bring_back(conn: Connection, id: str, now: str) -> set[int]:
    """Undoes `hide` of a forgotten memory; returns the keys of memories that need new vectors.

    Memories that were made from it do not come back: the next maintenance makes them again. Raises NotFound for an
    unknown id, MemkitError if the memory has changed since.
    """
    memory = store.memory(conn, id)
    if hidden := _hidings(conn, memory=id)[-1:]:
        return {memory.key, *bring_back_all(conn, hidden, now)}
    return {memory.key, *snapshots.restore_rows(conn, {"memories": _shown(conn, [id])}, now)}


def is_forgotten(conn: Connection, id: str) -> bool:
    """Whether a memory with this id is hidden because it was forgotten."""
    return bool(_hidden(conn, [id]))


def forgotten_by_id(conn: Connection) -> list[dict[str, Any]]:
    """The hidden memories that were not forgotten with their source, newest first, as `pruned.restorable`."""
    parameters = {"step": STEP, "forgotten": FORGOTTEN, "with_source": WITH_SOURCE}
    return [dict(row) for row in conn.execute(SELECT_BY_ID, parameters)]


def undo(conn: Connection, id: str, now: str) -> tuple[Changes, set[int]]:
    """As `log.undo`. What a run has hidden comes back together, and the next ingest reads its source again."""
    hidden = hidden_by(conn, id)
    if not hidden and is_forgotten(conn, id):
        raise NotFound(f"{id!r} is a forgotten memory. To bring it back: memkit unprune DATABASE {id}")
    if not hidden:
        return log.undo(conn, id, now)
    around = bring_back_all(conn, hidden, now)
    forgotten_sources.lift_run(conn, id)
    return log.changes(conn, run=id, steps=[STEP]), around


def hidden_by(conn: Connection, run: str) -> list[Hiding]:
    """The changes of a run by which it has hidden memories that are hidden still, earliest first."""
    return _hidings(conn, run=run)


def _hidings(conn: Connection, **of: str) -> list[Hiding]:
    parameters = {"run": None, "memory": None, "step": STEP, "action": FORGOTTEN, **of}
    return [Hiding(*row) for row in conn.execute(SELECT_HIDINGS, parameters)]


def bring_back_all(conn: Connection, hidden: Sequence[Hiding], now: str) -> set[int]:
    """Undoes these changes of one run, all or none; returns the keys of other memories that need new vectors. What is
    hidden keeps its own.

    Raises MemkitError if one of the memories was changed again later.
    """
    around: set[int] = set()
    if hidden:
        log.check_nothing_later(conn, hidden[-1].id, [one.memory_id for one in hidden])
    for some in batched(hidden, AT_ONCE):
        around |= _bring_back(conn, some, now)
    return around


def _bring_back(conn: Connection, some: Sequence[Hiding], now: str) -> set[int]:
    """Brings these memories back. Of one whose state is no longer kept, the place in its document is lost, and what
    it states is read again.
    """
    kept = conn.execute(SELECT_STATES, {"changes": dumps([one.id for one in some])}).fetchall()
    states = [json_object(before) for _, before in kept if before is not None]
    without = [id for id, before in kept if before is None]
    together = {name: [row for one in states for row in one.get(name, ())] for name in dict.fromkeys(_names(states))}
    together["memories"] = [*together.get("memories", ()), *_shown(conn, without)]
    around = snapshots.restore_rows(conn, together, now)
    log.mark_undone(conn, [one.id for one in some], now)
    return around - {row["key"] for row in together["memories"]}


def _names(states: Iterable[snapshots.Before]) -> Iterable[str]:
    return (name for one in states for name in one)


def _hidden(conn: Connection, ids: Sequence[str]) -> list[snapshots.Before]:
    parameters = {"ids": dumps(list(ids)), "forgotten": FORGOTTEN}
    return [dict(row) for row in conn.execute(SELECT_HIDDEN, parameters)]


def _shown(conn: Connection, ids: Sequence[str]) -> list[snapshots.Before]:
    """The rows of these forgotten memories, no longer hidden."""
    return [
        {
            "key": row["key"],
            "id": row["id"],
            "archived_at": None,
            "meta": dumps({name: value for name, value in json_object(row["meta"]).items() if name != BECAUSE}),
        }
        for row in _hidden(conn, ids)
    ]
