"""Edges between entities: a relation, or a memory that names both and few others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from memkit.core.classes import dataclass
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

CONFIDENT = 0.3  # relations and mentions with a lower confidence are not followed (Kira, K16)
MEETINGS = 2000  # memories to search at once for entities that are named together; of each entity the newest,
FEWEST_MEETINGS = 50  # but at least so many of each
CROWD = 12  # a memory with more mentions connects no two of them

# The relations of each entity with the highest confidence, as seen from it.
SELECT_RELATED = """
with ends(own, other, key, forward, confidence, predicate) as (
    select subject_key, object_key, key, 1, confidence, predicate from relations
    where subject_key in (select value from json_each(:keys)) and expired_at is null and confidence > :least
        and (:as_of is null or (
            (valid_from is null or valid_from <= :as_of) and (valid_until is null or valid_until > :as_of)))
    union all
    select object_key, subject_key, key, 0, confidence, predicate from relations
    where object_key in (select value from json_each(:keys)) and expired_at is null and confidence > :least
        and (:as_of is null or (
            (valid_from is null or valid_from <= :as_of) and (valid_until is null or valid_until > :as_of)))
), ranked as (
    select *, row_number() over (
        partition by own order by predicate = 'mentions', confidence desc, key
    ) as place
    from ends
)
select own, other, key, forward, confidence, predicate from ranked where place <= :fan_out order by own, place
"""
# `key in (... limit)` reads the newest mentions of a name off the index, however many there are.
SELECT_MET = """
with near(own, memory_key, confidence) as materialized (
    select x.entity_key, x.memory_key, x.confidence
    from json_each(:keys) as e join mentions as x on x.key in (
        select n.key from mentions as n join memories as m on m.key = n.memory_key
        where n.entity_key = e.value and n.confidence > :least and m.archived_at is null
            and (:as_of is null or (
                (m.valid_from is null or m.valid_from <= :as_of) and (m.valid_until is null or m.valid_until > :as_of)
                and coalesce(m.happened_at, '') <= :as_of))
        order by n.memory_key desc limit :meetings
    )
)
select s.own, x.entity_key as other, s.memory_key as key, min(s.confidence, x.confidence) as confidence
from near as s join mentions as x on x.memory_key = s.memory_key
where x.entity_key <> s.own and x.confidence > :least
    and not exists (select 1 from mentions where memory_key = s.memory_key limit 1 offset :crowd)
order by s.own, confidence desc, s.memory_key, other
"""


@dataclass(frozen=True, slots=True)
class Tie:
    """An edge between two entities as seen from `own`: a relation or a memory. All four are keys."""

    own: int
    other: int
    relation: int | None
    memory: int | None
    forward: bool
    confidence: float
    label: str

    @property
    def turned(self) -> Tie:
        """The same edge as seen from its other end."""
        forward = self.relation is None or not self.forward
        return replace(self, own=self.other, other=self.own, forward=forward)


def related(conn: Connection, keys: Iterable[int], fan_out: int, as_of: str | None = None) -> list[Tie]:
    """For each of these entities, its `fan_out` relations with the highest confidence, true at `as_of` if given."""
    parameters = {"keys": keys_json(keys), "least": CONFIDENT, "fan_out": fan_out, "as_of": as_of}
    return [
        Tie(
            row["own"],
            row["other"],
            row["key"],
            None,
            bool(row["forward"]),
            row["confidence"],
            row["predicate"].replace("_", " "),
        )
        for row in conn.execute(SELECT_RELATED, parameters)
    ]


def shared_mentions(conn: Connection, keys: Collection[int], as_of: str | None = None) -> list[Tie]:
    """The entities that each of these is named together with, in its newest memories (those true at `as_of`)."""
    meetings = max(FEWEST_MEETINGS, MEETINGS // max(len(keys), 1))
    parameters = {"keys": keys_json(keys), "least": CONFIDENT, "meetings": meetings, "crowd": CROWD, "as_of": as_of}
    return [
        Tie(row["own"], row["other"], None, row["key"], True, row["confidence"], "named with")
        for row in conn.execute(SELECT_MET, parameters)
    ]
