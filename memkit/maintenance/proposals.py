"""Review queue: proposals to merge memories, to settle contradictions or to fill slots, for a person to decide.

Nothing is merged silently. There is one proposal for the same members. A refused merge is not proposed again, not even
as a part of a larger one. A proposal for slots has one member, the memory that says the values; its text has a line for
each, `user.nickname = Sam`. In the table it is a merge of one memory, so that older files can hold it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from memkit.core.errors import BadQuestion, NotFound, one_of
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
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_texts, or_empty
from memkit.storage.store import dumps
from memkit.text.words import short_id

MERGE, CONTRADICTION, SLOT = KINDS = ("merge", "contradiction", "slot")
OPEN, ACCEPTED, REFUSED = STATES = ("open", "accepted", "refused")

INSERT = """
insert into proposals (id, kind, members, text, why, created_at)
values (:id, :kind, :members, :text, :why, :now)
on conflict (kind, members) do update set text = excluded.text, why = excluded.why
where state = 'open' and (text, why) is not (excluded.text, excluded.why)
returning id
"""
_KIND = f"iif(kind = 'merge' and json_array_length({or_empty('members')}) = 1, 'slot', kind)"
# Not what forgotten memories say, and nothing to decide about what no longer holds.
_IS_TOLD = f"""not exists (
        select 1 from json_each({or_empty("members")}) as a
            left join memories as m on m.id = a.value
            left join relations as r on r.id = a.value
        where json_extract({or_empty("m.meta")}, '$.archived_because') = 'forgotten'
            or (state = 'open' and coalesce(m.archived_at, r.expired_at) is not null)
    )"""
SELECT_LIST = f"""
select id, {_KIND} as kind, members, text, why, state, created_at, decided_at from proposals
where (:state is null or state = :state) and (:kind is null or {_KIND} = :kind) and {_IS_TOLD}
order by key
"""
SELECT_ONE = f"""
select id, {_KIND} as kind, members, text, why, state, created_at, decided_at from proposals where id = :id
"""
DECIDE = "update proposals set state = :state, text = :text, decided_at = :now where id = :id and state = 'open'"
REOPEN = "update proposals set state = 'open', text = :text, decided_at = null where id = :id and state = 'accepted'"
ASK_AGAIN = """
update proposals set state = 'open', decided_at = null where id = :id and state = 'refused' returning id
"""
DELETE_OPEN = "delete from proposals where state = 'open' and id in (select value from json_each(:ids))"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question to a person: what the `members` (ids) would become (`text`), why, and the decision (one of STATES)."""

    id: str
    kind: str
    members: tuple[str, ...]
    text: str
    why: str
    state: str
    created_at: str
    decided_at: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The proposal as values that JSON can hold."""
        return asdict(self)

    def cells(self) -> tuple[str, ...]:
        """The proposal as the cells of a table: kind, text, reason, number of members, date, id."""
        kind = self.kind if self.state == "open" else f"{self.kind}, {self.state}"
        text, why = short(self.text, LONGEST_CELL), short(self.why, LONGEST_CELL)
        return (kind, text, why, str(len(self.members)), when_text(self.created_at), self.id)


class Proposals(Framed, list[Proposal]):
    """A list of proposals, shown as a table in a notebook."""

    KIND = Proposal

    def _repr_html_(self) -> str:
        headings = ("kind", "would become", "why", "members", "since", "proposal")
        table = html_table(counted(len(self), "proposals"), headings, [one.cells() for one in self[:SHOWN_ROWS]])
        return table + notes_html(more_note(len(self), "proposals"))


def propose(conn: Connection, kind: str, members: Iterable[str], text: str, why: str, now: str) -> str | None:
    """The id of a proposal that is new or has changed; None if it exists unchanged, or was decided."""
    ids = dumps(sorted(set(members)))
    told = {"kind": MERGE if kind == SLOT else kind, "members": ids, "text": text, "why": why, "now": now}
    row = {"id": short_id("proposal", kind, ids), **told}
    found = conn.execute(INSERT, row).fetchone()
    return found[0] if found else None


def list_proposals(conn: Connection, state: str | None = OPEN, kind: str | None = None) -> Proposals:
    """The proposals, oldest first, in a state and of a kind (None: any). Raises BadQuestion for an unknown one."""
    for name, value, known in (("state of a proposal", state, STATES), ("kind of proposal", kind, KINDS)):
        if value is not None and value not in known:
            raise BadQuestion(one_of(name, value, known))
    return Proposals(_proposal(row) for row in conn.execute(SELECT_LIST, {"state": state, "kind": kind}))


def proposal(conn: Connection, id: str) -> Proposal:
    """The proposal with this id. Raises NotFound for an unknown id."""
    row = conn.execute(SELECT_ONE, {"id": id}).fetchone()
    if row is None:
        raise NotFound(f"There is no proposal {id!r}. `memkit proposals DATABASE` lists the open ones.")
    return _proposal(row)


def open_proposal(conn: Connection, id: str) -> Proposal:
    """The open proposal with this id. Raises NotFound for an unknown id, BadQuestion if it was decided."""
    found = proposal(conn, id)
    if found.state != OPEN:
        raise BadQuestion(f"The proposal {id} was already {found.state}, on {(found.decided_at or '')[:10]}.")
    return found


def decide(conn: Connection, found: Proposal, state: str, now: str, text: str | None = None) -> Proposal:
    """The proposal after a decision; `text` replaces its own text if given."""
    chosen = found.text if text is None else text
    conn.execute(DECIDE, {"id": found.id, "state": state, "text": chosen, "now": now})
    return proposal(conn, found.id)


def refuse(conn: Connection, id: str, now: str) -> Proposal:
    """The proposal, refused until that is undone. Raises NotFound for an unknown id, BadQuestion if it was decided."""
    return decide(conn, open_proposal(conn, id), REFUSED, now)


def reopen(conn: Connection, id: str, text: str) -> None:
    """Opens an accepted proposal again after undo, with the text that was proposed."""
    conn.execute(REOPEN, {"id": id, "text": text})


def ask_again(conn: Connection, id: str) -> bool:
    """Opens a refused proposal again; whether this is the id of one."""
    return conn.execute(ASK_AGAIN, {"id": id}).fetchone() is not None


def withdraw(conn: Connection, ids: Collection[str]) -> None:
    """Deletes open proposals (ids) that no longer apply."""
    conn.execute(DELETE_OPEN, {"ids": dumps(sorted(ids))})


def refused_pairs(conn: Connection) -> set[tuple[str, str]]:
    """The pairs of memory ids, each sorted, that a person refused to merge."""
    return {pair for found in list_proposals(conn, REFUSED, MERGE) for pair in combinations(found.members, 2)}


def _proposal(row: Any) -> Proposal:
    members = json_texts(row["members"])
    return Proposal(**{**dict(row), "members": tuple(members)})
