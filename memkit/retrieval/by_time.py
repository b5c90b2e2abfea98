"""Browsing by time: the years, months or days in which something happened, what happened there, and on this day.

Only memories whose time is known count: the date of coming in is no date of happening.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from memkit.core.errors import BadQuestion
from memkit.core.types import Memory
from memkit.storage.connection import Connection
from memkit.storage.filters import ELIGIBLE, Scope
from memkit.storage.store import memories

MOST = 200  # memories of one day
LENGTHS = {0: 4, 4: 7, 7: 10}  # a time as long as this is divided into times as long as that: all into years
_TIME = re.compile(r"(?:\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)?")

# A time is text that begins with its year, so what is later than `2025-03` begins with `2025-04` or more.
_WITHIN = "m.happened_at >= :start and m.happened_at < :start || '~' and m.kind <> 'summary'"
COUNT_PARTS = f"""
select substr(m.happened_at, 1, :length) as part, count(*) as n from memories as m
where {_WITHIN} and length(m.happened_at) >= :length and {ELIGIBLE}
group by part order by part
"""
SELECT_THERE = f"""
select m.key from memories as m
where {_WITHIN} and (:exactly is null or length(m.happened_at) = :exactly) and {ELIGIBLE}
order by m.happened_at, m.document_key, m.position, m.key
limit :most
"""
SELECT_ON_THIS_DAY = f"""
select m.key from memories as m
where substr(m.happened_at, 5, 6) = :day and m.kind <> 'summary' and m.happened_at < :before and {ELIGIBLE}
order by m.happened_at desc, m.document_key, m.position, m.key
limit :most
"""
SELECT_BESIDE = f"""
select
    (
        select max(substr(m.happened_at, 1, :length)) from memories as m
        where m.happened_at < :start and length(m.happened_at) >= :length and m.kind <> 'summary' and {ELIGIBLE}
    ) as before,
    (
        select min(substr(m.happened_at, 1, :length)) from memories as m
        where m.happened_at >= :start || '~' and length(m.happened_at) >= :length and m.kind <> 'summary' and {ELIGIBLE}
    ) as after
"""


@dataclass(frozen=True)
class Period:
    """A period: all time (empty), a year, a month or a day, such as `2025-03`.

    `parts` has its years, months or days with their numbers of memories; `memories` are those of a day, or those of
    which no more is known than the period. `before` and `after` are the nearest periods with memories.
    """

    when: str
    parts: tuple[tuple[str, int], ...]
    memories: tuple[Memory, ...]
    before: str | None
    after: str | None


def period(conn: Connection, when: str, now: str) -> Period:
    """What happened in a period. Raises BadQuestion for a text that is none."""
    if not _TIME.fullmatch(when):
        raise BadQuestion(f"A period is a year, a month or a day, such as 2025-03, not {when[:40]!r}.")
    asked: dict[str, Any] = {**Scope.of(now=now).parameters(), "start": when, "most": MOST}
    length = LENGTHS.get(len(when))
    parts = conn.execute(COUNT_PARTS, {**asked, "length": length}).fetchall() if length else ()
    there = conn.execute(SELECT_THERE, {**asked, "exactly": len(when) if length else None}) if when else ()
    beside = conn.execute(SELECT_BESIDE, {**asked, "length": len(when)}).fetchone() if when else None
    return Period(
        when,
        tuple((row["part"], row["n"]) for row in parts),
        tuple(memories(conn, [row["key"] for row in there]).values()),
        beside["before"] if beside else None,
        beside["after"] if beside else None,
    )


def on_this_day(conn: Connection, now: str, most: int) -> list[Memory]:
    """What happened on this day of other years, the latest year first."""
    asked = {**Scope.of(now=now).parameters(), "day": now[4:10], "before": now[:10], "most": most}
    return list(memories(conn, [row["key"] for row in conn.execute(SELECT_ON_THIS_DAY, asked)]).values())
