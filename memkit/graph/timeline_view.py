"""Timeline: memories by when they happened, and facts by when they were true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memkit.core.frames import frame_of
from memkit.core.instants import first_moment
from memkit.graph import entities
from memkit.storage.connection import Connection
from memkit.storage.filters import WHEN
from memkit.storage.store import dumps

if TYPE_CHECKING:
    import pandas as pd

MOST = 2000  # memories, and facts, of one timeline

SELECT_HAPPENED = f"""
select id, kind, text, {WHEN} as start, null as "end"
from memories as m
where archived_at is null and {WHEN} is not null
    and (:kinds is null or kind in (select value from json_each(:kinds)))
    and (:entity_key is null or key in (select memory_key from mentions where entity_key = :entity_key))
order by start, key
limit :most
"""
SELECT_HELD = """
select r.id, r.predicate as kind, s.name || ' ' || replace(r.predicate, '_', ' ') || ' ' || o.name as text,
    r.valid_from as start, r.valid_until as "end"
from relations as r
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where r.expired_at is null and (r.valid_from is not null or r.valid_until is not null)
    and (:entity_key is null or :entity_key in (r.subject_key, r.object_key))
order by coalesce(r.valid_from, r.valid_until), r.key
limit :most
"""
SELECT_TURNS = """
select substr(valid_from, 1, 10) as day from relations where expired_at is null and valid_from is not null
union
select substr(valid_until, 1, 10) from relations where expired_at is null and valid_until is not null
order by day
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """A memory at the time it happened, or a fact over the time it was true. The `kind` of a fact is its predicate.

    An end that is None is open.
    """

    id: str
    kind: str
    text: str
    start: str | None
    end: str | None = None

    def within(self, since: str | None, until: str | None) -> bool:
        """Whether some of it is or may be at or after `since` and before `until`. A memory ends when it starts."""
        begins_in_time = until is None or self.start is None or self.start < first_moment(until)
        return begins_in_time and (since is None or self.end is None or self.end >= since[: len(self.end)])


@dataclass(frozen=True)
class Moments:
    """The memories and the facts of a timeline, earliest first."""

    memories: tuple[Moment, ...]
    facts: tuple[Moment, ...]

    def to_df(self) -> pd.DataFrame:
        """The timeline as a pandas DataFrame, earliest first: the fields of `Moment`, and `fact` (else a memory).

        `start` and `end` are texts, which may be a day, a month or a year. Raises NeedsPackage if pandas is not
        installed.
        """
        found = frame_of(Moment, (*self.memories, *self.facts))
        found["fact"] = [False] * len(self.memories) + [True] * len(self.facts)
        return found.sort_values("start", kind="stable", ignore_index=True, na_position="first")


def moments(
    conn: Connection,
    *,
    name: str | None = None,
    kinds: Sequence[str] | None = None,
    most: int = MOST,
) -> Moments:
    """The memories (of some kinds, that name an entity) and the facts, each in order of time.

    What was told without a date has the time at which it was told; undated documents are left out. Raises NotFound for
    an unknown name.
    """
    key = entities.find(conn, name).key if name else None
    chosen = {
        "kinds": None if kinds is None else dumps(list(kinds)),
        "entity_key": key,
        "most": most,
    }
    happened = (Moment(**{**dict(row), "end": row["start"]}) for row in conn.execute(SELECT_HAPPENED, chosen))
    held = (Moment(**dict(row)) for row in conn.execute(SELECT_HELD, {"entity_key": key, "most": most}))
    return Moments(tuple(happened), tuple(held))


def turning_days(conn: Connection) -> list[str]:
    """The days on which a fact began or ended, earliest first."""
    return [row["day"] for row in conn.execute(SELECT_TURNS)]
