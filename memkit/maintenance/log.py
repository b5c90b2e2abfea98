"""Audit log of maintenance, and undo: which memory was changed, when, why and from which sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memkit.core.errors import MemkitError, NotFound, one_of
from memkit.core.formatting import (
    LONGEST_CELL,
    SHOWN_ROWS,
    counted,
    html_table,
    more_note,
    notes_html,
    short,
    when_text,
)
from memkit.core.frames import Framed
from memkit.maintenance import log_lines, proposals, pruned, snapshots
from memkit.maintenance.policy import LOGGED, PURGE
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.json_columns import json_object, json_texts, or_empty
from memkit.storage.store import dumps
from memkit.text.words import short_id

# Another program may have emptied `sqlite_sequence`, to count from the start.
NEXT_KEY = """
select 1 + max(
    (select coalesce(max(cast(seq as integer)), 0) from sqlite_sequence where name = 'maintenance'),
    (select coalesce(max(key), 0) from maintenance)
)
"""
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
        or exists (select 1 from json_each({or_empty("maintenance.sources")}) as s where s.value = :memory)
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
SELECT_TAKEN_BACK = f"""
select memory_id from maintenance where step = :step and undone_at is not null
union
select s.value from maintenance as m, json_each({or_empty("m.sources")}) as s
where m.step = :step and m.undone_at is not null
"""
MARK_UNDONE = "update maintenance set undone_at = :now where id in (select value from json_each(:ids))"
# The text of a memory, also of one that was pruned and can be restored.
SELECT_SAYS = f"""
select id, substr(text, 1, 200) as text from memories where id in (select value from json_each(:ids)) and text <> ''
union all
select memory_id, substr({or_empty("rows")}->>'$.memories[0].text', 1, 200) from pruned
where memory_id in (select value from json_each(:ids))
"""
# What was removed from the database must not stay in its log.
FORGET_BEFORE = "update maintenance set before = null where before is not null and at <= :until"


@dataclass(frozen=True, slots=True)
class Change:
    """One change that maintenance made: to which memory (its id), when, why, and from which sources (ids of memories).

    `undoable` is true while the change can be undone: it has not been undone, and the state before it is still kept.
    `says` is the beginning of the memory's text, empty if the text is no longer kept.
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

    @property
    def told(self) -> str:
        """What was done, in words: `Shortened 12 memories to this`."""
        return log_lines.sentence(self.step, self.action, len(self.sources))

    def __str__(self) -> str:
        """One line for people, with the ids that undo the change and show the memory."""
        says = f": “{short(self.says, SAYS)}”" if self.says else ""
        undone = f", undone {when_text(self.undone_at)}" if self.undone_at else ""
        return f"{self.id}  {when_text(self.at)}  {self.told}{says} [{self.memory_id}] ({self.why}){undone}"

    def to_dict(self) -> dict[str, Any]:
        """The change as values that JSON can hold."""
        return asdict(self) | {"sources": list(self.sources)}

    def cells(self) -> tuple[str, ...]:
        """The cells of the change in a table with HEADINGS."""
        done = f"{self.told}, undone {when_text(self.undone_at)}" if self.undone_at else self.told
        return (done, short(self.says, LONGEST_CELL), self.memory_id, short(self.why, LONGEST_CELL), self.id)


HEADINGS = ("what", "text", "memory", "why", "change")
SAYS = 80  # characters of a memory's text in a line


def listed(changes: Iterable[Change]) -> list[Change]:
    """The changes that a list names one by one: not what is gone for good, of which only the number says anything."""
    return [one for one in changes if one.step != PURGE]


def gone_note(changes: Iterable[Change]) -> list[str]:
    """A list with one note of how many memories are gone for good, if any."""
    gone = sum(one.step == PURGE for one in changes)
    return [f"Gone for good, as the time to restore was over: {counted(gone, 'memories')}"] if gone else []


class Changes(Framed, list[Change]):
    """A list of changes, shown as a table in a notebook."""

    KIND = Change

    def _repr_html_(self) -> str:
        shown = listed(self)
        rows = ((when_text(one.at), *one.cells()) for one in shown[:SHOWN_ROWS])
        notes = notes_html([*more_note(len(shown), "changes"), *gone_note(self)])
        return html_table(counted(len(self), "changes"), ("when", *HEADINGS), rows) + notes


