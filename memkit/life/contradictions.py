"""What contradicts each other, listed for a decision: two relations that cannot both hold, two memories that say
otherwise.

The members of such a proposal are the ids of two relations (graph table `conflicts`), or of two memories (a link
`contradicts`). Its text is what was said last; a person may choose the other side, or say what is true instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memkit.graph.disputes import followers, opposites
from memkit.life import proposals
from memkit.life.proposals import CONTRADICTION, Proposal
from memkit.store import dumps

SELECT_CONFLICTS = """
select a.id, b.id
from conflicts as c join relations as a on a.key = c.relation_key join relations as b on b.key = c.other_key
where a.expired_at is null and b.expired_at is null
order by a.key, b.key
"""
SELECT_DISPUTED = "select distinct from_key from links where type = 'contradicts' order by from_key"
SELECT_LIVING = """
select key, id from memories where archived_at is null and (valid_until is null or valid_until > :now)
    and key in (select value from json_each(:keys))
"""
SELECT_RELATION_SIDES = """
select r.id, s.name || ' ' || replace(r.predicate, '_', ' ') || ' ' || o.name as text, max(e.said_at) as at,
    json_group_array(distinct m.id) filter (where m.id is not null) as sources, max(e.quote) as quote
from relations as r
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
    left join evidence as e on e.relation_key = r.key
    left join memories as m on m.key = e.memory_key
where r.id in (select value from json_each(:ids))
group by r.key
order by at, r.key
"""
SELECT_MEMORY_SIDES = """
select id, text, coalesce(happened_at, created_at) as at, json_array(id) as sources, '' as quote
from memories where id in (select value from json_each(:ids))
order by at, key
"""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction, or one member of a merge: what it says, when that was said, by which memories."""

    id: str
    text: str
    at: str
    sources: tuple[str, ...]
    quote: str = ""


def propose_decisions(conn: Any, now: str) -> list[Proposal]:
    """The proposals that are new: one for each contradiction. Those that are none any more are taken back."""
    found = disputes(conn, now)
    waiting = proposals.listed(conn, kind=CONTRADICTION)
    proposals.withdraw(conn, [one.id for one in waiting if one.members not in found])
    made: list[Proposal] = []
    for members, why in found.items():
        known = sides(conn, members)
        if len(known) == 2 and (id := proposals.propose(conn, CONTRADICTION, members, known[-1].text, why, now)):
            made.append(proposals.proposal(conn, id))
    return made


def new_disputes(conn: Any, now: str) -> list[tuple[str, ...]]:
    """The contradictions that nobody has been asked about yet, by their members."""
    asked = {one.members for one in proposals.listed(conn, None, CONTRADICTION)}
    return [members for members in disputes(conn, now) if members not in asked]


def disputes(conn: Any, now: str) -> dict[tuple[str, ...], str]:
    """What contradicts each other now: the ids of two relations or of two memories, and the reason in words."""
    return {tuple(sorted(pair)): why for pair, why in _disputes(conn, now)}


def _disputes(conn: Any, now: str) -> list[tuple[tuple[str, str], str]]:
    found = [((row[0], row[1]), "they cannot both hold") for row in conn.execute(SELECT_CONFLICTS)]
    pairs = opposites(conn, [row[0] for row in conn.execute(SELECT_DISPUTED)])
    keys = {key for one, others in pairs.items() for key in (one, *others)}
    settled = followers(conn, keys)
    living = {row["key"]: row["id"] for row in conn.execute(SELECT_LIVING, {"keys": dumps(sorted(keys)), "now": now})}
    for one, others in pairs.items():
        for other in others:
            if one in living and other in living and not {one, other} & settled.keys():
                found.append(((living[one], living[other]), "linked as contradicting each other"))
    return found


def sides(conn: Any, members: Iterable[str]) -> list[Side]:
    """What each member says, the oldest first: relations in words, memories by their text."""
    parameters = {"ids": dumps(sorted(members))}
    rows = conn.execute(SELECT_RELATION_SIDES, parameters).fetchall()
    rows = rows or conn.execute(SELECT_MEMORY_SIDES, parameters).fetchall()
    return [Side(r["id"], r["text"], r["at"] or "", tuple(json.loads(r["sources"])), r["quote"] or "") for r in rows]
