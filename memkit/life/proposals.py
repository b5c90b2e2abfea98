"""What a person is asked to decide: memories that may be one, and memories that contradict each other.

Nothing is merged silently. A proposal is made once for the same members; what was refused does not come back, not even
as a part of a larger proposal.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from memkit.errors import BadQuestion, NotFound, one_of
from memkit.store import dumps
from memkit.text import short_id

MERGE, CONTRADICTION = KINDS = ("merge", "contradiction")
OPEN, ACCEPTED, REFUSED = STATES = ("open", "accepted", "refused")

INSERT = """
insert into proposals (id, kind, members, text, why, created_at)
values (:id, :kind, :members, :text, :why, :now)
on conflict (kind, members) do update set text = excluded.text, why = excluded.why
where state = 'open' and (text, why) is not (excluded.text, excluded.why)
returning id
"""
SELECT_LIST = """
select id, kind, members, text, why, state, created_at, decided_at from proposals
where (:state is null or state = :state) and (:kind is null or kind = :kind)
order by key
"""
SELECT_ONE = "select id, kind, members, text, why, state, created_at, decided_at from proposals where id = :id"
DECIDE = "update proposals set state = :state, text = :text, decided_at = :now where id = :id and state = 'open'"
REOPEN = "update proposals set state = 'open', text = :text, decided_at = null where id = :id and state = 'accepted'"
DELETE_OPEN = "delete from proposals where state = 'open' and id in (select value from json_each(:ids))"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question to a person: what the `members` (ids) would become (`text`), why, and what was decided."""

    id: str
    kind: str
    members: tuple[str, ...]
    text: str
    why: str
    state: str
    created_at: str
    decided_at: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return asdict(self)


class Proposals(list[Proposal]):
    """Proposals; in a notebook a table."""

    def _repr_html_(self) -> str:
        from memkit.render_life import proposals_html

        return proposals_html(self)


def propose(conn: Any, kind: str, members: Iterable[str], text: str, why: str, now: str) -> str | None:
    """The id of a proposal that is new or says something else now; None if it stands already, or was decided."""
    ids = dumps(sorted(set(members)))
    row = {"id": short_id("proposal", kind, ids), "kind": kind, "members": ids, "text": text, "why": why, "now": now}
    found = conn.execute(INSERT, row).fetchone()
    return found[0] if found else None


def listed(conn: Any, state: str | None = OPEN, kind: str | None = None) -> Proposals:
    """The proposals in a state (None: in any), of a kind, oldest first. Raises BadQuestion for an unknown one."""
    for name, value, known in (("state of a proposal", state, STATES), ("kind of proposal", kind, KINDS)):
        if value is not None and value not in known:
            raise BadQuestion(one_of(name, value, known))
    return Proposals(_proposal(row) for row in conn.execute(SELECT_LIST, {"state": state, "kind": kind}))


def proposal(conn: Any, id: str) -> Proposal:
    """The proposal with this id. Raises NotFound."""
    row = conn.execute(SELECT_ONE, {"id": id}).fetchone()
    if row is None:
        raise NotFound(f"There is no proposal {id!r}. `memkit proposals DATABASE` lists the open ones.")
    return _proposal(row)


def open_one(conn: Any, id: str) -> Proposal:
    """The proposal with this id, which nobody has decided yet. Raises NotFound, and BadQuestion if it is decided."""
    found = proposal(conn, id)
    if found.state != OPEN:
        raise BadQuestion(f"The proposal {id} has been {found.state} already, on {(found.decided_at or '')[:10]}.")
    return found


def decide(conn: Any, found: Proposal, state: str, now: str, text: str | None = None) -> Proposal:
    """The proposal after a decision; its text is then the one that was decided on."""
    chosen = found.text if text is None else text
    conn.execute(DECIDE, {"id": found.id, "state": state, "text": chosen, "now": now})
    return proposal(conn, found.id)


def refuse(conn: Any, id: str, now: str) -> Proposal:
    """The proposal, refused: it does not come back. Raises NotFound, and BadQuestion if it is decided."""
    return decide(conn, open_one(conn, id), REFUSED, now)


def reopen(conn: Any, id: str, text: str) -> None:
    """Makes an accepted proposal, whose change is undone, a question again: with the text that was proposed."""
    conn.execute(REOPEN, {"id": id, "text": text})


def withdraw(conn: Any, ids: Collection[str]) -> None:
    """Takes open proposals back whose question is no question any more."""
    conn.execute(DELETE_OPEN, {"ids": dumps(sorted(ids))})


def refused_pairs(conn: Any) -> set[tuple[str, str]]:
    """Pairs of ids, sorted, that somebody has said are not one."""
    return {pair for found in listed(conn, REFUSED, MERGE) for pair in combinations(found.members, 2)}


def _proposal(row: Any) -> Proposal:
    members: Sequence[str] = json.loads(row["members"])
    return Proposal(**{**dict(row), "members": tuple(members)})