def record(
    conn: Connection,
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
    """The change, after it was written to the log. Call it in the transaction that makes the change.

    `before` holds what undo needs (`snapshots.Before`): the rows before the change, from `snapshots.saved_rows`; under
    `made`, the keys of new rows; under `proposal`, the accepted proposal. None if there is nothing to bring back.
    """
    key = conn.execute(NEXT_KEY).fetchone()[0]
    told = tuple(sources)
    change = Change(short_id(run, step, memory_id, str(key)), run, step, action, memory_id, at, why, told)
    kept = None if before is None else dumps(before)
    conn.execute(INSERT_CHANGE, {**asdict(change), "key": key, "sources": dumps(told), "before": kept})
    return change


def record_each(
    conn: Connection, befores: Mapping[str, Mapping[str, Any]], *, run: str, step: str, action: str, why: str, at: str
) -> None:
    """Writes the same change of many memories (by id, with the rows before) to the log."""
    same = {"run": run, "step": step, "action": action, "why": why, "at": at, "sources": "[]"}
    first = conn.execute(NEXT_KEY).fetchone()[0]
    conn.executemany(
        INSERT_CHANGE,
        (
            {**same, "key": key, "id": short_id(run, step, id, str(key)), "memory_id": id, "before": dumps(before)}
            for key, (id, before) in enumerate(befores.items(), first)
        ),
    )


def changes(
    conn: Connection,
    *,
    id: str | None = None,
    memory: str | None = None,
    run: str | None = None,
    steps: Iterable[str] = (),
    limit: int | None = None,
) -> Changes:
    """The logged changes, newest first. Each argument narrows them: `id` of a change, `memory`, `run`, `steps`.

    With `memory`, changes of other memories that were made from it are included. A `limit` of None means all. Raises
    MemkitError for an unknown step.
    """
    named = list(steps)
    for name in named:
        if name not in LOGGED:
            raise MemkitError(one_of("step in the log", name, LOGGED))
    most = -1 if limit is None else limit
    wanted = {"id": id, "memory": memory, "run": run, "steps": dumps(named) if named else None, "limit": most}
    return with_texts(conn, [_change(row) for row in conn.execute(SELECT_CHANGES, wanted)])


def count_undoable(conn: Connection) -> int:
    """The number of changes that can be undone now."""
    return int(conn.execute(COUNT_UNDOABLE).fetchone()[0])


def with_texts(conn: Connection, found: Iterable[Change]) -> Changes:
    """The changes, each with the beginning of its memory's text in `says`."""
    known = list(found)
    says = dict(tuple(row) for row in conn.execute(SELECT_SAYS, {"ids": dumps([one.memory_id for one in known])}))
    return Changes(replace(one, says=says.get(one.memory_id, "")) for one in known)


def _change(row: Any) -> Change:
    values = {name: row[name] for name in row.keys() if name != "key"}  # noqa: SIM118 (a row, no dict)
    return Change(**{**values, "sources": tuple(json_texts(row["sources"])), "undoable": bool(row["undoable"])})


def undone_by_hand(conn: Connection, step: str) -> set[str]:
    """The ids of memories for which a person has undone this step. The step leaves them alone."""
    return {row[0] for row in conn.execute(SELECT_TAKEN_BACK, {"step": step})}


def forget_before(conn: Connection, until: str) -> None:
    """Deletes the saved states of changes made up to `until`. These changes can no longer be undone."""
    conn.execute(FORGET_BEFORE, {"until": until})


def undo(conn: Connection, id: str, now: str) -> tuple[Changes, set[int]]:
    """The changes that were undone, and the keys of memories that need new vectors.

    `id` names one change, or a run, whose changes are undone newest first, all or none. The id of a refused proposal
    opens it again, which changes no memory. Raises NotFound for an unknown id; MemkitError if a change was already
    undone, if a later change must be undone first, or if the state before is no longer kept.
    """
    with writing(conn):
        found = changes(conn, id=id) or [one for one in changes(conn, run=id) if one.undone_at is None]
        if not found and proposals.ask_again(conn, id):
            return Changes(), set()
        if not found:
            said = f"There is no change or run {id!r} that can be undone. `memkit maintain DATABASE --log` lists them."
            raise NotFound(said)
        around = {key for change in found for key in _undo(conn, change, now)}
        return changes(conn, id=id) or changes(conn, run=id), around


def restore(conn: Connection, id: str, now: str) -> set[int]:
    """Restores a pruned memory and marks its change as undone. Returns the keys of memories that need new vectors.

    Raises NotFound for a memory that is not pruned, or is deleted for good.
    """
    for change in changes(conn, memory=id):
        if (
            change.memory_id == id
            and change.undoable
            and conn.execute(SELECT_BEFORE, {"id": change.id}).fetchone()[0] is None
        ):
            mark_undone(conn, [change.id], now)
    return pruned.restore(conn, id, now)


def _undo(conn: Connection, change: Change, now: str) -> set[int]:
    if change.undone_at:
        raise MemkitError(f"The change {change.id} was already undone, at {change.undone_at}.")
    kept = conn.execute(SELECT_BEFORE, {"id": change.id}).fetchone()[0]
    check_nothing_later(conn, change.id, {change.memory_id, *snapshots.changed_ids(json_object(kept))})
    around = revert(conn, change.id, now)
    if around is None:
        raise MemkitError(
            f"The change {change.id} ({change.step}: {change.action}) cannot be undone: "
            "the state before it is no longer kept."
        )
    mark_undone(conn, [change.id], now)
    return around


def mark_undone(conn: Connection, ids: Iterable[str], now: str) -> None:
    """Marks these changes as undone."""
    conn.execute(MARK_UNDONE, {"ids": dumps(list(ids)), "now": now})


def revert(conn: Connection, id: str, now: str) -> set[int] | None:
    """Restores the rows to their state before a change (its id). It is not marked as undone, and can recur.

    Returns the keys of memories that need new vectors, or None if the state before is no longer kept.
    """
    (change,) = changes(conn, id=id)
    kept = conn.execute(SELECT_BEFORE, {"id": id}).fetchone()[0]
    if kept is None:
        return pruned.restore(conn, change.memory_id, now) if change.undoable else None
    before = json_object(kept)
    if "proposal" in before:
        proposals.reopen(conn, **before["proposal"])
    return snapshots.restore_rows(conn, before, now)


def check_nothing_later(conn: Connection, change: str, ids: Iterable[str]) -> None:
    """Raises MemkitError if a change to one of these memories (ids) after this one (its id) is not undone."""
    later = conn.execute(SELECT_LATER, {"memories": dumps(sorted(ids)), "id": change}).fetchone()
    if later:
        raise MemkitError(
            f"The memory {later['memory_id']} was changed again after {change}. Undo {later['id']} first "
            f"({later['step']}: {later['action']}, {later['at']})."
        )
