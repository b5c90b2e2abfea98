"""Maintenance step "slots": what the user says of himself becomes the value of a slot, or a proposal (S01).

A text is read once. What is sure is written, dated by when it was said; it ends the value before. What is unsure, or
everything if the policy says `propose`, is a proposal. What was refused, or undone, is neither written nor asked again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from memkit.core.progress import advance, phase
from memkit.core.types import Memory
from memkit.ingestion import entity_linking, own_slots
from memkit.maintenance import log, proposals, snapshots
from memkit.maintenance.log import Change
from memkit.maintenance.policy import OFF, SLOTS, WRITE
from memkit.maintenance.proposals import OPEN, REFUSED, SLOT
from memkit.maintenance.run_context import RunContext
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.store import dumps
from memkit.text.extract.own_slots import SlotValue, find_slots, slot_lines
from memkit.text.words import normal_name

Names = set[tuple[str, str, str]]  # slot, key and value of what is meant

GROUP = 500  # texts that are read in one transaction

SELECT_FILLED = """
select m.id, m.slot, m.slot_key, m.text, c.id as change
from links as l join memories as m on m.key = l.from_key join maintenance as c on c.memory_id = m.id
where l.to_key = :key and l.type = 'derived_from' and m.slot is not null
    and c.step = :step and c.action = 'filled' and c.undone_at is null and c.before is not null
"""
SELECT_TEXTS = "select text from memories where id in (select value from json_each(:ids))"
SELECT_LIVING = "select id from memories where id in (select value from json_each(:ids)) and archived_at is null"
SELECT_SAID = """
select key, id, project, coalesce(happened_at, created_at) as said_at from memories
where id = :id and archived_at is null
"""
ENDED = ("valid_until", "updated_at")  # the columns that an end changes


def fill(work: RunContext, how: str | None = None) -> list[Change]:
    """The changes made: values written and ended, and new proposals. `how` replaces the policy's `slots.fill`."""
    how = how or work.policy.slots.fill
    changes: list[Change] = []
    if how == OFF:
        return changes
    _withdraw(work)
    declined = _declined(work.conn)
    phase("looking for what you said of yourself", own_slots.count_unread(work.conn), unit="texts")
    while True:
        made, texts = _fill_some(work, how, declined)
        changes += made
        if not texts:
            return changes
        advance(texts)


def _fill_some(work: RunContext, how: str, declined: Names) -> tuple[list[Change], int]:
    """The changes that the next texts make, and how many texts these are.

    They are read in the transaction that marks them as read: else another process may have forgotten them meanwhile.
    """
    changes: list[Change] = []
    with work.writing():
        rows = own_slots.unread(work.conn, GROUP)
        user = own_slots.user_of(work.conn)
        for row in rows:
            made = _read(work, row, user, how, declined)
            if made:  # the name may have become known
                user = own_slots.user_of(work.conn)
            changes += made
        store.mark_read(work.conn, own_slots.EXTRACTOR, {row["key"]: row["hash"] for row in rows}, work.now)
    return changes, len(rows)


def count_unread(work: RunContext) -> int:
    """The number of the user's texts that were not read for slots yet."""
    return 0 if work.policy.slots.fill == OFF else own_slots.count_unread(work.conn)


def _read(
    work: RunContext, row: Any, user: own_slots.User, how: str, declined: set[tuple[str, str, str]]
) -> list[Change]:
    conn = work.conn
    by_rules = [*own_slots.values(row, user), *own_slots.lessons(conn, row)]
    named = set(map(_name, by_rules))
    taught = any(one.is_lesson for one in by_rules)  # a model would call the same lesson by another name
    modelled = [one for one in own_slots.modelled(conn, row, user) if not (one.is_lesson and taught)]
    said = [*by_rules, *(one for one in modelled if _name(one) not in named)]
    changes = _take_back(work, row, said)
    found = [one for one in said if _name(one) not in declined]
    ends = [one for one in found if one.ended and one.sure]
    new = [one for one in found if not one.ended and not own_slots.is_known(conn, one, row["project"], row["said_at"])]
    sure = [one for one in new if one.sure and how == WRITE]
    unsure = [one for one in new if one not in sure]
    changes += [change for one in ends if how == WRITE for change in _end(work, one, row)]
    changes += [write(work, one, row, work.run)[1] for one in sure]
    return changes + (_propose(work, unsure, row) if unsure else [])


