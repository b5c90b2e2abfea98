"""Corrections of the turn before: after "I live in Ashcombe.", "Sorry, I meant Ashby." says where somebody lives.

What is corrected is what the last turn of the same speaker in the same conversation said, if a name in it is like the
one that was meant. What is like none of them, such as a day, corrects nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from memkit.graph.timeline import NEVER
from memkit.ingestion.relation_extraction import NamedTriple, kind_of
from memkit.storage.connection import Connection

LIKE = 0.5  # how like a name is that was mistaken for another (1 is the same)
AWAY = 20  # memories after which a correction comes too late

SELECT_TURN_BEFORE = """
select p.key from memories as m
    join memories as p on p.key < m.key and p.key >= m.key - :away and p.archived_at is null
        and p.speaker is m.speaker and p.document_key is m.document_key and p.project is m.project
where m.key = :key
    and julianday(coalesce(m.happened_at, m.created_at)) - julianday(coalesce(p.happened_at, p.created_at))
        between 0 and 1
order by p.key desc limit 1
"""
SELECT_STATED = """
select s.name as subject, r.predicate, o.name as object, r.valid_from, e.confidence
from evidence as e
    join relations as r on r.key = e.relation_key
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where e.memory_key = :key and e.method = 'pattern' and r.expired_at is null and r.valid_until is null
order by e.key
"""


def resolved(
    conn: Connection, rows: Sequence[Any], said: Mapping[int, Sequence[NamedTriple]]
) -> dict[int, list[NamedTriple]]:
    """What those of these memories say that correct the turn before: `said`, with what was meant in its place."""
    found: dict[int, list[NamedTriple]] = {}
    for key in (row["key"] for row in rows):
        if any(not one.predicate for one in said.get(key, ())):
            found[key] = [new for one in said[key] for new in _in_place_of(conn, key, one, {**said, **found})]
    return found


def meant(said: Sequence[Sequence[NamedTriple]]) -> list[str]:
    """The names that were meant and those that were said: none of them is the other in another spelling."""
    wrong = {(one.subject, one.predicate, one.quote) for some in said for one in some if one.valid_from == NEVER}
    return [one.object for some in said for one in some if (one.subject, one.predicate, one.quote) in wrong]


def _in_place_of(
    conn: Connection, key: int, one: NamedTriple, said: Mapping[int, Sequence[NamedTriple]]
) -> list[NamedTriple]:
    if one.predicate:
        return [one]
    before = conn.execute(SELECT_TURN_BEFORE, {"key": key, "away": AWAY}).fetchone()
    stated = _stated(conn, before["key"], said) if before else []
    alike = [(_likeness(old.object, one.object), -place) for place, old in enumerate(stated)]
    best, place = max(alike, default=(0.0, 0))
    if best < LIKE:
        return []
    old = replace(stated[-place], quote=one.quote)
    wrong = replace(old, valid_from=NEVER, valid_until=NEVER)
    return [wrong, replace(old, object=one.object, kinds=(old.kinds[0], kind_of(one.object)))]


def _stated(conn: Connection, key: int, said: Mapping[int, Sequence[NamedTriple]]) -> list[NamedTriple]:
    """What a memory says at first hand and is so, as it was just read, or as it is stored."""
    if key in said:
        return [one for one in said[key] if one.method == "pattern" and one.object and one.valid_until is None]
    found = conn.execute(SELECT_STATED, {"key": key})
    return [
        NamedTriple(
            row["subject"],
            row["predicate"],
            row["object"],
            "",
            "pattern",
            row["confidence"],
            row["valid_from"],
            kinds=(kind_of(row["subject"]), kind_of(row["object"])),
        )
        for row in found
    ]


def _likeness(name: str, meant: str) -> float:
    """How like two names are (0 to 1); 0 if they are the same."""
    one, other = name.casefold(), meant.casefold()
    return 0.0 if one == other else SequenceMatcher(None, one, other, autojunk=False).ratio()
