"""Descriptions that relations give: who is `dentist_of` Reed is described as `Reed's dentist`, while that is said.

What a page, a person or a model says of an entity comes first.
"""

from __future__ import annotations

from collections.abc import Iterable

from memkit.graph import entities
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty

METHOD = "pattern"  # of evidence that a sentence gives

SELECT_DESCRIPTION = f"""
select description from entities where key = :key and {or_empty("meta")}->>'$.description_of_page' is null
"""
SELECT_NAMES = "select alias from aliases where entity_key = :key"
# Whom something was said to be to, and what that is, as the memories say it, in their order.
SELECT_SAID = """
select r.object_key, r.predicate
from relations as r join evidence as e on e.relation_key = r.key
where r.subject_key = :key and r.expired_at is null and e.method = :method and e.valid_until is null
order by e.memory_key, e.key
"""
SET_DESCRIPTION = "update entities set description = :description, updated_at = :now where key = :key"


def describes(predicate: str) -> bool:
    """Whether a relation says what somebody is to somebody: `dentist_of`."""
    return predicate.endswith("_of") and predicate != "part_of"


def description(name: str, predicate: str) -> str:
    """What somebody is who is this to somebody with a name."""
    return f"{name}'s {predicate[:-3].replace('_', ' ')}"


def follow(conn: Connection, triples: Iterable[tuple[int, str, int]], now: str) -> None:
    """Describes the subjects of these (subject, predicate, object) anew, whose evidence has changed.

    The first memory that says what they are describes them; what does not come from a relation stays.
    """
    changed = [triple for triple in triples if describes(triple[1])]
    for key in dict.fromkeys(subject for subject, _, _ in changed):
        row = conn.execute(SELECT_DESCRIPTION, {"key": key}).fetchone()
        said = [tuple(of) for of in conn.execute(SELECT_SAID, {"key": key, "method": METHOD}) if describes(of[1])]
        ended = [(other, predicate) for subject, predicate, other in changed if subject == key]
        if row is None or not (row[0] is None or row[0] in _forms(conn, [*said, *ended])):
            continue
        if said and row[0] in _forms(conn, said[:1]):
            continue
        new = description(entities.by_keys(conn, [said[0][0]])[said[0][0]].name, said[0][1]) if said else None
        if new != row[0]:
            conn.execute(SET_DESCRIPTION, {"key": key, "description": new, "now": now})
            conn.execute(entities.FORGET_VECTOR, {"key": key})


def _forms(conn: Connection, said: Iterable[tuple[int, str]]) -> set[str]:
    """All descriptions by which these (object, predicate) may have been told."""
    return {
        description(row[0], predicate)
        for other, predicate in said
        for row in conn.execute(SELECT_NAMES, {"key": other})
    }
