"""The log of maintenance: which memory was changed, when, why and from what; and taking a change back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memkit.driver import writing
from memkit.errors import MemkitError, NotFound, one_of
from memkit.life import proposals, pruned, rows
from memkit.life.policy import LOGGED
from memkit.store import dumps
from memkit.text import short_id

NEXT_KEY = "select coalesce(max(seq), 0) + 1 from sqlite_sequence where name = 'maintenance'"
INSERT_CHANGE = """
insert into maintenance (key, id, run, step, action, memory_id, at, why, sources, before)
values (:key, :id, :run, :step, :action, :memory_id, :at, :why, :sources, :before)
"""
UNDOABLE = """undone_at is null and (
        before is not null
        or exists (select 1 from pruned as p where p.memory_id = maintenance.memory_id and p.pruned_at = maintenance.at)
    )"""
COUNT_UNDOABLE = f"select count(*) from maintenance where {UNDOABLE}"
SELECT_CHANGES = f"""
select
    key, id, run, step, action, memory_id, at, why, sources, undone_at,
    {UNDOABLE} as undoable
from maintenance
where (:id is null or id = :id)
    and (:run is null or run = :run)
    and (:steps is null or step in (select value from json_each(:steps)))
    and (
        :memory is null
        or memory_id = :memory
        or exists (select 1 from json_each(maintenance.sources) as s where s.value = :memory)
    )
order by key desc
limit :limit
"""
SELECT_BEFORE = "select before from maintenance where id = :id"
SELECT_LATER = """
select id, step, action, memory_id, at from maintenance
where memory_id in (select value from json_each(:memories)) and undone_at is null
    and key > (select key from maintenance where id = :id)
