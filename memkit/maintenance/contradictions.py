"""Contradictions as proposals for a person: two relations that cannot both hold, or two memories that disagree.

The members of such a proposal are the ids of two relations (table `conflicts`), or of two memories (a link
`contradicts`). Its text is the newer statement. A person may choose the other side, or write what is true instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memkit.graph.disputes import followers, opposites
from memkit.maintenance import proposals
from memkit.maintenance.proposals import CONTRADICTION, Proposal
from memkit.storage.connection import Connection
from memkit.storage.filters import WHEN
from memkit.storage.json_columns import json_texts
from memkit.storage.store import dumps

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
SELECT_MEMORY_SIDES = f"""
select id, text, {WHEN} as at, json_array(id) as sources, '' as quote
from memories as m where id in (select value from json_each(:ids))
order by coalesce(happened_at, created_at), key
"""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction, or one member of a merge: its id, text and time, and the ids of its memories."""

    id: str
    text: str
    at: str
    sources: tuple[str, ...]
    quote: str = ""


def propose_decisions(conn: Connection, now: str) -> list[Proposal]:
    """The new proposals, one for each contradiction. Open proposals without a contradiction are withdrawn."""
    found = disputes(conn, now)
    waiting = proposals.list_proposals(conn, kind=CONTRADICTION)
    proposals.withdraw(conn, [one.id for one in waiting if one.members not in found])
    made: list[Proposal] = []
    for members, why in found.items():
        known = sides(conn, members)
        if len(known) == 2 and (id := proposals.propose(conn, CONTRADICTION, members, known[-1].text, why, now)):
            made.append(proposals.proposal(conn, id))
    return made


def new_disputes(conn: Connection, now: str) -> list[tuple[str, ...]]:
    """The contradictions without a proposal so far, each as its two member ids."""
    asked = {one.members for one in proposals.list_proposals(conn, None, CONTRADICTION)}
    return [members for members in disputes(conn, now) if members not in asked]


def disputes(conn: Connection, now: str) -> dict[tuple[str, ...], str]:
    """The contradictions now: the ids of two relations or of two memories, and the reason in words."""
    return {tuple(sorted(pair)): why for pair, why in _disputes(conn, now)}


def _disputes(conn: Connection, now: str) -> list[tuple[tuple[str, str], str]]:
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


def sides(conn: Connection, members: Iterable[str]) -> list[Side]:
    """The members, oldest first, with their texts: a relation in words, a memory's own text."""
    parameters = {"ids": dumps(sorted(members))}
    rows = conn.execute(SELECT_RELATION_SIDES, parameters).fetchall()
    rows = rows or conn.execute(SELECT_MEMORY_SIDES, parameters).fetchall()
    return [Side(r["id"], r["text"], r["at"] or "", tuple(json_texts(r["sources"])), r["quote"] or "") for r in rows]
