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
# The names of whom something was said to be to, and what that is, as the memories say it, in their order.
SELECT_SAID = """
select o.name, r.predicate
from relations as r
    join evidence as e on e.relation_key = r.key
    join entities as o on o.key = r.object_key
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

    A description stays while a relation gives it; where none does any more, the first one that does is taken.
    """
    ended = [(subject, predicate, other) for subject, predicate, other in triples if describes(predicate)]
    for key, predicate, other in dict.fromkeys(ended):
        row = conn.execute(SELECT_DESCRIPTION, {"key": key}).fetchone()
        names = [of[0] for of in conn.execute(SELECT_NAMES, {"key": other})]
        if row is None or not (row[0] is None or row[0] in {description(name, predicate) for name in names}):
            continue
        said = conn.execute(SELECT_SAID, {"key": key, "method": METHOD}).fetchall()
        if any(of["predicate"] == predicate and of["name"] in names for of in said) and row[0] is not None:
            continue
        new = next((description(*of) for of in said if describes(of["predicate"])), None)
        if new != row[0]:
            conn.execute(SET_DESCRIPTION, {"key": key, "description": new, "now": now})
            conn.execute(entities.FORGET_VECTOR, {"key": key})