order by key desc limit 1
"""
SELECT_TAKEN_BACK = """
select memory_id from maintenance where step = :step and undone_at is not null
union
select s.value from maintenance as m, json_each(m.sources) as s where m.step = :step and m.undone_at is not null
"""
MARK_UNDONE = "update maintenance set undone_at = :now where id = :id"
# What a memory says, or said before it was let go, as far as it is kept.
SELECT_SAYS = """
select id, substr(text, 1, 200) as text from memories where id in (select value from json_each(:ids)) and text <> ''
union all
select memory_id, substr(rows->>'$.memories[0].text', 1, 200) from pruned
where memory_id in (select value from json_each(:ids))
"""
# What was cut out of the database must not live on in its log.
FORGET_BEFORE = "update maintenance set before = null where before is not null and at <= :until"


@dataclass(frozen=True, slots=True)
class Change:
    """One change that maintenance made: to which memory (its id), when, why, and from which memories.

    `undoable` says that it can be taken back now: nobody has yet, and what was before is still kept. `says` is how the
    memory begins, where it is kept.
    """

    id: str
    run: str
    step: str
    action: str
    memory_id: str
    at: str
    why: str
    sources: tuple[str, ...] = ()
    undone_at: str | None = None
    undoable: bool = False
    says: str = field(default="", compare=False)

    def __str__(self) -> str:
        undone = f" (undone {self.undone_at})" if self.undone_at else ""
        return f"{self.id}  {self.at}  {self.step}: {self.memory_id} {self.action}, {self.why}{undone}"

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return asdict(self) | {"sources": list(self.sources)}


class Changes(list[Change]):
    """Changes; in a notebook a table."""

    def _repr_html_(self) -> str:
        from memkit.render_life import changes_html

        return changes_html(self)


def record(
    conn: Any,
    *,
    run: str,
    step: str,
    action: str,
    memory_id: str,
    why: str,
    at: str,
    sources: Iterable[str] = (),
    before: Mapping[str, Any] | None = None,
) -> Change:
    """The change, written down in the transaction that makes it.

    `before` is what `rows.as_they_are` gave of the rows that the change touches, with what it made under `made`
    (`rows.Before`), and under `proposal` what had been proposed; None where there is nothing to bring back.
    """
    key = conn.execute(NEXT_KEY).fetchone()[0]
    told = tuple(sources)
    change = Change(short_id(run, step, memory_id, str(key)), run, step, action, memory_id, at, why, told)
    kept = None if before is None else dumps(before)
    conn.execute(INSERT_CHANGE, {**asdict(change), "key": key, "sources": dumps(told), "before": kept})
    return change


def changes(
    conn: Any,
    *,
    id: str | None = None,
    memory: str | None = None,
    run: str | None = None,
    steps: Iterable[str] = (),
    limit: int | None = None,
) -> Changes:
    """The changes, newest first: one, those of a memory (or made from it), of a run, of some steps.

    `limit` None is all of them. Raises MemkitError for a step of which there can be none.
    """
    named = list(steps)
    for name in named:
        if name not in LOGGED:
            raise MemkitError(one_of("step in the log", name, LOGGED))
    most = -1 if limit is None else limit
    wanted = {"id": id, "memory": memory, "run": run, "steps": dumps(named) if named else None, "limit": most}
    return telling(conn, [_change(row) for row in conn.execute(SELECT_CHANGES, wanted)])


def count_undoable(conn: Any) -> int:
    """How many changes can be undone now."""
    return int(conn.execute(COUNT_UNDOABLE).fetchone()[0])


def telling(conn: Any, found: Iterable[Change]) -> Changes:
    """The changes, each with the beginning of what its memory says."""
    known = list(found)
    says = dict(tuple(row) for row in conn.execute(SELECT_SAYS, {"ids": dumps([one.memory_id for one in known])}))
    return Changes(replace(one, says=says.get(one.memory_id, "")) for one in known)


def _change(row: Any) -> Change:
    values = {name: row[name] for name in row.keys() if name != "key"}  # noqa: SIM118 (a row, no dict)
    return Change(**{**values, "sources": tuple(json.loads(row["sources"])), "undoable": bool(row["undoable"])})


def taken_back(conn: Any, step: str) -> set[str]:
    """The memories (ids) about which a person has undone what this step did: it leaves them alone."""
    return {row[0] for row in conn.execute(SELECT_TAKEN_BACK, {"step": step})}


def forget_before(conn: Any, until: str) -> None:
    """Drops what is kept of states from before changes made until then: these cannot be undone any more."""
    conn.execute(FORGET_BEFORE, {"until": until})


def undo(conn: Any, id: str, now: str) -> tuple[Changes, set[int]]:
    """Takes back one change, or every change of a run (`id` is the change's or the run's), newest first; all or none.

    Gives the changes, and the keys of the memories whose vectors have to be made anew. Raises NotFound for an id that
    is neither, and MemkitError where a later change has to be taken back first, or what was before is no longer kept.
    """
    with writing(conn):
        found = changes(conn, id=id) or [one for one in changes(conn, run=id) if one.undone_at is None]
        if not found:
            said = f"There is no change and no run to undo with the id {id!r}. `memkit maintain --log` lists them."
            raise NotFound(said)
        around = {key for change in found for key in _undo(conn, change, now)}
        return changes(conn, id=id) or changes(conn, run=id), around


def restore(conn: Any, id: str, now: str) -> set[int]:
    """Brings a memory back that was let go, and says so in the log; the keys of memories to embed anew."""
    for change in changes(conn, memory=id):
        if (
            change.memory_id == id
            and change.undoable
            and conn.execute(SELECT_BEFORE, {"id": change.id}).fetchone()[0] is None
        ):
            conn.execute(MARK_UNDONE, {"id": change.id, "now": now})
    return pruned.restore(conn, id, now)


def _undo(conn: Any, change: Change, now: str) -> set[int]:
    if change.undone_at:
        raise MemkitError(f"The change {change.id} was undone already, at {change.undone_at}.")
    kept = conn.execute(SELECT_BEFORE, {"id": change.id}).fetchone()[0]
    _check_nothing_later(conn, change, {} if kept is None else json.loads(kept))
    around = revert(conn, change.id, now)
    if around is None:
        raise MemkitError(
            f"The change {change.id} ({change.step}: {change.action}) cannot be undone: what was before is not kept."
        )
    conn.execute(MARK_UNDONE, {"id": change.id, "now": now})
    return around


def revert(conn: Any, id: str, now: str) -> set[int] | None:
    """Makes the rows as they were before a change (its id). It may be done again: nobody has decided against it.

    Gives the keys of the memories whose vectors have to be made anew; None where what was before is not kept.
    """
    (change,) = changes(conn, id=id)
    kept = conn.execute(SELECT_BEFORE, {"id": id}).fetchone()[0]
    if kept is None:
        return pruned.restore(conn, change.memory_id, now) if change.undoable else None
    before = json.loads(kept)
    if "proposal" in before:
        proposals.reopen(conn, **before["proposal"])
    return rows.bring_back(conn, before, now)


def _check_nothing_later(conn: Any, change: Change, before: Mapping[str, Any]) -> None:
    """Raises MemkitError where one of these memories was changed again, and that was not undone."""
    memories = dumps(sorted({change.memory_id, *rows.touched(before)}))
    later = conn.execute(SELECT_LATER, {"memories": memories, "id": change.id}).fetchone()
    if later:
        raise MemkitError(
            f"The memory {later['memory_id']} was changed again after {change.id}: undo {later['id']} first "
            f"({later['step']}: {later['action']}, {later['at']})."
        )