def write(work: RunContext, one: SlotValue, row: Any, run: str, **before: Any) -> tuple[Memory, Change]:
    """The new value of a slot and its change in the log, ; undo lets the value before it go on."""
    conn = work.conn
    made = own_slots.write(conn, one, row, work.embedder, work.now)
    change = log.record(
        conn,
        run=run,
        step=SLOTS,
        action="filled",
        memory_id=made.id,
        why=f"{_kind(one)}, as you {'said' if one.quote else 'decided'}",
        at=work.now,
        sources=[row["id"]],
        before={**before, "made": {"memories": [made.key]}},
    )
    return made, change


def _take_back(work: RunContext, row: Any, said: Sequence[SlotValue]) -> list[Change]:
    """Takes values back that were read from this text when it was another one."""
    still = {_name(one) for one in said}
    changes = []
    for was in work.conn.execute(SELECT_FILLED, {"key": row["key"], "step": SLOTS}).fetchall():
        if (was["slot"], was["slot_key"], normal_name(was["text"])) not in still:
            work.embed(log.revert(work.conn, was["change"], work.now) or ())
            changes.append(
                log.record(
                    work.conn,
                    run=work.run,
                    step=SLOTS,
                    action="taken back",
                    memory_id=was["id"],
                    why="the text no longer says so",
                    at=work.now,
                    sources=[row["id"]],
                )
            )
    return changes


def _end(work: RunContext, one: SlotValue, row: Any) -> list[Change]:
    """Ends a value that the user says holds no longer; the graph reads it again."""
    conn = work.conn
    was = own_slots.current(conn, one, row["project"])
    if was is None:
        return []
    key = was["key"]
    before = {
        **snapshots.saved_rows(conn, [key], ("relations", "evidence", "extractions")),
        **snapshots.columns(conn, [key], ENDED),
    }
    store.end(conn, [key], row["said_at"], work.now)
    store.read_again(conn, [key], entity_linking.EXTRACTOR)
    entity_linking.connect(conn, work.now, keys=[key], embedder=work.embedder)
    return [
        log.record(
            conn,
            run=work.run,
            step=SLOTS,
            action="ended",
            memory_id=was["id"],
            why=f"{_kind(one)}, as you said",
            at=work.now,
            sources=[row["id"]],
            before=before,
        )
    ]


# ---------------------------------------------------------------------------------------------- proposals


def _propose(work: RunContext, unsure: Sequence[SlotValue], row: Any) -> list[Change]:
    """A proposal for all values that one text may mean."""
    waiting = set(map(_name, _proposed(work.conn, OPEN)))
    asked = [one for one in unsure if _name(one) not in waiting]
    if not asked:
        return []
    text, why = "\n".join(one.line for one in asked), "; ".join(dict.fromkeys(one.quote for one in asked))
    id = proposals.propose(work.conn, SLOT, [row["id"]], text, f"you said: {why}", work.now)
    if id is None:
        return []
    return [Change(id, work.run, SLOTS, "proposed", row["id"], work.now, text, (row["id"],))]


def accept(work: RunContext, found: proposals.Proposal, text: str) -> bool:
    """Writes the values of an accepted proposal, each a change of the run with the proposal's id.

    Whether the text has the form that values have; if not, nothing is written.
    """
    values = slot_lines(text)
    if not values:
        return False
    row = work.conn.execute(SELECT_SAID, {"id": found.members[0]}).fetchone()
    if row is None:
        return False
    for one in values:
        write(work, one, row, found.id, proposal={"id": found.id, "text": found.text})
    return True


def _withdraw(work: RunContext) -> None:
    """Deletes the open proposals whose text is gone."""
    waiting = proposals.list_proposals(work.conn, OPEN, SLOT)
    members = dumps([one.members[0] for one in waiting])
    living = {row[0] for row in work.conn.execute(SELECT_LIVING, {"ids": members})}
    gone = [one.id for one in waiting if one.members[0] not in living]
    if gone:
        with work.writing():
            proposals.withdraw(work.conn, gone)


def _declined(conn: Connection) -> Names:
    """The values that a person refused, or whose writing was undone."""
    undone = dumps(sorted(log.undone_by_hand(conn, SLOTS)))
    texts = conn.execute(SELECT_TEXTS, {"ids": undone}).fetchall()
    taken_back = (one for (text,) in texts for one in find_slots(text))
    return {_name(one) for one in (*_proposed(conn, REFUSED), *taken_back)}


def _proposed(conn: Connection, state: str) -> list[SlotValue]:
    """The values in the proposals of a state."""
    return [one for each in proposals.list_proposals(conn, state, SLOT) for one in slot_lines(each.text) or ()]


def _kind(one: SlotValue) -> str:
    """What a value is, without any of its words: the log outlives what is forgotten."""
    return f"{one.slot}.{re.split(r'[: ]', one.key)[0]}"


def _name(one: SlotValue) -> tuple[str, str, str]:
    return one.slot, one.key, normal_name(one.value)
