"""Timeline: memories by when they happened, and facts by when they were true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit.core.frames import frame_of
from memkit.core.instants import first_moment
from memkit.graph import entities
from memkit.graph.relations import DOUBT
from memkit.storage.connection import Connection
from memkit.storage.filters import WHEN
from memkit.storage.store import dumps

if TYPE_CHECKING:
    import pandas as pd

MOST = 2000  # memories, and facts, of one timeline

# Of more than `most` rows of `found` the first, the last and others at equal distances, so that a timeline covers the
# whole of its time. Each row says how many there are.
SPREAD = """
counted as (select *, row_number() over (order by at, key) as n, count(*) over () as total from found),
spread as (
    select * from counted where n = 1 or n * (:most - 1) / total > (n - 1) * (:most - 1) / total
)
"""
WITHIN = """
    (:until is null or start is null or start < :until)
    and (:since is null or "end" is null or "end" >= substr(:since, 1, length("end")))
"""
SELECT_HAPPENED = f"""
with happened as (
    select key, {WHEN} as start, {WHEN} as "end", {WHEN} as at
    from memories as m
    where archived_at is null and {WHEN} is not null
        and (:kinds is null or kind in (select value from json_each(:kinds)))
        and (:entity_key is null or key in (select memory_key from mentions where entity_key = :entity_key))
), found as (select * from happened where {WITHIN}), {SPREAD}
select m.id, m.kind, m.text, start, "end", total from spread as s join memories as m on m.key = s.key order by at, s.key
"""
SELECT_HELD = f"""
with held as (
    select key, valid_from as start, valid_until as "end", coalesce(valid_from, valid_until) as at
    from relations
    where expired_at is null and (valid_from is not null or valid_until is not null)
        and (:entity_key is null or :entity_key in (subject_key, object_key))
), found as (select * from held where {WITHIN}), {SPREAD}
select r.id, r.predicate as kind, s.name || ' ' || replace(r.predicate, '_', ' ') || ' ' || o.name as text,
    start, "end", r.method, total
from spread
    join relations as r on r.key = spread.key
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
order by at, spread.key
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

    An end that is None is open. `method` is how a fact is known, as in `Relation`; empty for a memory.
    """

    id: str
    kind: str
    text: str
    start: str | None
    end: str | None = None
    method: str = ""

    @property
    def in_doubt(self) -> bool:
        """Whether something was said in between that makes the fact doubtful over this time."""
        return self.method == DOUBT

    def within(self, since: str | None, until: str | None) -> bool:
        """Whether some of it is or may be at or after `since` and before `until`. A memory ends when it starts."""
        begins_in_time = until is None or self.start is None or self.start < first_moment(until)
        return begins_in_time and (since is None or self.end is None or self.end >= since[: len(self.end)])


@dataclass(frozen=True)
class Moments:
    """The memories and the facts of a timeline, earliest first; `more` memories of the same time are not listed.

    The first, the last and those at equal distances between them are, up to 2,000, and so with the facts.
    """

    memories: tuple[Moment, ...]
    facts: tuple[Moment, ...]
    more: int = 0

    @property
    def there(self) -> int:
        """The number of memories in this time, listed or not."""
        return len(self.memories) + self.more

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
    since: str | None = None,
    until: str | None = None,
    most: int | None = None,
) -> Moments:
    """The memories (of some kinds, that name an entity) and the facts from `since` to before `until`, in order of time.

    What was told without a date has the time at which it was told; undated documents are left out. Raises NotFound for
    an unknown name.
    """
    chosen = {
        "kinds": None if kinds is None else dumps(list(kinds)),
        "entity_key": entities.find_shown(conn, name).key if name else None,
        "since": since,
        "until": first_moment(until) if until else None,
        "most": most or MOST,
    }
    happened, there = _read(conn, SELECT_HAPPENED, chosen)
    held, _ = _read(conn, SELECT_HELD, chosen)
    return Moments(happened, held, there - len(happened))


def _read(conn: Connection, query: str, chosen: Mapping[str, Any]) -> tuple[tuple[Moment, ...], int]:
    """The moments that are listed, and how many there are."""
    rows = [dict(row) for row in conn.execute(query, chosen)]
    there = max((row.pop("total") for row in rows), default=0)
    return tuple(Moment(**row) for row in rows), there


def turning_days(conn: Connection) -> list[str]:
    """The days on which a fact began or ended, earliest first."""
    return [row["day"] for row in conn.execute(SELECT_TURNS)]
